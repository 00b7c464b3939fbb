"""An audit in words that a manager understands: every sentence about a verdict is written here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from isonomy._audit.estimate import Estimate
from isonomy._audit.verdicts import DICTATES, Conflict
from isonomy._render import percent, printable

if TYPE_CHECKING:
    from isonomy._audit.result import Audit

# More than these are counted, not listed.
MOST_PAIRS, MOST_SEGMENTS = 6, 5
LONGEST_NAME = 40
ORDER = ("dictated", "not predicted", "leaning", "undecided", "balanced")


def headlines(audit: Audit) -> Iterator[str]:
    """One sentence per pair of labels, the gravest first."""
    if len(audit.labels) == 1:
        yield f"One label, {short(audit.names[0])}: there is nobody to disagree with."
        return
    pairs = sorted(audit.conflicts, key=gravity)
    shown = pairs if len(pairs) <= MOST_PAIRS else pairs[: MOST_PAIRS - 1]
    yield from map(sentence, shown)
    rest = pairs[len(shown) :]
    if rest:
        counts = {verdict: sum(each.verdict == verdict for each in rest) for verdict in ORDER}
        listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        yield f"{len(rest)} more pairs of labels: {listed}."


def gravity(conflict: Conflict) -> tuple[int, float]:
    """Sorts the gravest conflict first."""
    won = conflict.won.value
    return ORDER.index(conflict.verdict), -won if won == won else 0.0


def sentence(conflict: Conflict) -> str:
    """The verdict on a pair of labels."""
    first, second = short(conflict.first), short(conflict.second)
    if conflict.winner is None or conflict.loser is None:
        if math.isnan(conflict.auc.value):
            return f"{first} and {second} never disagree: no verdict."
        if conflict.verdict == "balanced":
            return f"{first} and {second} are balanced: {first} wins {_share(conflict.auc)}."
        return (
            f"{first} and {second}: undecided. {first} wins {_share(conflict.auc)}; "
            f"rows with one of the two only: {conflict.items[0]:,} and {conflict.items[1]:,}."
        )
    winner, loser, won = short(conflict.winner), short(conflict.loser), _share(conflict.won)
    if conflict.verdict == "dictated":
        return f"{winner} dictates to {loser}: where they disagree, {winner} wins {won}."
    if conflict.verdict == "leaning":
        return f"The ranking leans towards {winner} over {loser}: {winner} wins {won}."
    return (
        f"{loser} is not predicted, so {winner} wins {won}: "
        f"the score may be blind to {loser} rather than against it."
    )


def next_steps(audit: Audit) -> Iterator[str]:
    """What to do about it."""
    found = sorted(audit.conflicts, key=gravity)
    skewed = [each for each in found if each.verdict in ("dictated", "leaning")]
    if skewed:
        yield _about_weights(audit, skewed[0])
    blind = sorted({each.loser or "" for each in found if each.verdict == "not predicted"})
    if blind:
        listed = ", ".join(map(short, blind[:MOST_PAIRS]))
        yield (
            f"Look for features that predict {listed}, or check the label; "
            "weights cannot help a label that the score does not know."
        )
    if any(each.verdict == "undecided" for each in found):
        yield (
            "For a verdict on undecided pairs, audit more rows: what counts are rows in which "
            "one of the two labels is positive and not the other."
        )
    if found and not skewed and not blind and all(e.verdict == "balanced" for e in found):
        yield "Nothing needs doing. Keep `to_dict()`, and ask the next audit for its `drift`."


def _about_weights(audit: Audit, worst: Conflict) -> str:
    labels = {label.name: label for label in audit.labels}
    winner, loser = short(worst.winner or ""), short(worst.loser or "")
    pulls = [labels[name or ""].effective_weight.value for name in (worst.winner, worst.loser)]
    ratio = pulls[0] / pulls[1]
    step = f"If {winner} should not come first, try training with `LabelAggregation()`"
    if ratio > 1.1:
        weights = ", ".join(f"{weight:.3g}" for weight in audit.undo_weights)
        step += (
            f" or `LossAggregation(weights=[{weights}])`. With equal loss weights {winner} "
            f"has {ratio:.2g} times the pull of {loser}, because it is more skewed"
        )
    elif ratio < 1 / 1.1:
        step += (
            f". Equal loss weights are not the reason: they give {loser} the larger pull. "
            "See which labels and weights the score was trained with"
        )
    return step + ". `compare` shows what each choice costs."


def segment_sentences(audit: Audit) -> Iterator[str]:
    """Where segments differ, and where one has a dictator that the whole has not."""
    if not audit.segments:
        return
    differing = sorted((t for t in audit.segment_tests if t.differs), key=lambda t: t.p_value)
    if not audit.segment_tests:
        yield f"{len(audit.segments)} segments: too few rows in them to compare."
    elif not differing:
        yield f"{len(audit.segments)} segments do not differ beyond chance."
    for test in differing[:MOST_SEGMENTS]:
        what = (
            f"The AUC of {short(test.labels[0])}"
            if len(test.labels) == 1
            else f"The share of conflicts that {short(test.labels[0])} wins over "
            f"{short(test.labels[1])}"
        )
        values = _values_in(audit, test.labels)
        yield (
            f"{what} differs between segments beyond chance: {values[test.lowest]:.3f} in "
            f"{short(test.lowest)}, {values[test.highest]:.3f} in {short(test.highest)}."
        )
    if len(differing) > MOST_SEGMENTS:
        yield f"And {len(differing) - MOST_SEGMENTS} more: see `segment_tests`."
    yield from _local_dictators(audit)


def _local_dictators(audit: Audit) -> Iterator[str]:
    known = {(each.winner, each.loser) for each in audit.dictated}
    local: dict[tuple[str | None, str | None], list[str]] = {}
    for segment in audit.segments:
        for each in segment.audit.dictated:
            if (each.winner, each.loser) not in known:
                local.setdefault((each.winner, each.loser), []).append(segment.name)
    for (winner, loser), names in list(local.items())[:MOST_SEGMENTS]:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        where = ", ".join(map(short, names[:3])) + more
        yield (
            f"{short(winner or '')} dictates to {short(loser or '')} in {where}, "
            "though not overall."
        )


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
    served = sorted(
        (label for label in audit.labels if not math.isnan(label.auc.value)),
        key=lambda label: label.auc.value,
    )
    yield (
        f"Worst served: {short(served[0].name)}, AUC {audit.minimum}. "
        f"Best: {short(served[-1].name)}; the gap is {audit.diff}."
    )


def size(audit: Audit) -> str:
    """How much was looked at."""
    groups = "" if audit.n_groups is None else f" in {audit.n_groups:,} groups"
    return f"{audit.n_rows:,} rows{groups}."


def legend(audit: Audit) -> str:
    """What the pictures mean."""
    return (
        f"{size(audit)} Bars are {percent(audit.level)} intervals. Solid ticks: 0.5 for AUCs, "
        f"the share in all rows for the top; dashed: {DICTATES:g}, beyond which a label dictates."
    )


def short(name: str) -> str:
    """A name cut to what fits on a line, without characters that would break it."""
    text = printable(name)
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def _share(won: Estimate) -> str:
    """'64.1% (62% to 66%) of their conflicts'."""
    interval = "" if math.isnan(won.low) else f" ({percent(won.low)} to {percent(won.high)})"
    return f"{percent(won.value)}{interval} of their conflicts"
