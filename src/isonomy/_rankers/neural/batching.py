"""Rows for a neural network: standardised in blocks, dealt to batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray
from isonomy._rankers.splitting import Index

# Numbers in one dense block of features.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class Scaling:
    """Means to subtract from features and scales to divide them by."""

    mean: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, X: Any, rows: Index) -> Scaling:
        """From some rows: columns get mean 0 and standard deviation 1; constant ones get 0."""
        total, largest = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for block in blocks(X, rows):
            largest = np.maximum(largest, np.abs(block).max(axis=0))
        # A power of two, so that neither sums nor squares overflow.
        unit = np.ldexp(1.0, np.frexp(largest)[1])
        for block in blocks(X, rows):
            total += (block / unit).sum(axis=0)
        mean = total / rows.size
        square = np.zeros(X.shape[1])
        for block in blocks(X, rows):
            square += ((block / unit - mean) ** 2).sum(axis=0)
        deviation = np.sqrt(square / rows.size)
        varies = deviation > 1e-12 * np.abs(mean)
        return cls(mean * unit, np.where(varies, deviation, 1.0) * unit)

    @classmethod
    def none(cls, n_features: int) -> Scaling:
        """Features as they are."""
        return cls(np.zeros(n_features), np.ones(n_features))

    def apply(self, block: NDArray[Any]) -> FloatArray:
        """Standardised features."""
        return np.asarray((block - self.mean) / self.scale)


def blocks(X: Any, rows: Index | None = None) -> Iterator[NDArray[Any]]:
    """Some rows of a dense or CSR table, all by default, dense, a block at a time."""
    n = X.shape[0] if rows is None else rows.size
    step = max(1, _BLOCK // max(X.shape[1], 1))
    for a in range(0, n, step):
        yield dense(X[a : a + step] if rows is None else X[rows[a : a + step]])


def dense(X: Any) -> NDArray[Any]:
    """A dense array."""
    return X if isinstance(X, np.ndarray) else np.asarray(X.toarray())


def batches(
    rows: Index, groups: Index | None, size: int | None, rng: np.random.Generator
) -> list[Index]:
    """Deal rows, shuffled, to batches of about one size; whole groups where there are groups."""
    size = rows.size if size is None else size
    if groups is None:
        count = -(-rows.size // size)
        return np.array_split(rng.permutation(rows), count)
    order = np.argsort(groups[rows], kind="stable")
    starts = np.flatnonzero(np.diff(groups[rows][order], prepend=-1))
    members = np.split(rows[order], starts[1:])
    dealt: list[Index] = []
    open_: list[Index] = []
    filled = 0
    for g in rng.permutation(len(members)):
        if open_ and filled + members[g].size > size:
            dealt.append(np.concatenate(open_))
            open_, filled = [], 0
        open_.append(members[g])
        filled += members[g].size
    dealt.append(np.concatenate(open_))
    return dealt
