"""How hard each label pulls on the best ranking: its share of alpha_k = a_k / D_k."""

from __future__ import annotations

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
    SoftLabel,
    weights_for,
)
from isonomy._counting import label_pairs
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
        `LossAggregation`, `OneLabel`, `SoftLabel`, or `LabelAggregation` of the mean or sum
        with linear costs; others do not rank by a weighted sum.
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
    alpha = fixed_alphas(items.counted_labels, objective)
    if alpha is None:
        if not isinstance(objective, LossAggregation):
            raise ValueError(
                "Parameter `objective` should rank by a weighted sum of class probabilities: "
                "`LossAggregation`, `OneLabel`, `SoftLabel`, or `LabelAggregation` of the mean or "
                f"sum with linear costs. Found {objective!r}, whose labels have no weights of "
                "their own."
            )
        _, alpha = loss_weights(items, objective)
    return np.asarray(alpha / alpha.sum())


def fixed_alphas(labels: Labels, objective: Objective) -> FloatArray | None:
    """alpha_k where it does not depend on the pairs."""
    if isinstance(objective, OneLabel):
        return np.asarray(np.eye(labels.n_labels)[objective.column(labels)])
    if isinstance(objective, SoftLabel):
        alpha = objective.label_weights(labels)
        if not alpha.any():
            raise ValueError(
                f"Parameter `{labels.parameter}` should hold both classes of some label. Found one "
                "class of each, so that none has a weight by rarity."
            )
        return alpha
    if not isinstance(objective, LabelAggregation) or callable(objective.how):
        return None
    linear = isinstance(objective.costs, str) and objective.costs == "linear"
    if not linear or objective.how not in ("mean", "sum"):
        return None
    return np.asarray(weights_for(objective.weights, labels))


def space_alphas(space: Space, objective: Objective) -> FloatArray | None:
    """alpha_k on a space; None where the best scorer is no weighted sum of class probabilities."""
    labels = space.no_labels()
    if isinstance(objective, SoftLabel) and isinstance(objective.weights, str):
        return rarity_weights(space)
    alpha = fixed_alphas(labels, objective)
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


def rarity_weights(space: Space) -> FloatArray:
    """1 / (pi_k (1 - pi_k)) on a space; 0 for a label of one class."""
    spread = pair_mass(space)
    return np.asarray(np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0))


def loss_weights(items: Items, objective: LossAggregation) -> tuple[FloatArray, FloatArray]:
    """a_k, the weight that all pairs of each label have together, and alpha_k = a_k / D_k."""
    pairs = label_pairs(items)
    total = pairs.sum(axis=0)
    if not isinstance(objective.weights, str):
        weights = np.asarray(weights_for(objective.weights, items.labels))
    elif items.group_weight == "equal":
        by_group = pairs.sum(axis=1, keepdims=True)
        share = np.divide(pairs, by_group, out=np.zeros_like(pairs), where=by_group > 0)
        weights = share.sum(axis=0)
    else:
        weights = total
    undefined = (total <= 0) & (weights > 0)
    if undefined.any() or not weights.any():
        k = int(np.flatnonzero(total <= 0)[0])
        raise ValueError(
            f"Parameter `{items.labels.parameter}` should hold both classes of every label. Found "
            f"one for label {items.labels.names[k]!r}, which has no pairs. Drop it, or give it "
            "weight 0."
        )
    return weights, np.divide(weights, total, out=np.zeros_like(total), where=total > 0)
