"""What the page of an audit says, before anybody draws it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from isonomy._audit.drift import Drift
from isonomy._audit.next_steps import next_steps
from isonomy._audit.result import Audit
from isonomy._audit.sentences import say
from isonomy._audit.view import (
    MOST_SEGMENTS,
    conflicts_table,
    labels_table,
    segments_table,
    since,
    top_ranks_tables,
    tops_table,
)
from isonomy._audit.wording import gap, headlines, legend, segment_sentences, short, size
from isonomy._render import Table

# Beyond these a title counts the labels.
MOST_NAMED = 4


@dataclass(frozen=True)
class PageContent:
    """Sentences and tables of an audit.

    Attributes
    ----------
    title, size, legend : str
        What it is of, how much was looked at, what the pictures mean.
    headlines, steps, notes, gap, segment_lines, moves : list of str
        What was found, the gravest first; what to do; what else to know.
    fine : bool
        Whether nothing needs doing.
    labels, tops : Table
        How each label is served, and what the top holds.
    top_ranks : list of (str, Table)
        With groups: nDCGs in the first ranks, and who wins the conflicts there; each with the
        words over it.
    conflicts, segments : Table or None
        Where there are two labels; where there are segments.
    by_segment : list of (str, Table)
        How each label is served in each segment.
    """

    title: str
    size: str
    legend: str
    headlines: list[str]
    steps: list[str]
    notes: list[str]
    gap: list[str]
    segment_lines: list[str]
    moves: list[str]
    fine: bool
    labels: Table
    tops: Table
    top_ranks: list[tuple[str, Table]]
    conflicts: Table | None
    segments: Table | None
    by_segment: list[tuple[str, Table]]

    @classmethod
    def of(cls, audit: Audit, drift: Drift | None = None) -> PageContent:
        """What to say of an audit, and of what has moved since an earlier one."""
        steps = next_steps(audit, drift)
        return cls(
            title=_title(audit),
            size=size(audit),
            legend=legend(audit),
            headlines=list(headlines(audit, drift)),
            steps=steps,
            notes=list(audit.notes),
            gap=list(gap(audit)),
            segment_lines=list(segment_sentences(audit)),
            moves=since(drift),
            fine=steps == [say("nothing")],
            labels=_bare(labels_table(audit)),
            tops=_bare(tops_table(audit)),
            top_ranks=[(each.caption, _bare(each)) for each in top_ranks_tables(audit)],
            conflicts=_bare(conflicts_table(audit)) if audit.conflicts else None,
            segments=_bare(segments_table(audit)) if audit.segments else None,
            by_segment=[
                (f"{short(each.name)}: {size(each.audit)}", _bare(labels_table(each.audit)))
                for each in audit.segments[:MOST_SEGMENTS]
            ],
        )


def _title(audit: Audit) -> str:
    names = [short(name) for name in audit.names]
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more labels"]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"Audit of a ranking for {listed}"


def _bare(table: Table) -> Table:
    """Without the caption, in the place of which a page has a heading."""
    return replace(table, caption="")
