"""Features as a linear map: scores of weights, and the pull of the scores on the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isonomy._preferences import FloatArray

# Rows from which the columns' origin is taken: any origin serves, one amid the data serves best.
_ORIGIN_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Features:
    """A dense or CSR table X (n, d) whose columns are shifted by `origin` in effect only.

    A loss over pairs does not change when all scores shift, so columns may be centred: scores
    are then small numbers, and what the weights have to balance is better conditioned.
    """

    X: Any
    origin: FloatArray

    @classmethod
    def of(cls, X: Any) -> Features:
        """Shift the columns to the mean of some rows."""
        rows = X[:: -(-X.shape[0] // _ORIGIN_ROWS)]
        low, mean, high = (_row(f(axis=0)) for f in (rows.min, rows.mean, rows.max))
        # Clipped, so that the mean of a constant column is that constant to the last bit.
        return cls(X, np.clip(mean, low, high))

    @property
    def n_columns(self) -> int:
        """Number of features d."""
        return int(self.X.shape[1])

    def scores(self, w: FloatArray) -> FloatArray:
        """(X - origin) w."""
        return np.asarray(self.X @ w - self.origin @ w)

    def pull(self, g: FloatArray) -> FloatArray:
        """(X - origin)^T g, for one vector (n,) or several (n, m)."""
        return np.asarray(self.X.T @ g - np.multiply.outer(self.origin, g.sum(axis=0)))

    def rows(self, index: Any) -> FloatArray:
        """Some rows of X - origin, dense."""
        rows = self.X[index]
        return np.asarray((rows if isinstance(rows, np.ndarray) else rows.toarray()) - self.origin)

    def squares(self, h: FloatArray) -> FloatArray:
        """Sum over the rows of h times the squared entries of X - origin, (d,)."""
        X, total = self.X, h.sum()
        if isinstance(X, np.ndarray):
            second = np.einsum("ij,ij,i->j", X, X, h)
        else:
            second = X.multiply(X).T @ h
        first = X.T @ h
        centred = second - self.origin * (2.0 * first - self.origin * total)
        return np.asarray(np.maximum(centred, 0.0))


def _row(row: Any) -> FloatArray:
    dense = row.toarray() if hasattr(row, "toarray") else row
    return np.asarray(dense, dtype=np.float64).ravel()
