"""A comparison in words: what to take, how sure that is, what it costs, what else to know."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np

from isonomy._audit import AT_CHANCE, CONSTANT
from isonomy._compare.advice import MOST_LABELS, MOST_PAIRS, remedies, structure_lines
from isonomy._compare.findings import (
    compared,
    more_rows_would_tell,
    predicted_labels,
    ranked,
    serves,
    worst_verdict,
    worth,
)
from isonomy._compare.goals import joined
from isonomy._compare.recommend import HARDLY, TOLERANCE
from isonomy._compare.sentences import say
from isonomy._compare.structure import SERVED
from isonomy._infra import listed

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison

# A difference that three digits show.
VISIBLE = 0.0005
# Names of methods and features that a sentence lists before it counts the rest.
MOST_NAMES = 3


def summary(found: Comparison) -> str:
    """What to take and why, then what else to know, one sentence or two a line."""
    lines = [headline(found), reason(found), *_price(found)]
    lines += _standing(found) if serves(found) else []
    lines += [*structure_lines(found), *leak_lines(found)]
    lines += [say("note", note=note) for note in found.notes]
    lines += [say("failed", names=who, why=why) for why, who in _by_text(_failures(found))]
    lines += [say("warned", names=who, note=note) for note, who in _by_text(_warnings(found))]
    return "\n".join(line for line in [*lines, _measured(found)] if line)


def _failures(found: Comparison) -> list[tuple[str, str]]:
    return [(each.failed, each.name) for each in found.methods if each.failed is not None]


def _warnings(found: Comparison) -> list[tuple[str, str]]:
    heard = [each for each in found.methods if each.failed is None]
    return [(note, each.name) for each in heard for note in each.notes]


def _by_text(said: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each text once, with the methods that it is about."""
    names: dict[str, list[str]] = {}
    for text, name in said:
        names.setdefault(text, []).append(repr(name))
    return [(text, ", ".join(each)) for text, each in names.items()]


def headline(found: Comparison) -> str:
    """What to take, by which goal."""
    decision, goal = found.decision, found.goal
    own = found.methods[decision.index]
    parts = {
        "name": repr(own.name),
        "noun": goal.noun,
        "value": _value(found, decision.index) if serves(found) else f"{float(own.goal.mean):.3f}",
        "n": len(compared(found)),
        "tolerance": TOLERANCE,
        "promise": goal.promise,
        "reached": joined([f"{own.aucs.mean[k]:.3f}" for k, _ in goal.floors]),
    }
    if goal.kind == "promises":
        return say("take promise" if decision.kept else "out of reach", **parts)
    if not serves(found):
        if len(found.names) == 1:
            parts |= {"label": repr(found.names[0]), "remedies": remedies(found, [0])}
            return say("none ranks", **parts)
        if float(own.goal.low) > CONSTANT:
            return say("hardly serves", **parts)
        return say("none surely" if more_rows_would_tell(found) else "none serves", **parts)
    if parts["n"] == 1:
        return say("take only", **parts)
    if decision.index == decision.best:
        return say("take", **parts)
    best = found.methods[decision.best]
    parts |= {"best": repr(best.name), "best_value": _value(found, decision.best, "{1}")}
    if decision.expected[decision.best] - decision.expected[decision.index] > TOLERANCE:
        return say("take surer", **parts)
    if decision.milder:
        return say("take milder", verdict=worst_verdict(found, decision.index), **parts)
    mixed = [found._methods[m].mixed for m in (decision.index, decision.best)]
    return say("take mixed" if mixed == [True, False] else "take simpler", **parts)


def _value(found: Comparison, method: int, form: str = "{} ({})") -> str:
    """A method's goal, and what is to be expected of it on new rows where that is less."""
    value, expected = float(found.methods[method].goal.mean), found.decision.expected[method]
    if value - expected < VISIBLE:
        return f"{value:.3f}"
    return form.format(f"{value:.3f}", f"{expected:.3f} to be expected")


def _rivals(found: Comparison) -> list[str]:
    """Why a method is not taken that the table shows with a better goal, or above."""
    joint = [m for m in ranked(found) if not found._methods[m].leaves_labels_out]
    if not joint:
        return []
    decision, lines = found.decision, []
    best = found.methods[decision.best].goal.mean
    ahead = max(joint, key=lambda m: float(found.methods[m].goal.mean))
    shown = found.methods[ahead].goal.mean - best > VISIBLE
    if found.goal.kind == "min" and shown and ahead != decision.index:
        expected = f"{decision.expected[ahead]:.3f}"
        value = f"{float(found.methods[ahead].goal.mean):.3f}"
        name = repr(found.methods[ahead].name)
        lines.append(say("less sure", name=name, value=value, expected=expected))
    if found.goal.kind == "promises" and decision.kept:
        lines += _barely_kept(found, joint)
    above = [m for m in ranked(found) if m < min(decision.best, decision.index) and m not in joint]
    if above and decision.kept:
        name, value = repr(found.methods[above[0]].name), _value(found, above[0])
        lines.append(say("alone ahead", name=name, value=value))
    return lines


def _barely_kept(found: Comparison, methods: Sequence[int]) -> list[str]:
    """The best of the methods that keep the promise on these rows, but not surely on new ones."""
    own = found.methods[found.decision.index].goal.mean + TOLERANCE
    every = [found.methods[m] for m in methods]
    kept = [
        each for each in every if not found.goal.broken(each.aucs.mean) and each.goal.mean > own
    ]
    if not kept:
        return []
    best = max(kept, key=lambda each: float(each.goal.mean))
    return [say("barely kept", name=repr(best.name), value=f"{float(best.goal.mean):.3f}")]


def _sure_alone(found: Comparison) -> list[str]:
    """The best of the methods that would surely be above chance if no others had been tried."""
    if float(found.methods[found.decision.index].goal.low) > CONSTANT:
        return []
    rivals = [found.methods[m] for m in ranked(found) if not found._methods[m].leaves_labels_out]
    sure = [
        each for each in rivals if each.goal.low > CONSTANT and each.goal.mean > CONSTANT + HARDLY
    ]
    if not sure:
        return []
    best = max(sure, key=lambda each: float(each.goal.mean))
    value = f"{float(best.goal.mean):.3f}"
    return [say("sure alone", name=repr(best.name), value=value, n=len(compared(found)))]


def reason(found: Comparison) -> str:
    """How sure the choice is, and what else would do."""
    decision, goal = found.decision, found.methods[found.decision.index].goal
    # Where no ranking serves the labels, nobody asks which others do not, nor how surely.
    lines = [*_rivals(found), *_how_sure(found)] if serves(found) else _sure_alone(found)
    value = f"{float(goal.mean):.3f}"
    if found.goal.kind == "promises" and not decision.above_chance:
        below = "others below chance" if float(goal.high) < SERVED else "others at chance"
        lines.append(say(below, noun=found.goal.noun, value=value))
    elif decision.above_chance and not decision.beyond_luck:
        n = len(compared(found))
        lines.append(say("perhaps luck", n=n, noun=found.goal.noun, value=value))
    backwards = _backwards(found)
    if backwards and decision.above_chance:
        lines.append(say("backwards", labels=listed(backwards, MOST_LABELS)))
    if decision.above_chance and not float(goal.low) > SERVED and goal.mean <= AT_CHANCE:
        lines.append(say("perhaps at chance", noun=found.goal.noun, value=value))
    lines += _wronged(found) if decision.above_chance else []
    return " ".join(lines)


def _wronged(found: Comparison) -> list[str]:
    """Labels that the recommended method lets others dictate to, or leaves to others to predict."""
    own, names = found[found.recommended], [repr(name) for name in found.names]
    # Who is worth nothing may be dictated to.
    counted = predicted_labels(found) & worth(found)
    dictated, left = [], []
    for k, j in permutations(np.flatnonzero(counted).tolist(), 2):
        won = own.conflicts.mean[k, j] >= 0.5
        if won and own.verdicts[k][j] == "dictated":
            dictated.append(f"{names[k]} dictates to {names[j]}")
        if won and own.verdicts[k][j] == "not predicted":
            left.append(names[j])
    lines = []
    if dictated:
        pairs = listed(dictated, MOST_PAIRS)
        lines.append(say("dictated", name=repr(own.name), pairs=pairs))
    if left:
        labels = listed(list(dict.fromkeys(left)), MOST_LABELS)
        lines.append(say("left to others", name=repr(own.name), labels=labels))
    return lines


def _backwards(found: Comparison) -> list[str]:
    """Labels of some worth that the recommended method ranks worse than a constant score does."""
    highs = found[found.recommended].aucs.high
    below = (np.nan_to_num(highs, nan=1.0) < SERVED) & worth(found)
    return [repr(found.names[k]) for k in np.flatnonzero(below)]


def _how_sure(found: Comparison) -> list[str]:
    decision, lines = found.decision, []
    # Of the best the first line has told that it is so near; with promises it tells of none.
    told = set() if found.goal.floors else {decision.best}
    names = [repr(found.methods[m].name) for m in decision.near if m not in told]
    if names:
        lines.append(say("near", tolerance=TOLERANCE, names=listed(names, MOST_NAMES)))
    if len(compared(found)) > 1 and not np.isnan(decision.agreement):
        times, loss = round(10 * decision.agreement), f"{decision.expected_loss:.3f}"
        lines.append(say("sure", times=times, loss=loss))
    return lines


def _price(found: Comparison) -> list[str]:
    """What the recommended method leaves of the best that each label can have."""
    if len(found.names) == 1:
        return []
    own = found[found.recommended].aucs.mean
    reached = np.array([method.aucs.mean for method in compared(found)])
    order = np.argsort(own)[: MOST_PAIRS + 2]
    parts = [f"{found.names[k]!r} {own[k]:.3f} of {reached[:, k].max():.3f}" for k in sorted(order)]
    left = len(found.names) - len(order)
    if left:
        parts.append(say("served better", more=f"{left} more label{'s' * (left > 1)}"))
    return [say("price", parts=", ".join(parts))]


def _standing(found: Comparison) -> list[str]:
    """Who wins conflicts under the recommended method."""
    best = found[found.recommended]
    lines = []
    for k, j in combinations(range(len(found.names)), 2):
        won = float(best.conflicts.mean[k, j])
        if np.isnan(won):
            continue
        winner, loser = (k, j) if won >= 0.5 else (j, k)
        share = f"{best.conflicts.mean[winner, loser]:.0%}"
        verdict = str(best.verdicts[k][j])
        if verdict == "not predicted":
            # Of a pair the words alone would leave it open which label they are about.
            verdict = say("which is not predicted", label=repr(found.names[loser]))
        if verdict == "undecided" and best.conflicts.low[winner, loser] > 0.5:
            verdict = say("too few to judge")
        lines.append(
            say(
                "even" if share == "50%" else "standing",
                first=repr(found.names[k]),
                second=repr(found.names[j]),
                winner=repr(found.names[winner]),
                share=share,
                verdict=verdict,
            )
        )
    return lines if len(lines) <= MOST_PAIRS else []


def leak_lines(found: Comparison) -> list[str]:
    """Features that tell more than they should, the surest first."""
    lines = [
        say("leak", feature=repr(each.feature), label=repr(each.label), auc=_either_way(each.auc))
        for each in found.suspects[:MOST_NAMES]
    ]
    left = len(found.suspects) - MOST_NAMES
    return [*lines, say("more leaks", count=left)] if left > 0 else lines


def _either_way(auc: float) -> str:
    """An AUC near 1, or near 0 seen from the other end."""
    return f"{auc:.3f}" if auc >= 0.5 else say("turned round", auc=f"{1 - auc:.3f}")


def _measured(found: Comparison) -> str:
    how = f"{found.n_splits} splits" if found.n_splits > 1 else "one split"
    if found.n_repeats:
        times = "once" if found.n_repeats == 1 else f"{found.n_repeats} times"
        how += f", each row held out {times}"
    return say(
        "measured",
        rows=f"{found.n_rows:,}",
        features=f"{found.n_features} feature{'s' * (found.n_features != 1)}",
        how=how,
        family=found.family,
        families="families" if " and " in found.family else "family",
        tuned="tuned inside the training rows" if found.tuned else "not tuned",
        level=f"{found.level:.0%}",
        luck="the rows that splits share" if found.n_splits > 1 else "the luck of the test rows",
    )
