"""Tables that every renderer has to draw."""

from __future__ import annotations

from math import nan

from isonomy._render import Bar, Cell, Column, Dot, Mark, Row, Table, estimate_cell
from tests.render.hostile import HOSTILE

BEST = Mark("*", "best", strong=True)
EQUAL = Mark("=", "as good")


def labels_table(n_labels: int) -> Table:
    """Two methods and a number per label."""
    columns = [Column("AUC", f"label {k}") for k in range(n_labels)]
    cells = [estimate_cell(0.812, 0.791, 0.83) for _ in columns]
    rows = [
        Row([Cell("loss aggregation"), *cells], EQUAL),
        Row([Cell("mean"), *cells], BEST),
    ]
    return Table([Column("method", names=True), *columns], rows, "Methods", ["A note."])


def hostile_table() -> Table:
    """Hostile text wherever text can be."""
    rows = [
        Row([Cell(name, name, name, chip="bad"), Cell(name, name, name)], Mark("!", name))
        for name in HOSTILE
    ]
    columns = [Column(HOSTILE[0], HOSTILE[1], HOSTILE[2], names=True), Column(HOSTILE[5])]
    return Table(columns, rows, HOSTILE[0], list(HOSTILE))


EMPTY = Table([Column("label", names=True), Column("AUC")], [])
UNDEFINED = Table(
    [Column("label", names=True), Column("AUC"), Column("pull"), Column("known in part")],
    [
        Row(
            [
                Cell("a"),
                Cell("-", picture=Dot(nan, nan, nan)),
                Cell("-", picture=Bar(nan)),
                Cell("0.5", picture=Dot(0.5, nan, nan, ticks=(nan, 0.5))),
            ]
        )
    ],
)
FAILED = Table(
    [Column("method", names=True), Column("AUC", "a"), Column("AUC", "b")],
    [
        Row([Cell("mean"), Cell("0.812"), Cell("0.700")]),
        Row([Cell("loss"), Cell("not compared", "all are on one level, and that is a long story")]),
    ],
)
