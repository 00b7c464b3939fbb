"""AUCs of all labels and of all their conflicts, with their errors, from one sort."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isonomy._audit.estimate import Estimate
from isonomy._audit.rows import Rows
from isonomy._core import FloatArray, Mean, Preferences
from isonomy._counting import Influence, Ranking
from isonomy._metrics import bounds

# Terms looked at together: with up to ten labels all of them.
BLOCK = 64


@dataclass(frozen=True, eq=False)
class Standing:
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


def standing(rows: Rows, level: float) -> Standing:
    """Sort once, count all pairs, and find each item's (or group's) influence."""
    n_labels = rows.n_labels
    first, second = np.triu_indices(n_labels, k=1)
    covariance = np.zeros((n_labels, n_labels))
    estimates: list[Estimate] = []
    units: list[FloatArray] = []
    ranking = None
    for number, pairs in enumerate(_blocks(n_labels, first.size)):
        k, j = first[pairs], second[pairs]
        above, below = rows.yes[:, k] & rows.no[:, j], rows.no[:, k] & rows.yes[:, j]
        if number == 0:
            above, below = np.hstack([rows.yes, above]), np.hstack([rows.no, below])
        influence = Influence(_ranking(rows, above, below))
        variance = np.zeros(influence.ratios.size)
        for psi in influence.chunks():
            variance += np.einsum("ij,ij->j", psi, psi)
            if ranking is None:
                covariance += psi[:, :n_labels].T @ psi[:, :n_labels]
        ranking = ranking or influence.ranking
        estimates += _estimates(influence, variance, level)
        units.append(influence.smaller_class)
    assert ranking is not None
    sizes = np.concatenate(units).astype(np.int64)
    return Standing(
        ranking,
        estimates[:n_labels],
        covariance,
        estimates[n_labels:],
        sizes[:n_labels],
        sizes[n_labels:],
    )


def _blocks(n_labels: int, n_pairs: int) -> Iterator[slice]:
    """Pairs of labels, as many at a time as fit; the first block also has all labels."""
    start, stop = 0, max(BLOCK - n_labels, 0)
    yield slice(start, stop)
    while stop < n_pairs:
        start, stop = stop, stop + BLOCK
        yield slice(start, stop)


def _ranking(rows: Rows, above: NDArray[np.bool_], below: NDArray[np.bool_]) -> Ranking:
    preferences = Preferences(
        rows.codes,
        above,
        below,
        Mean((1.0,) * above.shape[1]),
        weight=rows.weight,
        group=rows.group,
        group_weight=rows.group_weight,
    )
    return Ranking(preferences, rows.scores)


def _estimates(influence: Influence, variance: FloatArray, level: float) -> list[Estimate]:
    ratios = influence.ratios
    low, high = bounds(ratios, np.diag(variance), None, influence.independent_pairs, level)
    numbers = zip(ratios, low, high, np.sqrt(variance), strict=True)
    return [Estimate(*map(float, each)) for each in numbers]
