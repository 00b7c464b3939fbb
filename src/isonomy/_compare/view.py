"""A comparison as a data frame, as JSON, as text and as HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from isonomy._infra import Late

if TYPE_CHECKING:
    import polars as pl

    from isonomy._compare.result import Comparison, MethodResult
    from isonomy._compare.statistics import Estimate
else:
    pl = Late("polars", "cli", "`Comparison.to_frame`")

SCHEMA = "isonomy.comparison"
VERSION = 1
# More labels than this leave no room for a column each in a terminal.
COLUMNS = 4
# So much of a long name is shown in a table of text: of methods, and of labels.
WIDEST = 28
WIDEST_HEADING = 18
LEFT_OUT = {"_methods", "_preprocessor", "_sparse", "scores", "fold"}


def frame(found: Comparison) -> pl.DataFrame:
    """One row per method."""
    return pl.DataFrame([_row(found, m) for m in range(len(found.methods))])


def _row(found: Comparison, m: int) -> dict[str, Any]:
    method = found.methods[m]
    row: dict[str, Any] = {"method": method.name, "kind": method.kind}
    for k, name in enumerate(found.names):
        row[f"auc {name}"] = float(method.aucs.mean[k])
        row[f"low {name}"] = float(method.aucs.low[k])
        row[f"high {name}"] = float(method.aucs.high[k])
    for title in ("diff", "min"):
        estimate: Estimate = getattr(method, title)
        row[title] = float(estimate.mean)
        row[f"{title} low"], row[f"{title} high"] = float(estimate.low), float(estimate.high)
    for k, j in combinations(range(len(found.names)), 2):
        pair = f"{found.names[k]} over {found.names[j]}"
        row[f"conflict {pair}"] = float(method.conflicts.mean[k, j])
        row[f"conflict low {pair}"] = float(method.conflicts.low[k, j])
        row[f"conflict high {pair}"] = float(method.conflicts.high[k, j])
        row[f"verdict {pair}"] = method.verdicts[k][j]
    for k, name in enumerate(found.names):
        row[f"effective {name}"] = float(method.effective[k])
    row["p versus best"] = float(found.tests.versus_best[m])
    row["recommended"] = method.name == found.recommended
    row["tied"] = method.name in found.tied_with
    row["failed"] = method.failed
    return row


def document(found: Comparison) -> dict[str, Any]:
    """A strict JSON document: no NaN, no infinity, all names in values."""
    head: dict[str, Any] = {"schema": SCHEMA, "schema_version": VERSION}
    shown = [each.name for each in fields(found) if each.name not in LEFT_OUT]
    return {**head, **{name: _plain(getattr(found, name)) for name in shown}}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def summary(found: Comparison) -> str:
    """What to take and why, then what else to know, one sentence or two a line."""
    how = f"{found.n_splits} splits"
    if found.n_repeats:
        times = "once" if found.n_repeats == 1 else f"{found.n_repeats} times"
        how += f", each row held out {times}"
    lines = [f"Take {found.recommended!r}.", found.reason]
    lines += [*_price(found), *_standing(found)]
    lines += [f"Note: {note}" for note in found.notes]
    lines += [
        f"{method.name!r} could not be compared. {method.failed}"
        for method in found.methods
        if method.failed is not None
    ]
    lines += [
        f"{method.name!r} warned. {note}"
        for method in found.methods
        if method.failed is None
        for note in method.notes
    ]
    lines.append(
        f"Measured on {found.n_rows:,} rows ({how}) with the {found.family} family; intervals of "
        f"{found.level:.0%} allow for the rows that splits share."
    )
    return "\n".join(lines)


def _price(found: Comparison) -> list[str]:
    """What the recommended method leaves of the best that each label can have."""
    if len(found.names) == 1:
        return []
    own = found[found.recommended].aucs.mean
    reached = np.array([method.aucs.mean for method in found.methods if method.failed is None])
    parts = [
        f"{name!r} {own[k]:.3f} of {reached[:, k].max():.3f}" for k, name in enumerate(found.names)
    ]
    return [f"What it gives each label, of the best that any method gives: {', '.join(parts)}."]


def _standing(found: Comparison) -> list[str]:
    """Who wins conflicts under the recommended method."""
    best = found[found.recommended]
    lines = []
    for k, j in combinations(range(len(found.names)), 2):
        won = float(best.conflicts.mean[k, j])
        if np.isnan(won):
            continue
        winner, loser = (k, j) if won >= 0.5 else (j, k)
        share = best.conflicts.mean[winner, loser]
        lines.append(
            f"Where {found.names[k]!r} and {found.names[j]!r} disagree, it sides with "
            f"{found.names[winner]!r} in {share:.0%} of the pairs ({best.verdicts[k][j]})."
        )
    return lines if len(lines) <= 6 else []


def headings(found: Comparison) -> list[str]:
    """Titles of the table's columns after the first."""
    titles = [f"AUC {name}" for name in found.names] if len(found.names) <= COLUMNS else []
    if len(found.names) > 1:
        titles += ["Diff", "Min"]
    if len(found.names) == 2:
        titles.append(f"{found.names[0]} wins")
    return [*titles, "p"]


def cells(found: Comparison, m: int, entry: Callable[[Estimate, Any, float], str]) -> list[str]:
    """The table's cells after the first, a mean with its interval each."""
    method, p = found.methods[m], float(found.tests.versus_best[m])
    estimates = []
    if len(found.names) <= COLUMNS:
        estimates += [entry(method.aucs, k, 1.0) for k in range(len(found.names))]
    if len(found.names) > 1:
        estimates += [entry(method.diff, (), 1.0), entry(method.min, (), 1.0)]
    if len(found.names) == 2:
        estimates.append(entry(method.conflicts, (0, 1), 100.0))
    # The table is sorted: the best one stands first.
    return [*estimates, "best" if m == 0 else _p(p)]


def _with_bounds(estimate: Estimate, at: Any, unit: float) -> str:
    mean, low, high = (unit * float(x[at]) for x in (estimate.mean, estimate.low, estimate.high))
    if np.isnan(mean):
        return "-"
    return (
        f"{mean:.3f} ({low:.3f}-{high:.3f})" if unit == 1 else f"{mean:.0f}% ({low:.0f}-{high:.0f})"
    )


def _with_reach(estimate: Estimate, at: Any, unit: float) -> str:
    """Shorter, for terminals: half the interval's width after the mean."""
    mean, low, high = (unit * float(x[at]) for x in (estimate.mean, estimate.low, estimate.high))
    if np.isnan(mean):
        return "-"
    reach = (high - low) / 2
    return f"{mean:.3f} ±{reach:.3f}" if unit == 1 else f"{mean:.0f}% ±{reach:.0f}"


def _p(p: float) -> str:
    if np.isnan(p):
        return "-"
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def caption(found: Comparison) -> str:
    """What the columns mean."""
    parts = [f"Means over {found.n_splits} splits of held-out rows, {found.level:.0%} intervals."]
    if len(found.names) > 1:
        parts.append("Diff: largest less smallest AUC. Min: the smallest.")
    if len(found.names) == 2:
        parts.append(f"{found.names[0]} wins: its share of conflicts; 50% is equal standing.")
    what = "Min" if len(found.names) > 1 else "AUC"
    parts.append(f"p: that {what} is as good as the best.")
    return " ".join(parts)


def _marked(found: Comparison, method: MethodResult) -> str:
    mark = "*" if method.name == found.recommended else "="
    return mark if mark == "*" or method.name in found.tied_with else " "


def text(found: Comparison) -> str:
    """The table and the recommendation, for a terminal."""
    titles = [_shortened(title, WIDEST_HEADING) for title in headings(found)]
    rows = [["", "method", *titles]]
    for m, method in enumerate(found.methods):
        if method.failed is None:
            rows.append([_marked(found, method), method.name, *cells(found, m, _with_reach)])
    rows = [[_shortened(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        " ".join(
            cell.ljust(width) if i < 2 else f" {cell.rjust(width)}"
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    lines += [
        f"  {_shortened(method.name)}: not compared. {method.failed}"
        for method in found.methods
        if method.failed is not None
    ]
    legend = "* recommended" + (
        "   = cannot be told apart from the best" if found.tied_with else ""
    )
    return "\n".join([*lines, "", legend, caption(found), "", summary(found)])


def _shortened(cell: str, widest: int = WIDEST) -> str:
    return cell if len(cell) <= widest else f"{cell[: widest - 3]}..."


def html(found: Comparison) -> str:
    """The same as static HTML: names escaped, no scripts, no styles from elsewhere."""
    head = "".join(f"<th>{escape(title)}</th>" for title in ["", "method", *headings(found)])
    body = []
    for m, method in enumerate(found.methods):
        if method.failed is None:
            entries = [_marked(found, method), method.name, *cells(found, m, _with_bounds)]
            body.append("".join(f"<td>{escape(entry)}</td>" for entry in entries))
        else:
            span = len(headings(found))
            body.append(
                f"<td></td><td>{escape(method.name)}</td>"
                f'<td colspan="{span}">{escape(method.failed)}</td>'
            )
    words = "".join(f"<p>{escape(line)}</p>" for line in summary(found).splitlines())
    rows = "".join(f"<tr>{row}</tr>" for row in body)
    return (
        f"<div>{words}<table><caption>{escape(caption(found))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
