"""A linear ranker: the best weighted sum of the features."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    Mix,
    Objective,
    Preferences,
    Worst,
    check_count,
    check_features,
    check_flag,
    check_same_index,
)
from isonomy._infra import one_blas_thread, warn_user
from isonomy._pairsums import find_surrogate
from isonomy._rankers.base import Ranker, trainable_loss
from isonomy._rankers.linear.features import Features, check_finite, check_units
from isonomy._rankers.linear.initial_point import initial_point
from isonomy._rankers.linear.penalised_loss import MANY_ENTRIES, PenalisedLoss, Point
from isonomy._rankers.linear.rounded_hinge import minimise_hinge
from isonomy._rankers.linear.row_space import RowSpace
from isonomy._rankers.linear.solvers import Solution, minimise
from isonomy._rankers.linear.worst_label import minimise_worst
from isonomy.surrogates import SURROGATES, Surrogate

# Scores below this come of features that are finite, and not too large.
_USUAL_SCORE = 1e100


class LinearRanker(Ranker):
    r"""Scores that are a weighted sum of the features, learned from all pairs.

    .. math:: \min_w\; loss(X w) + \frac{l_2}{2} |w|^2

    with the loss of `pair_loss`, solved to convergence: the problem is convex, so the result
    depends on the data alone. There is no intercept, because a ranking has none.

    Parameters
    ----------
    objective : objective, optional
        `LabelAggregation()` by default. For `WorstLabel()` the largest of the labels' losses
        is minimised to optimality; see `gap_`.
    surrogate : {"logistic", "exponential", "square", "hinge", "squared_hinge"}
        What a pair costs by its margin; or any other convex entry of `surrogates.SURROGATES`.
        The sigmoid, which has local optima, is refused: no solver could promise its optimum.
    l2 : float
        Weight of the penalty, on the scale of the features as given.
    positive : bool
        Whether the weights may not be negative, so that the score rises with every feature.
    group_weight : {"pairs", "equal"}
        With groups: whether they weigh by their pairs, or each the same.
    max_iter : int
        Most steps of the solver. Each costs two passes over the features, or more where there
        are over 512 of them. The hinge may take eight times as many, of many passes each.
    tol : float
        The solver stops when what can still be gained is estimated to be less than this
        fraction of the objective's value; from 5 million entries of X on, less than 1000 times
        it, and from 25 million on, less than 100,000 times it (1e-7). For `WorstLabel()` it stops
        at a gap of 100 times it (from 5 million entries in over 512 columns on, 100,000 times it),
        and for the hinge the gap is promised to be at most 100,000 times it and usually is far
        smaller.
    warm_start : bool
        Whether `fit` starts from the weights of the last fit.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        The weights w.
    n_iter_ : int
        Steps taken.
    converged_ : bool
        Whether `tol` was reached. False, with a warning, also where there is no optimum: without
        penalty, when the classes can be separated.
    label_weights_ : ndarray of shape (K,)
        With `WorstLabel()` only: the optimal weights of the labels. Loss aggregation with
        them has the same optimum.
    gap_ : float
        With `WorstLabel()` only: how far the largest loss plus penalty may be above its minimum.
        Certain where l2 > 0, an estimate where l2 = 0.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X is a data frame.

    Notes
    -----
    Features may be dense or sparse (CSR; other formats are converted to it), and are computed
    with in float64. Columns need not be standardised for the solver's sake, but the penalty
    weighs the weights as they are.

    The solver is L-BFGS on top of an approximate Hessian from a sample of the rows, which makes
    it insensitive to the features' scales; it starts from the optimum for a sample of the rows
    where there are many. Non-negative weights are found by the same steps along the projected
    arc. With more features than rows it works in the space that the rows span. With over 512
    otherwise, and after 50 steps, it takes those of Newton's method by products with the Hessian.

    The hinge has a kink, which is rounded off ever less; a duality gap tells how far from the
    optimum that may be. Where l2 makes the optimum unique, the weights are usually right to 1e-6.

    A feature that is constant has the weight 0.

    `sample_weight` and `groups` reach `fit` inside a `Pipeline` or `GridSearchCV` by metadata
    routing: `set_fit_request(sample_weight=True, groups=True)`.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import LinearRanker
    >>> X = np.array([[0.0, 2.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [1.0, 1.0]])
    >>> Y = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 1]]
    >>> ranker = LinearRanker(l2=0.01).fit(X, Y)
    >>> ranker.coef_.round(2)
    array([ 1.91, -1.34])
    >>> ranker.predict(X).round(1)
    array([-2.7,  1.9,  2.5,  5.7,  0.6])
    """

    def __init__(
        self,
        objective: Objective | None = None,
        *,
        surrogate: str = "logistic",
        l2: float = 1e-6,
        positive: bool = False,
        group_weight: GroupWeight = "pairs",
        max_iter: int = 500,
        tol: float = 1e-12,
        warm_start: bool = False,
    ) -> None:
        self.objective = objective
        self.surrogate = surrogate
        self.l2 = l2
        self.positive = positive
        self.group_weight = group_weight
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    @one_blas_thread()
    def fit(
        self,
        X: Any,
        y: ArrayLike | Items,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> LinearRanker:
        """Learn the weights.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
            Features.
        y : array-like or data frame of shape (n, K)
            Labels, NaN for 'not observed'.
        sample_weight : array-like of shape (n,), optional
            Weight of each item; a pair weighs the product of its items' weights.
        groups : array-like of shape (n,), optional
            Only pairs inside a group count.

        Returns
        -------
        LinearRanker
            Itself.
        """
        surrogate = self._check_parameters()
        check_same_index(X=X, y=y, sample_weight=sample_weight, groups=groups)
        check_features(X)
        old = getattr(self, "coef_", None) if self.warm_start else None
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_min_samples=2,
            ensure_all_finite=False,
        )
        names = getattr(self, "feature_names_in_", range(X.shape[1]))
        # Of many entries the scores tell, below, which takes no pass of its own.
        many = old is None and X.shape[0] * X.shape[1] >= MANY_ENTRIES
        if not many:
            check_finite(X, names)
        preferences = self._items(X, y, sample_weight, groups).preferences(self._objective())
        loss = trainable_loss(preferences, surrogate)
        worst = isinstance(preferences.mix, Worst)
        mix = np.full(loss.n_ratios, 1.0 / loss.n_ratios) if worst else constant_mix(preferences)
        features = Features.of(X)
        check_units(features.unit, names)
        space = None
        if RowSpace.serves(features) and not self.positive:
            space = RowSpace.of(features)
            features = space.coordinate_features()
        problem = PenalisedLoss(features, loss, mix, float(self.l2), self.positive, worst)
        start = (
            initial_point(problem, preferences) if old is None else warm_point(problem, old, space)
        )
        if many and not 0.0 < float(np.abs(start.scores).max()) < _USUAL_SCORE:
            check_finite(X, names)
        w = self._solve(start) / features.unit
        self.coef_ = w if space is None else space.weights(w)
        if self.positive and self.converged_ and not self.coef_.any():
            warn_user(
                "All weights ended at 0, so that all items score the same. No "
                "feature raises the objective with a weight > 0. Turn round the features whose "
                "low values are the good ones, such as X = -X, or lower `l2` "
                f"(now {self.l2:g})."
            )
        return self

    @one_blas_thread()
    def predict(self, X: Any) -> FloatArray:
        """Scores X w of the rows of X; higher ranks first."""
        check_is_fitted(self)
        check_features(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_)

    def _solve(self, start: Point) -> FloatArray:
        """The best weights per unit of the features; sets what the solver tells."""
        self.__dict__.pop("label_weights_", None)
        self.__dict__.pop("gap_", None)
        solve: Callable[..., Solution] = minimise_worst if start.problem.worst else minimise
        if start.problem.loss.surrogate.kinked:
            solve = partial(minimise_hinge, solve=solve)
        found = solve(start, max_iter=self.max_iter, tol=self.tol)
        if start.problem.worst:
            self.label_weights_, self.gap_ = found.point.problem.mix, found.left
        self.n_iter_ = max(found.n_iter, 1)
        self.converged_ = found.converged
        if found.endless:
            warn_user(
                "LinearRanker found weights that put every pair in its order. The "
                f"{self.surrogate} loss then has no minimum: it falls for ever as the weights "
                f"grow, and the fit stopped after {self.n_iter_} steps. Set `l2` > 0, such as "
                "1e-6.",
                ConvergenceWarning,
            )
        elif not found.converged:
            warn_user(
                f"LinearRanker stopped after {self.n_iter_} steps, about {found.left:.1e} above "
                f"the minimum. Raise `max_iter` (now {self.max_iter}), raise `l2` (now "
                f"{self.l2:g}) where the classes can be separated, or loosen `tol` (now "
                f"{self.tol:g}).{self._range_reached(found.point)}",
                ConvergenceWarning,
            )
        return found.w

    def _range_reached(self, point: Point) -> str:
        """What more to say where the surrogate overflows beyond these scores."""
        spread = float(point.scores.max() - point.scores.min())
        if 2.0 * spread < point.problem.loss.surrogate.max_range:
            return ""
        return f" Scores came near the largest range of {self.surrogate!r}: 'logistic' has none."

    def _check_parameters(self) -> Surrogate:
        """Refuse what cannot be solved, before any work; find the surrogate."""
        surrogate = find_surrogate(self.surrogate)
        if not surrogate.convex:
            convex = [name for name, entry in SURROGATES.items() if entry.convex]
            raise ValueError(
                "Parameter `surrogate` should be convex, so that its optimum can be found: one "
                f"of {', '.join(map(repr, convex))}. Found {self.surrogate!r}, which has local "
                "optima. Use 'logistic' in its place."
            )
        for name in ("l2", "tol"):
            value = getattr(self, name)
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not number or not 0.0 <= float(value) < np.inf:
                raise ValueError(
                    f"Parameter `{name}` should be a finite number >= 0, such as 1e-6. "
                    f"Found {value!r}."
                )
        check_count("max_iter", self.max_iter)
        for name in ("positive", "warm_start"):
            check_flag(name, getattr(self, name))
        return surrogate

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def constant_mix(preferences: Preferences) -> FloatArray:
    """The weights by which a mix adds its ratios up; an error where they are not constant."""
    mix: Mix = preferences.mix
    n_ratios = 1 if mix.pooled else preferences.n_terms
    slope = mix.slope(np.full(n_ratios, 0.5))
    other = mix.slope(np.linspace(0.1, 0.9, n_ratios))
    if not np.array_equal(slope, other) or (slope < 0.0).any():
        raise ValueError(
            "Parameter `objective` should mix its terms by constant weights >= 0 (Pooled, Mean) "
            f"or by their worst (Worst), or the problem need not be convex. Found {mix!r}."
        )
    return np.asarray(slope, dtype=np.float64)


def warm_point(problem: PenalisedLoss, w: FloatArray, space: RowSpace | None) -> Point:
    """Start from earlier weights."""
    n_columns = (problem if space is None else space).features.n_columns
    if w.shape != (n_columns,):
        raise ValueError(
            f"Parameter `X` has {n_columns} features, but the fit to start from "
            f"has {w.size}. Set warm_start=False."
        )
    if space is not None:
        w = space.coordinates(w)
    unit = problem.features.unit
    w = w * np.where(np.isfinite(unit), unit, 0.0)
    return problem.at(np.maximum(w, 0.0) if problem.positive else w)
