"""Names and numbers as people read them."""

from __future__ import annotations

from math import nan

import pytest

from isonomy._render import Cell, Column
from isonomy._render.cells import bounds, estimate_cell, name_cell, name_column, percent


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.4, "40%"), (1, "100%"), (0.9999, ">99.9%"), (0.0123, "1.23%"), (0, "0%"), (nan, "-")],
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("low", "high", "form", "text"),
    [
        (0.791, 0.83, "{:.3f}", ".791-.830"),
        (0.98, 1.0, "{:.3f}", ".980-1.000"),
        (0.0, 0.031, "{:.0%}", "0%-3%"),
        (nan, 0.5, "{:.3f}", ""),
        (0.5, nan, "{:.3f}", ""),
    ],
)
def test_bounds(low: float, high: float, form: str, text: str) -> None:
    assert bounds(low, high, form) == text


def test_what_is_undefined_has_no_interval() -> None:
    assert estimate_cell(nan, nan, nan) == Cell("-")
    assert estimate_cell(0.5, nan, nan) == Cell("0.500")


def test_only_a_name_that_was_cut_is_told_in_full() -> None:
    short = {"click": "click", "conversion rate": "conv..."}
    assert name_cell("click", short) == Cell("click")
    assert name_cell("conversion rate", short) == Cell("conv...", title="conversion rate")
    assert name_column("AUC", "click", short) == Column("AUC", "click")
    assert name_column("AUC", "conversion rate", short).title == "conversion rate"
