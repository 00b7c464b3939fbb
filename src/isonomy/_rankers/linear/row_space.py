"""More features than rows: the same problem in as many directions as there are rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import lapack, solve_triangular

from isonomy._core import FloatArray
from isonomy._rankers.linear.features import Features

# The matrix of all pairs of rows should fit into memory.
_MAX_ROWS = 4096
# Rows closer to the span of others than the root of this, relative to their length, are in it.
_SAME = 1e-13
# Squares of units outside are not to be relied on.
_SMALLEST, _LARGEST = 1e-100, 1e100


@dataclass(frozen=True, eq=False)
class RowSpace:
    """Coordinates of rows (n, d) in an orthonormal basis of the space that they span.

    The best weights lie in it, because others add to the penalty and to no score; and the
    length of the weights, hence the penalty, is that of their coordinates. With C the centred
    rows over their lengths, C C^T = L L^T is factorised with pivots, so that C is not needed
    densely, and the basis is C[chosen]^T L[chosen]^-T.

    Attributes
    ----------
    table : (n, r) the rows' coordinates
    """

    features: Features
    table: FloatArray
    chosen: Any
    factor: FloatArray
    length: FloatArray

    @classmethod
    def serves(cls, features: Features) -> bool:
        """Whether it is smaller than the features' own space, and exact."""
        n, d = features.X.shape
        unit = features.unit[np.isfinite(features.unit)]
        return d > n and n <= _MAX_ROWS and bool(((unit > _SMALLEST) & (unit < _LARGEST)).all())

    @classmethod
    def of(cls, features: Features) -> RowSpace:
        """Factorise the products of all pairs of rows."""
        products = _products(features)
        length = np.sqrt(products.diagonal())
        length[length == 0.0] = 1.0
        products /= np.multiply.outer(length, length)
        factor, pivot, rank, _ = lapack.dpstrf(products, tol=_SAME, lower=1)
        pivot, factor = pivot - 1, np.tril(factor)[:, :rank]
        table = np.empty_like(factor)
        table[pivot] = factor
        table *= length[:, None]
        chosen = pivot[:rank]
        return cls(features, table, chosen, factor[:rank], length[chosen])

    def coordinate_features(self) -> Features:
        """The coordinates as features, in one unit: small ones are small, and penalised alike."""
        features = Features.of(self.table)
        unit = features.unit[np.isfinite(features.unit)].max(initial=0.0) or 1.0
        return replace(features, unit=np.full_like(features.unit, unit))

    def weights(self, z: FloatArray) -> FloatArray:
        """The weights of the features that have these coordinates."""
        v = np.zeros(self.table.shape[0])
        v[self.chosen] = solve_triangular(self.factor, z, lower=True, trans="T") / self.length
        return self.features.pull(v) * np.where(
            np.isfinite(self.features.unit), self.features.unit, 0.0
        )

    def coordinates(self, w: FloatArray) -> FloatArray:
        """Coordinates of the weights that give the same scores as w."""
        scores = self.features.X @ w - self.features.origin @ w
        return np.asarray(
            solve_triangular(self.factor, scores[self.chosen] / self.length, lower=True)
        )


def _products(features: Features) -> FloatArray:
    """Inner products of all pairs of rows of X - origin."""
    X, origin = features.X, features.origin
    if isinstance(X, np.ndarray):
        rows = X - origin
        return np.asarray(rows @ rows.T)
    # Columns that have an origin are those with few zeros.
    full = origin != 0.0
    thin, rows = X[:, ~full], X[:, full].toarray() - origin[full]
    return np.asarray((thin @ thin.T).toarray() + rows @ rows.T)
