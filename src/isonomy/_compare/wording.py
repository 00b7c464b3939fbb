"""A comparison in words: what to take, how sure that is, what it costs, what else to know."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from isonomy._compare.recommend import TOLERANCE
from isonomy._compare.verdicts import severity
from isonomy._infra import listed

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison

# A difference that three digits show.
VISIBLE = 0.0005
# More pairs of labels than these nobody reads about; the table of a report has them.
MOST_PAIRS = 6
# Names that a sentence lists before it counts the rest.
MOST_NAMES = 3

# Every sentence of a recommendation. What stands in braces is filled in; `tests/compare` has a
# situation for each.
SENTENCES = {
    "take": "Take {name}: {noun} {value} on held-out rows, the best of {n} methods.",
    "take only": (
        "Take {name}: {noun} {value} on held-out rows. No other method could be compared."
    ),
    "take milder": (
        "Take {name}: {noun} {value} on held-out rows, within {tolerance} of the best, {best} "
        "({best_value}), and milder where labels conflict ({verdict})."
    ),
    "take simpler": (
        "Take {name}: {noun} {value} on held-out rows, within {tolerance} of the best, {best} "
        "({best_value}), and simpler."
    ),
    "take promise": (
        "Take {name}: it keeps {promise} ({reached} on held-out rows) and has the best {noun} of "
        "the methods that do, {value}."
    ),
    "out of reach": (
        "No method keeps {promise}: the best within reach is {reached}, by {name}, with {noun} "
        "{value}. Lower the promise, or bring better features."
    ),
    "others at chance": (
        "Beware: {noun}, {value}, is not surely above the 0.5 of a constant score: the promise "
        "leaves nothing for the rest."
    ),
    "none serves": (
        "No single ranking serves these labels: the best {noun}, {value} by {name}, is not surely "
        "above the 0.5 of a constant score."
    ),
    "near": "Within {tolerance} of it: {names}.",
    "sure": "Taken again in {times} of 10 resamples; expected loss {loss}.",
    "exclusive": (
        "{pairs} exclude each other: no item has both. What lifts one lowers the other, in any "
        "ranking."
    ),
    "opposed": ("{pairs} oppose each other: ranked by one alone, the other has an AUC below 0.5."),
    "funnel": (
        "{first} comes only with {second}: a funnel. Where they disagree the item lacks {first} "
        "alone, so there are no conflicts to win, and more rows will not bring any."
    ),
    "serve apart": "Rank for them apart: {groups}.",
    "say the goal": (
        "Or say what each is worth (`goal={{...}}`, --value), or what one must keep (`at_least=`, "
        "--at-least)."
    ),
    "better features": (
        "No label is surely predicted: bring better features, or more rows, before choosing a "
        "method."
    ),
    "price": "What it gives each label, of the best that any method gives: {parts}.",
    "standing": (
        "Where {first} and {second} disagree, it sides with {winner} in {share} of the pairs "
        "({verdict})."
    ),
    "beware": (
        "Beware: {name} still lets one label dictate to another, or leaves one unpredicted that "
        "another method predicts."
    ),
    "leak": (
        "{feature} alone reaches an AUC of {auc} for {label}: has the label leaked into it? Leave "
        "it out (--exclude) if it is not known when the ranking is made."
    ),
    "more leaks": "... and {count} more such features and labels.",
    "more funnels": "... and {count} more such pairs of labels.",
    "note": "Note: {note}",
    "failed": "{names} could not be compared. {why}",
    "warned": "{names} warned. {note}",
    "measured": (
        "Measured on {rows} rows and {features} ({how}) with the {family} {families}, {tuned}; "
        "intervals of {level} allow for {luck}."
    ),
}


def summary(found: Comparison) -> str:
    """What to take and why, then what else to know, one sentence or two a line."""
    lines = [headline(found), reason(found)]
    lines += [*_price(found), *_standing(found), *structure_lines(found), *leak_lines(found)]
    lines += [say("note", note=note) for note in found.notes]
    lines += [say("failed", names=who, why=why) for why, who in _by_text(_failures(found))]
    lines += [say("warned", names=who, note=note) for note, who in _by_text(_warnings(found))]
    return "\n".join(line for line in [*lines, _measured(found)] if line)


def say(sentence: str, **parts: object) -> str:
    """One of the sentences, filled in."""
    return SENTENCES[sentence].format(**parts)


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
        "value": _value(found, decision.index),
        "n": sum(method.failed is None and method.kind != "chance" for method in found.methods),
        "tolerance": TOLERANCE,
        "promise": goal.promise,
        "reached": " and ".join(f"{own.aucs.mean[k]:.3f}" for k, _ in goal.floors),
    }
    if goal.kind == "promises":
        return say("take promise" if decision.kept else "out of reach", **parts)
    if not decision.above_chance and len(found.names) > 1:
        return say("none serves", **parts)
    if parts["n"] == 1:
        return say("take only", **parts)
    if decision.index == decision.best:
        return say("take", **parts)
    best = found.methods[decision.best]
    parts |= {"best": repr(best.name), "best_value": f"{float(best.goal.mean):.3f}"}
    if decision.milder:
        return say("take milder", verdict=_worst_verdict(found, decision.index), **parts)
    return say("take simpler", **parts)


def _value(found: Comparison, method: int) -> str:
    """A method's goal, and what is to be expected of it on new rows where that is less."""
    value, expected = float(found.methods[method].goal.mean), found.decision.expected[method]
    less = f" ({expected:.3f} to be expected)" if value - expected >= VISIBLE else ""
    return f"{value:.3f}{less}"


def reason(found: Comparison) -> str:
    """How sure the choice is, and what else would do."""
    decision = found.decision
    lines = []
    if decision.near:
        names = [repr(found.methods[m].name) for m in decision.near]
        lines.append(say("near", tolerance=TOLERANCE, names=listed(names, MOST_NAMES)))
    others = [m for m in found.methods if m.failed is None and m.kind != "chance"]
    if len(others) > 1 and not np.isnan(decision.agreement):
        times, loss = round(10 * decision.agreement), f"{decision.expected_loss:.3f}"
        lines.append(say("sure", times=times, loss=loss))
    if found.goal.kind == "promises" and not decision.above_chance:
        value = f"{float(found.methods[decision.index].goal.mean):.3f}"
        lines.append(say("others at chance", noun=found.goal.noun, value=value))
    if _worst_verdict(found, decision.index) == "dictated" and decision.above_chance:
        lines.append(say("beware", name=repr(found.recommended)))
    return " ".join(lines)


def _worst_verdict(found: Comparison, method: int) -> str:
    """The worst word that a method has earned, over labels that some method predicts."""
    lows = np.array([each.aucs.low for each in found.methods])
    predictable = (np.nan_to_num(lows) > 0.5).any(axis=0)
    own = found.methods[method]
    words = ("balanced", "undecided", "leaning", "dictated")
    return words[severity(own.verdicts, own.conflicts.mean, predictable)]


def _price(found: Comparison) -> list[str]:
    """What the recommended method leaves of the best that each label can have."""
    if len(found.names) == 1:
        return []
    own = found[found.recommended].aucs.mean
    reached = np.array([method.aucs.mean for method in found.methods if method.failed is None])
    order = np.argsort(own)[: MOST_PAIRS + 2]
    parts = [f"{found.names[k]!r} {own[k]:.3f} of {reached[:, k].max():.3f}" for k in sorted(order)]
    if len(order) < len(found.names):
        parts.append(f"{len(found.names) - len(order)} better served ones")
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
        lines.append(
            say(
                "standing",
                first=repr(found.names[k]),
                second=repr(found.names[j]),
                winner=repr(found.names[winner]),
                share=f"{best.conflicts.mean[winner, loser]:.0%}",
                verdict=best.verdicts[k][j],
            )
        )
    return lines if len(lines) <= MOST_PAIRS else []


def structure_lines(found: Comparison) -> list[str]:
    """How the labels stand to each other, and what to do where no ranking serves all."""
    structure, names = found.structure, [repr(name) for name in found.names]
    lines = [
        say("funnel", first=names[k], second=names[j]) for k, j in structure.funnels[:MOST_PAIRS]
    ]
    if len(structure.funnels) > MOST_PAIRS:
        lines.append(say("more funnels", count=len(structure.funnels) - MOST_PAIRS))
    opposed = [each for each in structure.opposed if each not in structure.exclusive]
    for kind, pairs in (("exclusive", structure.exclusive), ("opposed", opposed)):
        shown = [f"{names[k]} and {names[j]}" for k, j in pairs[:MOST_PAIRS]]
        if len(pairs) > MOST_PAIRS:
            shown.append(f"... and {len(pairs) - MOST_PAIRS} more pairs")
        if shown:
            lines.append(say(kind, pairs="; ".join(shown)))
    if found.decision.above_chance or len(found.names) == 1:
        return lines
    if not any((np.nan_to_num(each.aucs.low) > 0.5).any() for each in found.methods):
        lines.append(say("better features"))
    elif len(structure.groups) > 1:
        groups = [
            f"{listed([repr(found.names[k]) for k in group.labels], MOST_NAMES)} (smallest AUC "
            f"{group.min_auc:.3f} by {group.method!r})"
            for group in structure.groups
        ]
        apart = say("serve apart", groups="; ".join(groups))
        # Who has said what the labels are worth need not be told to.
        asked = found.goal.kind in ("values", "promises")
        lines.append(apart if asked else f"{apart} {say('say the goal')}")
    return lines


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
    return f"{auc:.3f}" if auc >= 0.5 else f"{1 - auc:.3f} (turned round)"


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
