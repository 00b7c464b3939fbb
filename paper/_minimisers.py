"""The least pair loss on finite spaces, many spaces at once, without a model in between."""

from __future__ import annotations

import numpy as np

import isonomy as iso
from isonomy._core import Items
from isonomy.surrogates import Surrogate

STEPS, STILL, ROUNDING = 100, 1e-11, 1e-14


def patterns(n_labels: int) -> np.ndarray:
    """All label patterns; bit k of a row's number is label k."""
    return np.arange(2**n_labels)[:, None] >> np.arange(n_labels) & 1


def population(eta: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A space as a weighted sample: labels, weights, and the point of each item."""
    Y = patterns(eta.shape[1])
    chance = np.where(Y, eta[:, None, :], 1 - eta[:, None, :]).prod(axis=2)
    point = np.repeat(np.arange(len(eta)), len(Y))
    return np.tile(Y, (len(eta), 1)), (mu[:, None] * chance).ravel(), point


def pair_weights(objective: iso.Objective, eta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """a(x, x'): what the objective gives for x above x', in expectation; (points, points)."""
    Y, weight, point = population(eta, mu)
    wish = Items.checked(Y, sample_weight=weight).preferences(objective)
    above, below = (
        np.array([np.bincount(point, column, len(eta)) for column in side.T]).T
        for side in (np.asarray(t, float)[wish.codes] * weight[:, None] for t in wish.tables)
    )
    if not wish.mix.pooled:
        above = above * wish.mix.slope(np.full(wish.n_terms, 0.5)) / above.sum(0) / below.sum(0)
    found = above @ below.T
    return found / found.sum()


def minimisers(a: np.ndarray, surrogate: Surrogate) -> np.ndarray:
    """The scores of least loss for pair weights (spaces, points, points), by Newton's method."""
    f = np.zeros(a.shape[:2])
    eye = np.eye(a.shape[1])
    for _ in range(STEPS):
        z = f[:, :, None] - f[:, None, :]
        pull, bend = a * surrogate.slope(z), a * surrogate.curvature(z)
        gradient = pull.sum(axis=2) - pull.sum(axis=1)
        bend = bend + bend.transpose(0, 2, 1)
        hessian = eye * bend.sum(axis=2)[:, :, None] - bend
        # Scores matter by their differences alone: their sum is held at 0.
        size = np.trace(hessian, axis1=1, axis2=2)[:, None, None]
        step = -np.linalg.solve(hessian + size / a.shape[1], gradient[:, :, None])[:, :, 0]
        length, before = np.ones((len(f), 1)), (1.0 + ROUNDING) * _value(a, f, surrogate)
        while (worse := _value(a, f + length * step, surrogate) > before).any():
            length[worse] *= 0.5
        f = f + length * step
        if np.abs(step).max() < STILL:
            break
    return f


def _value(a: np.ndarray, f: np.ndarray, surrogate: Surrogate) -> np.ndarray:
    return np.asarray((a * surrogate.value(f[:, :, None] - f[:, None, :])).sum(axis=(1, 2)))


def wrongly_ordered(f: np.ndarray, best: np.ndarray) -> bool:
    """Whether some two points stand in another order than by the best scores, but for rounding."""
    gap = best[:, None] - best
    clear = np.abs(gap) > 1e-9 * np.abs(best).max()
    return bool((clear & (np.sign(f[:, None] - f) != np.sign(gap))).any())
