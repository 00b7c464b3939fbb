"""The pull that equal loss weights secretly give each label, with its error."""

from __future__ import annotations

import numpy as np

from isonomy._audit.estimate import Estimate, logit_interval
from isonomy._audit.rows import Rows, sums
from isonomy._core import FloatArray


def pull(rows: Rows, level: float) -> tuple[list[Estimate], FloatArray]:
    """Shares of 1 / D_k, and weights a_k with mean 1 that would make them equal: a_k ~ D_k.

    D_k is the pairs that label k has. A label without pairs has no share, and weight 0.
    """
    pairs, influence = _pairs(rows)
    defined = pairs > 0
    shares, error, undo = np.full((3, pairs.size), np.nan)
    undo[~defined] = 0.0
    if defined.any():
        scaled = pairs[defined] / pairs[defined].max()
        undo[defined] = scaled / scaled.mean()
        share = 1 / scaled / (1 / scaled).sum()
        slope = np.outer(share, share) - np.diag(share)
        error[defined] = np.linalg.norm(influence[:, defined] @ slope, axis=0)
        shares[defined] = share
    return logit_interval(shares, error, level), undo


def _pairs(rows: Rows) -> tuple[FloatArray, FloatArray]:
    """D of each label, and roots of the squared influences on log D (units, labels)."""
    yes, no = (table.astype(np.float64) for table in (rows.yes, rows.no))
    weight = rows.masses
    if rows.group is None:
        mass, squares = (sums(rows.codes, w, len(rows.patterns)) for w in (weight, weight**2))
        positives, negatives = mass @ yes, mass @ no
        with np.errstate(invalid="ignore", divide="ignore"):
            influence = yes / positives + no / negatives - 2 / mass.sum()
            return positives * negatives, np.sqrt(squares)[:, None] * influence
    n_groups = int(rows.group.max()) + 1
    pairs = np.empty((n_groups, rows.n_labels))
    for k in range(rows.n_labels):
        positives, negatives = (
            sums(rows.group, table[rows.codes, k] * weight, n_groups) for table in (yes, no)
        )
        pairs[:, k] = positives * negatives
    total = pairs.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total, (pairs / total - 1 / n_groups) * np.sqrt(n_groups / np.float64(n_groups - 1))
