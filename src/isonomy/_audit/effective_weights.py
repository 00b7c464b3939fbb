"""The effective weights that equal loss weights secretly give the labels, with their errors."""

from __future__ import annotations

import numpy as np

from isonomy._audit.estimate import Estimate, logit_interval
from isonomy._core import FloatArray, Items, cluster_of_groups, sum_codes
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
            influence = (
                _influence(items) if items.group is None else _group_influence(items, by_group)
            )
        error[defined] = np.linalg.norm(influence[:, defined] @ slope, axis=0)
        shares[defined] = share
    return logit_interval(shares, error, level), undo


def _influence(items: Items) -> FloatArray:
    """Roots of squared influences on log D: of all rows of a pattern, or of clusters."""
    positive, negative = items.labels.positive, items.labels.negative
    codes, mass = items.labels.codes, pattern_weights(items)
    influence = positive / (mass @ positive) + negative / (mass @ negative) - 2 / mass.sum()
    if items.cluster is None:
        squares = mass
        if items.squared_weight is not None:
            squares = sum_codes(codes, items.squared_weight, mass.size)
        return np.asarray(np.sqrt(squares)[:, None] * influence)
    weight = np.ones(len(items)) if items.weight is None else items.weight
    n_clusters = int(items.cluster.max()) + 1
    sums = [sum_codes(items.cluster, weight * each[codes], n_clusters) for each in influence.T]
    return np.stack(sums, axis=1)


def _group_influence(items: Items, pairs: FloatArray) -> FloatArray:
    """Influence of each group, or cluster of groups, on log D, (units, labels)."""
    n_groups = len(pairs)
    influence = pairs / pairs.sum(axis=0) - 1 / n_groups
    if items.cluster is not None:
        assert items.group is not None
        cluster = cluster_of_groups(items.group, items.cluster)
        n_clusters = int(cluster.max()) + 1
        influence = np.stack([sum_codes(cluster, each, n_clusters) for each in influence.T], axis=1)
    n_units = np.float64(len(influence))
    return np.asarray(influence * np.sqrt(n_units / (n_units - 1)))
