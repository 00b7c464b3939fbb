r"""The hinge: convex, but with a kink at a margin of 1, which is rounded off less and less.

.. math:: \phi_\mu(z) = \max_{0 \le \alpha \le 1}\; \alpha (1 - z) - \frac\mu2 \alpha^2
          = \frac1{2\mu} \left( [1 - z]_+^2 - [1 - \mu - z]_+^2 \right)

is smooth, a difference of two squared hinges, so that its sums over all pairs are known. Its
optimum proves how good it is for the hinge itself: with :math:`H(m) = \sum [m - z]_+` over the
pairs, and V the sum of :math:`\phi_\mu`, the hinge cannot be lower by more than
:math:`H(1) + H(1 - \mu) - 2 V` (twice the error of the trapezoidal rule for V), and what is left
to gain of V.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isonomy._core import FloatArray
from isonomy._pairsums import PreferenceLoss, PreferenceLossAt, surrogate_sums
from isonomy._rankers.linear.penalised_loss import PenalisedLoss, Point
from isonomy._rankers.linear.solvers import Solution, undercut
from isonomy.surrogates import SURROGATES, Surrogate

_SQUARED = SURROGATES["squared_hinge"]
# Widths of the rounded kink. Below the last, the difference of two sums has too few digits.
_WIDTHS = (0.5, 0.1, 0.02, 4e-3, 8e-4, 1.6e-4, 3e-5)
_NEXT_WIDTH = 0.8 * _WIDTHS[-1]
# What may be left at the last widths, relative to the value.
_TIGHT = 1e-15
# Rounding of a value, times the width, for up to so many rows: for more it grows like a random
# walk. And mean squares from which on it is too large.
_ROUNDING, _FEW_ROWS, _LARGEST = 1e-15, 1000, 1e10
# Where no pair is at its kink, nothing else keeps a step short.
_DAMPING = 1e-4
# The dual of the worst label needs more: the weights are pulled to where they are, again and
# again until they stay there (the proximal point method).
_PULL, _MAX_PULLS, _STILL = 1e-2, 30, 1e-3
# The gap at which it has converged, in units of tol.
GAP = 1e5


@dataclass(frozen=True, eq=False)
class RoundedHinge:
    """The hinge loss with its kink rounded off over a given width of the margin."""

    hinge: PreferenceLoss
    width: float

    @property
    def surrogate(self) -> Surrogate:
        """The hinge, for scores as far apart as its squares can take with the kink elsewhere."""
        return replace(self.hinge.surrogate, max_range=0.5 * _SQUARED.max_range)

    def at(self, scores: FloatArray) -> RoundedHingeAt:
        """The loss at these scores."""
        return RoundedHingeAt(self, scores)


class RoundedHingeAt:
    """A rounded hinge loss at given scores, as `PreferenceLossAt`."""

    def __init__(self, loss: RoundedHinge, scores: FloatArray) -> None:
        self.scores, self.hinge, self.width = scores, loss.hinge, loss.width
        self.near = self._sums(_SQUARED, 1.0)
        self.far = self._sums(_SQUARED, 1.0 - self.width)
        squares = self.near.losses - (1.0 - self.width) ** 2 * self.far.losses
        self.losses = squares / (2.0 * self.width)
        # The difference of squares so large has no digits; their rounded kink is not worth any.
        if (self.near.losses > _LARGEST * self.width).any():
            self.losses = 0.5 * (self.hinges + self.shifted_hinges)

    def _sums(self, surrogate: Surrogate, margin: float) -> PreferenceLossAt:
        """Sums with the kink at another margin, up to a factor."""
        scores = self.scores / margin
        return PreferenceLossAt(
            self.hinge, surrogate_sums(self.hinge.comparisons, scores, surrogate)
        )

    @cached_property
    def hinges(self) -> FloatArray:
        """The hinge loss itself, of each ratio."""
        return self._sums(self.hinge.surrogate, 1.0).losses

    @cached_property
    def shifted_hinges(self) -> FloatArray:
        """The hinge loss with its kink where the rounding ends, of each ratio."""
        return (1.0 - self.width) * self._sums(self.hinge.surrogate, 1.0 - self.width).losses

    def gradient(self, weights: FloatArray | None = None) -> FloatArray:
        """Derivative by each score."""
        far = (1.0 - self.width) * self.far.gradient(weights)
        return (self.near.gradient(weights) - far) / (2.0 * self.width)

    def hessian_diagonal(self, weights: FloatArray | None = None) -> FloatArray:
        """Second derivative by each score."""
        bend = self.near.hessian_diagonal(weights) - self.far.hessian_diagonal(weights)
        return np.maximum(bend, 0.0) / (2.0 * self.width)

    def hessian_product(
        self, direction: FloatArray, diagonal: FloatArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Hessian times a direction, given the Hessian's diagonal."""
        nothing = np.zeros_like(diagonal)
        near = self.near.hessian_product(direction, nothing, weights)
        far = self.far.hessian_product(direction, nothing, weights)
        return diagonal * direction + (near - far) / (2.0 * self.width)


def minimise_hinge(
    start: Point, solve: Callable[..., Solution], *, max_iter: int, tol: float
) -> Solution:
    """Solve with ever narrower rounded kinks; in the end, go where width 0 would lead.

    Parameters
    ----------
    start : Point
    solve : `minimise` or `minimise_worst`
    max_iter : int, for each width
    tol : float
        Converged where the gap is at most `GAP` times this fraction of the value.
    """
    point, n_iter, worst = start, 0, start.problem.worst
    for width in (*_WIDTHS, _NEXT_WIDTH):
        stage = max(tol, 1e-3 * width**2) if width > _WIDTHS[-1] else _TIGHT
        before, far = point, np.inf
        for _ in range(_MAX_PULLS if worst else 1):
            rounded = _rounded(start.problem, point, width)
            found = solve(rounded, max_iter=max_iter, tol=stage)
            point, n_iter = found.point, n_iter + found.n_iter
            far = float(np.linalg.norm(point.away))
            if far <= width * _STILL:
                break
    # The pull to a centre that is not reached hides some of what is left.
    hidden = _PULL * far * (1.0 + float(np.linalg.norm(point.w))) if worst else 0.0
    left = hidden + _gap(point, found.left if worst else undercut(found))
    best = _narrowed(before, point)
    left = max(left - (_worth(point) - _worth(best)), 0.0)
    return Solution(best, best.w, n_iter, left <= GAP * tol * abs(_worth(best)) + tol, left)


def _rounded(problem: PenalisedLoss, point: Point, width: float) -> Point:
    """The point, its mix too, in the problem with a kink of that width."""
    hinge = problem.loss
    assert isinstance(hinge, PreferenceLoss)
    return replace(
        problem,
        loss=RoundedHinge(hinge, width),
        mix=point.problem.mix,
        damping=_PULL if problem.worst else _DAMPING,
        centre=point.w if problem.worst else None,
        rounding=_ROUNDING / width * max(1.0, point.scores.size / _FEW_ROWS) ** 0.5,
    ).at(point.w, point.scores)


def _narrowed(wide: Point, narrow: Point) -> Point:
    """The point for width 0, if they are no worse: they change in proportion to the width."""
    share = _NEXT_WIDTH / (_WIDTHS[-1] - _NEXT_WIDTH)
    w = narrow.w + share * (narrow.w - wide.w)
    if narrow.problem.positive:
        w = np.maximum(w, 0.0)
    other = narrow.problem.at(w)
    return other if _worth(other) <= _worth(narrow) else narrow


def _worth(point: Point) -> float:
    """The hinge loss itself, plus the penalty."""
    at, problem = point.pairs, point.problem
    assert isinstance(at, RoundedHingeAt)
    return problem.total(at.hinges) + 0.5 * float((problem.penalty * point.w) @ point.w)


def _gap(point: Point, left: float) -> float:
    """How far the hinge may be above its minimum where its rounded stand-in has `left` to gain."""
    at, problem = point.pairs, point.problem
    assert isinstance(at, RoundedHingeAt)
    above = problem.total(at.hinges) - problem.total(at.losses)
    below = float((at.losses - at.shifted_hinges) @ problem.mix)
    return max(above - below, 0.0) + left
