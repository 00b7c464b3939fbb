"""AUCs of all labels and of all their conflicts, with their errors, from one sort."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isonomy._audit.estimate import Estimate, estimates
from isonomy._core import ConflictPairs, FloatArray, Items, LossAggregation, Objective, SideBySide
from isonomy._counting import Influence, Ranking, Spread
from isonomy._metrics import shrunk_wilson

# Terms looked at together: with up to ten labels all of them.
BLOCK = 64


@dataclass(frozen=True, eq=False)
class AUCEstimates:
    """How a ranking treats each label and each pair of labels.

    Attributes
    ----------
    ranking : Ranking
        The rows in order of score.
    aucs : list of Estimate
        One per label.
    spread : Spread
        Of the labels' AUCs, jointly.
    conflicts : list of Estimate
        One conflict AUC per pair of labels k < l, row by row.
    units, conflict_units : ndarray
        How much data each stands on: items in the smaller class, clusters, or groups.
    freedom, conflict_freedom : ndarray
        Degrees of freedom of their standard errors.
    """

    ranking: Ranking
    aucs: list[Estimate]
    spread: Spread
    conflicts: list[Estimate]
    units: FloatArray
    conflict_units: FloatArray
    freedom: FloatArray
    conflict_freedom: FloatArray


def auc_estimates(items: Items, level: float) -> AUCEstimates:
    """Sort once, count all pairs, and find each item's (cluster's, group's) influence."""
    k = items.labels.n_labels
    found: list[Estimate] = []
    units: list[FloatArray] = []
    freedom: list[FloatArray] = []
    influence: Influence | None = None
    of_labels: Spread | None = None
    for objective in _blocks(k):
        terms = items.preferences(objective)
        if influence is None:
            influence = Influence.of(items, terms)
        else:
            influence = Influence.on(influence.ranking.with_terms(terms), items)
        spread = influence.spread(jointly=k if of_labels is None else 0)
        if of_labels is None:
            of_labels = spread.take(np.arange(k))
        low, high = shrunk_wilson(influence.ratios, spread, level)
        found += estimates(influence.ratios, low, high, spread.error)
        units.append(spread.smallest)
        freedom.append(spread.freedom)
    assert influence is not None
    assert of_labels is not None
    sizes, certainty = np.concatenate(units), np.concatenate(freedom)
    return AUCEstimates(
        influence.ranking,
        found[:k],
        of_labels,
        found[k:],
        sizes[:k],
        sizes[k:],
        certainty[:k],
        certainty[k:],
    )


def _blocks(n_labels: int) -> Iterator[Objective]:
    """All labels and as many conflicts as fit beside them, then the other conflicts."""
    n_pairs = n_labels * (n_labels - 1) // 2
    stop = min(max(BLOCK - n_labels, 0), n_pairs)
    labels = LossAggregation()
    yield SideBySide((labels, ConflictPairs(0, stop))) if stop else labels
    for start in range(stop, n_pairs, BLOCK):
        yield ConflictPairs(start, start + BLOCK)
