"""A classifier of boosted trees whose fitted state is plain data, so that model files hold it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from isonomy._core import FloatArray, check_count, check_features, each_entry_once
from isonomy._infra import safe_threads
from isonomy._rankers.boosted.engines import (
    ENGINES,
    check_for_lightgbm,
    lightgbm_grown,
    lightgbm_matrix,
)


class BoostedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """LightGBM's binary classifier for labels 0 and 1.

    Parameters
    ----------
    params : dict, optional
        Options of LightGBM, under its own names.
    n_rounds : int
        Trees to grow, at most.
    patience : int or None
        Rounds without a smaller log loss of `eval_set` after which to stop.
    random_state : int or None
        Seed of the engine.
    n_jobs : int, optional
        Threads of the engine; all by default.

    Attributes
    ----------
    trees_ : Trees
        The trees as arrays.
    best_iteration_ : int
        Rounds that the model has.
    feature_importances_ : ndarray of shape (d,)
        Share of each feature in what all splits have gained.
    classes_ : ndarray
        0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy._rankers.boosted import BoostedClassifier
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> found = BoostedClassifier(n_rounds=20, random_state=0).fit(X, X[:, 0] > 0)
    >>> found.predict([[1.0, 0.0], [-1.0, 0.0]])
    array([1, 0])
    """

    def __init__(
        self,
        *,
        params: dict[str, Any] | None = None,
        n_rounds: int = 100,
        patience: int | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.params = params
        self.n_rounds = n_rounds
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        eval_set: tuple[Any, ArrayLike, ArrayLike | None] | None = None,
    ) -> BoostedClassifier:
        """Grow the trees; with `eval_set`, (X, y, weight), keep those up to its least log loss."""
        check_count("n_rounds", self.n_rounds)
        table = self._table(X, reset=True)
        label = _labels(y, table.shape[0])
        check_for_lightgbm(table)
        self.classes_ = np.arange(2)
        lightgbm = ENGINES["lightgbm"].require()
        train = lightgbm.Dataset(
            lightgbm_matrix(table), label, weight=sample_weight, params=self._params()
        )
        options: dict[str, Any] = {}
        if eval_set is not None:
            beside, truth, weight = eval_set
            held_out = lightgbm.Dataset(
                lightgbm_matrix(self._table(beside, reset=False)),
                _labels(truth, beside.shape[0]),
                weight=weight,
                reference=train,
            )
            options["valid_sets"] = [held_out]
            if self.patience is not None:
                options["callbacks"] = [lightgbm.early_stopping(self.patience, verbose=False)]
        booster = lightgbm.train(self._params(), train, int(self.n_rounds), **options)
        rounds = booster.best_iteration if booster.best_iteration > 0 else None
        grown = lightgbm_grown(booster, int(rounds or booster.current_iteration()))
        self.trees_, self.best_iteration_ = grown.trees, grown.n_rounds
        self.feature_importances_ = grown.shares
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """The logit of the probability."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        return self.trees_.scores(table, None if self.n_jobs == -1 else self.n_jobs)

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of 0 and 1, (n, 2)."""
        positive = expit(self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: Any) -> Any:
        """The likelier class."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def _table(self, X: Any, *, reset: bool) -> Any:
        check_features(X)
        table = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
        )
        return each_entry_once(table)

    def _params(self) -> dict[str, Any]:
        found = {"feature_pre_filter": False, **(self.params or {})}
        found |= {
            "objective": "binary",
            "metric": "binary_logloss",
            "verbosity": -1,
            "deterministic": True,
        }
        if self.random_state is not None:
            found["seed"] = int(self.random_state)
        threads = safe_threads(None if self.n_jobs == -1 else self.n_jobs)
        if threads is not None:
            found["num_threads"] = int(threads)
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


def _labels(y: ArrayLike, n: int) -> FloatArray:
    labels = np.asarray(y, dtype=np.float64)
    if labels.shape != (n,) or not np.isin(labels, (0.0, 1.0)).all():
        raise ValueError(
            f"Parameter `y` should hold 0 or 1 for each of the {n} rows. Found shape "
            f"{labels.shape} with {np.unique(labels)[:5].tolist()}."
        )
    return labels
