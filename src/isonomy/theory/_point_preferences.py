"""An objective on a finite space: what each point puts above and below, in expectation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isonomy._core import (
    FloatArray,
    LabelAggregation,
    LossAggregation,
    Mix,
    Objective,
    OneLabel,
    Pooled,
    Preferences,
    SoftLabel,
    WorstLabel,
    check_objective,
    level_preferences,
)
from isonomy.theory._effective_weights import space_alphas
from isonomy.theory._levels import level_distribution, pattern_distribution, sum_columns
from isonomy.theory._space import Space


@dataclass(frozen=True, eq=False)
class PointPreferences:
    """The terms of an objective on a space: `Preferences` whose items are points.

    A population is a sample whose items are (point, label pattern) with weight
    mu(x) P(pattern | x). All patterns of a point have its score, so what they put above
    and below adds up:

        N_r(f) = sum_xx' above[x, r] below[x', r] H(f(x) - f(x'))
        D_r    = sum_xx' above[x, r] below[x', r]

    where a point ties with itself (H = 1/2).

    Attributes
    ----------
    above, below : ndarray of shape (m, R)
        mu(x) E[above | x] and mu(x) E[below | x] of each term.
    mix : Mix
        How the terms become one number.
    names : sequence of str or None
        The terms' names.
    """

    above: FloatArray
    below: FloatArray
    mix: Mix
    names: Sequence[str] | None

    def ratios(self, scores: FloatArray) -> FloatArray:
        """N / D of each ratio, by one sort; NaN where there are no pairs."""
        order = np.argsort(scores, kind="stable")
        ascending = scores[order]
        starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
        above = np.add.reduceat(self.above[order], starts, axis=0)
        below = np.add.reduceat(self.below[order], starts, axis=0)
        through = np.cumsum(below, axis=0)
        right = (above * (through - 0.5 * below)).sum(axis=0)
        return self.mixed(right, self.totals())

    def totals(self) -> FloatArray:
        """D of each term."""
        return np.asarray(self.above.sum(axis=0) * self.below.sum(axis=0))

    def mixed(self, right: FloatArray, total: FloatArray) -> FloatArray:
        """N / D along the last axis: one ratio per term, or one for all where pooled."""
        if self.mix.pooled:
            right, total = right.sum(axis=-1, keepdims=True), total.sum(axis=-1, keepdims=True)
        total = np.broadcast_to(total, right.shape)
        return np.divide(right, total, out=np.full_like(right, np.nan), where=total > 0)


def point_preferences(
    space: Space, objective: Objective, *, occurring: bool = True
) -> PointPreferences:
    """An objective's terms, without listing all label patterns where the objective allows.

    With `occurring`, the objective meets only the patterns that have probability > 0 at
    some point, as it would in a sample.
    """
    check_objective(objective)
    if isinstance(objective, LossAggregation | WorstLabel | OneLabel):
        return _per_label(space, objective)
    if isinstance(objective, SoftLabel):
        return _soft(space, objective)
    if isinstance(objective, LabelAggregation):
        levels, probabilities = level_distribution(space, objective, occurring=occurring)
        numbers = np.arange(levels.size, dtype=np.uint32)
        return _expected(space, probabilities, level_preferences(levels, numbers, objective.costs))
    bits, joint = pattern_distribution(space, occurring=occurring)
    preferences = objective.preferences(space.labels(bits))
    codes = preferences.codes.astype(np.int64)
    return _expected(space, sum_columns(joint, codes, preferences.n_patterns), preferences)


def _per_label(
    space: Space, objective: LossAggregation | WorstLabel | OneLabel
) -> PointPreferences:
    """Marginals are all that terms of single labels need."""
    labels = space.labels(np.array([[0.0], [1.0]]).repeat(space.n_labels, axis=1))
    preferences = objective.preferences(labels)
    eta = space.eta
    if isinstance(objective, OneLabel):
        eta = eta[:, [objective.column(labels)]]
    mu = space.mu[:, None]
    return PointPreferences(mu * eta, mu * (1.0 - eta), preferences.mix, preferences.names)


def _soft(space: Space, objective: SoftLabel) -> PointPreferences:
    """The mean label's expectation is the mean of the marginals."""
    weights = space_alphas(space, objective)
    assert weights is not None
    total = max(float(weights.sum()), 1e-300)
    above, below = (
        (space.mu * (eta @ weights) / total)[:, None] for eta in (space.eta, 1.0 - space.eta)
    )
    return PointPreferences(above, below, Pooled(), None)


def _expected(
    space: Space, probabilities: FloatArray, preferences: Preferences
) -> PointPreferences:
    weighted = space.mu[:, None] * probabilities
    return PointPreferences(
        np.asarray(weighted @ preferences.above),
        np.asarray(weighted @ preferences.below),
        preferences.mix,
        preferences.names,
    )
