"""LightGBM and XGBoost behind one interface: train by derivatives, give the trees as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import AnyArray, FloatArray, Items, suggestion
from isonomy._infra import require, warn_user
from isonomy._rankers.boosted.lightgbm_trees import lightgbm_trees
from isonomy._rankers.boosted.trees import Trees
from isonomy._rankers.boosted.xgboost_trees import xgboost_trees


@dataclass(frozen=True, eq=False)
class BoostingJob:
    """What an engine is to do.

    Attributes
    ----------
    train : Items
        Rows whose X holds numbers, NaN for missing; dense or CSR.
    weight : ndarray of float32 or None
        The weights of these rows, as engines keep them.
    categorical : list of int
        The columns of X whose numbers are categories.
    derivatives : callable
        Gradient and Hessian diagonal, weights included, at scores of the training rows.
    n_rounds : int
    params : dict
        The engine's own options; "seed" and "nthread" among them, where they are set.
    validation : Items, optional
    metric : callable, optional
        The value to watch at scores of the validation rows; higher is better.
    patience : int, optional
        Rounds without a better value after which to stop.
    ticks : iterator
        Advanced by one each round.
    verbose : bool
    """

    train: Items
    weight: NDArray[np.float32] | None
    categorical: list[int]
    derivatives: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    n_rounds: int
    params: dict[str, Any]
    validation: Items | None
    metric: Callable[[FloatArray], float] | None
    patience: int | None
    ticks: Iterator[int]
    verbose: bool


@dataclass(frozen=True, eq=False)
class Grown:
    """What an engine has done.

    Attributes
    ----------
    trees : Trees
        Up to the best round, if it stopped.
    gains : ndarray of shape (d,)
        What each feature's splits have gained.
    n_rounds : int
        Rounds that these trees are of.
    booster : object
        The engine's own model, which gives the same scores.
    """

    trees: Trees
    gains: FloatArray
    n_rounds: int
    booster: Any

    @property
    def shares(self) -> FloatArray:
        """Share of each feature in the gain of all."""
        return self.gains / self.gains.sum() if self.gains.any() else self.gains


class Engine(Protocol):
    """What `ENGINES` holds: adding an engine is one class here and one entry there."""

    @property
    def reserved_params(self) -> dict[str, str]:
        """Options that may not stand in `params`, and what to use in their place."""

    def require(self) -> Any:
        """The module it comes in; ImportError, with the pip line, if it is not installed."""

    def train(self, job: BoostingJob) -> Grown:
        """Boost."""


_OBJECTIVE = "`objective` and `surrogate` of the ranker"
_ROUNDS = "`n_rounds`"
_STOPPING = "`patience`"
_METRIC = "`eval_metric`"
_SEED = "`random_state`"
_THREADS = "`n_jobs`"
_VERBOSE = "`verbose`"
_ONE_SCORE = "no classes, because one score ranks for all labels"
_CATEGORIES = "a data frame whose columns are categorical"
_CONSTANT_LEAVES = "nothing, because a ranker's trees have constants as leaves"

# Values of the engines' options that ask for something else, and the cure.
NOT_BOOSTING = {
    "gblinear": "Use `LinearRanker`.",
    "rf": "LightGBM's random forests take no objective of ours: use 'gbdt', 'dart' or 'goss'.",
    "random_forest": "LightGBM's random forests take no objective of ours: use 'gbdt' or 'dart'.",
}

# LightGBM's kZeroThreshold, a float32.
_ZERO = float(np.float32(1e-35))
# Rows at a time, until one tells.
_LOOKED_AT = 1024


class LightGBM:
    """LightGBM."""

    reserved_params = (
        dict.fromkeys(["objective", "objective_type", "app", "application", "loss"], _OBJECTIVE)
        | dict.fromkeys(
            ["num_iterations", "num_iteration", "n_iter", "num_tree", "num_trees", "num_round",
             "num_rounds", "nrounds", "num_boost_round", "n_estimators", "max_iter"], _ROUNDS)
        | dict.fromkeys(
            ["early_stopping_round", "early_stopping_rounds", "early_stopping",
             "n_iter_no_change"], _STOPPING)
        | dict.fromkeys(["metric", "metrics", "metric_types"], _METRIC)
        | dict.fromkeys(["seed", "random_seed", "random_state"], _SEED)
        | dict.fromkeys(
            ["num_threads", "num_thread", "nthread", "nthreads", "n_jobs"], _THREADS)
        | dict.fromkeys(["verbosity", "verbose"], _VERBOSE)
        | dict.fromkeys(["num_class", "num_classes"], _ONE_SCORE)
        | dict.fromkeys(
            ["categorical_feature", "cat_feature", "categorical_column", "cat_column",
             "categorical_features"], _CATEGORIES)
        | dict.fromkeys(["linear_tree", "linear_trees"], _CONSTANT_LEAVES)
    )  # fmt: skip

    def require(self) -> Any:
        """The module it comes in."""
        return _imported("lightgbm")

    def train(self, job: BoostingJob) -> Grown:
        """Boost."""
        lightgbm = self.require()
        check_for_lightgbm(job.train.X)
        verbosity = {"verbosity": 1 if job.verbose else -1}
        # Without features that can be split, LightGBM fails if it may leave them out beforehand.
        params = {"feature_pre_filter": False, **job.params, **verbosity, "metric": "None"}
        params["objective"] = lambda scores, _: job.derivatives(scores)
        _warn_of_unknown(lightgbm, job.params)
        train = self._dataset(job.train.X, job, params, weight=job.weight)
        callbacks = [lambda _: next(job.ticks, None)]
        options: dict[str, Any] = {}
        if job.validation is not None and job.metric is not None:
            metric = job.metric
            options["feval"] = lambda scores, _: ("auc", metric(scores), True)
            validation = self._dataset(job.validation.X, job, params, reference=train)
            options["valid_sets"] = [validation]
            if job.patience is not None:
                callbacks.append(lightgbm.early_stopping(job.patience, verbose=job.verbose))
            if job.verbose:
                callbacks.append(lightgbm.log_evaluation())
        booster = lightgbm.train(params, train, job.n_rounds, callbacks=callbacks, **options)
        stopped = job.patience is not None and booster.best_iteration > 0
        n_rounds = booster.best_iteration if stopped else booster.current_iteration()
        return lightgbm_grown(booster, n_rounds)

    def _dataset(self, X: Any, job: BoostingJob, params: dict[str, Any], **options: Any) -> Any:
        return self.require().Dataset(
            lightgbm_matrix(X),
            # The objective knows the labels; LightGBM wants some to be there.
            np.zeros(X.shape[0], np.float32),
            categorical_feature=job.categorical,
            params={name: value for name, value in params.items() if name != "objective"},
            **options,
        )


class XGBoost:
    """XGBoost."""

    reserved_params = (
        dict.fromkeys(["objective", "obj"], _OBJECTIVE)
        | dict.fromkeys(["num_boost_round", "n_estimators", "num_round"], _ROUNDS)
        | dict.fromkeys(["early_stopping_rounds"], _STOPPING)
        | dict.fromkeys(["eval_metric", "custom_metric", "disable_default_eval_metric"], _METRIC)
        | dict.fromkeys(["seed", "random_state"], _SEED)
        | dict.fromkeys(["nthread", "n_jobs"], _THREADS)
        | dict.fromkeys(["verbosity", "verbose"], _VERBOSE)
        | dict.fromkeys(["num_class", "num_target"], _ONE_SCORE)
    )

    def require(self) -> Any:
        """The module it comes in."""
        return _imported("xgboost")

    def train(self, job: BoostingJob) -> Grown:
        """Boost."""
        xgboost = self.require()
        params = {**job.params, "disable_default_eval_metric": True}
        # Only warnings, such as of an option that it does not know.
        params["verbosity"] = 1
        n_jobs = job.params.get("nthread")
        train = self._matrix(job.train.X, job.categorical, n_jobs, job.weight)
        callbacks = [_ticking(xgboost, job.ticks)]
        options: dict[str, Any] = {}
        if job.validation is not None and job.metric is not None:
            metric = job.metric
            options["custom_metric"] = lambda scores, _: ("auc", metric(_double(scores)))
            validation = self._matrix(job.validation.X, job.categorical, n_jobs)
            options["evals"] = [(validation, "valid_0")]
            if job.patience is not None:
                stop = xgboost.callback.EarlyStopping(rounds=job.patience, maximize=True)
                callbacks.append(stop)
        booster = xgboost.train(
            params,
            train,
            job.n_rounds,
            obj=lambda scores, _: job.derivatives(_double(scores)),
            callbacks=callbacks,
            verbose_eval=job.verbose,
            **options,
        )
        n_rounds = booster.num_boosted_rounds()
        if job.patience is not None and booster.best_iteration + 1 < n_rounds:
            n_rounds = booster.best_iteration + 1
            booster = booster[:n_rounds]
        return xgboost_grown(booster, n_rounds)

    def _matrix(
        self, X: Any, categorical: list[int], n_jobs: int | None, weight: Any = None
    ) -> Any:
        kinds = np.full(X.shape[1], "float")
        kinds[categorical] = "c"
        return self.require().DMatrix(
            X,
            label=np.zeros(X.shape[0], np.float32),
            weight=weight,
            feature_types=kinds.tolist(),
            enable_categorical=True,
            nthread=n_jobs,
        )


ENGINES: dict[str, Engine] = {"lightgbm": LightGBM(), "xgboost": XGBoost()}


def lightgbm_grown(booster: Any, n_rounds: int) -> Grown:
    """The first rounds of a booster of LightGBM."""
    trees, gains = lightgbm_trees(booster, n_rounds)
    return Grown(trees, gains, n_rounds, booster)


def xgboost_grown(booster: Any, n_rounds: int) -> Grown:
    """A booster of XGBoost with so many rounds."""
    trees, gains = xgboost_trees(booster)
    return Grown(trees, gains, n_rounds, booster)


def _double(scores: AnyArray) -> FloatArray:
    return np.asarray(scores, dtype=np.float64)


def lightgbm_matrix(X: Any) -> Any:
    """X, where sparse as the matrix that LightGBM knows: it has not heard of arrays."""
    return sparse.csr_matrix(X) if sparse.issparse(X) else X


def check_for_lightgbm(X: Any) -> None:
    """LightGBM takes tiny numbers for 0, and fails in words of its own where all are."""
    for start in range(0, X.shape[0], _LOOKED_AT):
        rows = X[start : start + _LOOKED_AT]
        # NaN is no zero.
        if not (np.abs(rows.data if sparse.issparse(rows) else rows) <= _ZERO).all():
            return
    raise ValueError(
        "Parameter `X` should have a column that differs from 0. Found none for LightGBM, which "
        f"takes numbers up to {_ZERO:g} for 0. Scale the columns up, such as `X / X.std(axis=0)`, "
        "or bring others."
    )


def _warn_of_unknown(lightgbm: Any, params: dict[str, Any]) -> None:
    """LightGBM itself says it on a channel that also reports every round."""
    try:
        aliases = lightgbm.basic._ConfigAliases._get_all_param_aliases()
    except AttributeError:
        return
    known = {name for names in aliases.items() for name in (names[0], *names[1])}
    unknown = [name for name in params if name not in known]
    if unknown:
        close = suggestion(unknown[0], sorted(known))
        warn_user(f"Parameter `params` holds {unknown}, which LightGBM ignores.{close}")


def _ticking(xgboost: Any, ticks: Iterator[int]) -> Any:
    class Ticking(xgboost.callback.TrainingCallback):  # type: ignore[misc]
        """Advances the progress bar."""

        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            next(ticks, None)
            return False

    return Ticking()


def _imported(module: str) -> Any:
    return require(module, "boost", f"BoostedRanker(engine={module!r})")
