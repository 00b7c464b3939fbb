"""Exact AUCs of a score on a finite space."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import FloatArray, LossAggregation, Objective, as_scores, check_row_counts
from isonomy._infra import warn_user
from isonomy.theory._point_preferences import PointPreferences, point_preferences
from isonomy.theory._space import Space


def population_aucs(
    eta: ArrayLike | None,
    y_score: ArrayLike,
    *,
    mu: ArrayLike | None = None,
    patterns: ArrayLike | None = None,
) -> FloatArray:
    """Each label's AUC on a finite space.

    AUC_k(f) = sum_xx' mu(x) mu(x') eta_k(x) (1 - eta_k(x')) H(f(x) - f(x'))
               / (pi_k (1 - pi_k))

    H is the step function, 1/2 at 0; a point ties with itself. It takes O(m log m).

    Parameters
    ----------
    eta : array-like or data frame of shape (m, K), or None
        Class probabilities P(Y_k = 1 | x) at m points. None: those of `patterns`.
    y_score : array-like of shape (m,)
        The scorer's values f(x).
    mu : array-like of shape (m,), optional
        Masses of the points, which sum to 1. None: 1/m each.
    patterns : array-like of shape (m, 2^K), optional
        P(label pattern | x), where labels depend on each other given x. Bit k of a
        column's number is label k: for K = 2 the columns are 00, 10, 01, 11. Only its
        marginals matter here.

    Returns
    -------
    ndarray of shape (K,)

    Examples
    --------
    >>> from isonomy.theory import population_aucs
    >>> population_aucs([[0.9, 0.1], [0.8, 0.3]], [2, 1]).round(4)
    array([0.598 , 0.3438])
    """
    check_row_counts(eta=eta, mu=mu, y_score=y_score)
    space = Space.from_input(eta, mu=mu, patterns=patterns)
    scores = _checked_scores(space, y_score)
    space.require_both_classes()
    return point_preferences(space, LossAggregation()).ratios(scores)


def population_objective_auc(
    eta: ArrayLike | None,
    y_score: ArrayLike,
    objective: Objective,
    *,
    mu: ArrayLike | None = None,
    patterns: ArrayLike | None = None,
) -> float:
    """The value of an objective on a finite space, as `objective_auc` on a sample.

    A population is a sample whose items are (point, label pattern) with weight
    mu(x) P(pattern | x); points tie with themselves. It takes O(m log m) for each term
    of the objective. Objectives of single labels use the marginals and those of
    a sum of labels the distribution of the sum, so K may be large; other objectives,
    one's own among them, list all 2^K patterns.

    Parameters
    ----------
    eta, y_score, mu
        As in `population_aucs`.
    objective : Objective
        What a good ranking is.
    patterns : array-like of shape (m, 2^K), optional
        P(label pattern | x). Bit k of a column's number is label k: for K = 2 the
        columns are 00, 10, 01, 11. None: labels are independent given x.

    Returns
    -------
    float
        In [0, 1]. NaN, with a warning, where an aggregate of the labels has one level.

    Examples
    --------
    >>> import isonomy as iso
    >>> eta = [[0.9, 0.1], [0.8, 0.3]]
    >>> value = iso.theory.population_objective_auc(eta, [1, 2], iso.LabelAggregation())
    >>> round(value, 6)
    0.552181

    Two labels of which exactly one is positive give 1/2 to every scorer:

    >>> patterns = [[0, 0.75, 0.25, 0], [0, 0.5, 0.5, 0]]
    >>> iso.theory.population_objective_auc(
    ...     None, [1, 2], iso.LossAggregation(), patterns=patterns)
    0.5
    """
    check_row_counts(eta=eta, mu=mu, y_score=y_score)
    space = Space.from_input(eta, mu=mu, patterns=patterns)
    scores = _checked_scores(space, y_score)
    terms = point_preferences(space, objective)
    ratios = terms.ratios(scores)
    value = terms.mix.value(ratios)
    if math.isnan(value):
        _refuse_or_warn(terms, ratios)
    return value


def _checked_scores(space: Space, y_score: ArrayLike) -> FloatArray:
    scores = as_scores(y_score)
    check_row_counts(eta=space.eta, y_score=scores)
    return scores


def _refuse_or_warn(terms: PointPreferences, ratios: FloatArray) -> None:
    """A label of one class is an error; an aggregate of one level leaves NaN."""
    from sklearn.exceptions import UndefinedMetricWarning

    if terms.names is not None and not terms.mix.pooled:
        name = terms.names[int(np.flatnonzero(np.isnan(ratios))[0])]
        raise ValueError(
            f"Parameter `eta` should give every label both classes. Found one class only for "
            f"{name!r}, so its AUC is undefined. Drop that label, or give it weight 0."
        )
    warn_user(
        "The objective has no pair of points to compare: all are on one level. "
        "The AUC is undefined (NaN).",
        UndefinedMetricWarning,
    )
