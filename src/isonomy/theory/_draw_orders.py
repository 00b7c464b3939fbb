"""Partial orders as diagrams."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from isonomy._infra import LazyModule
from isonomy.theory._partial_order import Edge, PartialOrder

if TYPE_CHECKING:
    import altair as alt
else:
    alt = LazyModule("altair", "cli", "`draw_orders`")

Places: TypeAlias = dict[tuple[int, ...], tuple[float, float]]

INK, ALARM, PAPER = "#333333", "#d62728", "#e8eef7"
# How far along an arrow its tip is drawn.
TIP = 0.6
WIDTH, HEIGHT = 180, 220


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
    return alt.hconcat(*(_diagram(title, order) for title, order in orders.items()))


def _places(order: PartialOrder) -> Places:
    """Each pattern's place: its height, and its turn among those of the same height."""
    heights = order.heights
    places = {}
    for height in set(heights):
        row = [y for y, h in zip(order.patterns, heights, strict=True) if h == height]
        for turn, pattern in enumerate(sorted(row, reverse=True)):
            places[pattern] = (turn - (len(row) - 1) / 2, float(height))
    return places


def _diagram(title: str, order: PartialOrder) -> alt.LayerChart:
    places = _places(order)
    widest = max(x for x, _ in places.values()) + 0.5
    tallest = max(y for _, y in places.values()) + 0.4
    nodes = [
        {"x": x, "y": y, "pattern": "".join(map(str, pattern))}
        for pattern, (x, y) in places.items()
    ]
    scale = (WIDTH / (2 * widest), HEIGHT / (tallest + 0.4))
    arrows = [_arrow(edge, places, scale) for edge in order.edges]
    horizontal = alt.Scale(domain=[-widest, widest])
    vertical = alt.Scale(domain=[-0.4, tallest])
    across, up = alt.X("x:Q", axis=None, scale=horizontal), alt.Y("y:Q", axis=None, scale=vertical)
    paint = alt.Color("color:N", scale=None)
    lines = _chart(arrows).encode(across, up, paint)
    tips = _chart(arrows).encode(
        alt.X("tip_x:Q", axis=None, scale=horizontal),
        alt.Y("tip_y:Q", axis=None, scale=vertical),
        paint,
        angle=alt.Angle("angle:Q", scale=None),
    )
    place = _chart(nodes).encode(across, up)
    return alt.LayerChart(
        layer=[
            lines.mark_rule(strokeWidth=1.5).encode(x2="x2:Q", y2="y2:Q"),
            tips.mark_point(shape="triangle-up", filled=True, size=90, opacity=1),
            place.mark_circle(size=1100, color=PAPER, opacity=1),
            place.mark_text(color=INK, fontSize=12).encode(text="pattern:N"),
        ],
        title=title,
        width=WIDTH,
        height=HEIGHT,
    )


def _arrow(edge: Edge, places: Places, scale: tuple[float, float]) -> dict[str, object]:
    """A line between two patterns, and where its tip is drawn and how it is turned."""
    (x, y), (x2, y2) = places[edge.low], places[edge.high]
    turn = math.degrees(math.atan2((x2 - x) * scale[0], (y2 - y) * scale[1]))
    return {
        "x": x,
        "y": y,
        "x2": x2,
        "y2": y2,
        "tip_x": x + TIP * (x2 - x),
        "tip_y": y + TIP * (y2 - y),
        "angle": turn,
        "color": ALARM if edge.takes_sides else INK,
    }


def _chart(rows: list[dict[str, object]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))
