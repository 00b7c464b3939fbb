"""What a run ran on: figures mean little without it."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

import numpy as np

try:  # numpy 2; where it moves, the dispatch is not known.
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
except ImportError:  # pragma: no cover
    __cpu_dispatch__, __cpu_features__ = [], {}


@dataclass(frozen=True)
class Machine:
    """The processor, and what numpy makes of it.

    Attributes
    ----------
    processor : str
        Its name.
    cores : int
        Those that this process may use.
    system : str
        Operating system and Python.
    numpy : str
        numpy's version.
    dispatch : tuple of str
        The instruction sets, beyond the common ones, that numpy's sort and other loops use;
        `NPY_DISABLE_CPU_FEATURES` takes some away.
    load : float
        Processes that waited for a core, on average over the last minute, when the run began.
    """

    processor: str
    cores: int
    system: str
    numpy: str
    dispatch: tuple[str, ...]
    load: float

    @classmethod
    def here(cls) -> Machine:
        """This one."""
        allowed = getattr(os, "sched_getaffinity", None)
        return cls(
            processor=_processor(),
            cores=len(allowed(0)) if allowed else os.cpu_count() or 1,
            system=f"{platform.system()}, Python {platform.python_version()}",
            numpy=np.__version__,
            dispatch=tuple(name for name in __cpu_dispatch__ if __cpu_features__.get(name)),
            load=round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else float("nan"),
        )

    def __str__(self) -> str:
        return (
            f"{self.processor}, {self.cores} cores, {self.system}, load {self.load:g}. "
            f"numpy {self.numpy} dispatches to {self.numpy_sort}."
        )

    @property
    def numpy_sort(self) -> str:
        """The instruction sets that numpy uses, in words."""
        return ", ".join(self.dispatch) or "the common instructions only"


def _processor() -> str:
    """Its name, with what tells machines of one name apart."""
    known = Path("/proc/cpuinfo")
    if not known.exists():
        return platform.processor() or platform.machine()
    lines = (line.partition(":") for line in known.read_text().splitlines())
    facts = {key.strip(): value.strip() for key, _, value in lines if value}
    name = facts.get("model name") or platform.machine()
    model = f"family {facts['cpu family']}, model {facts['model']}" if "model" in facts else ""
    return f"{name} ({model})" if model else name
