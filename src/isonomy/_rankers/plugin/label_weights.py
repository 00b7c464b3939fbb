"""How much each label counts in the score that a plug-in ranker gives a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import (
    FloatArray,
    GroupWeight,
    LabelAggregation,
    Labels,
    LossAggregation,
    Objective,
    as_groups,
    as_weight,
    weights_for,
)
from isonomy.theory import effective_weights, fixed_alphas


def label_weights(
    labels: Labels,
    y: ArrayLike,
    objective: Objective,
    *,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    group_weight: GroupWeight,
) -> FloatArray | None:
    """The labels' pull on the best score of complete rows, as shares; None if it is no sum."""
    if not isinstance(objective, LossAggregation):
        alpha = fixed_alphas(labels, objective)
        return None if alpha is None else np.asarray(alpha / alpha.sum())
    alpha = effective_weights(
        y, objective, sample_weight=sample_weight, groups=groups, group_weight=group_weight
    )
    if not isinstance(objective.weights, str):
        # Pairs of which one label is missing are fewer for their missing, not for their prior.
        alpha = alpha * _observed_pairs(labels, sample_weight, groups)
    return np.asarray(alpha / alpha.sum())


def _observed_pairs(
    labels: Labels, sample_weight: ArrayLike | None, groups: ArrayLike | None
) -> FloatArray:
    """The share of all pairs in which both items have the label observed, (K,)."""
    observed = ~np.isnan(labels.patterns)[labels.codes]
    if observed.all():
        return np.ones(labels.n_labels)
    n = len(labels)
    weight = as_weight(sample_weight, n)
    group = as_groups(groups, n)
    w = np.ones(n) if weight is None else weight
    g = np.zeros(n, np.int64) if group is None else group

    def pairs(w: FloatArray) -> float:
        return float((np.bincount(g, w) ** 2).sum() - w @ w)

    return np.array([pairs(w * observed[:, k]) for k in range(labels.n_labels)]) / pairs(w)


def counting(labels: Labels, objective: Objective, weights: FloatArray | None) -> NDArray[np.bool_]:
    """Which labels the score depends on."""
    if weights is not None:
        return np.asarray(weights > 0)
    own = objective.weights if isinstance(objective, LabelAggregation) else None
    return np.asarray(weights_for(own, labels)) > 0
