"""How the labels stand to each other, in words, and what to do where no ranking serves all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from isonomy._audit import CONSTANT
from isonomy._compare.families import WIDE
from isonomy._compare.findings import compared, more_rows_would_tell, predicted_labels
from isonomy._compare.notes import best_auc
from isonomy._compare.sentences import say
from isonomy._infra import listed

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison
    from isonomy._compare.structure import LabelGroup

# What labels that are ranked together lose by it, from which on it is said.
COST = 0.02
# More pairs of labels than these nobody reads about; the table of a report has them.
MOST_PAIRS = 6
# What is said of labels of which each two stand to each other like this.
ALL_OF = {"same": "all the same", "exclusive": "all exclusive"}
# Labels that a sentence lists before it counts the rest.
MOST_LABELS = 8


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
    lines = [
        _in_pairs("funnel", _steps(structure.funnels, names, "{} comes only with {}")),
        _in_pairs(
            "known after", _steps(structure.known_after, names, "{} is known only of items with {}")
        ),
        *(_related(kind, pairs, names) for kind, pairs in kinds.items()),
    ]
    lines = [line for line in lines if line]
    enough = found.decision.above_chance or len(found.names) == 1
    # Of two opposites one is to be kept, as has been said.
    enough |= len(found.names) == 2 and bool(opposites)
    instead = "" if enough else _instead(found, opposites)
    if instead and _above_by_luck(found):
        instead += " " + say("one by luck", n=len(compared(found)))
    return [*lines, instead] if instead else lines


def _above_by_luck(found: Comparison) -> bool:
    """Whether the table has an interval above 0.5 for a label of which none is sure."""
    left = np.flatnonzero(~predicted_labels(found))
    return any(bool((each.aucs.low[left] > CONSTANT).any()) for each in compared(found))


def _related(kind: str, pairs: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """What is said of these pairs: of all labels at once where each two are one."""

    def named(labels: Sequence[int]) -> str:
        return listed([names[k] for k in labels], MOST_LABELS)

    labels, sides = _all_of(pairs), _two_sides(pairs)
    if labels and kind in ALL_OF:
        return say(ALL_OF[kind], labels=named(labels))
    if sides and kind == "opposed":
        return say("two sides", first=named(sides[0]), second=named(sides[1]))
    return _in_pairs(kind, [f"{names[k]} and {names[j]}" for k, j in pairs])


def _in_pairs(kind: str, parts: Sequence[str]) -> str:
    left = len(parts) - MOST_PAIRS
    more = [f"... and {left} more pair{'s' * (left > 1)}"] if left > 0 else []
    return say(kind, pairs="; ".join([*parts[:MOST_PAIRS], *more])) if parts else ""


def _two_sides(pairs: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]] | None:
    """Two sets of labels, where the pairs are all that there are between them and none inside."""
    if len(pairs) < 2:
        return None
    second, first = ({k for pair in pairs if own in pair for k in pair} - {own} for own in pairs[0])
    between = {(min(k, j), max(k, j)) for k in first for j in second}
    whole = not first & second and between == set(pairs)
    return (sorted(first), sorted(second)) if whole else None


def _all_of(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The labels of the pairs, where these are all pairs of three labels or more."""
    labels = sorted({k for pair in pairs for k in pair})
    return labels if len(pairs) > 1 and len(pairs) == len(labels) * (len(labels) - 1) // 2 else []


def _opposite(found: Comparison, pair: tuple[int, int]) -> bool:
    """Whether each item has exactly one of two labels that no item has both of."""
    known = not found.missing[list(pair)].any()
    return bool(known and np.isclose(found.priors[list(pair)].sum(), 1.0, rtol=0, atol=1e-9))


def _steps(funnels: Sequence[tuple[int, int]], names: Sequence[str], form: str) -> list[str]:
    """What comes only with what, without what other steps say already."""
    direct = [
        (k, j)
        for k, j in funnels
        if not any((k, i) in funnels and (i, j) in funnels for i in range(len(names)))
    ]
    return [form.format(names[k], names[j]) for k, j in direct]


def _instead(found: Comparison, opposites: Sequence[tuple[int, int]]) -> str:
    """What to do where no ranking serves all labels."""
    predicted = predicted_labels(found)
    left = np.flatnonzero(~predicted).tolist()
    helping = remedies(found, left)
    if not predicted.any():
        return say("better features", remedies=helping)
    served = [each for each in found.structure.groups if predicted[list(each.labels)].all()]
    # Of opposites one is to be kept, as has been said: the one in the larger group.
    kept = [each for i, each in enumerate(served) if not _mirrored(each, served[:i], opposites)]
    if len(kept) < len(served) and len(kept) == 1 and not left:
        return say("keep that one", group=_group(found, kept[0]))
    served = kept
    dropped = [f"{found.names[k]!r} (best AUC {best_auc(found.methods, k)[0]:.3f})" for k in left]
    groups, labels = "; ".join(_group(found, each) for each in served), listed(dropped, MOST_LABELS)
    if len(served) == 1 and not dropped:
        # By the smallest AUC the first line has said all that there is to say.
        return "" if found.goal.kind == "min" else _serve_all(found, groups)
    if len(served) == 1:
        return say("serve the rest", labels=labels, group=groups, remedies=helping)
    lines = [
        say("serve apart for now" if more_rows_would_tell(found) else "serve apart", groups=groups)
    ]
    if dropped:
        lines.append(say("leave out", labels=labels, remedies=helping))
    # Who has said what the labels are worth need not be told to.
    if found.goal.kind not in ("values", "promises"):
        lines.append(say("say the goal"))
    return " ".join(lines)


def _mirrored(
    group: LabelGroup, others: Sequence[LabelGroup], opposites: Sequence[tuple[int, int]]
) -> bool:
    """Whether every label of a group has its opposite in one of the others."""
    there = {k for each in others for k in each.labels}
    turned = {k for pair in opposites for k, j in (pair, pair[::-1]) if j in there}
    return set(group.labels) <= turned


def remedies(found: Comparison, labels: Sequence[int]) -> str:
    """What may predict labels that no method surely predicts."""
    parts = ["better features"]
    if found.family == "linear" and found.n_features <= WIDE and not found._sparse:
        parts.append("boosted trees (family='boosted', --family boosted)")
    if any(best_auc(found.methods, k)[1] for k in labels):
        parts.append("more rows")
    return " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


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
    each = np.max([method.aucs.mean[list(group.labels)] for method in compared(found)], axis=0)
    if each.min() > group.min_auc + COST:
        return say("group at a cost", **parts, best=f"{each.min():.3f}")
    return say("group", **parts)
