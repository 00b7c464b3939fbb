"""Code run in a fresh interpreter that has the core's packages alone."""

from __future__ import annotations

import subprocess
import sys

# All that the extras bring, and pandas, which nothing of Isonomy may need.
EXTRAS = {
    "cli": ("altair", "jinja2", "polars", "pooch", "rich", "skops", "typer", "vl_convert"),
    "boost": ("lightgbm", "xgboost"),
    "judge": ("urllib3",),
    "torch": ("skorch", "torch"),
    "onnx": ("onnx",),
    "dask": ("dask", "distributed"),
    "spark": ("pyspark",),
    None: ("pandas", "pyarrow"),
}

# Finds everything that was found before, except what is blocked: as if it were not installed.
BLOCKER = """
import sys

class Blocker:
    def __init__(self, blocked):
        self.blocked, self.finders = blocked, list(sys.meta_path)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.blocked:
            return None
        found = (finder.find_spec(name, path, target) for finder in self.finders)
        return next((spec for spec in found if spec is not None), None)

    def find_distributions(self, *arguments):
        for finder in self.finders:
            yield from getattr(finder, "find_distributions", lambda *_: [])(*arguments)

sys.meta_path[:] = [Blocker({blocked!r})]
"""


def run_without_extras(code: str) -> subprocess.CompletedProcess[str]:
    """Run it; the names of the extras' packages cannot be imported."""
    blocked = [name for names in EXTRAS.values() for name in names]
    return subprocess.run(
        [sys.executable, "-c", BLOCKER.format(blocked=blocked) + code],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
