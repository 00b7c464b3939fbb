"""How long a whole command takes: a comparison of the bank's customers, with its report."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

import isonomy as iso
from benchmarks.targets import Target

ROUNDS = 3
# Five splits, all methods of the linear family, the report.
COMPARE = ("--labels", "housing", "--positive", "y=yes", "--family", "linear", "--repeats", "1")
RUN = "from isonomy.cli import main; main()"


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print the seconds of `isonomy compare`; return the target. It takes as long when quick."""
    del quick
    default = Path(__file__).parents[2] / "shared" / "data"
    data = Path(os.environ.get("ISONOMY_DATA", default)) / "bank" / "bank-full.csv"
    if not data.exists():
        console.print("`isonomy compare` on bank: skipped. Set ISONOMY_DATA for the file.")
        return []
    best = float("inf")
    for _ in range(ROUNDS):
        best = min(best, _seconds(data))
    console.print(f"isonomy compare, bank, 5 splits, report: {best:.2f} seconds on the wall")
    return [Target("isonomy compare, bank, 5 splits, report", best, 5, unit=" s")]


def _seconds(data: Path) -> float:
    source = str(Path(iso.__file__).parents[1])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", RUN, "compare", str(data), *COMPARE, "--quiet"]
        begin = time.perf_counter()
        subprocess.run(
            [*command, "--report", str(Path(folder) / "report.html")],
            check=True,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": source},
        )
        return time.perf_counter() - begin
