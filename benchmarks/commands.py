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
# Five splits of the linear family, and the report.
COMPARE = ("--labels", "housing", "--positive", "y=yes", "--family", "linear", "--repeats", "1")
# Eight methods, none of them tuned: what the first version compared.
EIGHT = ("--no-tune", "--methods", "mean,loss,balanced,product,worst,plug-in,one-label")
RUN = "from isonomy.cli import main; main()"
IMPORTS = "import isonomy.cli._compare"


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print the seconds of `isonomy compare`; return the target. It takes as long when quick."""
    del quick
    default = Path(__file__).parents[2] / "shared" / "data"
    data = Path(os.environ.get("ISONOMY_DATA", default)) / "bank" / "bank-full.csv"
    if not data.exists():
        console.print("`isonomy compare` on bank: skipped. Set ISONOMY_DATA for the file.")
        return []
    with tempfile.TemporaryDirectory() as folder:
        report = ("--quiet", "--report", str(Path(folder) / "report.html"))
        commands = {
            "imports alone": (IMPORTS,),
            "8 methods, not tuned": (RUN, "compare", str(data), *COMPARE, *EIGHT, *report),
            "all methods, tuned": (RUN, "compare", str(data), *COMPARE, *report),
        }
        seconds = {name: min(_times(words)) for name, words in commands.items()}
    for name, best in seconds.items():
        console.print(f"isonomy compare, bank, 5 splits, report; {name}: {best:.2f} s on the wall")
    eight = seconds["8 methods, not tuned"]
    return [Target("isonomy compare, bank, 5 splits, 8 methods, report", eight, 5, unit=" s")]


def _times(words: tuple[str, ...]) -> list[float]:
    """Seconds of each round, in a process of its own."""
    source = str(Path(iso.__file__).parents[1])
    found = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", *words],
            check=True,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": source},
        )
        found.append(time.perf_counter() - begin)
    return found
