"""A comparison as tables: what is shown of it as text, in a notebook and in a data frame."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

from isonomy._compare.wording import summary
from isonomy._infra import LazyModule, short_names
from isonomy._render import (
    Block,
    Cell,
    Column,
    Mark,
    Row,
    Sentences,
    Table,
    estimate_cell,
    fragment,
    name_cell,
    name_column,
    plain,
)

if TYPE_CHECKING:
    import polars as pl

    from isonomy._compare.result import Comparison, MethodResult
    from isonomy._compare.statistics import SplitMean
else:
    pl = LazyModule("polars", "cli", "`Comparison.to_frame`")

# More labels than this leave no room for a column each in a text.
MOST_LABELS_AS_TEXT = 4
# So much of a long name is shown: of methods, and of labels in headings.
LONGEST_NAME, LONGEST_HEADING = 28, 14
RECOMMENDED = Mark("*", "recommended", strong=True)
TIED = Mark("=", "cannot be told apart from the best")


def text(found: Comparison) -> str:
    """The table and the recommendation."""
    return plain(*blocks(found))


def html(found: Comparison) -> str | None:
    """The recommendation and the table, with every label."""
    take, reason, *rest = summary(found).splitlines()
    return fragment(
        Sentences([take], "headline"),
        Sentences([reason]),
        methods_table(found),
        Sentences(rest),
    )


def blocks(found: Comparison) -> list[Block]:
    """The table, for a screen of text, and the recommendation."""
    return [methods_table(found, MOST_LABELS_AS_TEXT), Sentences(summary(found).splitlines())]


def methods_table(found: Comparison, most_labels: int | None = None) -> Table:
    """One row per method: AUCs, their gap and the smallest, conflicts, and a test."""
    shown = found.names[:most_labels]
    short, several = short_names(found.names, LONGEST_HEADING), len(found.names) > 1
    columns = [Column("method", names=True)]
    columns += [name_column("AUC", name, short) for name in shown]
    columns += [Column("Diff"), Column("Min")] if several else []
    if len(found.names) == 2:
        columns.append(name_column("won by", found.names[0], short))
    names = short_names([method.name for method in found.methods], LONGEST_NAME)
    rows = [_row(found, m, len(shown), names) for m in range(len(found.methods))]
    return Table([*columns, Column("p")], rows, notes=[_legend(found, len(shown))])


def _row(found: Comparison, m: int, n_shown: int, names: dict[str, str]) -> Row:
    method = found.methods[m]
    name = name_cell(method.name, names)
    if method.failed is not None:
        return Row([name, Cell("not compared", method.failed)])
    cells = [name, *(_cell(method.aucs, k) for k in range(n_shown))]
    if len(found.names) > 1:
        cells += [_cell(method.diff), _cell(method.min)]
    if len(found.names) == 2:
        cells.append(_cell(method.conflicts, (0, 1), "{:.0%}"))
    # The table is sorted: the best one stands first.
    cells.append(Cell("best" if m == 0 else _p(float(found.tests.versus_best[m]))))
    return Row(cells, _mark(found, method))


def _cell(found: SplitMean, at: Any = (), form: str = "{:.3f}") -> Cell:
    mean, low, high = (float(x[at]) for x in (found.mean, found.low, found.high))
    return estimate_cell(mean, low, high, form)


def _mark(found: Comparison, method: MethodResult) -> Mark | None:
    if method.name == found.recommended:
        return RECOMMENDED
    return TIED if method.name in found.tied_with else None


def _p(p: float) -> str:
    if math.isnan(p):
        return "-"
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _legend(found: Comparison, n_shown: int) -> str:
    """What the columns mean."""
    parts = [f"Means over {found.n_splits} splits of held-out rows, {found.level:.0%} intervals."]
    if len(found.names) > 1:
        parts.append("Diff: largest less smallest AUC. Min: the smallest.")
    if len(found.names) == 2:
        first = short_names(found.names, LONGEST_HEADING)[found.names[0]]
        parts.append(f"Won by {first}: its share of conflicts; 50% is equal standing.")
    what = "Min" if len(found.names) > 1 else "AUC"
    parts.append(f"p: that {what} is as good as the best.")
    left = len(found.names) - n_shown
    if left > 0:
        more = "label is" if left == 1 else "labels are"
        parts.append(f"{left} more {more} in the data frame, the report and the JSON.")
    return " ".join(parts)


def frame(found: Comparison) -> pl.DataFrame:
    """One row per method."""
    return pl.DataFrame([_record(found, m) for m in range(len(found.methods))])


def _record(found: Comparison, m: int) -> dict[str, Any]:
    method = found.methods[m]
    row: dict[str, Any] = {"method": method.name, "kind": method.kind}
    for k, name in enumerate(found.names):
        row[f"auc {name}"] = float(method.aucs.mean[k])
        row[f"low {name}"] = float(method.aucs.low[k])
        row[f"high {name}"] = float(method.aucs.high[k])
    for title in ("diff", "min"):
        estimate: SplitMean = getattr(method, title)
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
