"""An audit in words that a manager understands: which sentences of `sentences` are true of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from isonomy._audit.estimate import Estimate
from isonomy._audit.relations import best_smaller_auc
from isonomy._audit.sentences import say
from isonomy._audit.verdicts import AT_CHANCE, DICTATES, Conflict
from isonomy._infra import listed, printable
from isonomy._render import percent

if TYPE_CHECKING:
    from isonomy._audit.drift import Drift, Move
    from isonomy._audit.result import Audit, LabelAudit

# More than these are counted, not listed.
MOST_LABELS, MOST_PAIRS, MOST_SEGMENTS, MOST_RELATED = 5, 6, 5, 3
# Longer names lose their middle: what tells them apart may be at either end.
LONGEST_NAME, HEAD = 60, 28
ORDER = ("dictated", "not predicted", "leaning", "undecided", "balanced", "no conflict")


def headlines(audit: Audit, drift: Drift | None = None) -> Iterator[str]:
    """What was found, the gravest first: labels at chance, what fell, who dictates."""
    yield from _levels([*audit.backwards, *at_chance(audit)])
    fell = fallen(drift)
    for move in fell[:MOST_LABELS]:
        yield say("auc fell", label=short(move.labels[0]), **_then_and_now(move))
    if len(fell) > MOST_LABELS:
        yield say("more fell", labels=several(len(fell) - MOST_LABELS, "more label"))
    if len(audit.labels) == 1:
        yield say("one label", label=short(audit.names[0]))
    yield from _pairs(audit)
    yield from _levels(perhaps_at_chance(audit))
    yield from _relations(audit)


def at_chance(audit: Audit) -> list[LabelAudit]:
    """The labels of which the ranking knows nothing, for all that the rows tell."""
    return [label for label in audit.not_above_chance if label.auc.high <= AT_CHANCE]


def perhaps_at_chance(audit: Audit) -> list[LabelAudit]:
    """The labels of which too few rows tell whether the ranking knows them."""
    return [label for label in audit.not_above_chance if not label.auc.high <= AT_CHANCE]


def fallen(drift: Drift | None) -> list[Move]:
    """The AUCs that fell beyond chance, the deepest fall first."""
    found = [] if drift is None else [move for move in drift.moved if move.fell]
    return sorted(found, key=lambda move: move.now.value - move.before.value)


def _levels(labels: Sequence[LabelAudit]) -> Iterator[str]:
    shown = labels if len(labels) <= MOST_LABELS else labels[: MOST_LABELS - 1]
    for label in shown:
        key = "backwards" if label.verdict == "backwards" else "at chance"
        if key == "at chance" and not label.auc.high <= AT_CHANCE:
            key = "perhaps at chance"
        yield say(
            key,
            label=short(label.name),
            auc=label.auc,
            positives=f"{label.positives:,}",
            negatives=f"{label.negatives:,}",
        )
    rest = labels[len(shown) :]
    if rest:
        counted = _counted([label.verdict for label in rest], ("backwards", "not above chance"))
        yield say("more labels", labels=several(len(rest), "more label"), counted=counted)


def _pairs(audit: Audit) -> Iterator[str]:
    # A label upside down has been told already; that another one dictates to it has not.
    told = {label.name for label in audit.backwards}
    pairs = [
        each
        for each in sorted(audit.conflicts, key=gravity)
        if each.verdict == "dictated" or (each.verdict != "no conflict" and each.loser not in told)
    ]
    blind: set[str | None] = set()
    telling = []
    for each in pairs:
        # One sentence is enough for a label that loses because nobody knows it.
        if each.verdict != "not predicted" or each.loser not in blind:
            telling.append(each)
        blind |= {each.loser} if each.verdict == "not predicted" else set()
    shown = telling if len(pairs) <= MOST_PAIRS else telling[: MOST_PAIRS - 1]
    for each in shown:
        yield sentence(each)
    # Where nothing is cut, a label that nobody knows has been told, whoever it loses to.
    rest = [each for each in pairs if each not in shown] if len(pairs) > MOST_PAIRS else []
    if rest:
        counted = _counted([each.verdict for each in rest], ORDER)
        yield say("more pairs", pairs=several(len(rest), "more pair"), counted=counted)


def _counted(verdicts: Sequence[str], order: Iterable[str]) -> str:
    counts = {verdict: verdicts.count(verdict) for verdict in order}
    return ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items() if count)


def gravity(conflict: Conflict) -> tuple[int, float]:
    """Sorts the gravest conflict first."""
    won = conflict.won.value
    return ORDER.index(conflict.verdict), -won if won == won else 0.0


def sentence(conflict: Conflict) -> str:
    """The verdict on a pair of labels that may disagree."""
    names = {"first": short(conflict.first), "second": short(conflict.second)}
    if conflict.winner is not None and conflict.loser is not None:
        winner, loser = short(conflict.winner), short(conflict.loser)
        return say(conflict.verdict, winner=winner, loser=loser, won=share_won(conflict.won))
    if conflict.relation == "apart":
        return say("apart", **names)
    if math.isnan(conflict.auc.value):
        inside = min(conflict.items) > 0
        return say("never disagree inside" if inside else "never disagree", **names)
    rows = {"first_rows": f"{conflict.items[0]:,}", "second_rows": f"{conflict.items[1]:,}"}
    return say(conflict.verdict, **names, won=share_won(conflict.auc), **rows)


def _relations(audit: Audit) -> Iterator[str]:
    """What labels are to each other, where that decides what a ranking can do."""
    related: dict[str, list[tuple[str, str]]] = {}
    for each in audit.conflicts:
        names = (each.first, each.second)
        kind = "funnel" if "implies" in each.relation else each.relation
        if kind == "opposite" and not _complete(audit, names):
            kind = "exclusive"
        turned = each.relation == "first implies second"
        related.setdefault(kind, []).append(names[::-1] if turned else names)
    for kind in ("opposite", "exclusive", "funnel", "same"):
        pairs = related.get(kind, [])
        if kind == "funnel":
            pairs = _direct(pairs)
        if len(pairs) > MOST_RELATED:
            # Of a funnel the rarer label comes first here: the one that has the other.
            ordered = [pair[::-1] if kind == "funnel" else pair for pair in pairs]
            named = listed([f"{short(a)} and {short(b)}" for a, b in ordered], MOST_RELATED)
            yield say(f"{kind}s", count=len(pairs), pairs=named)
        else:
            yield from (_related(audit, kind, pair) for pair in pairs)


def _direct(funnels: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The steps of funnels, without what follows from two of them."""
    between = {name for pair in funnels for name in pair}
    return [
        (above, below)
        for above, below in funnels
        if not any((above, name) in funnels and (name, below) in funnels for name in between)
    ]


def _related(audit: Audit, kind: str, names: tuple[str, str]) -> str:
    given = {"first": short(names[0]), "second": short(names[1])}
    if kind == "exclusive" and _complete(audit, names) and audit.n_groups is None:
        shares = [audit.labels[audit.names.index(name)].prior.value for name in names]
        bound = best_smaller_auc(*shares)
        return say("exclusive with bound", **given, bound=f"{bound:.3f}")
    return say(kind, **given)


def _complete(audit: Audit, names: Iterable[str]) -> bool:
    """Whether these labels are observed in every row."""
    return all(audit.labels[audit.names.index(name)].missing == 0 for name in names)


def segment_sentences(audit: Audit) -> Iterator[str]:
    """Where segments differ, and where one has a dictator that the whole has not."""
    if not audit.segments:
        return
    segments = several(len(audit.segments), "segment")
    differing = sorted((t for t in audit.segment_tests if t.differs), key=lambda t: t.p_value)
    if not audit.segment_tests:
        yield say("segments too small", segments=segments)
    elif not differing:
        yield say("segments alike", segments=segments)
    for test in differing[:MOST_SEGMENTS]:
        values = _values_in(audit, test.labels)
        key = "label differs" if len(test.labels) == 1 else "conflict differs"
        yield say(
            key,
            label=short(test.labels[0]),
            first=short(test.labels[0]),
            second=short(test.labels[-1]),
            low=f"{values[test.lowest]:.3f}",
            high=f"{values[test.highest]:.3f}",
            lowest=short(test.lowest),
            highest=short(test.highest),
        )
    if len(differing) > MOST_SEGMENTS:
        yield say("more differ", count=f"{len(differing) - MOST_SEGMENTS:,}")
    yield from _local(audit)


def _local(audit: Audit) -> Iterator[str]:
    found = local_findings(audit)
    for labels, names in list(found.items())[:MOST_SEGMENTS]:
        where = listed([short(name) for name in names], 3)
        if len(labels) == 1:
            yield say("backwards there", label=short(labels[0]), where=where)
        else:
            winner, loser = map(short, labels)
            yield say("dictated there", winner=winner, loser=loser, where=where)
    if len(found) > MOST_SEGMENTS:
        yield say("more there", count=f"{len(found) - MOST_SEGMENTS:,}")


def local_findings(audit: Audit) -> dict[tuple[str, ...], list[str]]:
    """Segments with a dictator (winner, loser) or a label upside down that the whole has not."""
    known = {label.name for label in audit.backwards}
    dictated = {(each.winner, each.loser) for each in audit.dictated}
    found: dict[tuple[str, ...], list[str]] = {}
    for segment in audit.segments:
        for label in segment.audit.backwards:
            if label.name not in known:
                found.setdefault((label.name,), []).append(segment.name)
        for each in segment.audit.dictated:
            if each.winner and each.loser and (each.winner, each.loser) not in dictated:
                found.setdefault((each.winner, each.loser), []).append(segment.name)
    return found


def _values_in(audit: Audit, labels: tuple[str, ...]) -> dict[str, float]:
    """The AUC of a label, or of a conflict, in each segment."""
    values = {}
    for segment in audit.segments:
        if len(labels) == 1:
            values[segment.name] = segment.audit.labels[audit.names.index(labels[0])].auc.value
        else:
            values[segment.name] = next(
                each.auc.value
                for each in segment.audit.conflicts
                if (each.first, each.second) == labels
            )
    return values


def gap(audit: Audit) -> Iterator[str]:
    """Who is served worst and best, and how far apart they are."""
    if len(audit.labels) == 1 or math.isnan(audit.diff.value):
        return
    served = worst_first(audit)
    worst, best = served[0], max(served, key=lambda label: _known(label.auc.value, 0.0))
    yield say(
        "gap",
        worst=short(worst.name),
        auc=worst.auc,
        best=short(best.name),
        gap=audit.diff,
    )


def worst_first(audit: Audit) -> list[LabelAudit]:
    """The labels by their AUC; those without one last."""
    return sorted(audit.labels, key=lambda label: _known(label.auc.value, math.inf))


def size(audit: Audit) -> str:
    """How much was looked at."""
    rows = f"{audit.n_rows:,}"
    if audit.n_groups is None:
        found = say("size", rows=rows)
    else:
        found = say("size in groups", rows=rows, groups=f"{audit.n_groups:,}")
    if audit.n_clusters is None:
        return found
    return say("size in clusters", size=found, clusters=f"{audit.n_clusters:,}")


def legend(audit: Audit) -> str:
    """What the pictures mean."""
    dictates = f"{DICTATES:g}"
    return say("legend", size=size(audit), level=percent(audit.level), dictates=dictates)


def short(name: str) -> str:
    """A name cut to what fits on a line, without characters that would break it."""
    text = printable(name)
    if len(text) <= LONGEST_NAME:
        return text
    return f"{text[:HEAD]}...{text[HEAD + 3 - LONGEST_NAME :]}"


def several(count: int, what: str) -> str:
    """'1 pair', '2 pairs'."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def share_won(won: Estimate) -> str:
    """'64.1% (62% to 66%) of their conflicts'."""
    interval = "" if math.isnan(won.low) else f" ({percent(won.low)} to {percent(won.high)})"
    return f"{percent(won.value)}{interval} of their conflicts"


def _then_and_now(move: Move) -> dict[str, str]:
    return {"before": f"{move.before.value:.3f}", "now": f"{move.now.value:.3f}"}


def _known(value: float, otherwise: float) -> float:
    return otherwise if math.isnan(value) else value
