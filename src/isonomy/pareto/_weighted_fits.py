"""One ranker fitted for many weights of the labels, each started from a neighbour."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from isonomy._core import FloatArray, GroupWeight, Labels, LossAggregation, preferences_for
from isonomy._counting import Ranking
from isonomy._metrics import AUCIntervals, auc_intervals, label_aucs
from isonomy.pareto._design import polynomial_shares, shares
from isonomy.pareto._split import Rows

# A cubic through so many fits on the line of weights foretells the next one well.
NEIGHBOURS = 4
# Coefficients this small beside those of other weights may be an unfinished way to zero.
RESIDUE = 1e-6


@dataclass(frozen=True, eq=False)
class Trial:
    """A ranker fitted for some weights.

    Attributes
    ----------
    position : ndarray of shape (K,)
        Where on the simplex; see `isonomy.pareto._design.shares`.
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


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, their three parts, and the ranker to fit.

    `pairs` are those that each label has in the training rows, D_k.
    """

    ranker: Any
    rows: Rows
    train: Rows
    validation: Rows
    test: Rows
    names: tuple[str, ...]
    pairs: FloatArray
    level: float
    group_weight: GroupWeight

    def weights(self, position: FloatArray) -> FloatArray:
        """Weights a_k whose effective weights a_k / D_k are those of the position."""
        weights = shares(position) * self.pairs
        return np.asarray(weights / weights.sum())

    def position(self, weights: FloatArray) -> FloatArray:
        """The position that has these weights."""
        root = np.sqrt(weights / weights.max() / self.pairs)
        return np.asarray(root / root.sum())

    def fit(self, weights: FloatArray, starts: list[Trial], rows: Rows | None = None) -> Any:
        """The ranker for these weights, from the nearest of the starts where it can be."""
        rows = self.train if rows is None else rows
        ranker = self._started(weights, starts).fit(rows.X, rows.Y, **rows.given)
        if starts and self._undecided(ranker, starts):
            return self._started(weights, []).fit(rows.X, rows.Y, **rows.given)
        return ranker

    def trial(self, position: FloatArray, starts: list[Trial]) -> Trial:
        """Fit at a position, and see how the validation rows come out."""
        weights = self.weights(position)
        ranker = self.fit(weights, starts)
        rows = self.validation
        aucs = label_aucs(
            rows.Y, ranker.predict(rows.X), **rows.given, group_weight=self.group_weight
        )
        return Trial(position, weights, ranker, aucs)

    def judge(self, ranker: Any) -> AUCIntervals:
        """AUCs of the test rows, with joint intervals."""
        rows = self.test
        return auc_intervals(
            rows.Y,
            ranker.predict(rows.X),
            level=self.level,
            **rows.given,
            group_weight=self.group_weight,
        )

    def _started(self, weights: FloatArray, starts: list[Trial]) -> Any:
        objective = LossAggregation(weights.tolist())
        if starts and getattr(self.ranker, "warm_start", False):
            ranker = self._between(self.position(weights), starts)
        else:
            ranker = clone(self.ranker)
        return ranker.set_params(**{objective_parameter(ranker): objective})

    def _undecided(self, ranker: Any, starts: list[Trial]) -> bool:
        """Whether labels cancel out, so that only what is left of the start ranks the items.

        A fit from scratch then stays at coefficients of exactly 0, where all items are tied.
        """
        if not getattr(self.ranker, "warm_start", False) or not hasattr(ranker, "coef_"):
            return False
        largest = max(float(np.abs(start.ranker.coef_).max()) for start in starts)
        return float(np.abs(ranker.coef_).max()) <= RESIDUE * largest

    def _between(self, position: FloatArray, starts: list[Trial]) -> Any:
        """A copy of the nearest start; for two labels, with coefficients between the nearest."""
        gaps = [float(np.linalg.norm(start.position - position)) for start in starts]
        nearest = [starts[i] for i in np.argsort(gaps, kind="stable")[:NEIGHBOURS]]
        # A shallow copy carries the fitted attributes from which a warm start goes on.
        ranker = copy(nearest[0].ranker)
        if len(self.names) == 2 and hasattr(ranker, "coef_"):
            line = np.array([start.position[0] for start in nearest])
            part = polynomial_shares(line, float(position[0]))
            ranker.coef_ = part @ np.array([start.ranker.coef_ for start in nearest])
        return ranker


def objective_parameter(ranker: Any) -> str:
    """The name of a ranker's objective, also where it stands inside a pipeline."""
    names: list[str] = [] if isinstance(ranker, type) else list(_parameters(ranker)())
    if "objective" in names:
        return "objective"
    inside = [name for name in names if name.endswith("__objective")]
    if len(inside) == 1:
        return inside[0]
    raise TypeError(
        "Parameter `ranker` should be a ranker with a parameter `objective`, such as "
        f"`LinearRanker()`. Found {ranker!r}."
    )


def _parameters(ranker: Any) -> Callable[[], dict[str, Any]]:
    found: Callable[[], dict[str, Any]] = getattr(ranker, "get_params", dict)
    return found


def require_pairs(rows: Rows, names: tuple[str, ...], part: str) -> FloatArray:
    """The pairs of each label in a part of the rows; every label needs some."""
    preferences = preferences_for(
        Labels.from_table(rows.Y),
        LossAggregation(),
        sample_weight=rows.sample_weight,
        groups=rows.groups,
        group_weight="pairs",
    )
    ranking = Ranking(replace(preferences, names=names), np.zeros(len(rows.Y)))
    pairs = np.asarray(ranking.pair_sums().total.sum(axis=0), dtype=np.float64)
    if not pairs.all():
        k = int(np.flatnonzero(pairs == 0)[0])
        where = "" if rows.groups is None else " inside one group"
        raise ValueError(
            f"Parameter `Y` should hold both classes of label {names[k]!r}{where} in each of the "
            f"training, validation and test parts. Found one class in the {part} part. Give more "
            "rows, another `random_state`, or a `split` of your own."
        )
    return pairs
