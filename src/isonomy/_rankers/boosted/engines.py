"""LightGBM and XGBoost behind one interface: train by derivatives, predict, keep as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import AnyArray, FloatArray, suggestion
from isonomy._infra import require, warn_user


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as engines take them: numbers, NaN for missing, which columns are categories."""

    X: Any
    categorical: list[int]
    weight: NDArray[np.float32] | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """What an engine is to do.

    Attributes
    ----------
    train : Table
    derivatives : callable
        Gradient and Hessian at scores of the training rows.
    n_rounds : int
    params : dict
        The engine's own options.
    validation : Table, optional
    metric : callable, optional
        The value to watch at scores of the validation rows; higher is better.
    patience : int, optional
        Rounds without a better value after which to stop.
    ticks : iterator
        Advanced by one each round.
    verbose : bool
    """

    train: Table
    derivatives: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    n_rounds: int
    params: dict[str, Any]
    validation: Table | None
    metric: Callable[[FloatArray], float] | None
    patience: int | None
    ticks: Iterator[int]
    verbose: bool


@dataclass(frozen=True, eq=False)
class Trained:
    """The model's native text, and how many rounds it has."""

    text: str
    n_rounds: int


class Engine(Protocol):
    """One of the engines."""

    @property
    def reserved(self) -> dict[str, str]:
        """Options that may not stand in `params`, and what to use in their place."""

    def require(self) -> None:
        """Raise, with the pip line, if it is not installed."""

    def train(self, task: Task) -> Trained:
        """Boost."""

    def load(self, text: str) -> Any:
        """A booster from its text."""

    def scores(self, booster: Any, X: Any, n_jobs: int | None) -> FloatArray:
        """Scores of rows."""

    def gains(self, booster: Any) -> FloatArray:
        """What each feature's splits have gained."""


_OBJECTIVE = "`objective` and `surrogate` of the ranker"
_ROUNDS = "`n_rounds`"
_STOPPING = "`early_stopping`"
_METRIC = "`eval_metric`"
_SEED = "`random_state`"
_THREADS = "`n_jobs`"
_VERBOSE = "`verbose`"
_ONE_SCORE = "no classes, because one score ranks for all labels"
_CATEGORIES = "a data frame whose columns are categorical"


class LightGBM:
    """LightGBM."""

    reserved = (
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
    )  # fmt: skip

    def require(self) -> None:
        """Raise, with the pip line, if it is not installed."""
        _imported("lightgbm")

    def train(self, task: Task) -> Trained:
        """Boost."""
        lightgbm = _imported("lightgbm")
        verbosity = {"verbosity": 1 if task.verbose else -1}
        # Without features that can be split, LightGBM fails if it may leave them out beforehand.
        params = {"feature_pre_filter": False, **task.params, **verbosity, "metric": "None"}
        params["objective"] = lambda scores, _: task.derivatives(scores)
        _warn_of_unknown(lightgbm, task.params)
        train = self._dataset(task.train, params)
        callbacks = [lambda _: next(task.ticks, None)]
        options: dict[str, Any] = {}
        if task.validation is not None and task.metric is not None:
            metric = task.metric
            options["feval"] = lambda scores, _: ("auc", metric(scores), True)
            options["valid_sets"] = [self._dataset(task.validation, params, train)]
            if task.patience is not None:
                callbacks.append(lightgbm.early_stopping(task.patience, verbose=task.verbose))
            if task.verbose:
                callbacks.append(lightgbm.log_evaluation())
        booster = lightgbm.train(params, train, task.n_rounds, callbacks=callbacks, **options)
        stopped = task.patience is not None and booster.best_iteration > 0
        n_rounds = booster.best_iteration if stopped else booster.current_iteration()
        text = booster.model_to_string(num_iteration=n_rounds)
        return Trained(text, n_rounds)

    def load(self, text: str) -> Any:
        """A booster from its text."""
        return _imported("lightgbm").Booster(model_str=text)

    def scores(self, booster: Any, X: Any, n_jobs: int | None) -> FloatArray:
        """Scores of rows."""
        threads = {} if n_jobs is None else {"num_threads": n_jobs}
        return np.asarray(booster.predict(_matrix(X), **threads), dtype=np.float64)

    def gains(self, booster: Any) -> FloatArray:
        """What each feature's splits have gained."""
        return np.asarray(booster.feature_importance("gain"), dtype=np.float64)

    def _dataset(self, table: Table, params: dict[str, Any], reference: Any = None) -> Any:
        return _imported("lightgbm").Dataset(
            _matrix(table.X),
            # The objective knows the labels; LightGBM wants some to be there.
            np.zeros(table.X.shape[0], np.float32),
            weight=table.weight,
            categorical_feature=table.categorical,
            params={name: value for name, value in params.items() if name != "objective"},
            reference=reference,
        )


class XGBoost:
    """XGBoost."""

    reserved = (
        dict.fromkeys(["objective", "obj"], _OBJECTIVE)
        | dict.fromkeys(["num_boost_round", "n_estimators", "num_round"], _ROUNDS)
        | dict.fromkeys(["early_stopping_rounds"], _STOPPING)
        | dict.fromkeys(["eval_metric", "custom_metric", "disable_default_eval_metric"], _METRIC)
        | dict.fromkeys(["seed", "random_state"], _SEED)
        | dict.fromkeys(["nthread", "n_jobs"], _THREADS)
        | dict.fromkeys(["verbosity", "verbose"], _VERBOSE)
        | dict.fromkeys(["num_class", "num_target"], _ONE_SCORE)
    )

    def require(self) -> None:
        """Raise, with the pip line, if it is not installed."""
        _imported("xgboost")

    def train(self, task: Task) -> Trained:
        """Boost."""
        xgboost = _imported("xgboost")
        params = {**task.params, "disable_default_eval_metric": True}
        # Only warnings, such as of an option that it does not know.
        params["verbosity"] = 1
        n_jobs = task.params.get("nthread")
        callbacks = [_ticking(xgboost, task.ticks)]
        options: dict[str, Any] = {}
        if task.validation is not None and task.metric is not None:
            metric = task.metric
            options["custom_metric"] = lambda scores, _: ("auc", metric(_double(scores)))
            options["evals"] = [(self._matrix(task.validation, n_jobs), "valid_0")]
            if task.patience is not None:
                stop = xgboost.callback.EarlyStopping(rounds=task.patience, maximize=True)
                callbacks.append(stop)
        booster = xgboost.train(
            params,
            self._matrix(task.train, n_jobs),
            task.n_rounds,
            obj=lambda scores, _: task.derivatives(_double(scores)),
            callbacks=callbacks,
            verbose_eval=task.verbose,
            **options,
        )
        n_rounds = booster.num_boosted_rounds()
        if task.patience is not None and booster.best_iteration + 1 < n_rounds:
            n_rounds = booster.best_iteration + 1
            booster = booster[:n_rounds]
        text = bytes(booster.save_raw("json")).decode()
        return Trained(text, n_rounds)

    def load(self, text: str) -> Any:
        """A booster from its text."""
        return _imported("xgboost").Booster(model_file=bytearray(text.encode()))

    def scores(self, booster: Any, X: Any, n_jobs: int | None) -> FloatArray:
        """Scores of rows."""
        categorical = [k for k, kind in enumerate(booster.feature_types or ()) if kind == "c"]
        matrix = self._matrix(Table(X, categorical), n_jobs)
        return _double(booster.predict(matrix, output_margin=True))

    def gains(self, booster: Any) -> FloatArray:
        """What each feature's splits have gained."""
        found = booster.get_score(importance_type="total_gain")
        names = booster.feature_names or [f"f{j}" for j in range(booster.num_features())]
        return np.array([found.get(name, 0.0) for name in names], dtype=np.float64)

    def _matrix(self, table: Table, n_jobs: int | None) -> Any:
        kinds = np.full(table.X.shape[1], "float")
        kinds[table.categorical] = "c"
        return _imported("xgboost").DMatrix(
            table.X,
            label=np.zeros(table.X.shape[0], np.float32),
            weight=table.weight,
            feature_types=kinds.tolist(),
            enable_categorical=True,
            nthread=n_jobs,
        )


ENGINES: dict[str, Engine] = {"lightgbm": LightGBM(), "xgboost": XGBoost()}


def _double(scores: AnyArray) -> FloatArray:
    return np.asarray(scores, dtype=np.float64)


def _matrix(X: Any) -> Any:
    """X, where sparse as the matrix that LightGBM knows: it has not heard of arrays."""
    return sparse.csr_matrix(X) if sparse.issparse(X) else X


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
