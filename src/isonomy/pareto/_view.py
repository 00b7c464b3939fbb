"""A front as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isonomy._infra import short_names
from isonomy._render import (
    Cell,
    Column,
    Mark,
    Row,
    Table,
    estimate_cell,
    fits,
    fragment,
    name_column,
    plain,
)

if TYPE_CHECKING:
    from isonomy.pareto._front import Front

# A screen of text: points, and places in a line.
MOST_POINTS, WIDTH = 15, 100
LONGEST_NAME = 14
ON_FRONT = Mark("*", "on the front: no other point gives every label as much, and one more")
EXPLAINED = (
    "Weights of loss aggregation, and what they give on the test rows, with intervals; Min: the "
    "smallest AUC. `best_worst`, `nearest_equal`, `preferred` and `subject_to` choose among all "
    "weights by the validation rows."
)


def text(front: Front) -> str:
    """What a screen has room for."""
    n_labels = len(front.names)
    while n_labels > 1 and not fits(_table(front, n_labels, MOST_POINTS), WIDTH):
        n_labels -= 1
    return plain(_table(front, n_labels, MOST_POINTS))


def html(front: Front) -> str | None:
    """All of it."""
    return fragment(_table(front, len(front.names), len(front.weights)))


def _table(front: Front, n_labels: int, most: int) -> Table:
    """Weights and AUCs of so many labels, and so many points at most.

    Of two labels evenly along the front; of more those with the largest smallest AUC.
    """
    short = short_names(front.names, LONGEST_NAME)
    names = front.names[:n_labels]
    smallest, n_points = np.nanmin(front.aucs, axis=1), len(front.weights)
    if len(front.names) == 2:
        shown = np.unique(np.linspace(0, n_points - 1, min(most, n_points)).round().astype(int))
    else:
        shown = np.argsort(-smallest, kind="stable")[:most]
    columns = [name_column("weight", name, short) for name in names]
    columns += [name_column("AUC", name, short) for name in names]
    rows = []
    for m in shown.tolist():
        cells = [Cell(f"{weight:.3f}") for weight in front.weights[m, :n_labels]]
        cells += [
            estimate_cell(front.aucs[m, k], front.low[m, k], front.high[m, k])
            for k in range(n_labels)
        ]
        cells.append(Cell(f"{smallest[m]:.3f}"))
        rows.append(Row(cells, ON_FRONT if front.on_front[m] else None))
    notes = [EXPLAINED]
    left = [("point", n_points - len(rows)), ("label", len(front.names) - n_labels)]
    told = [f"{n:,} more {what}{'s' if n > 1 else ''}" for what, n in left if n]
    if told:
        notes.append(f"... and {' and '.join(told)}: see `to_frame()`.")
    return Table([*columns, Column("Min")], rows, notes=notes)
