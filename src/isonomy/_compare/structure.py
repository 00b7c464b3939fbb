"""How labels stand to each other: which imply, exclude or oppose which, and who fits together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._audit import Relation, Together, rarer_than_chance, relation_of
from isonomy._compare.methods import CHANCE, Method
from isonomy._compare.statistics import SplitMean
from isonomy._core import FloatArray, Items, OneLabel, count_codes

# How likely it may be that some pair of labels that know nothing of each other seems to.
BY_CHANCE = 0.01
# Labels that a ranking serves have an AUC that is surely above this.
SERVED = 0.5


# Rankings made for some labels only: their names and the labels' AUCs.
MadeFor: TypeAlias = "Callable[[Sequence[int]], list[tuple[str, SplitMean]]]"


@dataclass(frozen=True, eq=False)
class RankedApart:
    """What there is for labels that no ranking serves together.

    Attributes
    ----------
    aucs : SplitMean
        The methods' AUCs (M, K), with bounds that hold for all methods at once.
    made_for : callable
        Further rankings for some labels, with bounds like these.
    """

    aucs: SplitMean
    made_for: MadeFor


@dataclass(frozen=True)
class LabelGroup:
    """Labels that one ranking serves, and what does it best: a method of the table, or a sum of
    the rankings for each of them alone.
    """

    labels: tuple[int, ...]
    method: str
    min_auc: float


@dataclass(frozen=True)
class LabelStructure:
    """How the labels stand to each other.

    Attributes
    ----------
    funnels : tuple of (int, int)
        (k, j): every item with label k has label j too, such as a purchase and a click.
    known_after : tuple of (int, int)
        (k, j): label k is observed only of items that have label j, such as a purchase that is
        looked for only after a click.
    same : tuple of (int, int)
        Labels of which every item has both or none.
    exclusive : tuple of (int, int)
        Labels that no item has both of, more surely than chance explains.
    opposed : tuple of (int, int)
        Labels of which the ranking by either alone puts the other's items last.
    predicted : tuple of int
        Labels that some method surely ranks better than a constant score does. Where no ranking
        serves all labels, even if allowed for that it is one of many methods.
    groups : tuple of LabelGroup
        Labels that one method of the table serves together, largest groups first; one group
        where one ranking serves all.
    """

    funnels: tuple[tuple[int, int], ...]
    known_after: tuple[tuple[int, int], ...]
    same: tuple[tuple[int, int], ...]
    exclusive: tuple[tuple[int, int], ...]
    opposed: tuple[tuple[int, int], ...]
    predicted: tuple[int, ...]
    groups: tuple[LabelGroup, ...]


def label_structure(
    items: Items, methods: Sequence[Method], aucs: SplitMean, apart: RankedApart | None = None
) -> LabelStructure:
    """From the labels themselves and the methods' AUCs (M, K) with their bounds.

    `apart` is there where no ranking serves all labels.
    """
    sure = aucs if apart is None else apart.aucs
    relations = _relations(items)
    pairs = list(relations)
    # For each label how high the best of its rankings alone places the others at most.
    alone: dict[int, FloatArray] = {}
    learned = _labels_alone(items, methods)
    for k in range(items.labels.n_labels):
        own = [m for m, label in enumerate(learned) if label == k and not np.isnan(aucs.mean[m, k])]
        if own:
            alone[k] = aucs.high[max(own, key=lambda m: aucs.mean[m, k])]
    predicted = np.flatnonzero(surely_predicted(items, methods, sure.low)).tolist()
    funnels = [pair for pair in pairs if relations[pair] == "first implies second"]
    funnels += [pair[::-1] for pair in pairs if relations[pair] == "second implies first"]
    return LabelStructure(
        funnels=tuple(sorted(funnels)),
        known_after=tuple(_known_after(items)),
        same=tuple(pair for pair in pairs if relations[pair] == "same"),
        exclusive=tuple(pair for pair in pairs if relations[pair] in ("exclusive", "opposite")),
        opposed=tuple(
            (k, j)
            for k, j in combinations([k for k in predicted if k in alone], 2)
            if alone[k][j] < SERVED and alone[j][k] < SERVED
        ),
        predicted=tuple(predicted),
        groups=label_groups(items, methods, sure, None if apart is None else apart.made_for),
    )


def surely_predicted(
    items: Items, methods: Sequence[Method], lows: FloatArray
) -> NDArray[np.bool_]:
    """Which labels some method surely serves, by the lower bounds (M, K) of their AUCs.

    What learns another label alone does not count: of many such rankings one is above 0.5 for
    whatever label, by chance.
    """
    alone = _labels_alone(items, methods)
    own = np.array([[a in (None, k) for k in range(lows.shape[1])] for a in alone])
    return np.asarray((own & (np.nan_to_num(lows) > SERVED)).any(axis=0))


def _labels_alone(items: Items, methods: Sequence[Method]) -> list[int | None]:
    """The label that each method learns alone; None for those that learn all."""
    objectives = [method.objective if method.leaves_labels_out else None for method in methods]
    return [
        each.column(items.labels) if isinstance(each, OneLabel) else None for each in objectives
    ]


def _relations(items: Items) -> dict[tuple[int, int], Relation]:
    """What each two labels are to each other, beyond what chance makes of one of all pairs."""
    labels = items.labels
    rows = count_codes(labels.codes, len(labels.patterns))
    yes, no = labels.positive, labels.negative
    pairs = list(combinations(range(labels.n_labels), 2))
    return {
        (k, j): relation_of(
            Together(
                first=int(rows @ (yes[:, k] & no[:, j])),
                second=int(rows @ (no[:, k] & yes[:, j])),
                both=int(rows @ (yes[:, k] & yes[:, j])),
                neither=int(rows @ (no[:, k] & no[:, j])),
            ),
            BY_CHANCE / len(pairs),
        )
        for k, j in pairs
    }


def _known_after(items: Items) -> Iterator[tuple[int, int]]:
    """Pairs (k, j) of which k is observed only where j is positive, beyond chance."""
    labels = items.labels
    rows = count_codes(labels.codes, len(labels.patterns))
    yes, no = labels.positive, labels.negative
    every = list(permutations(range(labels.n_labels), 2))
    for k, j in every:
        known = yes[:, k] | no[:, k]
        with_it, without = int(rows @ (known & yes[:, j])), int(rows @ (known & no[:, j]))
        n, inside = int(rows @ (yes[:, j] | no[:, j])), int(rows @ yes[:, j])
        if without == 0 and rarer_than_chance(n, with_it, inside, BY_CHANCE / len(every)):
            yield k, j


def label_groups(
    items: Items, methods: Sequence[Method], aucs: SplitMean, made_for: MadeFor | None = None
) -> tuple[LabelGroup, ...]:
    """Labels that some ranking surely serves together: those that go best together first.

    What learns a label alone is asked for no other: sums of such rankings are, which leave the
    labels of other groups out.
    """
    means = aucs.mean
    usable = [
        m
        for m, method in enumerate(methods)
        if method.kind != CHANCE.key and not np.isnan(means[m]).any()
    ]
    if not usable:
        return ()
    alone = _labels_alone(items, methods)
    tried: dict[frozenset[int], list[tuple[str, SplitMean]]] = {}

    def rankings(labels: Sequence[int]) -> list[tuple[str, SplitMean]]:
        key, some = frozenset(labels), list(labels)
        if key not in tried:
            found = [
                (
                    methods[m].name,
                    SplitMean(aucs.mean[m, some], aucs.low[m, some], aucs.high[m, some]),
                )
                for m in usable
                if alone[m] is None or [alone[m]] == some
            ]
            tried[key] = found + (made_for(some) if made_for and len(some) > 1 else [])
        return tried[key]

    def surely(labels: Sequence[int]) -> float:
        return max((_low(found) for _, found in rankings(labels)), default=0.0)

    groups = [[k] for k in range(means.shape[1])]
    while len(groups) > 1:
        merged = max(combinations(groups, 2), key=lambda two: surely([*two[0], *two[1]]))
        if surely([*merged[0], *merged[1]]) <= SERVED:
            break
        groups = [each for each in groups if each not in merged] + [merged[0] + merged[1]]
    result = []
    for labels in sorted(groups, key=lambda each: (-len(each), min(each))):
        name, found = max(rankings(labels), key=lambda each: float(each[1].mean.min()))
        result.append(LabelGroup(tuple(sorted(labels)), name, float(found.mean.min())))
    return tuple(result)


def _low(found: SplitMean) -> float:
    """The smallest AUC that is sure; too few splits leave the means."""
    return float(np.where(np.isnan(found.low), found.mean, found.low).min())
