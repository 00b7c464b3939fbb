"""Where to start: the solution for a sample of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isonomy._losses import PairLoss
from isonomy._preferences import Preferences
from isonomy._rankers._curvature import sample
from isonomy._rankers._features import Features
from isonomy._rankers._solvers import Point, Problem, minimise

_MIN_ROWS, _ROWS_PER_COLUMN, _SHARE = 4096, 64, 32
# A sample is worth its trouble where it is this much smaller than the whole.
_WORTH = 8


def good_start(problem: Problem, preferences: Preferences) -> Point:
    """A point near the optimum for little, or else at zero.

    Rows are sampled with chances in proportion to the curvature that they bring, so that a rare
    label keeps its positives. The sample's optimum serves only where it is lower than zero.
    """
    d = problem.features.n_columns
    origin = problem.at(np.zeros(d), np.zeros(len(preferences.codes)))
    n_rows = max(_MIN_ROWS, _ROWS_PER_COLUMN * d, len(preferences.codes) // _SHARE)
    h = origin.score_curvature
    if preferences.group is not None or h.size < _WORTH * n_rows or not h.max() > 0.0:
        return origin
    rows, _ = sample(h, n_rows)
    weight = 1.0 if preferences.weight is None else preferences.weight[rows]
    weight = weight / h[rows]
    few = replace(preferences, codes=preferences.codes[rows], weight=weight / weight.max())
    loss = PairLoss(few, problem.loss.surrogate)
    if not loss.defined:
        return origin
    features = Features(problem.features.X[rows], problem.features.origin)
    small = replace(problem, features=features, loss=loss)
    w = minimise(small.at(np.zeros(d)), max_iter=20, tol=1e-4).point.w
    scores = problem.features.scores(w)
    if not problem.allows(scores):
        return origin
    start = problem.at(w, scores)
    return start if start.value < origin.value else origin
