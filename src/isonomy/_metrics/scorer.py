"""Objectives as scorers for scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from isonomy._core import (
    GroupWeight,
    LabelAggregation,
    LossAggregation,
    Objective,
    OneLabel,
    WorstLabel,
    check_choice,
    check_objective,
    labels_of_packed,
)
from isonomy._metrics.aucs import objective_auc


def scorer(objective: Objective, *, group_weight: GroupWeight = "pairs") -> Any:
    """A scikit-learn scorer for an objective, for `cross_val_score`, `GridSearchCV`, ...

    It takes the estimator's `decision_function`, else the probability of the positive
    class, else `predict`. `sample_weight` and `groups` reach it through scikit-learn's
    metadata routing: `scorer(...).set_score_request(groups=True)`.

    Labels that `boosting.pack_labels` has packed into one column, for `LGBMRegressor` and
    `XGBRegressor`, are unpacked. (So levels for `LabelAggregation` should be no float32 column of
    4, 5, 6 and 7, which is what two packed labels are: pass them as float64.)

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
    from sklearn.metrics import make_scorer

    check_objective(objective)
    check_choice("group_weight", group_weight, ("pairs", "equal"))
    return make_scorer(
        _objective_auc,
        response_method=("decision_function", "predict_proba", "predict"),
        objective=objective,
        group_weight=group_weight,
    )


def _objective_auc(Y: Any, y_score: Any, objective: Objective, **options: Any) -> float:
    return objective_auc(_unpacked(Y, objective), y_score, objective, **options)


def _unpacked(Y: Any, objective: Objective) -> Any:
    """The labels, taken out of one column if `pack_labels` has packed them into it."""
    if getattr(Y, "ndim", None) != 1 and len(getattr(Y, "shape", ())) != 1:
        return Y
    column = np.asarray(Y)
    # Packed numbers are never 0 or 1, and objectives of binary labels take nothing else.
    binary = isinstance(objective, LossAggregation | OneLabel | WorstLabel)
    marked = binary or (isinstance(objective, LabelAggregation) and column.dtype == np.float32)
    if not marked or not column.size or column.dtype.kind not in "iuf" or abs(column[0]) < 2:
        return Y
    try:
        return labels_of_packed(column)
    except ValueError:
        return Y
