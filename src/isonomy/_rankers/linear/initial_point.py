"""Where to start: the solution for a sample of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Preferences
from isonomy._pairsums import PreferenceLoss
from isonomy._rankers.linear.features import Features, sample
from isonomy._rankers.linear.penalised_loss import PenalisedLoss, Point
from isonomy._rankers.linear.solvers import minimise
from isonomy._rankers.linear.worst_label import joint_steps

_MIN_ROWS, _ROWS_PER_COLUMN, _SHARE = 4096, 64, 32
# A sample is worth its trouble where it is this much smaller than the whole.
_WORTH = 16
# What may be left of it, relative to the value.
_ENOUGH = 1e-4


def initial_point(problem: PenalisedLoss, preferences: Preferences) -> Point:
    """A point near the optimum for little, or else at zero.

    Rows are sampled with chances in proportion to the pairs that they bring, so that a rare
    label keeps its positives. The sample's optimum serves only where it is lower than zero.
    """
    assert isinstance(problem.features, Features)
    n, d = len(preferences.codes), problem.features.n_columns
    n_rows = max(_MIN_ROWS, _ROWS_PER_COLUMN * d, n // _SHARE)
    if preferences.group is None and n >= _WORTH * n_rows:
        rows, weight = _sample(problem, preferences, n_rows)
        few = replace(preferences, codes=preferences.codes[rows], weight=weight, count=None)
        loss = PreferenceLoss(few, problem.loss.surrogate)
        some = problem.features.X[rows]
        if loss.defined and np.isfinite(some if isinstance(some, np.ndarray) else some.data).all():
            features = replace(problem.features, X=some)
            small = replace(problem, features=features, loss=loss)
            solve = joint_steps if problem.worst else minimise
            found = solve(small.at(np.zeros(d)), max_iter=20, tol=_ENOUGH)
            with np.errstate(over="ignore", invalid="ignore"):
                scores = problem.features.scores(found.w)
            if problem.allows(scores):
                start = problem.remix(found.point.problem.mix).at(found.w, scores)
                at_zero = float(problem.loss.surrogate.value(np.array(0.0)) * problem.mix.sum())
                if start.value < at_zero:
                    return start
    return problem.at(np.zeros(d), np.zeros(n))


def _sample(
    problem: PenalisedLoss, preferences: Preferences, n_rows: int
) -> tuple[NDArray[np.int64], FloatArray]:
    """Rows, and weights that make up for their unequal chances.

    The chance of a row is its part in the pairs of all ratios, by their mix: for each term, the
    weight on the other side, over the weight of the term's pairs.
    """
    codes, weight = preferences.codes, preferences.weight
    mass = np.bincount(codes, weight, preferences.n_patterns)
    above, below = (table.astype(np.float64) for table in preferences.tables)
    up, down = mass @ above, mass @ below
    mix = problem.mix if problem.mix.size == up.size else np.ones(up.size)
    pairs = up * down
    each = np.divide(mix, pairs, out=np.zeros_like(pairs), where=pairs > 0.0)
    part = above @ (down * each) + below @ (up * each)
    chance = part[codes] if weight is None else part[codes] * weight
    rows, _ = sample(chance, n_rows)
    share = 1.0 / part[codes[rows]]
    return rows, share / share.max()
