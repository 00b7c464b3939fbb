r"""The worst label: minimise the largest of several losses, to optimality.

.. math:: \min_w \max_k\, loss_k(X w) + \frac{l_2}{2} |w|^2
          = \max_{a \in \Delta} q(a), \quad
          q(a) = \min_w \sum_k a_k\, loss_k(X w) + \frac{l_2}{2} |w|^2

First w and a move together: each step minimises the largest of the losses' linear models plus half
the curvature of their mix (sequential quadratic programming), and costs about as much as a step for
one loss. What is left then, or where weights are bounded or too many for that, is done by the
dual q. It is concave in the label weights a on the simplex, with gradient :math:`loss_k` and
Hessian :math:`-G^T H^{-1} G` at the inner optimum. Newton's method on it needs few inner problems.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray
from isonomy._rankers.linear.curvature import Curvature, StepHistory
from isonomy._rankers.linear.penalised_loss import Point
from isonomy._rankers.linear.solvers import FAR, Solution, minimise, newton_step, undercut

_MAX_OUTER = 50
_MAX_HALVINGS = 20
# Inner problems are solved this much tighter than the gap: the bound needs their gradient small.
_INNER, _INNER_LEAST = 1e-7, 1e-19
# The gap closes in proportion to the error of the weights, the inner values with its square.
_GAP = 100.0
# A gap that rounding keeps from closing further is closed.
_CLOSED = 1e-8
# Of wide tables, whose steps are dear, inner problems are solved less tightly, the curvature of the
# dual is known less well, and the gap may be so many times larger.
_WIDE_INNER, _LOOSE = 1e-4, 1000.0
_FORCING, _WIDE_FORCING = 1e-16, 1e-3
# Joint steps that promise no less to be left than before, after which no more are tried.
_MAX_STALE = 3


def minimise_worst(start: Point, *, max_iter: int, tol: float) -> Solution:
    """Maximise the dual by Newton's method on the simplex, from the mix of `start`.

    The solution's mix are the best label weights, and what is left is the largest loss less its
    lower bound from the dual.
    """
    wide = start.problem.is_wide
    tol = _LOOSE * tol if wide else tol
    joint = joint_steps(start, max_iter=max_iter, tol=_GAP * tol)
    if joint.converged or joint.n_iter >= max_iter:
        return joint
    inner = minimise(
        joint.point, max_iter=max_iter - joint.n_iter, tol=_inner(tol, wide), proven=True
    )
    n_iter = joint.n_iter + inner.n_iter
    best = inner
    for _ in range(_MAX_OUTER):
        if (
            inner.endless
            or n_iter >= max_iter
            or _gap(inner) <= _GAP * tol * abs(inner.point.value)
        ):
            break
        a = inner.point.problem.mix
        step = _newton(inner.point, _WIDE_FORCING if wide else _FORCING) - a
        found, spent = _search(inner, step, max_iter - n_iter, tol)
        n_iter += spent
        if found is None:
            break
        inner = found
        if _gap(inner) < _gap(best):
            best = inner
    gap = _gap(best)
    closed = gap <= max(_GAP * tol, _CLOSED) * abs(best.point.value)
    # The gap is that of the point itself: one step further the largest loss may be larger.
    return replace(
        best, w=best.point.w, n_iter=n_iter, converged=closed and not best.endless, left=gap
    )


def joint_steps(start: Point, *, max_iter: int, tol: float) -> Solution:
    """Move the weights and the mix together until the gap is tol times the value, or it stays.

    Weights that may not be negative, and curvature that only products tell, are not for this.
    """
    point, history, curvature = start, StepHistory(), None
    best, least, stale, n_iter = Solution(point, point.w, 0, False, np.inf), np.inf, 0, 0
    if start.problem.positive or start.problem.by_products:
        return best
    G = _pulls(point)
    while True:
        curvature = curvature or point.curvature
        point, step = _joint_step(point, G, curvature, history)
        left = -0.5 * float(point.gradient @ step)
        here = Solution(point, point.w, n_iter, False, left)
        gap, value = _gap(here), abs(point.value)
        if gap < best.left:
            best = replace(here, left=gap, converged=gap <= tol * value)
        # What the quadratic model promises.
        promise = left + float(point.pairs.losses.max() - point.pairs.losses @ point.problem.mix)
        stale = 0 if promise < 0.5 * least else stale + 1
        least = min(least, promise)
        if best.converged or stale > _MAX_STALE or n_iter >= max_iter:
            return replace(best, n_iter=n_iter)
        found = _fall(point, step, promise)
        if found is None:
            return replace(best, n_iter=n_iter)
        after = _pulls(found)
        change = (after - G) @ point.problem.mix + point.problem.penalty * (found.w - point.w)
        history.add(found.w - point.w, change)
        if left > FAR * value:
            curvature = None
        point, G, n_iter = found, after, n_iter + 1


def _pulls(point: Point) -> FloatArray:
    """The gradients of all losses by the weights of the features, (d, K)."""
    felt = [point.pairs.gradient(unit) for unit in np.eye(point.problem.mix.size)]
    return point.problem.features.pulls(felt)


def _joint_step(
    point: Point, G: FloatArray, curvature: Curvature, history: StepHistory
) -> tuple[Point, FloatArray]:
    """The point under the mix that bounds the quadratic model from below, and the step to it."""
    free = np.ones(point.w.size, dtype=bool)
    a, losses = point.problem.mix, point.pairs.losses
    inverse = np.stack([history.solve(g, curvature, free) for g in G.T], axis=1)
    pull = history.solve(point.penalty_gradient, curvature, free)
    M = G.T @ inverse
    rise = losses - G.T @ (inverse @ a + pull)
    found = point.remix(simplex_maximum(0.5 * (M + M.T), rise, a))
    found.gradient = G @ found.problem.mix + found.penalty_gradient
    return found, -(inverse @ found.problem.mix + pull)


def _fall(point: Point, step: FloatArray, promise: float) -> Point | None:
    """A point along the step where the largest loss plus the penalty is low enough, if any."""
    problem, t = point.problem, 1.0
    moved, worth = problem.features.scores(step), _worth(point)
    for _ in range(_MAX_HALVINGS):
        scores = point.scores + t * moved
        if problem.allows(scores):
            found = problem.at(point.w + t * step, scores)
            if _worth(found) <= worth - 1e-4 * t * promise + problem.rounding * abs(worth):
                return found
        t *= 0.5
    return None


def _worth(point: Point) -> float:
    """What is minimised in the end."""
    problem = point.problem
    return problem.total(point.pairs.losses) + 0.5 * float((problem.penalty * point.w) @ point.w)


def _inner(tol: float, wide: bool) -> float:
    return max((_WIDE_INNER if wide else _INNER) * tol, _INNER_LEAST)


def _gap(inner: Solution) -> float:
    """The largest loss less the mean loss, plus what the inner problem may still fall."""
    point = inner.point
    losses = point.pairs.losses
    # The mean of equal losses may round to more than each of them.
    return max(float(losses.max() - losses @ point.problem.mix), 0.0) + undercut(inner)


def _search(
    inner: Solution, step: FloatArray, max_iter: int, tol: float
) -> tuple[Solution | None, int]:
    """An inner solution along the step with a higher dual, or none; and the steps it took."""
    point, t, spent = inner.point, 1.0, 0
    rise = float(point.pairs.losses @ step)
    for _ in range(_MAX_HALVINGS):
        mix = np.maximum(point.problem.mix + t * step, 0.0)
        found = minimise(
            point.remix(mix / mix.sum()),
            max_iter=max(max_iter - spent, 1),
            tol=_inner(tol, point.problem.is_wide),
            proven=True,
        )
        spent += found.n_iter
        if found.point.value >= point.value + 1e-4 * t * rise - point.problem.rounding * abs(
            point.value
        ):
            return found, spent
        if spent >= max_iter:
            break
        t *= 0.5
    return None, spent


def _newton(point: Point, forcing: float) -> FloatArray:
    """The label weights that maximise the dual's quadratic model."""
    losses, a = point.pairs.losses, point.problem.mix
    active = np.flatnonzero((a > 0.0) | (losses >= losses @ a))
    pulls = [point.pairs.gradient(unit) for unit in np.eye(a.size)[active]]
    G = point.problem.features.pulls(pulls)
    free = np.ones(point.w.size, dtype=bool)
    if point.problem.positive:
        free = (point.w > 0.0) | (point.gradient < 0.0)
    inverse = np.stack([newton_step(point, g, free, forcing, 10 * g.size) for g in G.T], axis=1)
    M = G.T @ inverse
    found = np.zeros_like(a)
    found[active] = simplex_maximum(0.5 * (M + M.T), losses[active], a[active])
    return found


def simplex_maximum(M: FloatArray, b: FloatArray, a: FloatArray) -> FloatArray:
    r"""Maximise :math:`b^T (x - a) - \frac12 (x - a)^T M (x - a)` for x on the simplex.

    An active-set method from a, for the few labels there are.

    Examples
    --------
    >>> simplex_maximum(np.eye(2), np.array([0.0, 0.5]), np.array([1.0, 0.0]))
    array([0.75, 0.25])
    """
    k = b.size
    M = M + (1e-13 * max(float(np.trace(M)), 1e-300)) * np.eye(k)
    x = a / a.sum()
    free = x > 0.0
    target = b + M @ a
    for _ in range(20 * k + 20):
        f = int(free.sum())
        system = np.ones((f + 1, f + 1))
        system[:f, :f], system[f, f] = M[np.ix_(free, free)], 0.0
        solved = np.linalg.lstsq(system, np.append(target[free], 1.0), rcond=None)[0]
        wish = np.zeros(k)
        wish[free] = solved[:f]
        if (wish[free] <= 0.0).any():
            # Go as far as the first weight that vanishes, and fix it at zero.
            falling = free & (wish <= 0.0)
            share = x[falling] / np.maximum(x[falling] - wish[falling], 1e-300)
            x = np.maximum(x + min(1.0, float(share.min())) * (wish - x), 0.0)
            free = free & ~_first(falling, share)
            x[~free] = 0.0
            continue
        x = wish
        excess = np.where(free, -np.inf, target - M @ x - solved[f])
        enters = int(np.argmax(excess))
        if excess[enters] <= 1e-14 * float(np.abs(target).max()):
            break
        free = free.copy()
        free[enters] = True
    return np.asarray(x / x.sum())


def _first(falling: NDArray[np.bool_], share: FloatArray) -> NDArray[np.bool_]:
    """Which of the falling weights vanishes first."""
    out = np.zeros_like(falling)
    out[np.flatnonzero(falling)[int(np.argmin(share))]] = True
    return out
