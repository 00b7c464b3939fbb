"""What giving one label more weight costs the others, along lines between labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from isonomy._compare.methods import Method
from isonomy._compare.trials import SplitRows, Task
from isonomy._core import FloatArray, Items
from isonomy._metrics import AUCIntervals, auc_intervals, conflict_intervals
from isonomy.pareto import WeightedFitter, front, sweep_weights

# With more labels there are more lines than anybody looks at.
MOST_LABELS = 8
# More rows move no line that one could see.
MOST_ROWS = 20_000
# The penalty of linear rankers along the lines.
L2 = 1e-3


@dataclass(frozen=True, eq=False)
class TradeOff:
    """Rankers of loss aggregation for many weights, measured on one split's test rows.

    Attributes
    ----------
    labels : tuple of int or None
        The two labels (k, l) between which the weights move, from k to l; the others keep
        equal effective weights. None: points all over the weights.
    weights : ndarray of shape (m, K)
        For `LossAggregation(weights)`; rows sum to 1.
    effective : ndarray of shape (m, K)
        The labels' effective weights: the pull a_k / D_k of each, as its share of the sum.
    aucs, low, high : ndarray of shape (m, K)
        AUCs with their intervals.
    conflicts, conflicts_low, conflicts_high : ndarray of shape (m, K, K)
        Conflict AUCs with intervals; NaN where labels have no conflicts.
    on_front : ndarray of bool, shape (m,)
        Which points no other one of these dominates.
    """

    labels: tuple[int, int] | None
    weights: FloatArray
    effective: FloatArray
    aucs: FloatArray
    low: FloatArray
    high: FloatArray
    conflicts: FloatArray
    conflicts_low: FloatArray
    conflicts_high: FloatArray
    on_front: NDArray[np.bool_]


def tradeoff_tasks(like: Method, n_labels: int, level: float, *, tune: bool) -> list[Task]:
    """A line for each pair of labels; for three and more labels also points all over.

    `like` is a method of the family, with the features, that the lines are to be made of.
    """
    family = like.family
    assert family is not None
    ranker = clone(like.ranker).set_params(objective=None)
    if family.warm_start:
        ranker.set_params(warm_start=True, **({"l2": L2} if tune else {}))
    method = replace(like, name="loss aggregation", objective=None, ranker=ranker)
    pairs = list(combinations(range(n_labels), 2))
    fits = family.tradeoff_fits
    n_points = max(min(fits.in_all // len(pairs), fits.most), fits.least)
    tasks: list[Task] = [partial(_trace, method, level, pair, n_points) for pair in pairs]
    if n_labels > 2 and fits.all_over:
        tasks.append(partial(_trace, method, level, None, fits.all_over))
    return tasks


def _trace(
    method: Method, level: float, labels: tuple[int, int] | None, n_points: int, rows: SplitRows
) -> TradeOff:
    """Fit on a split's training rows, report on its test rows."""
    train, test = map(_some, rows.parts(method))
    # Points are placed by the AUCs of the training rows: the test rows only report.
    fitter = WeightedFitter(method.ranker, train, train, test, level)
    fits = sweep_weights(fitter, n_points, between=labels)
    scores = [fit.ranker.predict(test.X) for fit in fits]
    aucs = _stacked([auc_intervals(test, score, level=level) for score in scores])
    conflicts = _stacked([conflict_intervals(test, score, level=level) for score in scores])
    return TradeOff(
        labels,
        np.array([fit.weights for fit in fits]),
        np.array([fit.effective for fit in fits]),
        *aucs,
        *conflicts,
        on_front=front(aucs[0]),
    )


def _some(items: Items) -> Items:
    """Not more rows than the lines need; whole groups are kept as they are."""
    if len(items) <= MOST_ROWS or items.group is not None:
        return items
    return items.take(np.linspace(0, len(items) - 1, MOST_ROWS).astype(np.int64))


def _stacked(intervals: list[AUCIntervals]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Estimates, lower and upper bounds, one row for each fit."""
    return (
        np.array([found.estimate for found in intervals]),
        np.array([found.low for found in intervals]),
        np.array([found.high for found in intervals]),
    )
