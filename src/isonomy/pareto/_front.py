"""The front that `trace` finds, and the weights on it that meet a goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import FloatArray, Items, as_label_weights, floors_by_label
from isonomy._infra import LazyModule, warn_user
from isonomy._rankers.blended import SAFETY, Floors
from isonomy.pareto import _view
from isonomy.pareto._goals import (
    EqualAUCs,
    Goal,
    KeptFloors,
    LargestMinAUC,
    NearestToIdeal,
    as_preference,
    best,
    refine,
)
from isonomy.pareto._weighted_fits import WeightedFit, WeightedFitter

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars", "cli", "`Front.to_frame`")

# A difference of AUCs that nobody would call equal.
FAR_APART = 0.05


@dataclass(frozen=True, eq=False)
class Choice:
    """The weights that meet a goal, and what they give.

    Attributes
    ----------
    weights : ndarray of shape (K,)
        For `LossAggregation(weights)`; they sum to 1.
    aucs, low, high : ndarray of shape (K,)
        On the test rows, which had no say in the choice.
    validation_aucs : ndarray of shape (K,)
        On the validation rows, by which the weights were chosen: on them the goal is met
        better than it will be on new data.
    ranker : ranker
        Fitted to the training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import pareto
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> Y = X + rng.logistic(size=(2000, 2)) > [0, 2]
    >>> choice = pareto.trace(X, Y, n_points=5, random_state=0).best_worst()
    >>> choice.ranker.predict(X[:3]).shape
    (3,)
    """

    weights: FloatArray
    aucs: FloatArray
    low: FloatArray
    high: FloatArray
    validation_aucs: FloatArray
    ranker: Any


@dataclass(frozen=True, eq=False)
class Front:
    """What rankers can attain for several labels at once; made by `trace`.

    Attributes
    ----------
    names : tuple of str
        The labels' names.
    weights : ndarray of shape (m, K)
        The weights of loss aggregation of each point; rows sum to 1. For two labels from
        the first label alone to the second alone.
    effective : ndarray of shape (m, K)
        The labels' effective weights: the pull a_k / D_k of each, as its share of the sum.
    aucs, low, high : ndarray of shape (m, K)
        AUCs of the test rows, with intervals, each on its own.
    on_front : ndarray of bool, shape (m,)
        Which points no other one dominates on the test rows. It compares estimates, so
        points within each other's intervals come and go by chance.
    validation_aucs : ndarray of shape (m, K)
        AUCs of the validation rows, by which weights are chosen.
    coef : ndarray of shape (m, d) or None
        The coefficients of each point's ranker, where it has any.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import pareto
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> Y = X + rng.logistic(size=(2000, 2)) > [0, 2]
    >>> front = pareto.trace(X, Y, n_points=5, random_state=0)
    >>> choice = front.nearest_equal()
    >>> bool(abs(choice.validation_aucs[0] - choice.validation_aucs[1]) < 0.001)
    True
    >>> front.to_frame().columns[:4]
    ['weight 0', 'weight 1', 'auc 0', 'auc 1']
    """

    names: tuple[str, ...]
    weights: FloatArray
    effective: FloatArray
    aucs: FloatArray
    low: FloatArray
    high: FloatArray
    on_front: NDArray[np.bool_]
    validation_aucs: FloatArray
    coef: FloatArray | None
    _items: Items = field(repr=False)
    _fitter: WeightedFitter = field(repr=False)
    _fits: tuple[WeightedFit, ...] = field(repr=False)

    def nearest_equal(self) -> Choice:
        """The weights whose AUCs differ least, looked for between the points as well.

        Where one label is better served whatever the weights, that is a label alone. A warning
        tells where the better served of two labels changes at once.
        """
        choice = self._choose(EqualAUCs())
        apart = float(np.ptp(choice.validation_aucs))
        first, second = self.validation_aucs.T[:2]
        changes = len(self.names) == 2 and (first < second).any() and (first > second).any()
        if changes and apart > FAR_APART:
            warn_user(
                f"No weights were found that give equal AUCs: the nearest ones still differ by "
                f"{apart:.2f} on the validation rows, because the ranking turns at once from one "
                "label's to the other's. Labels that oppose each other do that."
            )
        return choice

    def best_worst(self) -> Choice:
        """The weights with the largest smallest AUC, looked for between the points as well."""
        return self._choose(LargestMinAUC())

    def preferred(self, vector: ArrayLike) -> Choice:
        """The weights nearest to the ideal, in the units that a preference gives AUCs.

        minimise max_k p_k (ideal_k - AUC_k)

        The ideal is the best AUC that any point has for each label. With p = (2, 1) an AUC
        point lost for the first label is as bad as two for the second; a label with
        p_k = 0 does not matter.

        Parameters
        ----------
        vector : array-like of shape (K,)
            p_k >= 0, not all 0.
        """
        preference = as_preference(vector, len(self.names))
        return self._choose(NearestToIdeal(preference, self.validation_aucs.max(axis=0)))

    def subject_to(self, floors: Mapping[str | int, float], *, safety: float = SAFETY) -> Choice:
        """The weights that keep what some labels are promised, and give the others the most.

        Of the weights whose validation AUCs keep every floor, those with the largest mean AUC
        of the labels without one (of all labels where each has one), looked for between the
        points as well.

        Parameters
        ----------
        floors : dict of label to float
            The least AUC of each label that is promised one; labels by name or number.
        safety : float
            By how many standard errors of the validation AUCs floors should be kept there, so
            that they hold on new rows too: that is what a promise costs with few rows. With 0
            about half of all promises would break. The default holds in more than nine of
            ten draws of `python -m benchmarks promises`.

        Raises
        ------
        ValueError
            Where that is out of reach; it says the best that is within reach.

        Examples
        --------
        >>> import numpy as np
        >>> from isonomy import pareto
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(2000, 2))
        >>> Y = X + rng.logistic(size=(2000, 2)) > [0, 2]
        >>> front = pareto.trace(X, Y, n_points=5, random_state=0)
        >>> choice = front.subject_to({0: 0.65})
        >>> bool(choice.validation_aucs[0] > 0.65), bool(0 < choice.weights[0] < 1)
        (True, True)
        >>> front.subject_to({0: 0.9})
        Traceback (most recent call last):
        ...
        ValueError: Parameter `floors` is out of reach ...
        """
        promised = Floors(floors_by_label(floors, self.names, "floors"))
        margin = _check_safety(safety)
        without = KeptFloors(promised, np.zeros(len(self.names)))
        # Errors hardly change along a front: those of one of its points do for all.
        errors = self._fitter.validation_errors(best(self._fits, without))
        choice = self._choose(goal := KeptFloors(promised, margin * errors))
        if goal.missing(choice.validation_aucs) > 0:
            raise ValueError(self._out_of_reach(goal, choice, margin))
        return choice

    def ranker_at(self, weights: ArrayLike, *, all_rows: bool = False) -> Any:
        """A ranker fitted for these weights.

        Parameters
        ----------
        weights : array-like of shape (K,)
            One number >= 0 per label.
        all_rows : bool
            Whether to fit to all rows, for use, rather than to the training rows, to
            which the AUCs of this front belong.
        """
        checked = np.array(as_label_weights(weights))
        if checked.size != len(self.names):
            raise ValueError(
                f"Parameter `weights` should hold one number for each of the {len(self.names)} "
                f"labels. Found {checked.size}."
            )
        items = self._items if all_rows else self._fitter.train
        return self._fitter.fit(checked / checked.sum(), list(self._fits), items)

    def to_frame(self) -> pl.DataFrame:
        """The points as a polars data frame, one row each."""
        blocks = {
            "weight": self.weights,
            "auc": self.aucs,
            "low": self.low,
            "high": self.high,
            "effective": self.effective,
            "validation auc": self.validation_aucs,
        }
        columns = {
            f"{block} {name}": values[:, k]
            for block, values in blocks.items()
            for k, name in enumerate(self.names)
        }
        return pl.DataFrame({**columns, "on front": self.on_front})

    def __str__(self) -> str:
        return _view.text(self)

    def _repr_html_(self) -> str | None:
        return _view.html(self)

    def _out_of_reach(self, goal: KeptFloors, nearest: Choice, safety: float) -> str:
        """Which floors cannot be kept, and what can be."""
        floors = goal.floors.floors
        wanted = " and ".join(f"{self.names[k]!r} at {floor:g}" for k, floor in floors.items())
        aucs = np.vstack([self.validation_aucs, nearest.validation_aucs])
        most = aucs.max(axis=0) - goal.spare
        reached = ", ".join(f"{self.names[k]!r} {_floor_of(most[k])}" for k in floors)
        text = (
            f"Parameter `floors` is out of reach for this ranker: no weights keep {wanted} on the "
            f"validation rows with {safety:g} standard errors to spare. The largest floor within "
            f"reach is {reached}"
        )
        if len(floors) > 1:
            kept = nearest.validation_aucs - goal.spare
            together = ", ".join(f"{self.names[k]!r} {_floor_of(kept[k])}" for k in floors)
            text += f" for each alone; together, the nearest weights keep {together}"
        return f"{text}. Promise less, or bring features that tell more."

    def _choose(self, goal: Goal) -> Choice:
        fit = refine(self._fitter, list(self._fits), goal)
        found = self._fitter.test_intervals(fit.ranker)
        return Choice(
            weights=fit.weights,
            aucs=np.asarray(found.estimate),
            low=np.asarray(found.low),
            high=np.asarray(found.high),
            validation_aucs=fit.aucs,
            ranker=fit.ranker,
        )


def _check_safety(safety: object) -> float:
    if isinstance(safety, bool) or not isinstance(safety, Real) or not 0 <= float(safety) < np.inf:
        raise ValueError(
            f"Parameter `safety` should be a number of standard errors >= 0. Found {safety!r}."
        )
    return float(safety)


def _floor_of(auc: float) -> str:
    """An AUC rounded down: a floor that can be asked for."""
    return f"{np.floor(max(auc, 0.0) * 1000) / 1000:.3f}"
