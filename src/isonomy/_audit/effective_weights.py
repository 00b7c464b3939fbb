"""The effective weights that equal loss weights secretly give the labels, with their errors."""

from __future__ import annotations

import numpy as np

from isonomy._audit.estimate import Estimate, logit_interval
from isonomy._core import FloatArray, Items, sum_codes
from isonomy._counting import label_pairs, pattern_weights


def effective_weight_estimates(items: Items, level: float) -> tuple[list[Estimate], FloatArray]:
    """Shares of 1 / D_k, and weights a_k with mean 1 that would make them equal: a_k ~ D_k.

    D_k is the pairs that label k has. A label without pairs has no share, and weight 0.
    """
    by_group = label_pairs(items)
    pairs = by_group.sum(axis=0)
    defined = pairs > 0
    shares, error, undo = np.full((3, pairs.size), np.nan)
    undo[~defined] = 0.0
    if defined.any():
        scaled = pairs[defined] / pairs[defined].max()
        undo[defined] = scaled / scaled.mean()
        share = 1 / scaled / (1 / scaled).sum()
        slope = np.outer(share, share) - np.diag(share)
        with np.errstate(invalid="ignore", divide="ignore"):
            influence = _group_influence(by_group) if items.group is not None else _influence(items)
        error[defined] = np.linalg.norm(influence[:, defined] @ slope, axis=0)
        shares[defined] = share
    return logit_interval(shares, error, level), undo


def _influence(items: Items) -> FloatArray:
    """Roots of the squared influences of all rows of a pattern on log D, (patterns, labels)."""
    positive, negative = items.labels.positive, items.labels.negative
    mass = squares = pattern_weights(items)
    if items.weight is not None:
        squares = sum_codes(items.labels.codes, items.weight**2, mass.size)
    influence = positive / (mass @ positive) + negative / (mass @ negative) - 2 / mass.sum()
    return np.asarray(np.sqrt(squares)[:, None] * influence)


def _group_influence(pairs: FloatArray) -> FloatArray:
    """Influence of each group on log D, (groups, labels)."""
    n_groups = np.float64(len(pairs))
    share = pairs / pairs.sum(axis=0)
    return np.asarray((share - 1 / n_groups) * np.sqrt(n_groups / (n_groups - 1)))
