"""Minimise a smooth convex loss over pairs, plus a penalty, by the weights of the features."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isonomy._losses import PairLoss, PairLossAt
from isonomy._preferences import FloatArray
from isonomy._rankers._curvature import Curvature, Memory
from isonomy._rankers._features import Features

# Rounding of a loss's value: differences below it say nothing.
_ROUNDING = 1e-14
# What may be left, relative to the value, when rounding stops the search.
_UNSEEN = 1e-9
_MAX_HALVINGS = 50
# While more than this is left, relative to the value, curvature changes enough to look again.
_FAR = 0.01
# Steps without progress, amid rounding, after which no more are tried.
_MAX_STALE = 5
# Weights this close to zero, in units of their own curvature, count as at zero.
_CLOSE = 1e-3
_STEEP, _MAX_STRETCH = 0.5, 5.0


@dataclass(frozen=True, eq=False)
class Problem:
    r"""Minimise :math:`\sum_q a_q\, loss_q(X w) + \frac{l_2}{2} |w|^2` by w.

    Parameters
    ----------
    features : Features
    loss : PairLoss
        Its ratios are the :math:`loss_q`.
    mix : (ratios,)
        :math:`a_q`, not negative.
    l2 : float
    positive : bool
        Whether the weights may not be negative.
    """

    features: Features
    loss: PairLoss
    mix: FloatArray
    l2: float
    positive: bool = False

    def at(self, w: FloatArray, scores: FloatArray | None = None) -> Point:
        """The problem at weights w, given their scores where they are known."""
        if scores is None:
            scores = self.features.scores(w)
        return Point(self, w, scores, self.loss.at(scores))

    def allows(self, scores: FloatArray) -> bool:
        """Whether the surrogate has a value at scores so far apart."""
        widest = self.loss.surrogate.max_range
        return math.isinf(widest) or float(np.ptp(scores)) <= widest

    def remix(self, mix: FloatArray) -> Problem:
        """The same problem with other weights of the ratios."""
        return replace(self, mix=mix)


@dataclass(eq=False)
class Point:
    """A problem at given weights; numbers are computed when they are wanted."""

    problem: Problem
    w: FloatArray
    scores: FloatArray
    pairs: PairLossAt

    @cached_property
    def value(self) -> float:
        """What is minimised."""
        used = self.problem.mix > 0.0
        loss = self.pairs.losses[used] @ self.problem.mix[used]
        return float(loss + 0.5 * self.problem.l2 * (self.w @ self.w))

    @cached_property
    def score_gradient(self) -> FloatArray:
        """Derivative of the loss by the scores."""
        return self.pairs.gradient(self.problem.mix)

    @cached_property
    def gradient(self) -> FloatArray:
        """Derivative by the weights."""
        return self.problem.features.pull(self.score_gradient) + self.problem.l2 * self.w

    @cached_property
    def score_curvature(self) -> FloatArray:
        """Diagonal of the Hessian of the loss by the scores."""
        return self.pairs.hessian_diagonal(self.problem.mix)

    @cached_property
    def curvature(self) -> Curvature:
        """A stand-in for the Hessian by the weights."""
        return Curvature.of(self.problem.features, self.score_curvature, self.problem.l2)

    def slope(self, direction: FloatArray, moved: FloatArray) -> float:
        """Derivative along a direction that moves the scores by `moved`."""
        return float(self.score_gradient @ moved + self.problem.l2 * (self.w @ direction))

    def hessian_product(self, direction: FloatArray) -> FloatArray:
        """Hessian by the weights times a direction."""
        features, mix = self.problem.features, self.problem.mix
        felt = self.pairs.hessian_product(features.scores(direction), self.score_curvature, mix)
        return features.pull(felt) + self.problem.l2 * direction

    def remix(self, mix: FloatArray) -> Point:
        """The same weights under another mix of the ratios."""
        return Point(self.problem.remix(mix), self.w, self.scores, self.pairs)


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the solver stopped.

    Attributes
    ----------
    point : Point
        The last point whose value is known.
    w : (d,)
        Weights one step further, a step so small that its value is not worth a look.
    n_iter : int
    converged : bool
    left : float
        An estimate of how far the value is above its minimum.
    """

    point: Point
    w: FloatArray
    n_iter: int
    converged: bool
    left: float


def minimise(start: Point, *, max_iter: int, tol: float) -> Solution:
    r"""Go downhill by L-BFGS on top of `Curvature` until less than tol times the value is left.

    What is left is estimated as :math:`g^T B^{-1} g / 2`, with B the learned Hessian. Weights
    that may not be negative move along the projected arc (Bertsekas' two-metric projection):
    those at zero that the gradient holds there are left out of B.
    """
    point, memory, curvature = start, Memory(), start.curvature
    least, stale = np.inf, 0
    for n_iter in range(max_iter + 1):
        step = _direction(point, curvature, memory)
        ahead = _move(point, step, 1.0)
        left = -0.5 * float(point.gradient @ (ahead - point.w))
        if left <= tol * abs(point.value):
            return Solution(point, ahead, n_iter, True, left)
        if n_iter == max_iter:
            break
        stale = 0 if left < 0.5 * least else stale + (left <= _ROUNDING * abs(point.value))
        least = min(least, left)
        found = _search(point, step) if stale < _MAX_STALE else None
        if found is None:  # Rounding hides any lower value: as close as numbers go.
            return Solution(point, point.w, n_iter, left <= _UNSEEN * abs(point.value), left)
        memory.add(found.w - point.w, found.gradient - point.gradient)
        if left > _FAR * abs(point.value):
            curvature = found.curvature
        point = found
    return Solution(point, point.w, max_iter, False, left)


def _direction(point: Point, curvature: Curvature, memory: Memory) -> FloatArray:
    """The step that the learned Hessian proposes."""
    g = point.gradient
    free = np.ones(g.size, dtype=bool)
    if point.problem.positive:
        natural = point.w - np.maximum(point.w - g / curvature.scale**2, 0.0)
        close = min(_CLOSE, float(np.linalg.norm(natural * curvature.scale)))
        free = (point.w * curvature.scale > close) | (g <= 0.0)
    step = -g / curvature.scale**2
    step[free] = -memory.solve(g[free], curvature.among(free), free)
    return step


def _move(point: Point, step: FloatArray, t: float) -> FloatArray:
    """The weights after t steps."""
    w = point.w + t * step
    return np.maximum(w, 0.0) if point.problem.positive else w


def _search(point: Point, step: FloatArray) -> Point | None:
    """A point along the step that is low enough, or None where there is none."""
    problem, t = point.problem, 1.0
    moved = None if problem.positive else problem.features.scores(step)
    for _ in range(_MAX_HALVINGS):
        w = _move(point, step, t)
        if moved is None:
            scores = point.scores + problem.features.scores(w - point.w)
        else:
            scores = point.scores + t * moved
        if problem.allows(scores):
            found = problem.at(w, scores)
            gain = 1e-4 * float(point.gradient @ (w - point.w))
            if found.value <= point.value + gain + _ROUNDING * abs(point.value):
                if moved is not None and t == 1.0:
                    return _refine(point, found, step, moved)
                return found
        t *= 0.5
    return None


def _refine(point: Point, found: Point, step: FloatArray, moved: FloatArray) -> Point:
    """Where the slope after a step is still steep, go where it would vanish if it were linear.

    Scores are linear in the step, so that this costs a loss but no pass over the features.
    """
    before, after = float(point.gradient @ step), found.slope(step, moved)
    if abs(after) <= _STEEP * abs(before):
        return found
    t = min(before / (before - after), _MAX_STRETCH) if after > before else _MAX_STRETCH
    scores = point.scores + t * moved
    if not point.problem.allows(scores):
        return found
    other = point.problem.at(point.w + t * step, scores)
    return other if other.value < found.value else found
