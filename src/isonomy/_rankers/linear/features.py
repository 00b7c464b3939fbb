"""Features as a linear map: scores of weights, and the pull of the scores on the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

from isonomy._core import FloatArray
from isonomy._infra import chunks, default_threads, run_all

# Rows from which the columns' origin and unit are taken: any serve, typical ones serve best.
TYPICAL_ROWS = 512
# Rows from which a Hessian is made: one in so many, or fewer where there are many features, which
# is worth about one pass over all.
_MIN_ROWS, _ROWS_PER_COLUMN = 2048, 16
_SHARE, _WIDTH = 32, 4
# Entries that products with the features read at a time, and as many of them as one item's work.
_AT_ONCE, _ENTRIES_PER_ITEM = 1 << 18, 10
# Sizes of features between which weights, scores and their products are finite numbers.
_SMALLEST, _LARGEST = 1e-250, 1e250


class FeatureMap(Protocol):
    """What a solver asks of features: here of `Features`, or of rows in many partitions.

    Scores, and what is felt at each score, are vectors that only the map looks into: arrays, or
    what stands for them.
    """

    @property
    def unit(self) -> FloatArray:
        """Of each column."""

    @property
    def widest(self) -> float:
        """Where entries are cut in `scatter` and `squares`."""

    @property
    def n_columns(self) -> int:
        """Number of features d."""

    @property
    def n_entries(self) -> int:
        """Rows times columns."""

    def scores(self, w: FloatArray) -> Any:
        """Scores of weights w."""

    def pull(self, g: Any) -> FloatArray:
        """The pull of what is felt at each score on the weights."""

    def pulls(self, several: Sequence[Any]) -> FloatArray:
        """`pull` of several at once, a column each."""

    def scatter(self, h: Any) -> FloatArray:
        """Scatter of the rows around their mean, each with weight h, (d, d)."""

    def squares(self, h: Any) -> FloatArray:
        """Sum over the rows of h times the squared entries, (d,)."""


@dataclass(frozen=True, eq=False)
class Features:
    """A dense or CSR table X (n, d), whose columns are shifted and scaled in effect only.

    A loss over pairs does not change when all scores shift, so columns may be centred: scores
    are then small numbers, and what the weights have to balance is better conditioned. Weights
    are counted per unit of their column, so that columns of any size are alike to a solver.

    Attributes
    ----------
    X : (n, d)
    origin : (d,) a typical entry of each column
    unit : (d,) a typical distance from it, a power of two; infinite where the column is constant
    widest : float, entries of `rows` are cut here: an outlier is then no more than a large entry
    """

    X: Any
    origin: FloatArray
    unit: FloatArray
    widest: float = 1e100

    @classmethod
    def of(cls, X: Any) -> Features:
        """Origins and units by medians of some rows, which an outlier does not move."""
        rows = X[:: -(-X.shape[0] // TYPICAL_ROWS)]
        origin, unit = typical(rows) if isinstance(X, np.ndarray) else _typical_sparse(rows)
        odd = np.flatnonzero(unit == 0.0)
        if odd.size:  # Constant among some rows: perhaps among all.
            part = X[:, odd]
            low, high = _row(part.min(axis=0)), _row(part.max(axis=0))
            origin[odd] = np.clip(origin[odd], low, high)
            unit[odd] = np.maximum(high - origin[odd], origin[odd] - low)
        return cls(X, origin, power_units(unit))

    @property
    def n_columns(self) -> int:
        """Number of features d."""
        return int(self.X.shape[1])

    @property
    def n_entries(self) -> int:
        """Rows times columns."""
        return int(self.X.shape[0] * self.X.shape[1])

    def scores(self, w: FloatArray) -> FloatArray:
        """(X - origin) / unit, times w."""
        w = w / self.unit
        shift = self.origin @ w
        if not isinstance(self.X, np.ndarray):
            return np.asarray(self.X @ w - shift)
        scores = np.empty(len(self.X))

        def work(start: int, stop: int) -> None:
            np.dot(self.X[start:stop], w, out=scores[start:stop])
            scores[start:stop] -= shift

        run_all(work, self._pieces(), self._threads)
        return scores

    def pull(self, g: FloatArray) -> FloatArray:
        """The transpose of (X - origin) / unit, times g (n,)."""
        return self.pulls([g])[:, 0]

    def rows(self, index: NDArray[np.int64]) -> FloatArray:
        """Some rows of (X - origin) / unit, dense, without their outliers."""
        rows = self.X[index]
        rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
        rows -= self.origin
        rows *= 1.0 / self.unit
        return np.asarray(np.clip(rows, -self.widest, self.widest, out=rows))

    def pulls(self, several: Sequence[FloatArray]) -> FloatArray:
        """`pull` of several vectors (n,) at once, a column each."""
        X, G = self.X, np.stack(several)
        pulled = np.zeros((len(G), self.n_columns))
        if isinstance(X, np.ndarray):

            def work(start: int, stop: int) -> list[FloatArray]:
                # Not by @, which keeps other threads waiting where the result is short.
                return [np.dot(g[start:stop], X[start:stop]) for g in G]

            for part in run_all(work, self._pieces(), self._threads):
                pulled += part
        else:
            pulled += (X.T @ G.T).T
        pulled -= np.multiply.outer(G.sum(axis=1), self.origin)
        return np.asarray(pulled / self.unit).T

    def _pieces(self) -> list[tuple[int, int]]:
        """So many rows at a time that they stay in the cache from one vector to the next."""
        return chunks(len(self.X), -(-_AT_ONCE // max(self.n_columns, 1)))

    @property
    def _threads(self) -> int:
        return default_threads(self.n_entries // _ENTRIES_PER_ITEM)

    def scatter(self, h: FloatArray) -> FloatArray:
        """Sum over the rows of h times the outer product of their distances from the mean, (d, d).

        From a sample of the rows, drawn in proportion to h.
        """
        d = self.n_columns
        share = max(_SHARE, d // _WIDTH)
        index, weight = sample(h, max(_MIN_ROWS, _ROWS_PER_COLUMN * d, h.size // share))
        rows = self.rows(index)
        rows *= np.sqrt(weight)[:, None]
        mean = np.sqrt(weight) @ rows / max(weight.sum(), 1e-300)
        return np.asarray(rows.T @ rows - weight.sum() * np.multiply.outer(mean, mean))

    @cached_property
    def _squared_entries(self) -> Any:
        """The squared entries of X / unit, of a sparse table: a solver asks for them often."""
        X = self.X
        # In units before they are squared, which would overflow.
        entries = X.data / self.unit[X.indices]
        return type(X)((entries * entries, X.indices, X.indptr), shape=X.shape)

    def squares(self, h: FloatArray) -> FloatArray:
        """Sum over the rows of h times the squared entries of (X - origin) / unit, (d,)."""
        X, total, inverse = self.X, h.sum(), 1.0 / self.unit
        if isinstance(X, np.ndarray):
            second = np.einsum("ij,ij,i,j,j->j", X, X, h, inverse, inverse, optimize=False)
        else:
            second = self._squared_entries.T @ h
        first, origin = (X.T @ h) * inverse, self.origin / self.unit
        centred = second - origin * (2.0 * first - origin * total)
        return np.asarray(np.maximum(centred, 0.0))


def power_units(unit: FloatArray) -> FloatArray:
    """The next lower power of two; infinity for 0, so that a constant column has no effect."""
    with np.errstate(over="ignore"):
        power = np.ldexp(1.0, np.frexp(unit)[1] - 1)
    return np.where(unit > 0.0, power, np.inf)


def sample(h: FloatArray, n_rows: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Rows drawn evenly along the running sum of h, and the weight that each stands for.

    Examples
    --------
    >>> sample(np.array([1.0, 0.0, 3.0]), 2)
    (array([0, 2]), array([2., 2.]))
    """
    h = np.maximum(h, 0.0)
    if h.size <= n_rows:
        return np.arange(h.size), h
    running = np.cumsum(h)
    at = np.searchsorted(running, (np.arange(n_rows) + 0.5) * (running[-1] / n_rows))
    return at, np.full(n_rows, running[-1] / n_rows)


def typical(rows: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Each column's median, and the median distance from it of the entries that differ."""
    m, d = rows.shape
    origin = np.sort(rows, axis=0)[m // 2]
    apart = np.sort(np.abs(rows - origin), axis=0)
    same = (apart == 0.0).sum(axis=0)
    return origin, apart[np.minimum((same + m) // 2, m - 1), np.arange(d)]


def _typical_sparse(rows: Any) -> tuple[FloatArray, FloatArray]:
    """The same for a sparse table, whose columns are mostly zeros."""
    m, d = rows.shape
    columns = rows.tocsc()
    origin, unit = np.zeros(d), np.zeros(d)
    count = np.diff(columns.indptr)
    full = np.flatnonzero(2 * count > m)
    if full.size:
        origin[full], unit[full] = typical(columns[:, full].toarray())
    size = np.abs(columns.data)
    size = size[np.lexsort((size, np.repeat(np.arange(d), count)))]
    thin = np.flatnonzero((2 * count <= m) & (count > 0))
    unit[thin] = size[columns.indptr[thin] + count[thin] // 2]
    return origin, unit


def _row(row: Any) -> FloatArray:
    dense = row.toarray() if hasattr(row, "toarray") else row
    return np.asarray(dense, dtype=np.float64).ravel()


def check_finite(X: Any, names: Sequence[Any]) -> None:
    """Refuse NaN, infinity, and numbers so large that sums of them may be infinite."""
    entries = (X if isinstance(X, np.ndarray) else X.data).ravel(order="K")
    # One fast pass, which finds all of them and, rarely, more.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.dot(entries, entries)):  # Not by @: see `pulls`.
            return
    assert_all_finite(X, input_name="X", estimator_name="LinearRanker")
    low, high = _row(X.min(axis=0)), _row(X.max(axis=0))
    _check_size(np.maximum(-low, high), names)


def check_units(unit: FloatArray, names: Sequence[Any]) -> None:
    """Refuse columns so small that their weights would be infinite."""
    _check_size(np.where(np.isfinite(unit), unit, 1.0), names)


def _check_size(size: FloatArray, names: Sequence[Any]) -> None:
    odd = np.flatnonzero((size > _LARGEST) | (size < _SMALLEST) & (size > 0.0))
    if odd.size:
        j = int(odd[0])
        raise ValueError(
            f"Parameter `X` should hold features of a size between {_SMALLEST:g} and "
            f"{_LARGEST:g}. Found {size[j]:.1e} in column {names[j]!r}. Scale that column, such "
            "as by `StandardScaler`."
        )
