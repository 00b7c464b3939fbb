"""How labels stand to each other: which imply, exclude or oppose which, and who fits together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from isonomy._compare.methods import CHANCE, Method
from isonomy._compare.statistics import SplitMean
from isonomy._core import FloatArray, Items, OneLabel
from isonomy._rankers.blended import implied_labels

# A pair of labels with fewer items of each says nothing about whether they meet by chance.
FEWEST_POSITIVES = 20
# How likely it may be that some pair of labels that know nothing of each other never meets.
BY_CHANCE = 0.01
# Labels that a ranking serves have an AUC that is surely above this.
SERVED = 0.5


@dataclass(frozen=True)
class LabelGroup:
    """Labels that one ranking serves, and the method of the table that does it best."""

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
    exclusive : tuple of (int, int)
        Labels that no item has both of, more surely than chance explains.
    opposed : tuple of (int, int)
        Labels of which the ranking by either alone puts the other's items last.
    groups : tuple of LabelGroup
        Labels that one method of the table serves together, largest groups first; one group
        where one ranking serves all.
    """

    funnels: tuple[tuple[int, int], ...]
    exclusive: tuple[tuple[int, int], ...]
    opposed: tuple[tuple[int, int], ...]
    groups: tuple[LabelGroup, ...]


def label_structure(items: Items, methods: Sequence[Method], aucs: SplitMean) -> LabelStructure:
    """From the labels themselves and the methods' AUCs (M, K) with their bounds."""
    n_labels = items.labels.n_labels
    implied = implied_labels(items)
    pairs = list(combinations(range(n_labels), 2))
    alone = {
        method.objective.column(items.labels): aucs.high[m]
        for m, method in enumerate(methods)
        if isinstance(method.objective, OneLabel)
    }
    return LabelStructure(
        funnels=tuple((int(k), int(j)) for k, j in np.argwhere(implied)),
        exclusive=tuple(pair for pair in pairs if _exclude(items, *pair, n_pairs=len(pairs))),
        opposed=tuple(
            (k, j)
            for k, j in pairs
            if k in alone and j in alone and alone[k][j] < SERVED and alone[j][k] < SERVED
        ),
        groups=label_groups(methods, aucs),
    )


def _exclude(items: Items, k: int, j: int, *, n_pairs: int) -> bool:
    """Whether no item has both, where chance alone would have made some, in one of all pairs."""
    table = items.labels.table
    known = table[~np.isnan(table[:, [k, j]]).any(axis=1)][:, [k, j]]
    positives = (known == 1).sum(axis=0)
    if positives.min(initial=len(known)) < FEWEST_POSITIVES or (known == 1).all(axis=1).any():
        return False
    expected = positives.prod(dtype=float) / len(known)
    return bool(n_pairs * np.exp(-expected) <= BY_CHANCE)


def label_groups(methods: Sequence[Method], aucs: SplitMean) -> tuple[LabelGroup, ...]:
    """Labels that some method surely serves together: those that go best together first."""
    means = aucs.mean
    lows = np.where(np.isnan(aucs.low), means, aucs.low)
    usable = [
        m
        for m, method in enumerate(methods)
        if method.kind != CHANCE.key and not np.isnan(means[m]).any()
    ]
    if not usable:
        return ()
    groups = [[k] for k in range(means.shape[1])]

    def best(labels: Sequence[int], of: FloatArray = lows) -> tuple[float, int]:
        return max((float(of[m, list(labels)].min()), -m) for m in usable)

    while len(groups) > 1:
        merged = max(combinations(groups, 2), key=lambda two: best([*two[0], *two[1]]))
        if best([*merged[0], *merged[1]])[0] <= SERVED:
            break
        groups = [each for each in groups if each not in merged] + [merged[0] + merged[1]]
    found = []
    for labels in sorted(groups, key=lambda each: (-len(each), min(each))):
        value, place = best(labels, means)
        found.append(LabelGroup(tuple(sorted(labels)), methods[-place].name, value))
    return tuple(found)
