"""Exact AUCs of one score against one label, several labels, or an objective."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import (
    ConflictPairs,
    Costs,
    FloatArray,
    GroupWeight,
    Items,
    LabelAggregation,
    Labels,
    LossAggregation,
    Objective,
    OneLabel,
    Preferences,
    warn_undefined,
)
from isonomy._counting import Ranking
from isonomy._metrics.partial_aucs import check_max_fpr, partial_aucs, standardised


def auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_fpr: float | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> float:
    """Area under the ROC curve: the share of pairs in the right order, ties 1/2.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels 0 and 1, NaN for 'not observed'.
    y_score : array-like of shape (n,)
        Scores; higher ranks first. Infinite scores rank where they belong.
    max_fpr : float, optional
        Look only at the part of the curve up to this false positive rate, and give its area on
        McClish's scale (chance 1/2, perfection 1), as scikit-learn does. With groups each has a
        curve of its own, and they weigh as `group_weight` says.
    sample_weight : array-like of shape (n,), optional
        How much each item matters; a pair weighs the product of its items' weights.
    counts : array-like of shape (n,), optional
        How many identical items each row stands for, whole numbers >= 0: a table of scores,
        labels and counts gives what its rows written out would give.
    groups : array-like of shape (n,), optional
        Group (query) of each item; only pairs inside a group count.
    group_weight : {"pairs", "equal"}
        Whether groups weigh by their pairs, or each group with pairs the same.

    Returns
    -------
    float
        In [0, 1]; NaN, with a warning, where the label has one class.

    Examples
    --------
    >>> import isonomy as iso
    >>> iso.auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    >>> round(iso.auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5), 6)
    0.666667
    """
    check_max_fpr(max_fpr)
    items = Items.checked(
        y_true,
        name="y_true",
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
    )
    items.labels.require_one("use `label_aucs` for several")
    if max_fpr is not None and max_fpr < 1:
        return float(label_aucs(items, items.scores, max_fpr=max_fpr)[0])
    return _auc_of(items, OneLabel(0))


def label_aucs(
    Y: ArrayLike | Labels | Items,
    y_score: ArrayLike,
    *,
    max_fpr: float | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> FloatArray:
    """AUC of one score against each of K labels, from one sort.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed' (such an item joins no pair of that label).
    y_score, max_fpr, sample_weight, counts, groups, group_weight
        As in `auc`.

    Returns
    -------
    ndarray of shape (K,)

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> iso.label_aucs(Y, [3, 5, 4, 1, 3, 2, 6, 3])
    array([0.75  , 0.9375])
    """
    check_max_fpr(max_fpr)
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
    )
    if max_fpr is None or max_fpr == 1:
        preferences, ratios = ratios_of(items, LossAggregation())
    else:
        preferences, lists = partial_aucs(items, max_fpr)
        ratios = standardised(lists.means(), max_fpr)
    warn_undefined(preferences, ratios)
    return ratios


def multipartite_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    costs: Costs = "linear",
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> float:
    """AUC for ordinal labels: pairs of different levels, weighted by a cost.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Levels, such as ratings 0..4; NaN for 'not observed'.
    costs : {"linear", "uniform"}, array or callable
        Weight of a pair, as in `LabelAggregation`.
    y_score, sample_weight, counts, groups, group_weight
        As in `auc`.

    Returns
    -------
    float
        In [0, 1]. With uniform costs it is (Somers' D + 1) / 2.

    Examples
    --------
    >>> import isonomy as iso
    >>> round(iso.multipartite_auc([0, 1, 2, 2], [0.1, 0.5, 0.4, 0.9]), 6)
    0.857143
    """
    items = Items.checked(
        y_true,
        name="y_true",
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
    )
    items.labels.require_one("use `objective_auc` with `LabelAggregation` for several")
    return _auc_of(items, LabelAggregation(costs=costs))


def objective_auc(
    Y: ArrayLike | Labels | Items,
    y_score: ArrayLike,
    objective: Objective,
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> float:
    """How well a score serves an objective, in [0, 1]; a random ranking has 1/2.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels, NaN for 'not observed'.
    objective : LossAggregation, LabelAggregation, SoftLabel, OneLabel, WorstLabel, or your own
        See `Objective` for how to write one.
    y_score, sample_weight, counts, groups, group_weight
        As in `auc`.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> f = [3, 5, 4, 1, 3, 2, 6, 3]
    >>> round(iso.objective_auc(Y, f, iso.LabelAggregation()), 6)
    0.958333
    """
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
    )
    return _auc_of(items, objective)


def conflict_aucs(
    Y: ArrayLike | Items,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> FloatArray:
    """Who wins where two labels disagree.

    Entry [k, l] looks at the pairs of an item with label k and not l and an item with
    label l and not k: the share of them that the score ranks k's way. 1/2 is equal
    standing; 1 means that k wins every conflict.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'.
    y_score, sample_weight, counts, groups, group_weight
        As in `auc`.

    Returns
    -------
    ndarray of shape (K, K)
        [l, k] is 1 - [k, l]; the diagonal is NaN. NaN, with a warning, for two labels
        that never conflict.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> iso.conflict_aucs(Y, [3, 5, 4, 1, 3, 2, 6, 3])
    array([[ nan, 0.25],
           [0.75,  nan]])
    """
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
    )
    preferences, ratios = ratios_of(items, ConflictPairs())
    warn_undefined(preferences, ratios)
    return square(ratios, 1.0 - ratios, items.labels.n_labels)


def ratios_of(items: Items, objective: Objective) -> tuple[Preferences, FloatArray]:
    """An objective's Preferences, and N / D of each of its ratios at the items' scores."""
    preferences = items.preferences(objective)
    return preferences, Ranking(preferences, items.scores).pair_sums().ratios()


def _auc_of(items: Items, objective: Objective) -> float:
    """An objective's AUC at the items' scores; NaN, with a warning, where it has no pairs."""
    preferences, ratios = ratios_of(items, objective)
    value = preferences.mix.value(ratios)
    if math.isnan(value):
        warn_undefined(preferences, ratios)
    return value


def square(upper: FloatArray, lower: FloatArray, n_labels: int) -> FloatArray:
    """A (K, K) matrix from its entries for k < l and those for l > k; the diagonal is NaN."""
    matrix = np.full((n_labels, n_labels), np.nan)
    first, second = np.triu_indices(n_labels, k=1)
    matrix[first, second] = upper
    matrix[second, first] = lower
    return matrix
