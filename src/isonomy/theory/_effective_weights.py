"""Effective weights: how hard each label pulls on the best ranking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    LabelAggregation,
    Labels,
    LossAggregation,
    Objective,
    OneLabel,
    weights_for,
)
from isonomy._counting import Ranking
from isonomy.theory._space import Space, pair_mass


def effective_weights(
    Y: ArrayLike | Items,
    objective: Objective,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> FloatArray:
    """The share of each label in the pull on the ranking.

    alpha_k = a_k / D_k,   share_k = alpha_k / sum_j alpha_j

    The best scorer of loss aggregation ranks by sum_k alpha_k eta_k, with D_k the pairs
    that label k has (pi_k (1 - pi_k) of all pairs): equal weights a_k give a skewed label
    more pull. Under label aggregation with linear costs the pull is the label's own
    weight, whatever its prior.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'.
    objective : Objective
        `LossAggregation`, `OneLabel`, or `LabelAggregation` of the mean or sum with
        linear costs; others do not rank by a weighted sum.
    sample_weight, groups, group_weight
        As in `auc`. With groups, D_k counts the pairs inside groups and a_k is the
        weight that all pairs of label k have together, so alpha_k is the weight of a
        pair on average.

    Returns
    -------
    ndarray of shape (K,)
        Shares >= 0 that sum to 1.

    Examples
    --------
    One item in a hundred is recent, four in ten are relevant:

    >>> import numpy as np
    >>> import isonomy as iso
    >>> relevant, recent = np.arange(100) < 40, np.arange(100) == 0
    >>> Y = np.column_stack([relevant, recent])
    >>> iso.theory.effective_weights(Y, iso.LossAggregation()).round(3)
    array([0.04, 0.96])
    >>> iso.theory.effective_weights(Y, iso.LabelAggregation())
    array([0.5, 0.5])
    """
    items = Items.checked(Y, sample_weight=sample_weight, groups=groups, group_weight=group_weight)
    alpha = fixed_alpha(items.labels, objective)
    if alpha is None:
        if not isinstance(objective, LossAggregation):
            raise ValueError(
                "Parameter `objective` should rank by a weighted sum of class probabilities: "
                "`LossAggregation`, `OneLabel`, or `LabelAggregation` of the mean or sum with "
                f"linear costs. Found {objective!r}, whose labels have no weights of their own."
            )
        _, alpha = loss_weights(items, objective)
    return np.asarray(alpha / alpha.sum())


def population_alpha(space: Space, objective: Objective) -> FloatArray | None:
    """alpha_k on a space; None where the best scorer is no weighted sum of class probabilities."""
    labels = space.labels(np.zeros((1, space.n_labels)))
    alpha = fixed_alpha(labels, objective)
    if isinstance(objective, OneLabel):
        space.require_both_classes(alpha)
    if alpha is not None or not isinstance(objective, LossAggregation):
        return alpha
    if isinstance(objective.weights, str):
        return np.ones(space.n_labels)
    weights = np.asarray(weights_for(objective.weights, labels))
    space.require_both_classes(weights)
    spread = pair_mass(space)
    return np.asarray(np.divide(weights, spread, out=np.zeros_like(spread), where=weights > 0))


def fixed_alpha(labels: Labels, objective: Objective) -> FloatArray | None:
    """alpha_k where it does not depend on the data."""
    if isinstance(objective, OneLabel):
        return np.asarray(np.eye(labels.n_labels)[objective.column(labels)])
    if not isinstance(objective, LabelAggregation) or callable(objective.how):
        return None
    linear = isinstance(objective.costs, str) and objective.costs == "linear"
    if not linear or objective.how not in ("mean", "sum"):
        return None
    return np.asarray(weights_for(objective.weights, labels))


def loss_weights(items: Items, objective: LossAggregation) -> tuple[FloatArray, FloatArray]:
    """a_k, the weight that all pairs of each label have together, and alpha_k = a_k / D_k."""
    labels = items.labels
    preferences = replace(items, group_weight="pairs").preferences(LossAggregation())
    pairs = Ranking(preferences, np.zeros(len(items))).pair_sums().total.astype(np.float64)
    total = pairs.sum(axis=0)
    if isinstance(objective.weights, str):
        by_group = pairs.sum(axis=1, keepdims=True)
        share = np.divide(pairs, by_group, out=np.zeros_like(pairs), where=by_group > 0)
        weights = share.sum(axis=0) if items.group_weight == "equal" else total
    else:
        weights = np.asarray(weights_for(objective.weights, labels))
    undefined = (total <= 0) & (weights > 0)
    if undefined.any() or not weights.any():
        k = int(np.flatnonzero(total <= 0)[0])
        raise ValueError(
            f"Parameter `{labels.parameter}` should hold both classes of every label. Found one "
            f"for label {labels.names[k]!r}, which has no pairs. Drop it, or give it weight 0."
        )
    return weights, np.divide(weights, total, out=np.zeros_like(total), where=total > 0)
