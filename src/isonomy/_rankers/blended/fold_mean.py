"""The classifiers of several folds as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from isonomy._core import FloatArray
from isonomy._rankers.blended.label_models import logits
from isonomy._rankers.plugin import input_tags_of


class FoldMean(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifiers that each left out other rows; their mean logit says the probability.

    On new rows it is as sure of itself as each of them was on the rows that it had left out,
    and errs less.

    Parameters
    ----------
    estimator : classifier with `predict_proba`
        With the settings to fit with.

    Attributes
    ----------
    estimators_ : list
        The fitted classifiers: those that were taken, or the one that `fit` has made.
    classes_ : ndarray
        0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from isonomy._rankers.blended import FoldMean
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> halves = [LogisticRegression().fit(X[rows], [0, 1]) for rows in ([0, 2], [1, 3])]
    >>> FoldMean(LogisticRegression()).take(halves).predict([[1.0], [2.0]])
    array([0, 1])
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> FoldMean:
        """Fit one to all rows."""
        return self.take([clone(self.estimator).fit(X, y, sample_weight=sample_weight)])

    def take(self, fitted: Sequence[Any]) -> FoldMean:
        """Take classifiers that are fitted already."""
        self.estimators_ = list(fitted)
        self.classes_ = np.arange(2)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = input_tags_of([self.estimator])
        return tags

    def decision_function(self, X: Any) -> FloatArray:
        """The mean logit."""
        check_is_fitted(self)
        return np.asarray(logits(self.estimators_, X).mean(axis=1))

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of 0 and 1, (n, 2)."""
        positive = expit(self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: Any) -> Any:
        """The likelier class."""
        return (self.decision_function(X) > 0).astype(np.int64)
