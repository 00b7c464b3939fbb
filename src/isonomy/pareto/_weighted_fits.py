"""One ranker fitted for many weights of the labels, each started from a neighbour."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from isonomy._core import FloatArray, Items, LossAggregation
from isonomy._counting import Ranking
from isonomy._metrics import AUCIntervals, auc_intervals, label_aucs
from isonomy._rankers import fit_to_items
from isonomy.pareto._design import effective_weights_at, lagrange_weights

# A cubic through so many fits on the line of weights foretells the next one well.
NEIGHBOURS = 4
# Coefficients this small beside those of other weights may be an unfinished way to zero.
RESIDUE = 1e-6


@dataclass(frozen=True, eq=False)
class WeightedFit:
    """A ranker fitted for some weights.

    Attributes
    ----------
    position : ndarray of shape (K,)
        Where on the simplex; see `isonomy.pareto._design.effective_weights_at`.
    weights : ndarray of shape (K,)
        The weights of loss aggregation there; they sum to 1.
    ranker : ranker
        Fitted to the training rows.
    aucs : ndarray of shape (K,)
        On the validation rows.
    """

    position: FloatArray
    weights: FloatArray
    ranker: Any
    aucs: FloatArray

    @property
    def effective(self) -> FloatArray:
        """The labels' effective weights, which sum to 1."""
        return effective_weights_at(self.position)


@dataclass(frozen=True, eq=False)
class WeightedFitter:
    """Fits a ranker for any weights of the labels.

    Attributes
    ----------
    ranker : ranker
        Unfitted.
    train, validation, test : Items
        Rows, with features, to fit to, to choose by and to report on; every label needs both
        classes in each.
    level : float
        Confidence level of intervals.
    """

    ranker: Any
    train: Items
    validation: Items
    test: Items
    level: float

    def __post_init__(self) -> None:
        for part, items in (
            ("training", self.train),
            ("validation", self.validation),
            ("test", self.test),
        ):
            _require_pairs(items, part)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels' names."""
        return self.train.labels.names

    @cached_property
    def pairs(self) -> FloatArray:
        """The pairs D_k that each label has in the training rows."""
        return _label_pairs(self.train)

    def weights(self, position: FloatArray) -> FloatArray:
        """Weights a_k whose effective weights a_k / D_k are those of the position."""
        weights = effective_weights_at(position) * self.pairs
        return np.asarray(weights / weights.sum())

    def position(self, weights: FloatArray) -> FloatArray:
        """The position that has these weights."""
        root = np.sqrt(weights / weights.max() / self.pairs)
        return np.asarray(root / root.sum())

    def fit(self, weights: FloatArray, starts: list[WeightedFit], items: Items) -> Any:
        """The ranker for these weights, from the nearest of the starts where it can be."""
        ranker = fit_to_items(self._started(weights, starts), items.X, items)
        if starts and self._undecided(ranker, starts):
            return fit_to_items(self._started(weights, []), items.X, items)
        return ranker

    def fit_at(self, position: FloatArray, starts: list[WeightedFit]) -> WeightedFit:
        """Fit at a position, and see how the validation rows come out."""
        weights = self.weights(position)
        ranker = self.fit(weights, starts, self.train)
        aucs = label_aucs(self.validation, ranker.predict(self.validation.X))
        return WeightedFit(position, weights, ranker, aucs)

    def test_intervals(self, ranker: Any) -> AUCIntervals:
        """AUCs of the test rows, with joint intervals."""
        return auc_intervals(self.test, ranker.predict(self.test.X), level=self.level)

    def validation_errors(self, fit: WeightedFit) -> FloatArray:
        """Standard errors of a fit's AUCs on the validation rows; 0 where they are unknown."""
        found = auc_intervals(self.validation, fit.ranker.predict(self.validation.X))
        return np.nan_to_num(found.standard_error)

    def _started(self, weights: FloatArray, starts: list[WeightedFit]) -> Any:
        objective = LossAggregation(weights.tolist())
        if starts and getattr(self.ranker, "warm_start", False):
            ranker = self._between(self.position(weights), starts)
        else:
            ranker = clone(self.ranker)
        return ranker.set_params(**{objective_parameter(ranker): objective})

    def _undecided(self, ranker: Any, starts: list[WeightedFit]) -> bool:
        """Whether labels cancel out, so that only what is left of the start ranks the items.

        A fit from scratch then stays at coefficients of exactly 0, where all items are tied.
        """
        if not getattr(self.ranker, "warm_start", False) or not hasattr(ranker, "coef_"):
            return False
        largest = max(float(np.abs(start.ranker.coef_).max()) for start in starts)
        return float(np.abs(ranker.coef_).max()) <= RESIDUE * largest

    def _between(self, position: FloatArray, starts: list[WeightedFit]) -> Any:
        """A copy of the nearest start; for two labels, with coefficients between the nearest."""
        gaps = [float(np.linalg.norm(start.position - position)) for start in starts]
        nearest = [starts[i] for i in np.argsort(gaps, kind="stable")[:NEIGHBOURS]]
        # A shallow copy carries the fitted attributes from which a warm start goes on.
        ranker = copy(nearest[0].ranker)
        if len(self.names) == 2 and hasattr(ranker, "coef_"):
            line = np.array([start.position[0] for start in nearest])
            part = lagrange_weights(line, float(position[0]))
            ranker.coef_ = part @ np.array([start.ranker.coef_ for start in nearest])
        return ranker


def objective_parameter(ranker: Any) -> str:
    """The name of a ranker's objective, also where it stands inside a pipeline."""
    known = not isinstance(ranker, type) and hasattr(ranker, "get_params")
    names: list[str] = list(ranker.get_params()) if known else []
    if "objective" in names:
        return "objective"
    inside = [name for name in names if name.endswith("__objective")]
    if len(inside) == 1:
        return inside[0]
    raise TypeError(
        "Parameter `ranker` should be a ranker with a parameter `objective`, such as "
        f"`LinearRanker()`. Found {ranker!r}."
    )


def _require_pairs(items: Items, part: str) -> None:
    missing = np.flatnonzero(_label_pairs(items) == 0)
    if missing.size:
        name = items.labels.names[missing[0]]
        where = "" if items.group is None else " inside one group"
        raise ValueError(
            f"Parameter `Y` should hold both classes of label {name!r}{where} in each of the "
            f"training, validation and test parts. Found one class in the {part} part. Give more "
            "rows, another `random_state`, or a `split` of your own."
        )


def _label_pairs(items: Items) -> FloatArray:
    """The weight of all pairs of each label, whatever groups weigh."""
    preferences = replace(items, group_weight="pairs").preferences(LossAggregation())
    sums = Ranking(preferences, np.zeros(len(items))).pair_sums()
    return np.asarray(sums.total.sum(axis=0), dtype=np.float64)
