"""Scripts of `.ci`, which is no package."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

CI = Path(__file__).parents[2] / ".ci"


def script(name: str) -> ModuleType:
    """A script as a module; what it does when it is run is not done."""
    spec = importlib.util.spec_from_file_location(name, CI / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
