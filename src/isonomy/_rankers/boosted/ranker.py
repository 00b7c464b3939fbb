"""A ranker of boosted trees, by LightGBM or XGBoost."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    Labels,
    Objective,
    as_generator,
    check_choice,
    check_count,
    check_objective,
    check_same_index,
)
from isonomy._infra import listed, progress, safe_threads
from isonomy._metrics import check_top
from isonomy._rankers.boosted.categories import (
    Categories,
    categorical_columns,
    encode,
    find_categories,
)
from isonomy._rankers.boosted.engines import ENGINES, NOT_BOOSTING, BoostingJob, Engine, Grown
from isonomy._rankers.iterative import IterativeRanker
from isonomy._rankers.splitting import held_out
from isonomy.boosting import finite_scores, prepared_loss, require_lists, watched_metric


class BoostedRanker(IterativeRanker):
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
    top : int, optional
        Train for the first so many ranks of each group, which `fit` then needs: every pair is
        weighed by the change of discounted gain that swapping it would make (LambdaRank), for
        every label, whatever the objective. None: all pairs count alike, as in an AUC.
    params : dict, optional
        Options of the engine, under its own names: ``{"learning_rate": 0.05, "num_leaves": 63}``.
    n_rounds : int
        Trees to grow, at most.
    patience : int or None
        Rounds without a better validation AUC (with `top`, nDCG) after which training stops; the
        model keeps the rounds up to the best. None: all rounds are run, on all rows.
    eval_metric : objective, optional
        Whose AUC is watched on the validation rows: `WorstLabel()` for the smallest,
        `OneLabel("click")` for one label's. By default that of the objective.
    validation_fraction : float
        Share of the rows (of the groups, where there are groups) that are held out for
        that, unless `fit` is given an `eval_set`.
    group_weight : {"pairs", "equal"}
        With groups: whether they weigh by their pairs, or each the same.
    random_state : int, numpy Generator or None
        Seed of the engine and of the split. None: the engine's own seed, and a random split.
    n_jobs : int, optional
        Threads of the engine; all by default and for -1. One in a process that was forked from
        one with a fitted ranker: the engine's threads stay behind.
    verbose : bool
        Whether the engine may print, with the watched AUC of every round. A progress bar shows
        on terminals without it, if training takes more than a few seconds.

    Attributes
    ----------
    trees_ : Trees
        The trees as arrays, by which `predict` goes: neither it nor a model file needs the engine.
    booster_ : lightgbm.Booster or xgboost.Booster
        The engine's own model, of a ranker that was fitted in this process.
    best_iteration_ : int
        Rounds that the model has.
    history_ : dict of lists of float
        "loss": the training loss before each round that was run; with `top` it is 1 less the
        objective's nDCG there. With validation rows also
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

    With `top`, the discount of rank r is 1 / log2(1 + r), and pairs count of which an item stands
    in the first `top` ranks. The change is taken as a share of the largest gain of the group and,
    as in LightGBM's lambdarank, divided by 0.01 plus the distance of the two scores. Groups weigh
    by the logarithm of what may change in them, or with `group_weight="equal"` all the same.
    Items of equal scores (all of them, in the first round) come in a random order, and their pairs
    weigh what they do on average: the order of rows plays no part. Labels' losses are mixed by
    their nDCGs, not by their AUCs.

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
    >>> ranker = iso.BoostedRanker(n_rounds=30, patience=5, random_state=0).fit(X, Y)
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
        top: int | None = None,
        params: dict[str, Any] | None = None,
        n_rounds: int = 100,
        patience: int | None = None,
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
        self.top = top
        self.params = params
        self.n_rounds = n_rounds
        self.patience = patience
        self.eval_metric = eval_metric
        self.validation_fraction = validation_fraction
        self.group_weight = group_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: ArrayLike | Items,
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
        if self.top is not None:
            require_lists(groups is not None or (isinstance(y, Items) and y.group is not None))
        engine.require()
        categories = find_categories(X)
        train = self._rows((X, y, sample_weight, groups), categories, reset=True)
        validation = None
        if eval_set is not None:
            validation = self._eval_rows(eval_set, train, categories)
        elif self.patience is not None:
            split = held_out(
                train,
                float(self.validation_fraction),
                as_generator(self.random_state),
                cure="Pass `eval_set`, or leave `patience` out.",
            )
            train, validation = train.take(split.train), train.take(split.test)
        self._train(engine, train, validation, categorical_columns(X, categories))
        self.categories_ = categories
        return self

    def predict(self, X: Any) -> FloatArray:
        """Scores of the rows of X; higher ranks first."""
        # Whoever ranks row by row waits longer for the checks than for the trees.
        if not self._takes_as_it_is(X):
            check_is_fitted(self)
            X = self._features(encode(X, self.categories_), reset=False, gaps=True)
        return self.trees_.scores(X, self._threads())

    def _takes_as_it_is(self, X: Any) -> bool:
        """Whether X is an array of floats that no check would object to, or change."""
        return (
            type(X) is np.ndarray
            and X.dtype in (np.float64, np.float32)
            and hasattr(self, "trees_")
            and not (self.categories_ or hasattr(self, "feature_names_in_"))
            and X.ndim == 2
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and not np.isinf(X).any()
        )

    @property
    def booster_(self) -> Any:
        """The engine's own model."""
        check_is_fitted(self)
        if "_booster" not in self.__dict__:
            raise AttributeError(
                "`booster_` is there only in the process that fitted the ranker: a file, a pickle "
                "or a copy holds its trees as arrays, `trees_`, by which `predict` goes. Keep "
                "`booster_.save_model(...)` beside the file, or fit again."
            )
        return self._booster

    def _take(self, grown: Grown) -> None:
        """Keep what the engine has grown."""
        self.trees_, self._booster = grown.trees, grown.booster
        self.best_iteration_ = grown.n_rounds
        self.feature_importances_ = grown.shares

    def _train(
        self, engine: Engine, train: Items, validation: Items | None, categorical: list[int]
    ) -> None:
        preferences = train.preferences(self._objective())
        weight = None if train.sample_weight is None else train.sample_weight.astype(np.float32)
        loss = prepared_loss(preferences, self.surrogate, weight, self.top, name="y")
        history: dict[str, list[float]] = {"loss": []}

        def derivatives(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
            found = loss.at(finite_scores(scores))
            history["loss"].append(found.loss)
            return found.gradient, found.hessian

        bar = progress(range(self.n_rounds), self.n_rounds, "Boosting")
        with closing(cast("Generator[int]", bar)) as ticks:
            job = BoostingJob(
                train,
                weight,
                categorical,
                derivatives,
                int(self.n_rounds),
                self._engine_params(),
                validation=validation,
                metric=None if validation is None else self._metric(validation, history),
                patience=None if self.patience is None else int(self.patience),
                ticks=ticks,
                verbose=bool(self.verbose),
            )
            self._take(engine.train(job))
        self.engine_ = self.engine
        self.history_ = history

    def _metric(
        self, validation: Items, history: dict[str, list[float]]
    ) -> Callable[[FloatArray], float]:
        """The AUC (with `top`, the nDCG) of scores of these rows, noted down."""
        watched = watched_metric(validation, self._watched_objective(), self.top)
        values = history[f"validation_{watched.name}"] = []

        def metric(scores: FloatArray) -> float:
            values.append(watched.at(finite_scores(scores)))
            return values[-1]

        return metric

    def _watched_objective(self) -> Objective:
        return self._objective() if self.eval_metric is None else self.eval_metric

    def _rows(self, given: tuple[Any, ...], categories: Categories, *, reset: bool) -> Items:
        """Rows as engines keep them: categories as numbers, weights that float32 holds."""
        X, y, sample_weight, groups = given
        check_same_index(X=X, y=y, sample_weight=sample_weight, groups=groups)
        table = self._features(encode(X, categories), reset=reset, gaps=True)
        if not reset and not isinstance(y, Items):
            beside = {"eval_set[0]": range(table.shape[0])}
            y = Labels.from_table(y, name="eval_set[1]", beside=beside)
        items = self._items(table, y, sample_weight, groups)
        if items.sample_weight is None:
            return items
        with np.errstate(over="ignore", under="ignore"):
            weight = items.sample_weight.astype(np.float32).astype(np.float64)
        if not np.isfinite(weight).all() or not weight.any():
            raise ValueError(
                "Parameter `sample_weight` should hold weights that float32, in which engines keep "
                "them, can hold: up to 3e38, and one of at least 1e-38. Scale them, such as "
                "`sample_weight / sample_weight.mean()`."
            )
        return replace(items, sample_weight=weight)

    def _eval_rows(self, eval_set: Any, train: Items, categories: Categories) -> Items:
        if not isinstance(eval_set, tuple | list) or not 2 <= len(eval_set) <= 4:
            raise ValueError(
                "Parameter `eval_set` should be (X, y), (X, y, sample_weight) or (X, y, "
                f"sample_weight, groups). Found {type(eval_set).__name__}"
                + (f" of {len(eval_set)}." if isinstance(eval_set, tuple | list) else ".")
            )
        rows = self._rows((*eval_set, None, None)[:4], categories, reset=False)
        if (train.group is None) != (rows.group is None):
            raise ValueError(
                "Parameter `eval_set` should have groups, as its fourth part, exactly where "
                "`groups` are given to `fit`: the AUCs would mean different things."
            )
        _check_same_labels(train.labels, rows.labels)
        return rows

    def _engine_params(self) -> dict[str, Any]:
        """The user's options, the seed and the number of threads."""
        params = dict(self.params or {})
        if self.random_state is not None:
            seed = self.random_state
            if isinstance(seed, np.random.Generator):
                seed = int(seed.integers(2**31 - 1))
            params["seed"] = int(seed)
        if (threads := safe_threads(self._threads())) is not None:
            params["nthread"] = threads
        return params

    def _threads(self) -> int | None:
        """How many threads the engine may use; None for all, which scikit-learn also calls -1."""
        return None if self.n_jobs == -1 else self.n_jobs

    def _check_parameters(self) -> Engine:
        """Refuse what cannot be done, before any work."""
        self._check_shared_parameters("the engine")
        check_objective(self._watched_objective(), "eval_metric")
        check_choice("engine", self.engine, tuple(ENGINES))
        check_count("n_rounds", self.n_rounds)
        check_top("top", self.top)
        if self._threads() is not None:
            check_count("n_jobs", self.n_jobs)
        engine = ENGINES[self.engine]
        for name, value in (self.params or {}).items():
            instead = engine.reserved_params.get(name)
            if instead is not None:
                raise ValueError(f"Parameter `params` should not hold {name!r}: use {instead}.")
            if isinstance(value, str) and value in NOT_BOOSTING:
                raise ValueError(
                    f"Parameter `params` should ask for boosted trees. Found {name!r}: {value!r}. "
                    f"{NOT_BOOSTING[value]}"
                )
        return engine

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        # The arrays say it all.
        state.pop("_booster", None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _check_same_labels(train: Labels, other: Labels) -> None:
    """The rows to watch should carry the labels of training, in their order."""
    alike = train.n_labels == other.n_labels
    if not alike or (train.named and other.named and train.names != other.names):
        raise ValueError(
            f"Parameter `{other.parameter}` should hold the same labels as `y`, in the same order: "
            f"{_listed(train)}. Found {_listed(other)}."
        )


def _listed(labels: Labels) -> str:
    return listed(labels.names, 20) if labels.named else f"{labels.n_labels} without names"
