"""A comparison in words: what to take, how sure that is, what it costs, what else to know."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isonomy._audit import AT_CHANCE
from isonomy._compare.goals import joined
from isonomy._compare.methods import CHANCE
from isonomy._compare.recommend import CONSTANT, TOLERANCE
from isonomy._compare.sentences import say
from isonomy._compare.structure import SERVED
from isonomy._compare.verdicts import severity
from isonomy._infra import listed

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison, MethodResult
    from isonomy._compare.structure import LabelGroup

# A difference that three digits show.
VISIBLE = 0.0005
# What labels that are ranked together lose by it, from which on it is said.
COST = 0.02
# More pairs of labels than these nobody reads about; the table of a report has them.
MOST_PAIRS = 6
# What is said of labels of which each two stand to each other like this.
ALL_OF = {"same": "all the same", "exclusive": "all exclusive"}
# Names that a sentence lists before it counts the rest: methods and features, labels.
MOST_NAMES, MOST_LABELS = 3, 8


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


def serves(found: Comparison) -> bool:
    """Whether there is a method to take: nobody takes what is no better than a constant score."""
    return found.decision.above_chance or found.goal.kind == "promises"


def headline(found: Comparison) -> str:
    """What to take, by which goal."""
    decision, goal = found.decision, found.goal
    own = found.methods[decision.index]
    parts = {
        "name": repr(own.name),
        "noun": goal.noun,
        "value": _value(found, decision.index) if serves(found) else f"{float(own.goal.mean):.3f}",
        "n": len(_compared(found)),
        "tolerance": TOLERANCE,
        "promise": goal.promise,
        "reached": joined([f"{own.aucs.mean[k]:.3f}" for k, _ in goal.floors]),
    }
    if goal.kind == "promises":
        return say("take promise" if decision.kept else "out of reach", **parts)
    if not serves(found):
        if len(found.names) == 1:
            return say("none ranks", label=repr(found.names[0]), **parts)
        if float(own.goal.low) > CONSTANT:
            return say("hardly serves", **parts)
        return say("none surely" if _open(found) else "none serves", **parts)
    if parts["n"] == 1:
        return say("take only", **parts)
    if decision.index == decision.best:
        return say("take", **parts)
    best = found.methods[decision.best]
    parts |= {"best": repr(best.name), "best_value": _value(found, decision.best, "{1}")}
    if decision.milder:
        return say("take milder", verdict=_worst_verdict(found, decision.index), **parts)
    mixed = [found._methods[m].mixed for m in (decision.index, decision.best)]
    return say("take mixed" if mixed == [True, False] else "take simpler", **parts)


def _open(found: Comparison) -> bool:
    """Whether more rows might show a ranking that serves all labels."""
    goal, structure = found.methods[found.decision.index].goal, found.structure
    if float(goal.mean) > AT_CHANCE:
        return True
    # Of labels that are against each other, and of splits without a spread, more is not hoped.
    against = structure.exclusive or structure.opposed
    return not against and float(goal.high) > AT_CHANCE


def _value(found: Comparison, method: int, form: str = "{} ({})") -> str:
    """A method's goal, and what is to be expected of it on new rows where that is less."""
    value, expected = float(found.methods[method].goal.mean), found.decision.expected[method]
    if value - expected < VISIBLE:
        return f"{value:.3f}"
    return form.format(f"{value:.3f}", f"{expected:.3f} to be expected")


def _rivals(found: Comparison) -> list[str]:
    """Why a method is not taken that the table shows with a better goal, or above."""
    joint = [m for m in _ranked(found) if not found._methods[m].leaves_labels_out]
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
    above = [m for m in _ranked(found) if m < min(decision.best, decision.index) and m not in joint]
    if above and decision.kept:
        name, value = repr(found.methods[above[0]].name), _value(found, above[0])
        lines.append(say("alone ahead", name=name, value=value))
    return lines


def reason(found: Comparison) -> str:
    """How sure the choice is, and what else would do."""
    decision, goal = found.decision, found.methods[found.decision.index].goal
    # Where no ranking serves the labels, nobody asks which others do not, nor how surely.
    lines = [*_rivals(found), *_how_sure(found)] if serves(found) else []
    value = f"{float(goal.mean):.3f}"
    if found.goal.kind == "promises" and not decision.above_chance:
        below = "others below chance" if float(goal.high) < SERVED else "others at chance"
        lines.append(say(below, noun=found.goal.noun, value=value))
    elif decision.above_chance and not decision.beyond_luck:
        n = len(_compared(found))
        lines.append(say("perhaps luck", n=n, noun=found.goal.noun, value=value))
    backwards = _backwards(found)
    if backwards and decision.above_chance:
        lines.append(say("backwards", labels=listed(backwards, MOST_LABELS)))
    if decision.above_chance and not float(goal.low) > SERVED and goal.mean <= AT_CHANCE:
        lines.append(say("perhaps at chance", noun=found.goal.noun, value=value))
    # Who is worth nothing may be dictated to.
    counted = _predicted(found) & _worth(found)
    if _worst_verdict(found, decision.index, counted) == "dictated" and decision.above_chance:
        lines.append(say("beware", name=repr(found.recommended)))
    return " ".join(lines)


def _backwards(found: Comparison) -> list[str]:
    """Labels of some worth that the recommended method ranks worse than a constant score does."""
    highs = found[found.recommended].aucs.high
    below = (np.nan_to_num(highs, nan=1.0) < SERVED) & _worth(found)
    return [repr(found.names[k]) for k in np.flatnonzero(below)]


def _worth(found: Comparison) -> NDArray[np.bool_]:
    """Which labels the goal cares for."""
    if found.goal.kind != "values":
        return np.ones(len(found.names), dtype=bool)
    return np.asarray(found.goal.weights > 0)


def _how_sure(found: Comparison) -> list[str]:
    decision, lines = found.decision, []
    if decision.near:
        names = [repr(found.methods[m].name) for m in decision.near]
        lines.append(say("near", tolerance=TOLERANCE, names=listed(names, MOST_NAMES)))
    if len(_compared(found)) > 1 and not np.isnan(decision.agreement):
        times, loss = round(10 * decision.agreement), f"{decision.expected_loss:.3f}"
        lines.append(say("sure", times=times, loss=loss))
    return lines


def _compared(found: Comparison) -> list[MethodResult]:
    """The methods that were measured, without the constant score."""
    return [found.methods[m] for m in _ranked(found)]


def _ranked(found: Comparison) -> list[int]:
    """Their places in the table."""
    every = enumerate(found.methods)
    return [m for m, each in every if each.failed is None and each.kind != CHANCE.key]


def _worst_verdict(found: Comparison, method: int, labels: NDArray[np.bool_] | None = None) -> str:
    """The worst word that a method has earned, over labels that some method predicts."""
    own, labels = found.methods[method], _predicted(found) if labels is None else labels
    words = ("balanced", "undecided", "leaning", "dictated")
    return words[severity(own.verdicts, own.conflicts.mean, labels)]


def _predicted(found: Comparison) -> NDArray[np.bool_]:
    """Which labels some method surely serves better than a constant score."""
    lows = np.array([each.aucs.low for each in found.methods])
    return np.asarray((np.nan_to_num(lows) > SERVED).any(axis=0))


def _price(found: Comparison) -> list[str]:
    """What the recommended method leaves of the best that each label can have."""
    if len(found.names) == 1:
        return []
    own = found[found.recommended].aucs.mean
    reached = np.array([method.aucs.mean for method in _compared(found)])
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


def structure_lines(found: Comparison) -> list[str]:
    """How the labels stand to each other, and what to do where no ranking serves all."""
    structure, names = found.structure, [repr(name) for name in found.names]
    opposites = [each for each in structure.exclusive if _opposite(found, each)]
    kinds = {
        "same": structure.same,
        "opposite": opposites,
        "exclusive": [each for each in structure.exclusive if each not in opposites],
        "opposed": [each for each in structure.opposed if each not in structure.exclusive],
    }
    told = {kind: [f"{names[k]} and {names[j]}" for k, j in kinds[kind]] for kind in kinds}
    told = {"funnel": _steps(structure.funnels, names), **told}
    lines = []
    for kind, parts in told.items():
        labels = [] if kind == "funnel" else _all_of(kinds[kind])
        if labels and kind in ALL_OF:
            every = listed([names[k] for k in labels], MOST_LABELS)
            lines.append(say(ALL_OF[kind], labels=every))
            continue
        left = len(parts) - MOST_PAIRS
        shown = [
            *parts[:MOST_PAIRS],
            *([f"... and {left} more pair{'s' * (left > 1)}"] if left > 0 else []),
        ]
        lines += [say(kind, pairs="; ".join(shown))] if shown else []
    enough = found.decision.above_chance or len(found.names) == 1
    # Of two opposites one is to be kept, as has been said.
    enough |= len(found.names) == 2 and bool(opposites)
    instead = "" if enough else _instead(found)
    return [*lines, instead] if instead else lines


def _all_of(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The labels of the pairs, where these are all pairs of three labels or more."""
    labels = sorted({k for pair in pairs for k in pair})
    return labels if len(pairs) > 1 and len(pairs) == len(labels) * (len(labels) - 1) // 2 else []


def _opposite(found: Comparison, pair: tuple[int, int]) -> bool:
    """Whether each item has exactly one of two labels that no item has both of."""
    known = not found.missing[list(pair)].any()
    return bool(known and np.isclose(found.priors[list(pair)].sum(), 1.0, rtol=0, atol=1e-9))


def _steps(funnels: Sequence[tuple[int, int]], names: Sequence[str]) -> list[str]:
    """What comes only with what, without what other steps say already."""
    direct = [
        (k, j)
        for k, j in funnels
        if not any((k, i) in funnels and (i, j) in funnels for i in range(len(names)))
    ]
    return [f"{names[k]} comes only with {names[j]}" for k, j in direct]


def _instead(found: Comparison) -> str:
    """What to do where no ranking serves all labels."""
    predicted = _predicted(found)
    if not predicted.any():
        return say("better features")
    served = [each for each in found.structure.groups if predicted[list(each.labels)].all()]
    dropped = [repr(name) for name, known in zip(found.names, predicted, strict=True) if not known]
    groups, labels = "; ".join(_group(found, each) for each in served), listed(dropped, MOST_LABELS)
    if len(served) == 1 and not dropped:
        # By the smallest AUC the first line has said all that there is to say.
        return "" if found.goal.kind == "min" else _serve_all(found, groups)
    if len(served) == 1:
        return say("serve the rest", labels=labels, group=groups)
    lines = [say("serve apart", groups=groups)]
    if dropped:
        lines.append(say("leave out", labels=labels))
    # Who has said what the labels are worth need not be told to.
    if found.goal.kind not in ("values", "promises"):
        lines.append(say("say the goal"))
    return " ".join(lines)


def _serve_all(found: Comparison, groups: str) -> str:
    """That by another goal one ranking serves all labels."""
    lines = [say("serve all", group=groups)]
    # A promise that nothing keeps is to be lowered anyway, as has been said.
    if found.goal.floors and found.decision.kept:
        lines.append(say("lower the promise"))
    return " ".join(lines)


def _group(found: Comparison, group: LabelGroup) -> str:
    labels = listed([repr(found.names[k]) for k in group.labels], MOST_LABELS)
    parts = {"labels": labels, "auc": f"{group.min_auc:.3f}", "name": repr(group.method)}
    if len(group.labels) == 1:
        return say("group of one", **parts)
    each = np.max([method.aucs.mean[list(group.labels)] for method in _compared(found)], axis=0)
    if each.min() > group.min_auc + COST:
        return say("group at a cost", **parts, best=f"{each.min():.3f}")
    return say("group", **parts)


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
