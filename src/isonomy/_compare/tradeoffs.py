"""What giving one label more weight costs the others, along lines between labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._compare.methods import Method
from isonomy._compare.trials import Prepared, remembered, told
from isonomy._core import FloatArray
from isonomy._metrics import AUCIntervals, conflict_intervals
from isonomy.pareto import (
    Problem,
    Rows,
    Trial,
    front,
    require_pairs,
    shares,
    simplex_design,
    widest_gap,
)

# Fits in all, at most for each line, and at least: (linear, others), whose fits cost more.
FITS = {True: (160, 41, 7), False: (27, 9, 3)}
# Points of the front of three and more labels, linear family only.
FRONT_POINTS = 28
# With more labels there are more lines than anybody looks at.
MOST_LABELS = 8


@dataclass(frozen=True, eq=False)
class TradeOff:
    """Rankers of loss aggregation for many weights, measured on one split's test rows.

    Attributes
    ----------
    labels : tuple of int or None
        The two labels (k, l) between which the weights move, from k to l; the others keep
        equal pulls. None: points all over the weights.
    weights : ndarray of shape (m, K)
        For `LossAggregation(weights)`; rows sum to 1.
    effective : ndarray of shape (m, K)
        The pull a_k / D_k that they give each label, as shares.
    aucs, low, high : ndarray of shape (m, K)
        AUCs with DeLong intervals.
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


@dataclass(frozen=True, eq=False)
class TradeOffTask:
    """A trade-off to be computed from a split's prepared features; a reason where it fails."""

    method: Method
    level: float
    labels: tuple[int, int] | None
    n_points: int

    def __call__(self, prepared: Prepared) -> TradeOff | str:
        with remembered():
            try:
                return self._trace(prepared)
            except Exception as error:  # noqa: BLE001 - a picture's failure is not the methods'.
                return told(error)

    def _trace(self, prepared: Prepared) -> TradeOff:
        problem = self._problem(prepared)
        if self.labels is None:
            trials: list[Trial] = []
            for position in simplex_design(len(problem.names), self.n_points):
                trials.append(problem.trial(position, trials))
        else:
            trials = _line(problem, self.labels, self.n_points)
        return _measured(problem, self.labels, trials)

    def _problem(self, prepared: Prepared) -> Problem:
        data, split = prepared.data, prepared.split
        train, test = (
            Rows(features, data.Y[index], *_taken(data, index))
            for features, index in zip(
                prepared.features(self.method), (split.train, split.test), strict=True
            )
        )
        pairs = require_pairs(train, data.names, "training")
        require_pairs(test, data.names, "test")
        # Points are placed by the AUCs of the training rows: the test rows only report.
        return Problem(
            *(self.method.ranker, train, train, train, test),
            *(data.names, pairs, self.level, data.group_weight),
        )


def tradeoff_tasks(
    method: Method, n_labels: int, level: float, *, linear: bool
) -> list[Callable[[Prepared], Any]]:
    """A line for each pair of labels; for three and more labels also points all over."""
    pairs = list(combinations(range(n_labels), 2))
    fits, most, least = FITS[linear]
    n_points = max(min(fits // len(pairs), most), least)
    tasks: list[Callable[[Prepared], Any]] = [
        TradeOffTask(method, level, pair, n_points) for pair in pairs
    ]
    if n_labels > 2 and linear:
        tasks.append(TradeOffTask(method, level, None, FRONT_POINTS))
    return tasks


def _line(problem: Problem, labels: tuple[int, int], n_points: int) -> list[Trial]:
    """Both ends, then always a point in the middle of the widest gap."""
    n_labels = len(problem.names)
    places = [0.0, 1.0]
    line = [problem.trial(_position(labels, n_labels, 0.0), [])]
    line.append(problem.trial(_position(labels, n_labels, 1.0), line))
    for _ in range(n_points - 2):
        gap = widest_gap(np.array(places), np.array([trial.aucs for trial in line]), n_points)
        middle = (places[gap] + places[gap + 1]) / 2
        trial = problem.trial(_position(labels, n_labels, middle), line)
        places.insert(gap + 1, middle)
        line.insert(gap + 1, trial)
    return line


def _position(labels: tuple[int, int], n_labels: int, at: float) -> FloatArray:
    """A place on the line between two labels; each of the others has a pull of 1 / K."""
    k, j = labels
    position = np.ones(n_labels)
    position[k], position[j] = np.sqrt(2 / (at**2 + (1 - at) ** 2)) * np.array([1 - at, at])
    return np.asarray(position / position.sum())


def _measured(problem: Problem, labels: tuple[int, int] | None, trials: list[Trial]) -> TradeOff:
    judged = [problem.judge(trial.ranker) for trial in trials]
    conflicts = [_conflicts(problem, trial.ranker) for trial in trials]
    aucs = np.array([found.estimate for found in judged])
    return TradeOff(
        labels=labels,
        weights=np.array([trial.weights for trial in trials]),
        effective=shares(np.array([trial.position for trial in trials])),
        aucs=aucs,
        low=np.array([found.low for found in judged]),
        high=np.array([found.high for found in judged]),
        conflicts=np.array([found.estimate for found in conflicts]),
        conflicts_low=np.array([found.low for found in conflicts]),
        conflicts_high=np.array([found.high for found in conflicts]),
        on_front=front(aucs),
    )


def _conflicts(problem: Problem, ranker: Any) -> AUCIntervals:
    rows = problem.test
    return conflict_intervals(
        rows.Y,
        ranker.predict(rows.X),
        level=problem.level,
        **rows.given,
        group_weight=problem.group_weight,
    )


def _taken(data: Any, index: Any) -> tuple[Any, Any]:
    return (
        None if data.weight is None else data.weight[index],
        None if data.groups is None else data.groups[index],
    )
