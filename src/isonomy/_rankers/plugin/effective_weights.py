"""How much each label counts in the score that a plug-in ranker gives a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import (
    FloatArray,
    Items,
    LabelAggregation,
    LossAggregation,
    Objective,
    OneLabel,
    weights_for,
)
from isonomy.theory import fixed_alphas, loss_weights


def label_shares(items: Items, objective: Objective) -> tuple[FloatArray | None, FloatArray | None]:
    """The loss weights a_k, and the effective weights in the best score of complete rows.

    None where the objective does not mix the labels' losses, and where its best score is no
    weighted sum.
    """
    if not isinstance(objective, LossAggregation):
        alpha = fixed_alphas(items.counted_labels, objective)
        effective = None if alpha is None else np.asarray(alpha / alpha.sum())
        return effective if isinstance(objective, OneLabel) else None, effective
    weights, alpha = loss_weights(items, objective)
    alpha = alpha / alpha.sum()
    if not isinstance(objective.weights, str):
        # Pairs of which one label is missing are fewer for their missing, not for their prior.
        alpha = alpha * _observed_pairs(items)
    return np.asarray(weights / weights.sum()), np.asarray(alpha / alpha.sum())


def _observed_pairs(items: Items) -> FloatArray:
    """The share of all pairs in which both items have the label observed, (K,)."""
    labels, n = items.labels, len(items)
    observed = ~np.isnan(labels.patterns)[labels.codes]
    if observed.all():
        return np.ones(labels.n_labels)
    w = np.ones(n) if items.weight is None else items.weight
    g = np.zeros(n, np.int64) if items.group is None else items.group

    def pairs(w: FloatArray) -> float:
        return float((np.bincount(g, w) ** 2).sum() - w @ w)

    return np.array([pairs(w * observed[:, k]) for k in range(labels.n_labels)]) / pairs(w)


def counting(items: Items, objective: Objective, weights: FloatArray | None) -> NDArray[np.bool_]:
    """Which labels the score depends on."""
    if weights is not None:
        return np.asarray(weights > 0)
    own = objective.weights if isinstance(objective, LabelAggregation) else None
    return np.asarray(weights_for(own, items.labels)) > 0
