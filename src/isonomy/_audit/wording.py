"""An audit in words a manager understands, and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from isonomy._audit.estimate import Estimate
from isonomy._audit.verdicts import Conflict

if TYPE_CHECKING:
    from isonomy._audit.result import Audit, LabelAudit

# What does not fit on a screen is left to `to_frame`.
MOST_LABELS, MOST_PAIRS, MOST_SEGMENTS = 20, 6, 5
LONGEST_NAME = 40
ORDER = ("dictated", "not predicted", "leaning", "undecided", "balanced")


def summary(audit: Audit) -> str:
    """Who dictates, how each label is served, what to do next."""
    blocks = [
        list(headlines(audit)),
        _table(audit),
        list(_gap(audit)),
        list(segment_sentences(audit)),
        [f"Next: {step}" for step in next_steps(audit)],
        [f"Note: {note}" for note in audit.notes],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


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


def _gap(audit: Audit) -> Iterator[str]:
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


def _table(audit: Audit) -> list[str]:
    """Columns of text, one row per label."""
    several = len(audit.labels) > 1
    heading = ["label", "positive", f"AUC ({percent(audit.level)} interval)", "top 1%", "top 10%"]
    rows = [heading + (["pull"] if several else [])]
    for label in audit.labels[:MOST_LABELS]:
        tops = {each.fraction: each for each in label.top}
        row = [short(label.name), percent(label.prior.value), str(label.auc)]
        row += [f"{percent(tops[f].share.value)} (x{_number(tops[f].lift)})" for f in (0.01, 0.1)]
        rows.append(row + ([percent(label.effective_weight.value)] if several else []))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    if len(audit.labels) > MOST_LABELS:
        lines.append(f"... and {len(audit.labels) - MOST_LABELS} more labels: see `to_frame()`")
    size = f"{audit.n_rows:,} rows"
    if audit.n_groups is not None:
        size += f" in {audit.n_groups:,} groups"
    pull = "; pull: the say that equal loss weights give each label" if several else ""
    return [*lines, f"{size}; top: share of positives there (times the overall share){pull}"]


def records(audit: Audit) -> list[dict[str, Any]]:
    """One flat row per label; with segments, also one per segment and label."""
    if not audit.segments:
        return [_record(label) for label in audit.labels]
    whole = [{"segment": None, **_record(label)} for label in audit.labels]
    return whole + [
        {"segment": segment.name, **_record(label)}
        for segment in audit.segments
        for label in segment.audit.labels
    ]


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


def percent(share: float) -> str:
    """A share as a percentage of three digits; never 100% for less."""
    if math.isnan(share):
        return "-"
    text = f"{100 * share:.3g}%"
    return ">99.9%" if text == "100%" and share < 1 else text


def short(name: str) -> str:
    """A name cut to what fits on a line, without characters that would break it."""
    text = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name
    )
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def _share(won: Estimate) -> str:
    """'64.1% (62% to 66%) of their conflicts'."""
    interval = "" if math.isnan(won.low) else f" ({percent(won.low)} to {percent(won.high)})"
    return f"{percent(won.value)}{interval} of their conflicts"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2g}"
