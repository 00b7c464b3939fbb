"""skops, imported when a model is saved or loaded."""

from __future__ import annotations

import sys
from typing import Any

from isonomy._infra import require

_ADAPTERS = [f"sklearn.externals.array_api_compat.{name}" for name in ("torch", "dask", "cupy")]


def skops_io() -> Any:
    """The module `skops.io`, without torch and dask.

    At its first import skops asks scikit-learn for a list of its estimators, which tries to
    import every module of scikit-learn, adapters to torch and dask among them. None in
    `sys.modules` is Python's way to say that a module shall not be found.
    """
    blocked = [name for name in _ADAPTERS if name not in sys.modules]
    try:
        for name in blocked:
            sys.modules[name] = None  # type: ignore[assignment]
        return require("skops.io", "cli", "A model file")
    finally:
        for name in blocked:
            sys.modules.pop(name, None)
