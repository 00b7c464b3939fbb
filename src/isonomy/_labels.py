"""Labels as patterns: the distinct rows of a label table, and which row each item has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._kernels.packing import pack_rows, pack_words
from isonomy._validation import AnyArray, FloatArray, as_label_table

# Integer columns whose values span at most this many need no sort to be numbered.
SMALL_SPAN = 4096
# Floats below this may be cast to int64.
LARGEST_CODE = 2**62


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of n items, as a few patterns.

    Attributes
    ----------
    codes : ndarray of unsigned int, shape (n,)
        The pattern of each item.
    patterns : ndarray of shape (L, K)
        The label values of each pattern, NaN where not observed. Some patterns may
        belong to no item.
    names : tuple of str
        The labels' names; "0", "1", ... where they have none.
    named : bool
        Whether the names came with the data.
    parameter : str
        What the table is called in messages.
    """

    codes: NDArray[np.unsignedinteger]
    patterns: FloatArray
    names: tuple[str, ...]
    named: bool = False
    parameter: str = "Y"

    @classmethod
    def from_table(cls, Y: ArrayLike, *, name: str = "Y") -> Labels:
        """Check a label table (array or data frame) and find its patterns.

        Examples
        --------
        >>> from isonomy import Labels
        >>> labels = Labels.from_table([[1, 0], [1, 1], [1, 0]])
        >>> labels.codes
        array([1, 3, 1], dtype=uint8)
        >>> labels.patterns[1]
        array([1., 0.])
        """
        table, names = as_label_table(Y, name=name)
        codes, patterns = _packed(table) or _numbered(table)
        default = tuple(str(k) for k in range(table.shape[1]))
        return cls(codes, patterns, names or default, names is not None, name)

    def __len__(self) -> int:
        return int(self.codes.size)

    @property
    def n_labels(self) -> int:
        """Number of labels K."""
        return int(self.patterns.shape[1])

    def require_one(self, cure: str) -> None:
        """Raise unless there is a single label."""
        if self.n_labels != 1:
            raise ValueError(
                f"Parameter `{self.parameter}` should hold one label. "
                f"Found {self.n_labels} columns; {cure}."
            )

    def require_binary(self, user: str) -> None:
        """Raise unless all labels are 0, 1 or NaN; `user` needs that."""
        wrong = ~np.isnan(self.patterns) & (self.patterns != 0) & (self.patterns != 1)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(
                f"Parameter `{self.parameter}` should hold 0, 1, or NaN for 'not observed': {user} "
                f"takes only binary labels. Found {self.patterns[row, column]:g} in label "
                f"{self.names[column]!r}. Make it binary, such as `{self.parameter} >= 3`, or use "
                "`LabelAggregation` or `multipartite_auc`, which take ordinal labels."
            )


def _packed(table: AnyArray) -> tuple[NDArray[np.uint8], FloatArray] | None:
    """Up to eight complete binary labels: the pattern is the byte of their bits."""
    n_labels = table.shape[1]
    if n_labels > 8:
        return None
    if table.dtype.kind == "b":
        table = table.view(np.uint8)
    if n_labels == 8 and table.dtype.itemsize == 1 and table.flags.c_contiguous:
        codes, binary = pack_words(table.reshape(-1).view(np.uint64))
    else:
        codes, binary = pack_rows(table)
    if not binary:
        return None
    bits = np.arange(2**n_labels)[:, None] >> np.arange(n_labels) & 1
    return codes, bits.astype(np.float64)


def _numbered(table: AnyArray) -> tuple[NDArray[np.unsignedinteger], FloatArray]:
    """Any other labels: number each column's values, then the combinations that occur."""
    codes, n_codes = _digits(table[:, 0])
    for k in range(1, table.shape[1]):
        digits, n_digits = _digits(table[:, k])
        codes, n_codes = _occupied(codes.astype(np.int64) * n_digits + digits, n_codes * n_digits)
    codes, n_codes = _occupied(codes, n_codes)
    codes = codes.astype(np.min_scalar_type(n_codes - 1))
    member = np.empty(n_codes, np.int64)
    member[codes] = np.arange(codes.size)
    return codes, table[member].astype(np.float64)


def _digits(column: AnyArray) -> tuple[NDArray[np.integer], int]:
    """A number from 0 for each value of a column (NaN has the highest), and how many."""
    if column.dtype.kind == "f":
        missing = np.isnan(column)
        if missing.any():
            digits, n_digits = _digits(column[~missing])
            filled = np.full(column.size, n_digits, np.int64)
            filled[~missing] = digits
            return filled, n_digits + 1
        whole = column.astype(np.int64) if abs(column).max(initial=0) < LARGEST_CODE else None
        if whole is None or not np.array_equal(whole, column):
            values, digits = np.unique(column, return_inverse=True)
            return digits, values.size
        column = whole
    if column.size == 0:
        return column, 0
    lowest, highest = int(column.min()), int(column.max())
    if highest - lowest >= SMALL_SPAN:
        values, digits = np.unique(column, return_inverse=True)
        return digits, values.size
    return column - np.array(lowest, column.dtype), highest - lowest + 1


def _occupied(codes: NDArray[np.integer], n_codes: int) -> tuple[NDArray[np.integer], int]:
    """Number only those codes that occur, in the same order."""
    if n_codes > max(SMALL_SPAN, codes.size):
        values, codes = np.unique(codes, return_inverse=True)
        return codes, values.size
    occurs = np.zeros(n_codes, np.bool_)
    occurs[codes] = True
    numbers = np.cumsum(occurs) - 1
    return (codes if occurs.all() else numbers[codes]), int(numbers[-1]) + 1
