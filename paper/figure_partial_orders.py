"""Which label patterns each objective puts above which, for two labels."""

from __future__ import annotations

import isonomy as iso
from isonomy.theory import PartialOrder, draw_orders, partial_order
from paper._pages import Page, table
from paper._results import Result, Row, versions

KEYS, TOLERANCE = ("panel", "low", "high"), 0.0
# Priors under which equal weights make alpha_1 the larger, and the smaller.
FIRST, SECOND = (0.1, 0.4), (0.4, 0.1)
PANELS = {
    "LoA, alpha_1 > alpha_2": (iso.LossAggregation(), FIRST),
    "LoA, alpha_1 < alpha_2": (iso.LossAggregation(), SECOND),
    "LaA, sum": (iso.LabelAggregation(), None),
    "LaA, product": (iso.LabelAggregation("product"), None),
}
# The caption and the text of the figure, as arrows from the lower to the higher pattern.
PAPER = {
    "LoA, alpha_1 > alpha_2": ("00<01", "01<10 red", "10<11"),
    "LoA, alpha_1 < alpha_2": ("00<10", "10<01 red", "01<11"),
    "LaA, sum": ("00<10", "00<01", "10<11", "01<11"),
    "LaA, product": ("00<11", "10<11", "01<11"),
}


def orders() -> dict[str, PartialOrder]:
    return {
        panel: partial_order(objective, priors=priors)
        for panel, (objective, priors) in PANELS.items()
    }


def arrow(panel: str, text: str) -> Row:
    pair, _, red = text.partition(" ")
    low, high = pair.split("<")
    return {"panel": panel, "low": low, "high": high, "takes_sides": red == "red"}


def run(*, quick: bool = False) -> Result:
    rows = [
        {
            "panel": panel,
            "low": "".join(map(str, edge.low)),
            "high": "".join(map(str, edge.high)),
            "takes_sides": edge.takes_sides,
        }
        for panel, order in orders().items()
        for edge in order.edges
    ]
    paper = [arrow(panel, text) for panel, texts in PAPER.items() for text in texts]
    settings = {"priors, alpha_1 larger": FIRST, "priors, alpha_2 larger": SECOND}
    return Result("figure_partial_orders", settings, rows, paper, versions=versions())


def render(result: Result) -> Page:
    def arrows(rows: list[Row], panel: str) -> str:
        here = [row for row in rows if row["panel"] == panel]
        texts = [
            f"{row['low']} < {row['high']}{' (takes sides)' if row['takes_sides'] else ''}"
            for row in here
        ]
        return ", ".join(sorted(texts))

    both = [
        {"panel": panel, "ours": arrows(result.rows, panel), "paper": arrows(result.paper, panel)}
        for panel in PANELS
    ]
    same = all(row["ours"] == row["paper"] for row in both)
    found = orders()
    contained = found["LaA, sum"].contains(found["LaA, product"])
    text = f"""
Arrows go from the lower to the higher pattern (label 1, label 2). A red arrow prefers one label to
the other: under loss aggregation, whichever has the larger alpha. Arrows that follow from others
are left out.

{table(both, {"objective": "panel", "ours": "ours", "paper": "paper"})}

**{"Reproduced" if same else "Differs"}.** The arrows are computed from each objective's gains. The
product's order is {"" if contained else "not "}contained in the sum's, as the lemma says.
"""
    return Page("Partial orders of label patterns", text, draw_orders(found))
