"""Names and numbers as people read them, the same in every table."""

from __future__ import annotations

import math
from collections.abc import Mapping

from isonomy._render.tables import Bar, Cell, Column, Dot


def percent(share: float) -> str:
    """A share as a percentage of three digits; never 100% for less, '-' for NaN.

    >>> percent(0.4), percent(0.0123), percent(0.9999), percent(float("nan"))
    ('40%', '1.23%', '>99.9%', '-')
    """
    if math.isnan(share):
        return "-"
    text = f"{100 * share:.3g}%"
    return ">99.9%" if text == "100%" and share < 1 else text


def bounds(low: float, high: float, form: str = "{:.3f}") -> str:
    """An interval, as short as it can be; nothing where a bound is unknown.

    >>> bounds(0.791, 0.83), bounds(0.62, 0.66, "{:.0%}"), bounds(0.5, float("nan"))
    ('.791-.830', '62%-66%', '')
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    ends = (form.format(bound) for bound in (low, high))
    return "-".join(end[1:] if end.startswith("0.") else end for end in ends)


def estimate_cell(
    value: float,
    low: float,
    high: float,
    form: str = "{:.3f}",
    *,
    picture: Dot | Bar | None = None,
) -> Cell:
    """A number with its interval as detail.

    >>> estimate_cell(0.8123, 0.791, 0.83)
    Cell(text='0.812', detail='.791-.830', title='', picture=None, chip=None)
    """
    if math.isnan(value):
        return Cell("-")
    return Cell(form.format(value), bounds(low, high, form), picture=picture)


def name_cell(name: str, short: Mapping[str, str]) -> Cell:
    """A name cut to fit; the whole one shows where the pointer rests."""
    return Cell(short[name], title="" if short[name] == name else name)


def name_column(heading: str, name: str, short: Mapping[str, str], give_way: int = 0) -> Column:
    """A column of numbers about somebody."""
    title = "" if short[name] == name else name
    return Column(heading, short[name], title, give_way=give_way)
