"""Minimise a convex loss over pairs, plus a penalty, by the weights of the features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray
from isonomy._rankers.linear.curvature import Curvature, StepHistory
from isonomy._rankers.linear.penalised_loss import MANY_ENTRIES, Point

# What is left, relative to the value, where the gradient is nothing but rounding.
_NOTHING = 1e-28
# What may be left, relative to the value, when rounding stops the search.
_UNSEEN = 1e-9
# Steps are halved some times, then cut faster: an outlier may make them 1e12 times too long.
_HALVINGS, _MAX_CUTS = 12, 40
# While more than this is left, relative to the value, curvature changes enough to look again.
FAR = 0.01
# Steps without progress, amid rounding, after which no more are tried.
_MAX_STALE = 5
# Weights this close to zero, in units of their own curvature, count as at zero.
_CLOSE = 1e-3
_STEEP, _MAX_STRETCH = 0.5, 5.0
# The curvature of a feature is at most this many times that of typical rows, or is not trusted.
_TRUSTED = 100.0
_MAX_PRODUCTS = 250
# After so many steps the learned Hessian has failed, as it may where curvature jumps.
_PATIENCE = 50
# Where steps are dear, what the next would leave is foreseen, and may be so many times more: by
# entries of the features. Even then it is far less than one row more or less would change.
_LOOSE = ((25_000_000, 100_000.0), (MANY_ENTRIES, 1000.0))
# A step that is to be the last leaves this much of what may be left.
_ENOUGH = 0.1


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
        An estimate of how far the value at `point` is above its minimum.
    endless : bool
        Whether there is no minimum, because the classes can be separated.
    """

    point: Point
    w: FloatArray
    n_iter: int
    converged: bool
    left: float
    endless: bool = False


def minimise(start: Point, *, max_iter: int, tol: float, proven: bool = False) -> Solution:
    r"""Go downhill until less than tol times the value is left.

    What is left is estimated as :math:`g^T B^{-1} g / 2`, with B the learned Hessian, which an
    outlier among the features can make far too large. Where it is larger than that of typical
    rows could be, the search goes on without the outliers, and ends when that, too, has no more
    to gain.

    Parameters
    ----------
    start : Point
    max_iter : int
    tol : float
    proven : bool
        Whether that little must be left at `point` itself, however many the features.
    """
    found = _descend(start, max_iter, tol, proven)
    if not found.converged or _typical(found, start.curvature, tol):
        return found
    again = _descend(found.point.tamed(), max_iter - found.n_iter, tol, proven)
    gained = found.point.value - again.point.value
    ended = again.converged or (not again.endless and gained <= tol * abs(found.point.value))
    steps = found.n_iter + again.n_iter
    if ended and not again.converged:
        return replace(found, n_iter=steps)
    return replace(again, n_iter=steps)


def _typical(found: Solution, curvature: Curvature, tol: float) -> bool:
    """Whether what is left is no less than it would be by the curvature of typical rows."""
    g, problem = found.point.gradient, found.point.problem
    typical = max(curvature.typical, problem.damping, 1e-300)
    largest = _TRUSTED * g.size * typical + problem.penalty
    return 0.5 * float(g @ (g / largest)) <= max(found.left, tol * abs(found.point.value))


def _descend(start: Point, max_iter: int, tol: float, proven: bool) -> Solution:
    """L-BFGS on top of `Curvature`, or Newton's method by products with the Hessian.

    Weights that may not be negative move along the projected arc (Bertsekas' two-metric
    projection): those at zero that the gradient holds there are left out of B.
    """
    point, history, curvature = start, StepHistory(), start.curvature
    least, stale, forcing, lefts = np.inf, 0, 1e-2, []
    loose = 1.0 if proven else _looseness(start.problem.features.n_entries)
    probe = 1e-2 * start.value if start.problem.may_be_endless else -1.0
    for n_iter in range(max_iter + 1):
        by_products = start.problem.by_products or n_iter >= _PATIENCE
        step, free = _direction(point, curvature, history, forcing if by_products else None)
        ahead = _move(point, step, 1.0)
        # Of the free weights as if none were cut at zero: what is cut may hide what is left.
        left = -0.5 * float(point.gradient @ np.where(free, step, ahead - point.w))
        lefts.append(left)
        # Foreseen: the last step is as good as the worse of the two before it.
        rates = [min(b / a, 1.0) for a, b in pairwise(lefts[-3:])]
        foreseen = left * max(rates, default=1.0) / loose if loose > 1.0 else left
        if min(left, foreseen) <= tol * abs(point.value):
            w = ahead if left > _NOTHING * abs(point.value) else point.w
            return Solution(point, w, n_iter, True, left)
        if n_iter == max_iter:
            break
        if point.value < probe:
            if point.separates():
                return Solution(point, point.w, n_iter, False, point.value, True)
            probe = 0.1 * point.value
        stale = (
            0 if left < 0.5 * least else stale + (left <= start.problem.rounding * abs(point.value))
        )
        least, near = min(least, left), left <= FAR * abs(point.value)
        found = _search(point, step, near) if stale < _MAX_STALE else None
        if found is None:  # Rounding hides any lower value: as close as numbers go.
            endless = start.problem.may_be_endless and point.separates()
            seen = not endless and left <= _UNSEEN * abs(point.value)
            return Solution(point, point.w, n_iter, seen, left, endless)
        history.add(found.w - point.w, found.gradient - point.gradient)
        if not near or by_products:
            curvature = found.curvature
        value = max(abs(point.value), 1e-300)
        # Tighter from step to step, but no tighter than it takes to end.
        enough = _ENOUGH * tol * loose * value / max(left, 1e-300)
        forcing = min(1e-2, max(left / value, enough))
        point = found
    return Solution(point, point.w, max_iter, False, left)


def _looseness(n_entries: int) -> float:
    return next((loose for least, loose in _LOOSE if n_entries >= least), 1.0)


def _direction(
    point: Point, curvature: Curvature, history: StepHistory, forcing: float | None
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The step that the Hessian proposes, and the free weights.

    By products with it until they leave less than `forcing`; or where None what is learned of it.
    """
    g = point.gradient
    free = np.ones(g.size, dtype=bool)
    if point.problem.positive:
        natural = point.w - np.maximum(point.w - g / curvature.scale / curvature.scale, 0.0)
        close = min(_CLOSE, float(np.linalg.norm(natural * curvature.scale)))
        free = (point.w * curvature.scale > close) | (g <= 0.0)
    step = -g / curvature.scale / curvature.scale
    if forcing is not None:
        return np.where(free, -newton_step(point, g, free, forcing, _MAX_PRODUCTS), step), free
    step[free] = -history.solve(g[free], curvature.among(free), free)
    return step, free


def newton_step(
    point: Point, g: FloatArray, free: NDArray[np.bool_], forcing: float, max_products: int
) -> FloatArray:
    """The inverse Hessian of the free weights times g, by preconditioned conjugate gradients."""
    curvature = point.curvature.among(free)
    x, r = np.zeros_like(g), np.where(free, g, 0.0)
    p = np.zeros_like(g)
    y = curvature.solve(r[free])
    p[free] = y
    rho = first = float(r[free] @ y)
    for _ in range(max_products):
        if rho <= forcing * first or rho <= 0.0:
            break
        Hp = np.where(free, point.hessian_product(p), 0.0)
        bend = float(p @ Hp)
        if bend <= 0.0:
            break
        alpha = rho / bend
        x, r = x + alpha * p, r - alpha * Hp
        y = curvature.solve(r[free])
        rho, old = float(r[free] @ y), rho
        p *= rho / old
        p[free] += y
    return x if x.any() else p


def undercut(found: Solution) -> float:
    """How far a minimum can be below its point: certain where l2 > 0, by convexity.

    The value minus the penalty is convex, so the value at v is at least that of the parabola
    value + g (v - w) + l2/2 |v - w|^2, whose minimum is known. Nor is it below 0. Without l2 it is
    an estimate.
    """
    point = found.point
    g, penalty = point.gradient, point.problem.penalty
    if point.problem.centre is not None:
        penalty = penalty + point.problem.damping
    if (g[penalty == 0.0] != 0.0).any():
        return found.left
    step = -g / np.where(penalty > 0.0, penalty, 1.0)
    if point.problem.positive:
        step = np.maximum(point.w + step, 0.0) - point.w
    return min(-float(g @ step + 0.5 * (penalty * step) @ step), point.value)


def _move(point: Point, step: FloatArray, t: float) -> FloatArray:
    """The weights after t steps."""
    w = point.w + t * step
    return np.maximum(w, 0.0) if point.problem.positive else w


def _search(point: Point, step: FloatArray, near: bool) -> Point | None:
    """A point along the step that is low enough, or None where there is none."""
    problem, t = point.problem, 1.0
    moved = None if problem.positive else problem.features.scores(step)
    for cut in range(_MAX_CUTS):
        w = _move(point, step, t)
        if moved is None:
            scores = point.scores + problem.features.scores(w - point.w)
        else:
            scores = point.scores + t * moved
        if problem.allows(scores):
            found = problem.at(w, scores)
            gain = 1e-4 * min(float(point.gradient @ (w - point.w)), 0.0)
            if found.value <= point.value + gain + problem.rounding * abs(point.value):
                if moved is not None and t == 1.0 and not near:
                    return _refine(point, found, step, moved)
                return found
        t *= 0.5 if cut < _HALVINGS else 0.03
    return None


def _refine(point: Point, found: Point, step: FloatArray, moved: Any) -> Point:
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
