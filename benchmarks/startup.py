"""How long the first metric takes in a fresh process, beside importing scikit-learn's metrics."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

import isonomy as iso
from benchmarks.targets import Target
from benchmarks.timing import fresh_process

ROUNDS, QUICK_ROUNDS = 15, 5

# numba loads coverage where it is installed, as it is here and not where people work.
ALONE = "import sys; sys.modules['coverage'] = None; "
# Processor time of a process up to here, so that waiting for a busy core does not count.
SECONDS = "; import time; print(time.process_time())"
OURS, PEER = "import isonomy; isonomy.auc([0, 1], [1, 2])", "import sklearn.metrics"
# What comes first in any case, and what compiling takes before it begins.
FLOOR = "import numba"
COMPILER = "from numba.core.registry import cpu_target; cpu_target.target_context.refresh()"


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print one table of seconds; return the target."""
    source = str(Path(iso.__file__).parents[1])
    best = dict.fromkeys((OURS, PEER, FLOOR, COMPILER, "pass"), float("inf"))
    for _ in range(QUICK_ROUNDS if quick else ROUNDS):
        for code in best:
            best[code] = min(best[code], float(fresh_process(ALONE + code + SECONDS, source)))
    table = Table(title="Start-up in a fresh process, processor time")
    table.add_column("what")
    for heading in ("seconds", f"ratio to {PEER}"):
        table.add_column(heading, justify="right")
    for code, seconds in best.items():
        table.add_row(code, f"{seconds:.2f}", f"{seconds / best[PEER]:.2f}")
    console.print(table)
    return [Target(f"start-up and first auc: time of {PEER}", best[OURS] / best[PEER], 0.5)]
