"""An audit as a static piece of HTML: tables with dots and bars, no scripts, no network.

Colours are the notebook's own (`currentColor`) or mid-tones that read on light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from isonomy._audit.estimate import Estimate
from isonomy._audit.verdicts import DICTATES, Conflict
from isonomy._audit.wording import (
    gravity,
    headlines,
    next_steps,
    percent,
    segment_sentences,
)

if TYPE_CHECKING:
    from isonomy._audit.result import Audit

# What is not shown here is in `to_frame` and `to_dict`.
MOST_LABELS, MOST_PAIRS, MOST_SEGMENTS, MOST_COLUMNS = 30, 30, 15, 6
COLOURS = {
    "dictated": "#d64545",
    "not predicted": "#b07aa1",
    "leaning": "#d98a1f",
    "undecided": "#8a8f98",
    "balanced": "#2e9e5b",
}
ACCENT = "#3f7fd1"
WIDE, NARROW, HEIGHT, EDGE = 150, 80, 16, 5

STYLE = """
.isonomy-audit{font-size:13px;line-height:1.45;color:inherit}
.isonomy-audit p,.isonomy-audit ul{margin:.25em 0;max-width:62em}
.isonomy-audit .head{font-size:1.15em;font-weight:600;margin:.2em 0 .5em}
.isonomy-audit .scroll{overflow-x:auto}
.isonomy-audit table{border-collapse:collapse;margin:.4em 0 .8em;color:inherit;background:none}
.isonomy-audit caption{text-align:left;font-weight:600;padding:.3em 0;color:inherit}
.isonomy-audit th,.isonomy-audit td{text-align:right;padding:.25em .7em;border:0;
 border-bottom:1px solid rgba(128,128,128,.3);background:none;white-space:nowrap;
 font-variant-numeric:tabular-nums}
.isonomy-audit thead th{font-weight:normal;opacity:.75;vertical-align:bottom}
.isonomy-audit td,.isonomy-audit .name{vertical-align:middle}
.isonomy-audit .name{text-align:left;max-width:16em;overflow:hidden;text-overflow:ellipsis;
 font-weight:600}
.isonomy-audit thead .name{font-weight:normal}
.isonomy-audit svg{vertical-align:middle;overflow:visible}
.isonomy-audit .column{display:inline-block;min-width:3.6em}
.isonomy-audit .dim{opacity:.7;font-weight:normal}
.isonomy-audit .verdict{color:#fff;border-radius:.7em;padding:.05em .6em;font-size:.92em}
.isonomy-audit ul{padding-left:1.3em}
"""


def page(audit: Audit) -> str:
    """All of the audit that fits on a page."""
    parts = [
        f"<style>{STYLE}</style>",
        f'<p class="head">{escape(next(headlines(audit)))}</p>',
        _labels_table(audit),
        _conflicts_table(audit),
        _tops_table(audit),
        _segments_table(audit),
        *(f"<p>{_code(line)}</p>" for line in segment_sentences(audit)),
        _listed("Next", next_steps(audit)),
        _listed("Notes", audit.notes),
        f'<p class="dim">{escape(_footer(audit))}</p>',
    ]
    return f'<div class="isonomy-audit">{"".join(parts)}</div>'


def _labels_table(audit: Audit) -> str:
    several = len(audit.labels) > 1
    headings = ["", "positives", "missing", "", f"AUC, {percent(audit.level)} interval"]
    headings += ["pull of equal<br>loss weights", "weight that<br>undoes it"] if several else []
    start = _lowest(label.auc for label in audit.labels)
    rows = []
    for label in audit.labels[:MOST_LABELS]:
        cells = [
            _name(label.name),
            _cell(_with_title(percent(label.prior.value), f"{label.positives:,} rows")),
            _cell(percent(label.missing)),
            _cell(_dot(label.auc, (start, 1.0), [0.5], ACCENT)),
            _cell(_value(label.auc)),
        ]
        if several:
            weight = label.effective_weight.value
            cells += [
                _cell(_bar(weight) + _column(percent(weight))),
                _cell(f"{label.undo_weight:.3g}"),
            ]
        rows.append("".join(cells))
    left = len(audit.labels) - len(rows)
    return _table("How each label is served", headings, rows, left, "labels")


def _tops_table(audit: Audit) -> str:
    headings = ["", "all", *(f"top {percent(top.fraction)}" for top in audit.labels[0].top)]
    rows = []
    for label in audit.labels[:MOST_LABELS]:
        cells = [_name(label.name), _cell(percent(label.prior.value))]
        for top in label.top:
            lift = "" if math.isnan(top.lift) else _column(f"&times;{top.lift:.2g}", "dim")
            picture = _dot(top.share, (0.0, 1.0), [label.prior.value], ACCENT, NARROW)
            cells.append(_cell(f"{picture}{_column(percent(top.share.value))}{lift}"))
        rows.append("".join(cells))
    caption = "What the top of the ranking contains: share of positives"
    return _table(caption, headings, rows, len(audit.labels) - len(rows), "labels")


def _conflicts_table(audit: Audit) -> str:
    if not audit.conflicts:
        return ""
    pairs = sorted(audit.conflicts, key=gravity)
    rows = ["".join(_conflict_cells(each)) for each in pairs[:MOST_PAIRS]]
    caption = "Who wins where two labels disagree"
    headings = ["", '<div class="name">against</div>', "", "share of conflicts won", "verdict"]
    return _table(caption, headings, rows, len(pairs) - len(rows), "pairs")


def _conflict_cells(conflict: Conflict) -> Iterator[str]:
    swapped = conflict.winner == conflict.second
    names = (conflict.first, conflict.second)
    yield from map(_name, names[::-1] if swapped else names)
    yield _cell(_dot(conflict.won, (0.0, 1.0), [0.5, DICTATES], COLOURS[conflict.verdict]))
    yield _cell(_value(conflict.won))
    yield _cell(_chip(conflict))


def _segments_table(audit: Audit) -> str:
    if not audit.segments:
        return ""
    shown, columns = audit.segments[:MOST_SEGMENTS], audit.names[:MOST_COLUMNS]
    start = _lowest(label.auc for each in shown for label in each.audit.labels[: len(columns)])
    rows = []
    for segment in shown:
        cells = [_name(segment.name), _cell(f"{segment.audit.n_rows:,}")]
        for label in segment.audit.labels[: len(columns)]:
            picture = _dot(label.auc, (start, 1.0), [0.5], ACCENT, NARROW)
            cells.append(
                _cell(_with_title(f"{picture}{_column(_digits(label.auc))}", str(label.auc)))
            )
        verdicts = sorted(segment.audit.conflicts, key=gravity)
        cells += [_cell(_with_title(_chip(each), _won(each))) for each in verdicts[:1]]
        rows.append("".join(cells))
    headings = ["", "rows", *(f'<div class="name">AUC of {escape(name)}</div>' for name in columns)]
    headings += ["gravest verdict"] if audit.conflicts else []
    left = len(audit.segments) - len(rows)
    return _table("By segment", headings, rows, left, "segments")


def _chip(conflict: Conflict) -> str:
    colour = COLOURS[conflict.verdict]
    return f'<span class="verdict" style="background:{colour}">{conflict.verdict}</span>'


def _won(conflict: Conflict) -> str:
    against = conflict.first if conflict.winner == conflict.second else conflict.second
    return f"{conflict.winner or conflict.first} against {against}: {conflict.won}"


def _table(caption: str, headings: list[str], rows: list[str], left: int, what: str) -> str:
    """Headings are HTML, all the rest comes escaped from `_name` and `_cell`."""
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    more = f'<p class="dim">{left:,} more {what}: see <code>to_dict()</code>.</p>' if left else ""
    return (
        f'<div class="scroll"><table><caption>{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{more}"
    )


def _name(name: str) -> str:
    return f'<th class="name" scope="row" title="{escape(name)}">{escape(name)}</th>'


def _cell(html: str) -> str:
    return f"<td>{html}</td>"


def _column(html: str, more: str = "") -> str:
    """Text of a fixed width, so that pictures beside it stand in line."""
    return f'<span class="column {more}">{html}</span>'


def _with_title(html: str, title: str) -> str:
    return f'<span title="{escape(title)}">{html}</span>'


def _digits(estimate: Estimate) -> str:
    return "-" if math.isnan(estimate.value) else f"{estimate.value:.2f}"


def _value(estimate: Estimate) -> str:
    if math.isnan(estimate.value):
        return '<span class="dim">undefined</span>'
    interval = "" if math.isnan(estimate.low) else f"{estimate.low:.3f} to {estimate.high:.3f}"
    return f'{estimate.value:.3f} <span class="dim">{interval}</span>'


def _lowest(aucs: Iterable[Estimate]) -> float:
    """Where the axis of some AUCs starts: at 0.5, or at the tenth below the lowest bound."""
    ends = [auc.value if math.isnan(auc.low) else auc.low for auc in aucs]
    return min([math.floor(10 * end) / 10 for end in ends if not math.isnan(end)] + [0.5])


def _dot(
    estimate: Estimate,
    axis: tuple[float, float],
    ticks: list[float],
    colour: str,
    width: int = WIDE,
) -> str:
    """A dot with its interval as a bar, on an axis; ticks after the first are dashed."""

    def x(value: float) -> float:
        share = (value - axis[0]) / (axis[1] - axis[0])
        return round(EDGE + (width - 2 * EDGE) * share, 1)

    def line(ends: tuple[float, float], heights: tuple[float, float], style: str) -> str:
        (x1, x2), (y1, y2) = map(x, ends), heights
        return f'<line x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}" {style}/>'

    y = HEIGHT / 2
    marks = [line(axis, (y, y), 'stroke="currentColor" stroke-opacity=".25"')]
    for number, tick in enumerate(ticks):
        if axis[0] <= tick <= axis[1]:
            dash = ' stroke-dasharray="2 2"' if number else ""
            style = f'stroke="currentColor" stroke-opacity=".55"{dash}'
            marks.append(line((tick, tick), (1, HEIGHT - 1), style))
    if not math.isnan(estimate.low):
        style = f'stroke="{colour}" stroke-width="5" stroke-opacity=".5" stroke-linecap="round"'
        marks.append(line((estimate.low, estimate.high), (y, y), style))
    if not math.isnan(estimate.value):
        marks.append(f'<circle cx="{x(estimate.value)}" cy="{y}" r="4" fill="{colour}"/>')
    return (
        f'<svg width="{width}" height="{HEIGHT}" role="img" aria-label="{estimate}">'
        f"{''.join(marks)}</svg>"
    )


def _bar(share: float) -> str:
    if math.isnan(share):
        return ""
    width = round(60 * share, 1)
    return (
        f'<svg width="60" height="10" aria-hidden="true"><rect width="60" height="10" '
        f'fill="currentColor" fill-opacity=".1"/><rect width="{width}" height="10" '
        f'fill="{ACCENT}"/></svg> '
    )


def _listed(title: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{_code(line)}</li>" for line in lines)
    return f"<p><b>{title}</b></p><ul>{items}</ul>" if items else ""


def _code(text: str) -> str:
    """Text with `code` between backticks; an odd one stays as it is."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return "`".join(pieces)
    return "".join(
        f"<code>{piece}</code>" if number % 2 else piece for number, piece in enumerate(pieces)
    )


def _footer(audit: Audit) -> str:
    groups = "" if audit.n_groups is None else f" in {audit.n_groups:,} groups"
    return (
        f"{audit.n_rows:,} rows{groups}. Bars are {percent(audit.level)} intervals. Solid ticks: "
        "0.5 for AUCs, the share in all rows for the top (beside it, how many times that); "
        "dashed: 0.9, beyond which a label dictates."
    )
