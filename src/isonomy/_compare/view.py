"""A comparison as tables: what is shown of it as text, in a notebook and in a data frame."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from isonomy._compare.findings import serves
from isonomy._compare.recommend import TOLERANCE
from isonomy._compare.sentences import say
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
    fits,
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

# Of a screen of text: its most methods, its usual width, and the least that a label takes of it.
MOST_METHODS_AS_TEXT = 10
WIDTH, LABEL_COLUMN = 100, 10
# With more columns of labels, what sums them up stands first, where it is seen.
MOST_BEFORE = 2
# What a narrow screen leaves out where it must, the largest number first; Min and the goal stay.
GIVE_WAY = {"top won by": 4, "nDCG@10": 3, "won by": 2, "Diff": 1}
# So much of a long name is shown: of methods, and of labels in headings.
LONGEST_NAME, LONGEST_HEADING = 28, 14
RECOMMENDED = Mark("*", "recommended", strong=True)
NOT_ABOVE_CHANCE = Mark("*", "best, not recommended", strong=True)
NEAREST = Mark("*", "nearest to the promise", strong=True)
BROKEN = Mark("x", "breaks the promise")
NEAR = Mark("=", f"within {TOLERANCE} of the best")


def text(found: Comparison) -> str:
    """The table and the recommendation."""
    return plain(*blocks(found))


def html(found: Comparison) -> str | None:
    """The recommendation and the table, with every method and label."""
    take, *rest = summary(found).splitlines()
    return fragment(Sentences([take], "headline"), methods_table(found), Sentences(rest))


def blocks(found: Comparison, width: int = WIDTH) -> list[Block]:
    """The table, for a screen of text so wide, and the recommendation."""
    table = _widest_table(found, width)
    if width < WIDTH:
        columns = [replace(each, give_way=GIVE_WAY.get(each.heading, 0)) for each in table.columns]
        table = replace(table, columns=columns)
    return [table, Sentences(summary(found).splitlines())]


def _widest_table(found: Comparison, width: int) -> Table:
    """With as many labels as fit, and one if none does."""
    most = min(len(found.names), max(width // LABEL_COLUMN, 1))
    while True:
        table = methods_table(found, most, MOST_METHODS_AS_TEXT)
        if most == 1 or fits(table, width):
            return table
        most -= 1


def methods_table(
    found: Comparison, most_labels: int | None = None, most_methods: int | None = None
) -> Table:
    """One row per method: AUCs, their gap, the smallest, the goal, conflicts, and a test.

    Where there is no room for all labels, those that the recommended method serves worst; where
    there is none for all methods, the best, the recommended one, chance and those that failed.
    """
    labels = _shown_labels(found, most_labels)
    methods = _shown_methods(found, most_methods)
    short, several = short_names(found.names, LONGEST_HEADING), len(found.names) > 1
    columns = [Column("method", names=True)]
    if _families(found):
        columns.append(Column("model", names=True))
    every = [name_column("AUC", found.names[k], short) for k in labels]
    overall = [Column("Min"), Column("Diff")] if several else []
    if several and found.goal.kind != "min":
        overall.insert(0, Column(found.goal.heading))
    columns += [*overall, *every] if len(labels) > MOST_BEFORE else [*every, *overall]
    if _disagree(found):
        columns.append(name_column("won by", found.names[0], short))
        if found.grouped:
            columns.append(name_column("top won by", found.names[0], short))
    if found.grouped:
        columns += [name_column("nDCG@10", found.names[k], short) for k in labels]
    names = short_names([_bare_name(each) for each in found.methods], LONGEST_NAME)
    rows = [_row(found, m, labels, names) for m in methods]
    notes = [_legend(found, len(labels), len(methods))]
    return Table([*columns, Column("p")], rows, notes=notes)


def _shown_labels(found: Comparison, most: int | None) -> list[int]:
    every = range(len(found.names))
    if most is None or len(found.names) <= most:
        return list(every)
    own = found[found.recommended].aucs.mean
    return sorted(sorted(every, key=lambda k: own[k])[:most])


def _shown_methods(found: Comparison, most: int | None) -> list[int]:
    every = range(len(found.methods))
    if most is None or len(found.methods) <= most:
        return list(every)
    kept = set(every[:most])
    return [
        m
        for m in every
        if m in kept
        or found.methods[m].name == found.recommended
        or found.methods[m].kind in ("chance", "own")
        or found.methods[m].failed is not None
    ]


def _families(found: Comparison) -> bool:
    """Whether methods are made of different things."""
    return len({each.family for each in found.methods if each.family is not None}) > 1


def _disagree(found: Comparison) -> bool:
    """Whether there are two labels, with conflicts to win: a funnel has none."""
    return len(found.names) == 2 and any(
        not math.isnan(each.conflicts.mean[0, 1]) for each in found.methods
    )


def _bare_name(method: MethodResult) -> str:
    """A method's name without its family, which has a column of its own."""
    return method.name.removesuffix(f", {method.family}")


def _row(found: Comparison, m: int, labels: list[int], names: dict[str, str]) -> Row:
    method = found.methods[m]
    cells = [name_cell(_bare_name(method), names)]
    if _families(found):
        cells.append(Cell(method.family or "-"))
    if method.failed is not None:
        return Row([*cells, Cell("not compared", method.failed)])
    every, overall = [_cell(method.aucs, k) for k in labels], []
    if len(found.names) > 1:
        overall = [_cell(method.min), _cell(method.diff)]
        if found.goal.kind != "min":
            overall.insert(0, _cell(method.goal))
    cells += [*overall, *every] if len(labels) > MOST_BEFORE else [*every, *overall]
    if _disagree(found):
        cells.append(_cell(method.conflicts, (0, 1), "{:.0%}"))
        if found.grouped:
            cells.append(_cell(method.top_conflicts, (0, 1), "{:.0%}"))
    if found.grouped:
        cells += [_cell(method.ndcgs, k) for k in labels]
    cells.append(Cell("best" if m == found.decision.best else _p(found.tests.versus_best[m])))
    return Row(cells, _mark(found, method))


def _cell(found: SplitMean, at: Any = (), form: str = "{:.3f}") -> Cell:
    mean, low, high = (float(x[at]) for x in (found.mean, found.low, found.high))
    return estimate_cell(mean, low, high, form)


def _mark(found: Comparison, method: MethodResult) -> Mark | None:
    if method.name == found.recommended:
        if not found.decision.kept:
            return NEAREST
        return RECOMMENDED if serves(found) else NOT_ABOVE_CHANCE
    # Where nothing keeps it, no row need say so.
    if found.decision.kept and found.goal.broken(method.aucs.mean) > 0:
        return BROKEN
    return NEAR if method.name in found.tied_with else None


def _p(p: Any) -> str:
    if math.isnan(p):
        return "-"
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _legend(found: Comparison, n_labels: int, n_methods: int) -> str:
    """What the columns mean, and what is not shown."""
    over, level = "over splits" if found.n_splits > 1 else "of one split", f"{found.level:.0%}"
    parts = [say(over, n=found.n_splits, level=level)]
    if len(found.names) > 1:
        parts.append(say("columns"))
        if found.goal.kind == "min":
            parts.append(say("in order"))
        else:
            parts.append(say("goal", heading=found.goal.heading, noun=found.goal.noun))
        if found.goal.kind == "promises":
            parts.append(say("broken last"))
    if _disagree(found):
        first = short_names(found.names, LONGEST_HEADING)[found.names[0]]
        parts += [say(each, first=first) for each in ("won", "won at the top")[: 1 + found.grouped]]
    if found.grouped:
        parts.append(say("ndcg"))
    compared = "p of promises" if found.goal.floors else "p"
    parts.append(say(compared, what=found.goal.heading if len(found.names) > 1 else "AUC"))
    left = {"label": len(found.names) - n_labels, "method": len(found.methods) - n_methods}
    more = [f"{count} more {what}{'s' * (count > 1)}" for what, count in left.items() if count]
    if more:
        are = "is" if list(left.values()) in ([1, 0], [0, 1]) else "are"
        parts.append(say("left out", what=f"{' and '.join(more)} {are}"))
    return " ".join(parts)


def frame(found: Comparison) -> pl.DataFrame:
    """One row per method."""
    return pl.DataFrame([_record(found, m) for m in range(len(found.methods))])


def _record(found: Comparison, m: int) -> dict[str, Any]:
    method = found.methods[m]
    row: dict[str, Any] = {"method": method.name, "kind": method.kind, "family": method.family}
    for k, name in enumerate(found.names):
        row[f"auc {name}"] = float(method.aucs.mean[k])
        row[f"low {name}"] = float(method.aucs.low[k])
        row[f"high {name}"] = float(method.aucs.high[k])
    if found.grouped:
        for k, name in enumerate(found.names):
            row[f"ndcg@10 {name}"] = float(method.ndcgs.mean[k])
            row[f"ndcg@10 low {name}"] = float(method.ndcgs.low[k])
            row[f"ndcg@10 high {name}"] = float(method.ndcgs.high[k])
    for title in ("diff", "min", "goal"):
        estimate: SplitMean = getattr(method, title)
        row[title] = float(estimate.mean)
        row[f"{title} low"], row[f"{title} high"] = float(estimate.low), float(estimate.high)
    for k, j in combinations(range(len(found.names)), 2):
        pair = f"{found.names[k]} over {found.names[j]}"
        row[f"conflict {pair}"] = float(method.conflicts.mean[k, j])
        row[f"conflict low {pair}"] = float(method.conflicts.low[k, j])
        row[f"conflict high {pair}"] = float(method.conflicts.high[k, j])
        if found.grouped:
            row[f"top conflict {pair}"] = float(method.top_conflicts.mean[k, j])
            row[f"top conflict low {pair}"] = float(method.top_conflicts.low[k, j])
            row[f"top conflict high {pair}"] = float(method.top_conflicts.high[k, j])
        row[f"verdict {pair}"] = method.verdicts[k][j]
    for k, name in enumerate(found.names):
        row[f"effective {name}"] = float(method.effective[k])
    row["p versus best"] = float(found.tests.versus_best[m])
    row["recommended"] = method.name == found.recommended
    row["tied"] = method.name in found.tied_with
    row["failed"] = method.failed
    return row
