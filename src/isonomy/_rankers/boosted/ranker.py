"""A ranker of boosted trees, by LightGBM or XGBoost."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Labels,
    Objective,
    as_generator,
    check_choice,
    check_count,
    check_objective,
)
from isonomy._infra import progress
from isonomy._pairsums import find_surrogate
from isonomy._rankers.base import Ranker
from isonomy._rankers.boosted.categories import (
    Categories,
    categorical_columns,
    encode,
    find_categories,
)
from isonomy._rankers.boosted.engines import ENGINES, Engine, Table, Task
from isonomy._rankers.boosted.rows import Rows, check_same_labels
from isonomy._rankers.splitting import check_share
from isonomy.boosting import Trainable, defined_auc, finite, metric_name


class BoostedRanker(Ranker):
    """Scores that are a sum of trees, grown by LightGBM or XGBoost on the loss over all pairs.

    Parameters
    ----------
    objective : objective, optional
        `LabelAggregation()` by default. For `WorstLabel()` the labels' losses are mixed in every
        round by a softmax of their values, so that the worst label counts most.
    engine : {"lightgbm", "xgboost"}
        Either comes with ``pip install 'isonomy[boost]'``.
    surrogate : {"logistic", "sigmoid", "exponential", "square", "hinge", "squared_hinge"}
        What a pair costs by its margin. The sigmoid and the hinge borrow the Hessian of the
        logistic and of the squared hinge.
    params : dict, optional
        Options of the engine, under its own names: ``{"learning_rate": 0.05, "num_leaves": 63}``.
    n_rounds : int
        Trees to grow, at most.
    early_stopping : int, optional
        Rounds without a better validation AUC after which training stops; the model keeps the
        rounds up to the best. None: all rounds are run, on all rows.
    eval_metric : objective, optional
        Whose AUC is watched on the validation rows: `WorstLabel()` for the smallest,
        `OneLabel("click")` for one label's. By default that of the objective.
    validation_fraction : float
        Share of the rows (of the groups, where there are groups) that early stopping holds out,
        unless `fit` is given an `eval_set`.
    group_weight : {"pairs", "equal"}
        With groups: whether they weigh by their pairs, or each the same.
    random_state : int, numpy Generator or None
        Seed of the engine and of the split. None: the engine's own seed, and a random split.
    n_jobs : int, optional
        Threads of the engine; all by default and for -1.
    verbose : bool
        Whether the engine may print, with the watched AUC of every round. A progress bar shows
        on terminals without it, if training takes more than a few seconds.

    Attributes
    ----------
    model_text_ : str
        The model in its engine's native text.
    booster_ : lightgbm.Booster or xgboost.Booster
        The model, read from that text.
    best_iteration_ : int
        Rounds that the model has.
    history_ : dict of lists of float
        "loss": the training loss before each round that was run. With validation rows also
        "validation_auc_min" or the like: the watched AUC after each round.
    feature_importances_ : ndarray of shape (d,)
        Share of each feature in what all splits have gained.
    categories_ : dict
        The categories of each categorical feature, in the order of their numbers.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X is a data frame.

    Notes
    -----
    The model is the one that `lightgbm.train` or `xgboost.train` grows with
    `isonomy.boosting`'s objective on the same rows, parameters and seed. Labels are not packed
    here: any number of them, ordinal ones and names will do.

    Features may be missing (NaN). Categorical columns of data frames (pandas "category", polars
    Categorical and Enum) are split on as categories; values not seen in training are missing.
    Sparse X is taken as CSR; XGBoost reads entries that are not stored as missing, LightGBM as 0.

    `sample_weight` and `groups` reach `fit` inside a `Pipeline` or `GridSearchCV` by metadata
    routing: `set_fit_request(sample_weight=True, groups=True)`. Weights are rounded to float32,
    as engines keep them.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 4))
    >>> Y = X[:, :2] ** 2 + rng.logistic(size=(1000, 2)) > 1
    >>> ranker = iso.BoostedRanker(n_rounds=30, early_stopping=5, random_state=0).fit(X, Y)
    >>> bool((iso.label_aucs(Y, ranker.predict(X)) > 0.6).all())
    True
    >>> sorted(ranker.feature_importances_.argsort()[-2:].tolist())
    [0, 1]
    """

    def __init__(
        self,
        objective: Objective | None = None,
        *,
        engine: str = "lightgbm",
        surrogate: str = "logistic",
        params: dict[str, Any] | None = None,
        n_rounds: int = 100,
        early_stopping: int | None = None,
        eval_metric: Objective | None = None,
        validation_fraction: float = 0.1,
        group_weight: GroupWeight = "pairs",
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.objective = objective
        self.engine = engine
        self.surrogate = surrogate
        self.params = params
        self.n_rounds = n_rounds
        self.early_stopping = early_stopping
        self.eval_metric = eval_metric
        self.validation_fraction = validation_fraction
        self.group_weight = group_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        eval_set: tuple[Any, ...] | None = None,
    ) -> BoostedRanker:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
            Features, NaN for missing.
        y : array-like or data frame of shape (n, K)
            Labels, NaN for 'not observed'.
        sample_weight : array-like of shape (n,), optional
            Weight of each item; a pair weighs the product of its items' weights.
        groups : array-like of shape (n,), optional
            Only pairs inside a group count.
        eval_set : tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, groups), optional
            Rows to watch, and to stop by, in place of a share of the training rows.

        Returns
        -------
        BoostedRanker
            Itself.
        """
        engine = self._check_parameters()
        if y is None:
            raise ValueError(
                "BoostedRanker requires y to be passed, but the target y is None. Pass the labels "
                "to learn from, one column each."
            )
        engine.require()
        self.__dict__.pop("_booster", None)
        categories = find_categories(X)
        table = self._table(X, categories, reset=True)
        train = Rows.checked(table, y, sample_weight, groups)
        validation = None
        if eval_set is not None:
            validation = self._eval_rows(eval_set, categories, train.labels, groups is not None)
        elif self.early_stopping is not None:
            rng = as_generator(self.random_state)
            train, validation = train.split(float(self.validation_fraction), rng)
        self._train(engine, train, validation, categorical_columns(X, categories))
        self.categories_ = categories
        return self

    def predict(self, X: Any) -> FloatArray:
        """Scores of the rows of X; higher ranks first."""
        check_is_fitted(self)
        X = self._table(X, self.categories_, reset=False)
        return ENGINES[self.engine_].scores(self.booster_, X, self._threads())

    @property
    def booster_(self) -> Any:
        """The engine's own model."""
        check_is_fitted(self)
        if "_booster" not in self.__dict__:
            self._booster = ENGINES[self.engine_].load(self.model_text_)
        return self._booster

    def _train(
        self, engine: Engine, train: Rows, validation: Rows | None, categorical: list[int]
    ) -> None:
        preferences = train.preferences(self._objective(), self.group_weight)
        trainable = Trainable(preferences, self.surrogate, train.weight, name="y")
        patience = None if self.early_stopping is None else int(self.early_stopping)
        losses: list[float] = []

        def derivatives(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
            found = trainable.at(finite(scores))
            losses.append(found.loss)
            return found.gradient, found.hessian

        watched: list[float] = []
        bar = progress(range(self.n_rounds), self.n_rounds, "Boosting")
        ticks = cast("Generator[int]", bar)
        try:
            trained = engine.train(
                Task(
                    train=Table(train.X, categorical, train.weight),
                    derivatives=derivatives,
                    n_rounds=int(self.n_rounds),
                    params=self._engine_params(),
                    validation=None if validation is None else Table(validation.X, categorical),
                    metric=None if validation is None else self._watch(validation, watched),
                    patience=None if validation is None else patience,
                    ticks=ticks,
                    verbose=bool(self.verbose),
                )
            )
        finally:
            ticks.close()
        self.engine_ = self.engine
        self.model_text_ = trained.text
        self.best_iteration_ = trained.n_rounds
        self.history_ = {"loss": losses}
        if validation is not None:
            self.history_[f"validation_{metric_name(self._watched())}"] = watched
        gains = engine.gains(self.booster_)
        self.feature_importances_ = gains / gains.sum() if gains.any() else gains

    def _watched(self) -> Objective:
        return self._objective() if self.eval_metric is None else self.eval_metric

    def _watch(self, rows: Rows, watched: list[float]) -> Callable[[FloatArray], float]:
        """The AUC of scores of these rows, noted down; an error now if they have none."""
        preferences = rows.preferences(self._watched(), self.group_weight)
        defined_auc(preferences, np.zeros(len(rows.labels)))

        def watch(scores: FloatArray) -> float:
            watched.append(defined_auc(preferences, finite(scores)))
            return watched[-1]

        return watch

    def _table(self, X: Any, categories: Categories, *, reset: bool) -> Any:
        """Numbers with gaps, dense or CSR."""
        return validate_data(
            self,
            encode(X, categories),
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1,
        )

    def _eval_rows(
        self, eval_set: Any, categories: Categories, labels: Labels, grouped: bool
    ) -> Rows:
        if not isinstance(eval_set, tuple | list) or not 2 <= len(eval_set) <= 4:
            raise ValueError(
                "Parameter `eval_set` should be (X, y), (X, y, sample_weight) or (X, y, "
                f"sample_weight, groups). Found {type(eval_set).__name__}"
                + (f" of {len(eval_set)}." if isinstance(eval_set, tuple | list) else ".")
            )
        X, y, sample_weight, groups = (*eval_set, None, None)[:4]
        if grouped != (groups is not None):
            raise ValueError(
                "Parameter `eval_set` should have groups, as its fourth part, exactly where "
                "`groups` are given to `fit`: the AUCs would mean different things."
            )
        table = self._table(X, categories, reset=False)
        rows = Rows.checked(table, y, sample_weight, groups, name="eval_set")
        check_same_labels(labels, rows.labels)
        return rows

    def _engine_params(self) -> dict[str, Any]:
        """The user's options, the seed and the number of threads."""
        params = dict(self.params or {})
        if self.random_state is not None:
            seed = self.random_state
            if isinstance(seed, np.random.Generator):
                seed = int(seed.integers(2**31 - 1))
            params["seed"] = int(seed)
        if (threads := self._threads()) is not None:
            params["nthread"] = threads
        return params

    def _threads(self) -> int | None:
        """How many threads the engine may use; None for all, which scikit-learn also calls -1."""
        return None if self.n_jobs == -1 else self.n_jobs

    def _check_parameters(self) -> Engine:
        """Refuse what cannot be done, before any work."""
        check_objective(self._objective())
        check_objective(self._watched(), "eval_metric")
        check_choice("engine", self.engine, tuple(ENGINES))
        find_surrogate(self.surrogate)
        check_choice("group_weight", self.group_weight, ("pairs", "equal"))
        check_count("n_rounds", self.n_rounds)
        if self.early_stopping is not None:
            check_count("early_stopping", self.early_stopping)
        if self._threads() is not None:
            check_count("n_jobs", self.n_jobs)
        check_share("validation_fraction", self.validation_fraction)
        as_generator(self.random_state)
        engine = ENGINES[self.engine]
        if self.params is not None and not isinstance(self.params, dict):
            raise TypeError(
                f"Parameter `params` should be a dict of the engine's options. "
                f"Found {self.params!r}."
            )
        for name, value in (self.params or {}).items():
            if not isinstance(name, str):
                raise TypeError(
                    f"Parameter `params` should have the names of the engine's options as keys. "
                    f"Found {name!r}."
                )
            if name in engine.reserved:
                raise ValueError(
                    f"Parameter `params` should not hold {name!r}: use {engine.reserved[name]}."
                )
            if isinstance(value, str) and value == "gblinear":
                raise ValueError(
                    f"Parameter `params` should ask for trees. Found {name!r}: 'gblinear'. Use "
                    "`LinearRanker`."
                )
        return engine

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        # The text says it all, in a form that loads without running code.
        state.pop("_booster", None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
