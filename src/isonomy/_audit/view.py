"""An audit as tables: what is shown of it as text, in a notebook and in a data frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from isonomy._audit.estimate import Estimate
from isonomy._audit.next_steps import next_steps
from isonomy._audit.sentences import say
from isonomy._audit.verdicts import DICTATES, Conflict, LabelVerdict, Verdict, mirrored
from isonomy._audit.wording import (
    gap,
    gravity,
    headlines,
    legend,
    segment_sentences,
    size,
    worst_first,
)
from isonomy._infra import short_names
from isonomy._render import (
    Bar,
    Block,
    Cell,
    Column,
    Dot,
    Heat,
    Row,
    Sentences,
    Table,
    Tone,
    estimate_cell,
    fragment,
    name_cell,
    name_column,
    percent,
    plain,
)

if TYPE_CHECKING:
    from isonomy._audit.drift import Drift
    from isonomy._audit.result import Audit, LabelAudit

# What is not shown is in `to_frame` and `to_dict`. A page has more room than a screen of text.
MOST_LABELS, MOST_PAIRS, MOST_SEGMENTS, MOST_COLUMNS, MOST_MOVES = 30, 6, 15, 14, 20
MOST_LABELS_AS_TEXT = 20
# Columns of segments with a picture in each cell.
MOST_DRAWN = 6
LONGEST_NAME, LONGEST_HEADING, LONGEST_ON_MAP = 40, 14, 18
CONFLICTS = "Who wins where two labels disagree"
TONES: dict[Verdict, Tone] = {
    "dictated": "bad",
    "not predicted": "blind",
    "leaning": "warning",
    "undecided": "unsure",
    "balanced": "good",
    "no conflict": "plain",
}
LABEL_TONES: dict[LabelVerdict, Tone] = {
    "above chance": "plain",
    "not above chance": "blind",
    "backwards": "bad",
    "undefined": "unsure",
}


def text(audit: Audit, drift: Drift | None = None) -> str:
    """What was found, in words and tables."""
    return plain(*blocks(audit, drift))


def html(audit: Audit) -> str | None:
    """All of the audit that fits on a page, with pictures."""
    found: list[Block] = [Sentences([next(headlines(audit))], "headline"), labels_table(audit)]
    if audit.conflicts:
        found.append(conflicts_table(audit))
    found += [tops_table(audit), *top_ranks_tables(audit)]
    if audit.segments:
        found.append(segments_table(audit))
    return fragment(
        *found,
        Sentences(list(segment_sentences(audit))),
        Sentences(next_steps(audit), title="Next"),
        Sentences(audit.notes, title="Note"),
        Sentences([legend(audit)], "small"),
    )


def blocks(audit: Audit, drift: Drift | None = None) -> list[Block]:
    """What was found, how each label is served, what to do next."""
    found: list[Block] = [
        Sentences(list(headlines(audit, drift))),
        labels_table(audit, MOST_LABELS_AS_TEXT),
        tops_table(audit, MOST_LABELS_AS_TEXT),
        *top_ranks_tables(audit, MOST_LABELS_AS_TEXT),
        Sentences([" ".join([size(audit), *gap(audit)])]),
    ]
    if audit.segments:
        found += [segments_table(audit), Sentences(list(segment_sentences(audit)))]
    return [
        *found,
        Sentences(since(drift), title="Since the earlier audit"),
        Sentences(next_steps(audit, drift), title="Next"),
        Sentences(audit.notes, title="Note"),
    ]


def since(drift: Drift | None, most: int = MOST_MOVES) -> list[str]:
    """What has moved, and what could not be compared."""
    lines = [] if drift is None else drift.summary().splitlines()
    left = len(lines) - most
    return lines if left <= 0 else [*lines[:most], say("more moved", count=f"{left:,}")]


def labels_table(audit: Audit, most: int = MOST_LABELS) -> Table:
    """One row per label: its share of positives, its AUC, its pull."""
    several = len(audit.labels) > 1
    columns = [_names("label"), Column("positive"), Column("missing")]
    columns.append(Column("AUC", f"{percent(audit.level)} interval"))
    columns += [Column("pull"), Column("undone by")] if several else []
    start, names = _lowest(label.auc for label in audit.labels), _short(audit.names)
    rows = []
    for label in _shown(audit, most):
        cells = [
            name_cell(label.name, names),
            Cell(percent(label.prior.value), title=f"{label.positives:,} rows"),
            Cell(percent(label.missing)),
            _estimate(label.auc, start, (0.5,), _tone(label)),
        ]
        if several:
            weight = label.effective_weight.value
            cells += [Cell(percent(weight), picture=Bar(weight)), Cell(f"{label.undo_weight:.3g}")]
        rows.append(Row(cells))
    notes = _more(len(audit.labels) - most, "labels")
    if several:
        notes.append(
            "pull: the say that equal loss weights give each label; undone by: weights for "
            "`LossAggregation` that give all the same"
        )
    return Table(columns, rows, "How each label is served", notes)


def tops_table(audit: Audit, most: int = MOST_LABELS) -> Table:
    """One row per label: its share of positives in the top, and how many times the usual."""
    fractions = [top.fraction for top in audit.labels[0].top]
    columns = [Column(f"top {percent(fraction)}") for fraction in fractions]
    names, rows = _short(audit.names), []
    for label in _shown(audit, most):
        prior = label.prior.value
        cells = [name_cell(label.name, names), Cell(percent(prior))]
        for top in label.top:
            picture = _dot(top.share, ticks=(prior,), small=True)
            lift = "" if math.isnan(top.lift) else f"x{top.lift:.2g}"
            cells.append(Cell(percent(top.share.value), lift, picture=picture))
        rows.append(Row(cells))
    caption = "What the top of the ranking holds: share of positives (times the share in all)"
    notes = _more(len(audit.labels) - most, "labels")
    return Table([_names("label"), Column("all"), *columns], rows, caption, notes)


def top_ranks_tables(audit: Audit, most: int = MOST_LABELS) -> list[Table]:
    """With groups: nDCG of each label in the first ranks, and who wins the conflicts there."""
    if audit.top_ranks is None:
        return []
    k, names = audit.top_ranks.k, _short(audit.names)
    interval = f"{percent(audit.level)} interval"
    ndcgs = dict(zip(audit.names, audit.top_ranks.ndcgs, strict=True))
    rows = [
        Row([name_cell(label.name, names), _estimate(ndcgs[label.name], 0.0, ())])
        for label in _shown(audit, most)
    ]
    columns = [_names("label"), Column(f"nDCG@{k}", interval)]
    title = f"The first {k} of each group"
    found = [Table(columns, rows, title, _more(len(audit.labels) - most, "labels"))]
    conflicts = sorted(audit.top_ranks.conflicts, key=lambda each: -_distance(each.auc))
    if conflicts:
        rows = []
        for conflict in conflicts[:MOST_PAIRS]:
            swapped = conflict.auc.value < 0.5
            won = mirrored(conflict.auc) if swapped else conflict.auc
            sides = [conflict.first, conflict.second][:: -1 if swapped else 1]
            cells = [name_cell(name, names) for name in sides]
            rows.append(Row([*cells, _estimate(won, 0.0, (0.5, DICTATES))]))
        columns = [_names("label"), _names("against"), Column("share of conflicts won", interval)]
        title = f"Who wins the conflicts of which an item is in the first {k}"
        found.append(Table(columns, rows, title, _more(len(conflicts) - MOST_PAIRS, "pairs")))
    return found


def _distance(auc: Estimate) -> float:
    return -1.0 if math.isnan(auc.value) else abs(auc.value - 0.5)


def conflicts_table(audit: Audit) -> Table:
    """One row per pair of labels, or a square of all of them where there are many."""
    if len(audit.conflicts) > MOST_PAIRS:
        return conflicts_map(audit)
    names, rows = _short(audit.names), []
    for conflict in sorted(audit.conflicts, key=gravity):
        first, second = _sides(conflict)
        tone = TONES[conflict.verdict]
        won = _estimate(conflict.won, 0.0, (0.5, DICTATES), tone)
        verdict = Cell(conflict.verdict, chip=tone)
        rows.append(Row([name_cell(first, names), name_cell(second, names), won, verdict]))
    columns = [_names("label"), _names("against"), Column("share of conflicts won")]
    return Table([*columns, Column("verdict")], rows, CONFLICTS)


def conflicts_map(audit: Audit, most: int = MOST_LABELS) -> Table:
    """A square: the share of conflicts, in percent, that a row's label wins over a column's."""
    labels = [label.name for label in _shown(audit, most)]
    names = short_names(list(audit.names), LONGEST_ON_MAP)
    found = {(each.first, each.second): each for each in audit.conflicts}
    rows = [
        Row([name_cell(row, names), *(_against(found, row, column) for column in labels)])
        for row in labels
    ]
    columns = [_names("percent won by")]
    columns += [
        Column("", names[name], "" if names[name] == name else name, on_end=True) for name in labels
    ]
    meaning = (
        "Of the conflicts of two labels, how many in a hundred the label of the row wins over "
        "that of the column: blue where it wins, orange where it loses; ! where one dictates."
    )
    return Table(columns, rows, CONFLICTS, [meaning, *_more(len(audit.labels) - most, "labels")])


def _against(found: dict[tuple[str, str], Conflict], row: str, column: str) -> Cell:
    if row == column:
        return Cell("")
    turned = (row, column) not in found
    each = found[(column, row) if turned else (row, column)]
    auc = mirrored(each.auc) if turned else each.auc
    title = f"{row} against {column}: {auc}, {each.verdict}"
    if math.isnan(auc.value):
        return Cell("-", title=title)
    mark = "!" if each.verdict == "dictated" else ""
    return Cell(f"{100 * auc.value:.0f}{mark}", title=title, picture=Heat(auc.value))


def segments_table(audit: Audit) -> Table:
    """One row per segment: its rows, its smallest AUC, its AUCs, its gravest verdict.

    Labels stand in their order; where not all fit, those that are served worst stay.
    """
    shown, names = audit.segments[:MOST_SEGMENTS], short_names(audit.names, LONGEST_HEADING)
    worst = [label.name for label in worst_first(audit)]
    kept = [name for name in audit.names if name in worst[:MOST_COLUMNS]]
    small = len(kept) <= MOST_DRAWN
    start = _lowest(label.auc for each in shown for label in each.audit.labels)
    titles, rows = _short([each.name for each in shown]), []
    for segment in shown:
        cells = [name_cell(segment.name, titles), Cell(f"{segment.audit.n_rows:,}")]
        cells.append(_small_auc(segment.audit.minimum))
        own = {label.name: label.auc for label in segment.audit.labels}
        cells += [_small_auc(own[name], start, drawn=small) for name in kept]
        rows.append(Row([*cells, _gravest(segment.audit)]))
    columns = [_names("segment"), Column("rows"), Column("Min")]
    columns += [name_column("AUC", name, names, 1 + worst.index(name)) for name in kept]
    columns.append(Column("gravest verdict"))
    notes = _more(len(audit.segments) - MOST_SEGMENTS, "segments")
    notes += _more(len(audit.labels) - len(kept), "labels")
    return Table(columns, rows, "By segment", notes)


def _gravest(audit: Audit) -> Cell:
    """The worst verdict on a label, or else on two."""
    for label in [*audit.backwards, *audit.not_above_chance]:
        return Cell(label.verdict, title=f"{label.name}: {label.auc}", chip=_tone(label))
    for each in sorted(audit.conflicts, key=gravity):
        first, second = _sides(each)
        title = f"{first} against {second}: {each.won}"
        return Cell(each.verdict, title=title, chip=TONES[each.verdict])
    return Cell(audit.labels[0].verdict, chip=_tone(audit.labels[0]))


def _tone(label: LabelAudit) -> Tone:
    return LABEL_TONES[label.verdict]


def _small_auc(auc: Estimate, start: float = 0.5, *, drawn: bool = False) -> Cell:
    value = "-" if math.isnan(auc.value) else f"{auc.value:.2f}"
    picture = _dot(auc, start, (0.5,), small=True) if drawn else None
    return Cell(value, title=str(auc), picture=picture)


def _shown(audit: Audit, most: int) -> Sequence[LabelAudit]:
    """The labels in their order; where they are too many, those that are served worst."""
    return audit.labels if len(audit.labels) <= most else worst_first(audit)[:most]


def records(audit: Audit) -> list[dict[str, Any]]:
    """One flat row per label; with segments, also one per segment and label."""
    if not audit.segments:
        return list(_records(audit))
    whole = [{"segment": None, **row} for row in _records(audit)]
    return whole + [
        {"segment": segment.name, **row}
        for segment in audit.segments
        for row in _records(segment.audit)
    ]


def _records(audit: Audit) -> Iterator[dict[str, Any]]:
    for k, label in enumerate(audit.labels):
        row = _record(label)
        if audit.top_ranks is not None:
            row |= _columns(f"ndcg@{audit.top_ranks.k}", audit.top_ranks.ndcgs[k])
        yield row


def _record(label: LabelAudit) -> dict[str, Any]:
    row: dict[str, Any] = {
        "label": label.name,
        "positives": label.positives,
        "negatives": label.negatives,
        "missing": label.missing,
        **_columns("prior", label.prior),
        **_columns("auc", label.auc),
        **_columns("effective weight", label.effective_weight),
        "undo weight": label.undo_weight,
    }
    for top in label.top:
        name = f"top {100 * top.fraction:g}%"
        row |= {**_columns(name, top.share), f"{name} lift": top.lift, f"{name} recall": top.recall}
    return row


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name} low": estimate.low, f"{name} high": estimate.high}


def _sides(conflict: Conflict) -> tuple[str, str]:
    """The winner and the loser; as they come where there is none."""
    swapped = conflict.winner == conflict.second
    names = (conflict.first, conflict.second)
    return names[::-1] if swapped else names


def _short(names: Iterable[str]) -> dict[str, str]:
    return short_names(list(names), LONGEST_NAME)


def _names(heading: str) -> Column:
    return Column(heading, names=True)


def _more(left: int, what: str) -> list[str]:
    return [f"... and {left:,} more {what}: see `to_dict()`"] if left > 0 else []


def _dot(
    found: Estimate,
    start: float = 0.0,
    ticks: tuple[float, ...] = (),
    tone: Tone = "plain",
    *,
    small: bool = False,
) -> Dot:
    return Dot(found.value, found.low, found.high, start, 1.0, ticks, tone, small)


def _estimate(
    found: Estimate, start: float, ticks: tuple[float, ...], tone: Tone = "plain"
) -> Cell:
    if math.isnan(found.value):
        return Cell("undefined")
    picture = _dot(found, start, ticks, tone)
    return estimate_cell(found.value, found.low, found.high, picture=picture)


def _lowest(aucs: Iterable[Estimate]) -> float:
    """Where the axis of some AUCs starts: at 0.5, or at the tenth below the lowest bound."""
    ends = [auc.value if math.isnan(auc.low) else auc.low for auc in aucs]
    return min([math.floor(10 * end) / 10 for end in ends if not math.isnan(end)] + [0.5])
