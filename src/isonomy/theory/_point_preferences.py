"""An objective on a finite space: what each point puts above and below, in expectation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isonomy._core import (
    FloatArray,
    LabelAggregation,
    LossAggregation,
    Mix,
    Objective,
    OneLabel,
    Preferences,
    WorstLabel,
    level_preferences,
)
from isonomy.theory._levels import collapse, level_distribution, listed
from isonomy.theory._space import Space


@dataclass(frozen=True, eq=False)
class Sides:
    """The terms of an objective on a space.

    A population is a sample whose items are (point, label pattern) with weight
    mu(x) P(pattern | x). All patterns of a point have its score, so their sides add up:

        N_r(f) = sum_xx' upper[x, r] lower[x', r] H(f(x) - f(x'))
        D_r    = sum_xx' upper[x, r] lower[x', r]

    where a point ties with itself (H = 1/2).

    Attributes
    ----------
    upper, lower : ndarray of shape (m, R)
        mu(x) E[above | x] and mu(x) E[below | x] of each term.
    mix : Mix
        How the terms become one number.
    names : sequence of str or None
        The terms' names.
    """

    upper: FloatArray
    lower: FloatArray
    mix: Mix
    names: tuple[str, ...] | None

    def ratios(self, scores: FloatArray) -> FloatArray:
        """N / D of each ratio, by one sort; NaN where there are no pairs."""
        order = np.argsort(scores, kind="stable")
        ascending = scores[order]
        starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
        upper = np.add.reduceat(self.upper[order], starts, axis=0)
        lower = np.add.reduceat(self.lower[order], starts, axis=0)
        through = np.cumsum(lower, axis=0)
        right = (upper * (through - 0.5 * lower)).sum(axis=0)
        return self.mixed(right, self.totals())

    def totals(self) -> FloatArray:
        """D of each term."""
        return np.asarray(self.upper.sum(axis=0) * self.lower.sum(axis=0))

    def mixed(self, right: FloatArray, total: FloatArray) -> FloatArray:
        """N / D along the last axis: one ratio per term, or one for all where pooled."""
        if self.mix.pooled:
            right, total = right.sum(axis=-1, keepdims=True), total.sum(axis=-1, keepdims=True)
        total = np.broadcast_to(total, right.shape)
        return np.divide(right, total, out=np.full_like(right, np.nan), where=total > 0)


def sides_of(space: Space, objective: Objective, *, occurring: bool = True) -> Sides:
    """Expected sides, without listing all label patterns where the objective allows.

    With `occurring`, the objective meets only the patterns that have probability > 0 at
    some point, as it would in a sample.
    """
    if not hasattr(objective, "preferences") or isinstance(objective, type):
        raise TypeError(
            "Parameter `objective` should be an objective such as `LabelAggregation()`. "
            f"Found {objective!r}."
        )
    if isinstance(objective, LossAggregation | WorstLabel | OneLabel):
        return _per_label(space, objective)
    if isinstance(objective, LabelAggregation):
        levels, probabilities = level_distribution(space, objective, occurring=occurring)
        numbers = np.arange(levels.size, dtype=np.uint32)
        return _expected(space, probabilities, level_preferences(levels, numbers, objective.costs))
    bits, joint = listed(space, occurring=occurring)
    preferences = objective.preferences(space.labels(bits))
    codes = preferences.codes.astype(np.int64)
    return _expected(space, collapse(joint, codes, preferences.n_patterns), preferences)


def _per_label(space: Space, objective: LossAggregation | WorstLabel | OneLabel) -> Sides:
    """Marginals are all that terms of single labels need."""
    labels = space.labels(np.array([[0.0], [1.0]]).repeat(space.n_labels, axis=1))
    preferences = objective.preferences(labels)
    eta = space.eta
    if isinstance(objective, OneLabel):
        eta = eta[:, [objective.column(labels)]]
    mu = space.mu[:, None]
    return Sides(mu * eta, mu * (1.0 - eta), preferences.mix, _names(preferences))


def _expected(space: Space, probabilities: FloatArray, preferences: Preferences) -> Sides:
    weighted = space.mu[:, None] * probabilities
    return Sides(
        np.asarray(weighted @ preferences.above),
        np.asarray(weighted @ preferences.below),
        preferences.mix,
        _names(preferences),
    )


def _names(preferences: Preferences) -> tuple[str, ...] | None:
    return None if preferences.names is None else tuple(preferences.names)
