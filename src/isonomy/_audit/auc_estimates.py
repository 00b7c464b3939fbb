"""AUCs of all labels and of all their conflicts, with their errors, from one sort."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isonomy._audit.estimate import Estimate, estimates
from isonomy._core import ConflictPairs, FloatArray, Items, LossAggregation, Objective, SideBySide
from isonomy._counting import Influence, Ranking
from isonomy._metrics import bounds

# Terms looked at together: with up to ten labels all of them.
BLOCK = 64


@dataclass(frozen=True, eq=False)
class AUCEstimates:
    """How a ranking treats each label and each pair of labels.

    Attributes
    ----------
    ranking : Ranking
        The rows in order of score.
    aucs, covariance
        One per label, and their joint covariance.
    conflicts
        One conflict AUC per pair of labels k < l, row by row.
    units, conflict_units : ndarray
        How much data each stands on: items in the smaller class, or groups with pairs.
    """

    ranking: Ranking
    aucs: list[Estimate]
    covariance: FloatArray
    conflicts: list[Estimate]
    units: NDArray[np.int64]
    conflict_units: NDArray[np.int64]


def auc_estimates(items: Items, level: float) -> AUCEstimates:
    """Sort once, count all pairs, and find each item's (or group's) influence."""
    k = items.labels.n_labels
    covariance = np.zeros((k, k))
    found: list[Estimate] = []
    units: list[FloatArray] = []
    ranking: Ranking | None = None
    for objective in _blocks(k):
        terms = items.preferences(objective)
        first = ranking is None
        ranking = Ranking(terms, items.scores) if ranking is None else ranking.with_terms(terms)
        influence = Influence(ranking)
        variance = np.zeros(influence.ratios.size)
        for psi in influence.chunks():
            variance += np.einsum("ij,ij->j", psi, psi)
            if first:
                covariance += psi[:, :k].T @ psi[:, :k]
        error = np.sqrt(variance)
        low, high = bounds(influence.ratios, error, influence.independent_pairs, level)
        found += estimates(influence.ratios, low, high, error)
        units.append(influence.smaller_class)
    assert ranking is not None
    sizes = np.concatenate(units).astype(np.int64)
    return AUCEstimates(ranking, found[:k], covariance, found[k:], sizes[:k], sizes[k:])


def _blocks(n_labels: int) -> Iterator[Objective]:
    """All labels and as many conflicts as fit beside them, then the other conflicts."""
    n_pairs = n_labels * (n_labels - 1) // 2
    stop = min(max(BLOCK - n_labels, 0), n_pairs)
    labels = LossAggregation()
    yield SideBySide((labels, ConflictPairs(0, stop))) if stop else labels
    for start in range(stop, n_pairs, BLOCK):
        yield ConflictPairs(start, start + BLOCK)
