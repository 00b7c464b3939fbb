"""Warnings that point at the user's own line."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from types import FrameType

PACKAGE = str(Path(__file__).parents[1]) + os.sep


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line outside this package and the compiler, which calls it back."""
    depth = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame):
        frame = frame.f_back
        depth += 1
    warnings.warn(message, category, stacklevel=depth)


def _is_inside(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__"))
    return frame.f_code.co_filename.startswith(PACKAGE) or module.startswith("numba.")
