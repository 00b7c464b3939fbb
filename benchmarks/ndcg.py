"""Speed of nDCG for several labels, against scikit-learn's one label at a time."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import ndcg_score

import isonomy as iso
from benchmarks.data import scores_and_labels
from benchmarks.targets import Target
from benchmarks.timing import Contestant, race

SIZE, QUICK_SIZE, LABELS = 1_000_000, 50_000, 8


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print a table of times; at full size ours should be 20 times as fast."""
    n = QUICK_SIZE if quick else SIZE
    score, Y = scores_and_labels(n, LABELS)
    found = race(
        [
            Contestant("isonomy.label_ndcgs", lambda: iso.label_ndcgs(Y, score)),
            Contestant(
                f"scikit-learn's ndcg_score, {LABELS} times",
                lambda: np.array([ndcg_score([Y[:, k]], [score]) for k in range(LABELS)]),
            ),
        ],
        rounds=3,
    )
    table = Table(title=f"nDCG of {LABELS} labels, {n:,} rows, ties averaged")
    table.add_column("")
    for heading in ("milliseconds", "ratio to ours", "difference"):
        table.add_column(heading, justify="right")
    for each in found:
        ratio = each.seconds / found[0].seconds
        table.add_row(
            each.name, f"{each.seconds * 1e3:.1f}", f"{ratio:.1f}", f"{each.difference:.1e}"
        )
    console.print(table)
    ratio = found[1].seconds / found[0].seconds
    return [Target("label_ndcgs: scikit-learn takes", ratio, 20, at_least=True)]
