"""Exact AUCs of one score against one label, several labels, or an objective."""

from __future__ import annotations

import math
from collections.abc import Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from isonomy._costs import Costs
from isonomy._labels import Labels
from isonomy._objectives import (
    Conflicts,
    LabelAggregation,
    LossAggregation,
    Objective,
    OneLabel,
    check_objective,
    preferences_for,
)
from isonomy._preferences import FloatArray, GroupWeight, Preferences
from isonomy._ranking import Ranking
from isonomy._undefined import warn_undefined
from isonomy._validation import as_scores, check_choice, check_lengths


def auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
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
    sample_weight : array-like of shape (n,), optional
        Weights >= 0; a pair weighs the product of its items' weights.
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
    """
    labels = Labels.from_table(y_true, name="y_true")
    labels.require_one("use `label_aucs` for several")
    return objective_auc(
        labels,
        y_score,
        OneLabel(0),
        sample_weight=sample_weight,
        groups=groups,
        group_weight=group_weight,
    )


def label_aucs(
    Y: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> FloatArray:
    """AUC of one score against each of K labels, from one sort.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed' (such an item joins no pair of that label).
    y_score, sample_weight, groups, group_weight
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
    preferences, scores = prepare(
        Y, y_score, LossAggregation(), sample_weight, groups, group_weight
    )
    ratios = Ranking(preferences, scores).pair_sums().ratios()
    warn_undefined(preferences, ratios)
    return ratios


def multipartite_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    costs: Costs = "linear",
    sample_weight: ArrayLike | None = None,
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
    y_score, sample_weight, groups, group_weight
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
    labels = Labels.from_table(y_true, name="y_true")
    labels.require_one("use `objective_auc` with `LabelAggregation` for several")
    return objective_auc(
        labels,
        y_score,
        LabelAggregation(costs=costs),
        sample_weight=sample_weight,
        groups=groups,
        group_weight=group_weight,
    )


def objective_auc(
    Y: ArrayLike | Labels,
    y_score: ArrayLike,
    objective: Objective,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> float:
    """How well a score serves an objective, in [0, 1]; a random ranking has 1/2.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels, NaN for 'not observed'.
    objective : LossAggregation, LabelAggregation, OneLabel, WorstLabel, or your own
        See `Objective` for how to write one.
    y_score, sample_weight, groups, group_weight
        As in `auc`.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> f = [3, 5, 4, 1, 3, 2, 6, 3]
    >>> round(iso.objective_auc(Y, f, iso.LabelAggregation()), 6)
    0.958333
    """
    preferences, scores = prepare(Y, y_score, objective, sample_weight, groups, group_weight)
    ratios = Ranking(preferences, scores).pair_sums().ratios()
    value = preferences.mix.value(ratios)
    if math.isnan(value):
        warn_undefined(preferences, ratios)
    return value


def conflict_aucs(
    Y: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
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
    y_score, sample_weight, groups, group_weight
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
    labels = Labels.from_table(Y)
    preferences, scores = prepare(labels, y_score, Conflicts(), sample_weight, groups, group_weight)
    ratios = Ranking(preferences, scores).pair_sums().ratios()
    warn_undefined(preferences, ratios)
    return square(ratios, 1.0 - ratios, labels.n_labels)


def scorer(objective: Objective, *, group_weight: GroupWeight = "pairs") -> Any:
    """A scikit-learn scorer for an objective, for `cross_val_score`, `GridSearchCV`, ...

    It takes the estimator's `decision_function`, else the probability of the positive
    class, else `predict`. `sample_weight` and `groups` reach it through scikit-learn's
    metadata routing: `scorer(...).set_score_request(groups=True)`.

    Examples
    --------
    >>> import isonomy as iso
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = make_classification(random_state=0)
    >>> scores = cross_val_score(LogisticRegression(), X, y, scoring=iso.scorer(iso.OneLabel(0)))
    >>> scores.shape
    (5,)
    """
    check_objective(objective)
    check_choice("group_weight", group_weight, ("pairs", "equal"))
    return make_scorer(
        objective_auc,
        response_method=("decision_function", "predict_proba", "predict"),
        objective=objective,
        group_weight=group_weight,
    )


def prepare(
    Y: ArrayLike | Labels,
    y_score: ArrayLike,
    objective: Objective,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    group_weight: GroupWeight,
    *,
    score_name: str = "y_score",
) -> tuple[Preferences, FloatArray]:
    """Check what a user passed; what comes back is trusted from here on."""
    labels = Y if isinstance(Y, Labels) else Labels.from_table(Y)
    scores = as_scores(y_score, name=score_name)
    sized: dict[str, Sized] = {labels.parameter: labels, score_name: scores}
    check_lengths(**sized)
    preferences = preferences_for(
        labels,
        objective,
        sample_weight=sample_weight,
        groups=groups,
        group_weight=group_weight,
    )
    return preferences, scores


def square(upper: FloatArray, lower: FloatArray, n_labels: int) -> FloatArray:
    """A (K, K) matrix from its entries for k < l and those for l > k; the diagonal is NaN."""
    matrix = np.full((n_labels, n_labels), np.nan)
    first, second = np.triu_indices(n_labels, k=1)
    matrix[first, second] = upper
    matrix[second, first] = lower
    return matrix
