"""The curvature of a loss by the weights: a cheap matrix first, what the steps teach later."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from isonomy._core import FloatArray
from isonomy._rankers.linear.features import FeatureMap

# With more features a diagonal has to do: the dense matrix would cost more than it brings.
MAX_DENSE = 512
_MEMORY = 20


@dataclass(frozen=True, eq=False)
class Curvature:
    r"""A stand-in for the Hessian by the weights of some free features.

    The Hessian by the scores is diag(h) less the pull between the two sides of the pairs, which
    centring the columns mostly accounts for; the rows are sampled with chances in proportion
    to h. So the stand-in is :math:`\sum_i h_i (x_i - \bar x)(x_i - \bar x)^T` + the penalty.

    Attributes
    ----------
    scale : (f,) square roots of the diagonal
    matrix : (f, f) the stand-in over its scale, or None where only the diagonal is kept
    typical : the curvature that one unit of typical features would have
    """

    scale: FloatArray
    matrix: FloatArray | None
    typical: float

    @classmethod
    def of(cls, features: FeatureMap, h: Any, penalty: FloatArray) -> Curvature:
        """The curvature at scores where the Hessian's diagonal by the scores is h."""
        d = features.n_columns
        typical = float(h.sum())
        if d > MAX_DENSE:
            square = np.minimum(features.squares(h), typical * features.widest**2) + penalty
            return cls(np.sqrt(np.where(square > 0.0, square, 1.0)), None, typical)
        matrix = features.scatter(h)
        matrix.flat[:: d + 1] += penalty
        square = matrix.diagonal()
        scale = np.sqrt(np.where(square > 0.0, square, 1.0))
        matrix /= np.multiply.outer(scale, scale)
        # Columns that are copies of each other, or constant, leave it singular without l2.
        matrix.flat[:: d + 1] += 1e-10
        return cls(scale, matrix, typical)

    def among(self, free: NDArray[np.bool_]) -> Curvature:
        """The curvature of the free features only."""
        if free.all():
            return self
        matrix = None if self.matrix is None else self.matrix[np.ix_(free, free)]
        return Curvature(self.scale[free], matrix, self.typical)

    @cached_property
    def _factor(self) -> FloatArray:
        factor, failed = lapack.dpotrf(self.matrix, lower=1)
        return np.asarray(np.eye(self.scale.size) if failed else factor)

    def solve(self, g: FloatArray) -> FloatArray:
        """The inverse times g."""
        g = g / self.scale
        if self.matrix is not None and g.size:
            g = lapack.dpotrs(self._factor, g, lower=1)[0]
        return np.asarray(g / self.scale)


@dataclass(eq=False)
class StepHistory:
    """The last steps and how the gradient changed along them (L-BFGS)."""

    steps: list[FloatArray] = field(default_factory=list)
    changes: list[FloatArray] = field(default_factory=list)

    def add(self, step: FloatArray, change: FloatArray) -> None:
        """Learn from a step."""
        self.steps.append(step)
        self.changes.append(change)
        del self.steps[:-_MEMORY], self.changes[:-_MEMORY]

    def solve(self, g: FloatArray, curvature: Curvature, free: NDArray[np.bool_]) -> FloatArray:
        """The inverse of the learned Hessian among the free features, times g (free,)."""
        pairs = []
        for s, y in zip(self.steps, self.changes, strict=True):
            s, y = s[free], y[free]
            if s @ y > 1e-12 * np.sqrt((s @ s) * (y @ y)):
                pairs.append((s, y, s @ y))
        q, taken = g, []
        for s, y, sy in reversed(pairs):
            taken.append(s @ q / sy)
            q = q - taken[-1] * y
        q = curvature.solve(q)
        for (s, y, sy), alpha in zip(pairs, reversed(taken), strict=True):
            q = q + (alpha - y @ q / sy) * s
        return q
