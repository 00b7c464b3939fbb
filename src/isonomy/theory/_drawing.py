"""Partial orders as diagrams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from isonomy.theory._orders import PartialOrder

if TYPE_CHECKING:
    import altair as alt

INK, ALARM, PAPER = "#333333", "#d62728", "#e8eef7"
# How far along an arrow its tip is drawn.
TIP = 0.62


def draw_orders(orders: Mapping[str, PartialOrder]) -> alt.HConcatChart:
    """Draw partial orders side by side, highest patterns on top.

    Arrows that prefer one label to another are red; those that follow from others are
    left out.

    Parameters
    ----------
    orders : mapping of str to PartialOrder
        Titles and orders, from left to right.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> import isonomy as iso
    >>> from isonomy.theory import draw_orders, partial_order
    >>> chart = draw_orders({
    ...     "loss aggregation": partial_order(iso.LossAggregation(), priors=[0.4, 0.01]),
    ...     "label aggregation": partial_order(iso.LabelAggregation()),
    ... })
    >>> len(chart.hconcat)
    2
    """
    import altair as alt

    return alt.hconcat(*(_diagram(title, order) for title, order in orders.items()))


def _places(order: PartialOrder) -> dict[tuple[int, ...], tuple[float, float]]:
    """Each pattern's place: its height, and its turn among those of the same height."""
    heights = order.heights
    places = {}
    for height in set(heights):
        row = [y for y, h in zip(order.patterns, heights, strict=True) if h == height]
        for turn, pattern in enumerate(sorted(row, reverse=True)):
            places[pattern] = (turn - (len(row) - 1) / 2, float(height))
    return places


def _diagram(title: str, order: PartialOrder) -> alt.LayerChart:
    import altair as alt

    places = _places(order)
    nodes = [
        {"x": x, "y": y, "pattern": "".join(map(str, pattern))}
        for pattern, (x, y) in places.items()
    ]
    arrows, tips = [], []
    for edge in order.edges:
        (x, y), (x2, y2) = places[edge.low], places[edge.high]
        color = ALARM if edge.takes_sides else INK
        arrows.append({"x": x, "y": y, "x2": x2, "y2": y2, "color": color})
        tips.append({"x": x + TIP * (x2 - x), "y": y + TIP * (y2 - y), "color": color})
    across = alt.X("x:Q", axis=None, scale=alt.Scale(padding=24))
    up = alt.Y("y:Q", axis=None, scale=alt.Scale(padding=24))
    paint = alt.Color("color:N", scale=None)
    place = _chart(nodes).encode(across, up)
    return alt.LayerChart(
        layer=[
            _chart(arrows)
            .mark_rule(strokeWidth=1.5)
            .encode(across, up, paint, x2="x2:Q", y2="y2:Q"),
            _chart(tips).mark_point(shape="triangle", filled=True).encode(across, up, paint),
            place.mark_circle(size=1100, color=PAPER, opacity=1),
            place.mark_text(color=INK, fontSize=12).encode(text="pattern:N"),
        ],
        title=title,
        width=180,
        height=220,
    )


def _chart(rows: list[dict[str, object]]) -> alt.Chart:
    import altair as alt

    return alt.Chart(alt.InlineData(values=rows))
