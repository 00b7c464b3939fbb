"""Objectives as scorers for scikit-learn."""

from __future__ import annotations

from typing import Any

from isonomy._core import GroupWeight, Objective, check_choice, check_objective
from isonomy._metrics.aucs import objective_auc


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
    from sklearn.metrics import make_scorer

    check_objective(objective)
    check_choice("group_weight", group_weight, ("pairs", "equal"))
    return make_scorer(
        objective_auc,
        response_method=("decision_function", "predict_proba", "predict"),
        objective=objective,
        group_weight=group_weight,
    )
