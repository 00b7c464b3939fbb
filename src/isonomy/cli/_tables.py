"""Results as tables for a terminal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isonomy._compare import Comparison, MethodResult
from isonomy._infra import short_names

# Of a label's name in a heading; the whole name is in the report and in the JSON.
NAME = 14
# Labels beyond this have no column of their own: the terminal is not wide enough.
MOST_LABELS = 4


def comparison_shown(found: Comparison) -> RenderableType:
    """The table, what its columns mean, and the recommendation."""
    return Padding(
        Group(_Fitted(found), Text(_caption(found), "dim"), Text("\n" + found.summary())), (1, 1)
    )


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The table with intervals where the terminal is wide enough for them, else without."""

    found: Comparison

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = _table(self.found)
        if console.measure(table, options=options.update_width(500)).maximum <= options.max_width:
            yield table
            return
        yield _table(self.found, intervals=False)
        yield Text("Intervals need a wider terminal; the report and the JSON have them.", "dim")


def _table(found: Comparison, *, intervals: bool = True) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("", width=1)
    table.add_column("method", min_width=9, max_width=18, overflow="fold")
    short = _headings(found)
    shown = range(min(len(found.names), MOST_LABELS))
    for k in shown:
        table.add_column(Text(f"AUC\n{short[found.names[k]]}"), justify="right", no_wrap=True)
    several = len(found.names) > 1
    if several:
        table.add_column("Diff", justify="right", no_wrap=True)
        table.add_column("Min", justify="right", no_wrap=True)
    if len(found.names) == 2:
        table.add_column(Text(f"{short[found.names[0]]}\nwins"), justify="right", no_wrap=True)
    for method in found.methods:
        cells = _cells(found, method, list(shown))
        if not intervals:
            cells = [cell.split("\n")[0] for cell in cells]
        style = "bold" if method.name == found.recommended else ""
        table.add_row(_mark(found, method), Text(method.name), *cells, style=style)
    return table


def _cells(found: Comparison, method: MethodResult, shown: list[int]) -> list[Text]:
    if method.failed is not None:
        return [Text("failed", "red")]
    estimates = [(method.aucs.mean[k], method.aucs.low[k], method.aucs.high[k]) for k in shown]
    if len(found.names) > 1:
        estimates += [
            (float(each.mean), float(each.low), float(each.high))
            for each in (method.diff, method.min)
        ]
    cells = [_interval(*each, "{:.3f}") for each in estimates]
    if len(found.names) == 2:
        won = method.conflicts
        cells.append(_interval(won.mean[0, 1], won.low[0, 1], won.high[0, 1], "{:.0%}"))
    return cells


def _interval(mean: float, low: float, high: float, form: str) -> Text:
    if np.isnan(mean):
        return Text("-")
    bounds = "" if np.isnan(low) else f"\n{form.format(low)}-{form.format(high)}"
    return Text.assemble(form.format(mean), (bounds.replace("0.", "."), "dim not bold"))


def _mark(found: Comparison, method: MethodResult) -> Text:
    if method.name == found.recommended:
        return Text("*", "green")
    return Text("=" if method.name in found.tied_with else "")


def _caption(found: Comparison) -> str:
    text = f"{found.level:.0%} intervals over {found.n_splits} splits. * recommended"
    if found.tied_with:
        text += "   = cannot be told apart from the best"
    text += "."
    if len(found.names) > 1:
        text += " Diff: largest less smallest AUC. Min: the smallest."
    if len(found.names) == 2:
        first = _headings(found)[found.names[0]]
        text += f" {first} wins: its share of the conflicts; 50% is equal standing."
    left_out = len(found.names) - MOST_LABELS
    if left_out > 0:
        text += f" {left_out} more labels are in the report (--report) and in the JSON (--json)."
    return text


def _headings(found: Comparison) -> dict[str, str]:
    """Labels' names that fit."""
    return short_names(found.names, NAME)
