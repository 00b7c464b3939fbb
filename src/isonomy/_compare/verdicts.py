"""Who rules over whom, by the intervals: the words that an audit uses, from splits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._audit import Verdict, verdict_of
from isonomy._compare.statistics import SplitMean
from isonomy._core import FloatArray

# From the best to the worst.
SEVERITY: dict[Verdict, int] = {"balanced": 0, "undecided": 1, "leaning": 2, "dictated": 3}


def verdicts(
    conflicts: SplitMean, aucs: SplitMean, units: NDArray[np.int64]
) -> tuple[tuple[Verdict | None, ...], ...]:
    """A symmetric (K, K) table of verdicts; None on the diagonal."""
    n_labels = aucs.mean.size
    table: list[list[Verdict | None]] = [[None] * n_labels for _ in range(n_labels)]
    for k in range(n_labels):
        for j in range(n_labels):
            # From the winner's side; both where they are even.
            if k != j and not conflicts.mean[k, j] < 0.5:
                won = float(conflicts.low[k, j]), float(conflicts.high[k, j])
                loser = float(aucs.low[j]), float(aucs.high[j])
                found = verdict_of(won, loser, int(units[k, j]))
                table[k][j] = table[j][k] = found
    return tuple(map(tuple, table))


def severity(
    found: tuple[tuple[Verdict | None, ...], ...],
    conflicts: FloatArray,
    predictable: NDArray[np.bool_],
) -> int:
    """The worst of a method's verdicts, as in `SEVERITY`; 0 without conflicts.

    A label that this method does not predict, but another one does, has been dropped: that
    is no better than a dictator over it. Labels that no method surely predicts are nobody's
    fault and nobody's merit: their conflicts do not count, for any method.
    """
    worst = 0
    for k, row in enumerate(found):
        for j, one in enumerate(row):
            if one is None or not conflicts[k, j] >= 0.5 or not (predictable[k] and predictable[j]):
                continue
            worst = max(worst, SEVERITY["dictated" if one == "not predicted" else one])
    return worst


def conflict_units(Y: FloatArray, groups: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """For each pair of labels, items on its smaller side; groups with conflicts where grouped."""
    n_labels = Y.shape[1]
    units = np.zeros((n_labels, n_labels), np.int64)
    yes, no = Y == 1, Y == 0
    for k in range(n_labels):
        for j in range(k):
            first, second = yes[:, k] & no[:, j], no[:, k] & yes[:, j]
            if groups is None:
                found = min(first.sum(), second.sum())
            else:
                found = np.intersect1d(groups[first], groups[second]).size
            units[k, j] = units[j, k] = found
    return units
