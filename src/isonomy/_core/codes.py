"""Number the distinct values of an array, without a sort where that can be helped."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core.kernels.hashing import number_words
from isonomy._core.kernels.packing import code_sums, pattern_counts
from isonomy._core.kernels.sorting import number_runs
from isonomy._core.sorting import gathered, order_items, sort_order
from isonomy._infra import chunks, default_threads, run_all

Codes: TypeAlias = NDArray[np.integer[Any]]

# Integers whose values span at most this many, or as many as there are, need no sort.
SMALL_SPAN = 4096
# Floats below this may be cast to int64.
LARGEST = 2.0**62
# Integers up to this are all floats; beyond it a span holds values that no float has.
EXACT = 2**53
# Floats that are no integers mostly show it in the first of them.
HEAD = 64
# Up to so many different values, and one in four, are found by a table.
MOST_SEEN = 1 << 18
# Codes that one thread counts at a time.
CHUNK = 1 << 17


def number_values(array: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Codes and values such that values[codes] is the array; values ascend.

    Integers in a small span get all of that span's values, whether they occur or not.

    Examples
    --------
    >>> import numpy as np
    >>> codes, values = number_values(np.array([3.0, 5.0, 3.0]))
    >>> codes, values
    (array([0, 2, 0], dtype=uint8), array([3, 4, 5]))
    """
    if array.dtype.kind == "b":
        return array.view(np.uint8), np.arange(2)
    if array.dtype.kind == "f" and np.array_equal(array[:HEAD], np.rint(array[:HEAD])):
        array = _as_whole(array)
    if array.dtype.kind in "iu" and array.size:
        lowest, highest = int(array.min()), int(array.max())
        exact = max(abs(lowest), abs(highest)) <= EXACT
        if exact and highest - lowest < max(SMALL_SPAN, array.size):
            wide = np.int16 if array.dtype.itemsize == 1 else np.int64
            codes = np.subtract(array, lowest, dtype=wide)
            return narrow(codes, highest - lowest + 1), np.arange(lowest, highest + 1)
    many = array.size > SMALL_SPAN and array.dtype.itemsize == 8 and array.dtype.kind in "iuf"
    if many and (found := _by_table(np.ascontiguousarray(array))) is not None:
        return found
    if many and array.dtype.kind == "f" and not np.isnan(array).any():
        return _number_floats(np.ascontiguousarray(array))
    values, codes = np.unique(array, return_inverse=True)
    return narrow(codes, values.size), values


def _as_whole(array: NDArray[Any]) -> NDArray[Any]:
    """Floats as integers, where they are some."""
    if not float(np.abs(array).max(initial=0.0)) < LARGEST:
        return array
    whole = array.astype(np.int64)
    return whole if np.array_equal(whole, array) else array


def _by_table(array: NDArray[Any]) -> tuple[Codes, NDArray[Any]] | None:
    """Few values among many, by a table of those that were seen: only these are sorted."""
    if array.dtype.kind == "f":
        # Of two zeros one has other bits; NaN, which is like nothing, is left to others.
        array = array + 0.0
        if np.isnan(array).any():
            return None
    seen = np.empty(min(array.size // 4, MOST_SEEN), np.uint64)
    numbers = np.empty(array.size, np.uint32)
    n_seen = number_words(array.view(np.uint64), numbers, seen)
    if n_seen < 0:
        return None
    values = seen[:n_seen].view(array.dtype)
    order = sort_order(values) if array.dtype == np.float64 else np.argsort(values)
    rank = np.empty(n_seen, np.min_scalar_type(max(n_seen - 1, 0)))
    rank[order] = np.arange(n_seen)
    return gathered(rank, numbers), values[order]


def _number_floats(array: NDArray[np.float64]) -> tuple[Codes, NDArray[np.float64]]:
    order, _, last = order_items(array)
    codes = np.empty(array.size, np.uint32)
    number_runs(order, last, codes)
    return codes, array[order[last]]


def number_close(
    values: NDArray[np.float64], *, relative: float = 0.0, absolute: float = 0.0
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """As `number_values`, but values that differ by rounding alone are one, the lowest of them.

    A value is the same as a lower one if it is at most `relative` times that one's size plus
    `absolute` above it. NaN is the same as nothing.

    Examples
    --------
    >>> import numpy as np
    >>> number_close(np.array([0.3, 0.7, 0.1 + 0.2]), relative=1e-15)
    (array([0, 1, 0]), array([0.3, 0.7]))
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    size = np.where(np.isfinite(ascending), np.abs(ascending), 0.0)
    reach = ascending + (relative * size + absolute)
    starts = np.concatenate([[True], ~(ascending[1:] <= reach[:-1])])
    # A run of neighbours may lead too far from its start: there it is cut.
    runs = np.flatnonzero(starts)
    ends = np.append(runs[1:], ascending.size)
    wide = ascending[ends - 1] > reach[runs]
    for cut, end in zip(runs[wide].tolist(), ends[wide].tolist(), strict=True):
        while cut < end:
            starts[cut] = True
            cut += int(np.searchsorted(ascending[cut:end], reach[cut], side="right"))
    codes = np.empty(values.size, np.int64)
    codes[order] = np.cumsum(starts) - 1
    return codes, ascending[starts]


def number_occurring(codes: Codes, n_codes: int) -> tuple[Codes, NDArray[np.int64]]:
    """New codes for those that occur, in the same order; also the old code of each."""
    if n_codes > max(SMALL_SPAN, codes.size):
        old, codes = np.unique(codes, return_inverse=True)
        return narrow(codes, old.size), old.astype(np.int64)
    occurs = np.zeros(n_codes, np.bool_)
    occurs[codes] = True
    old = np.flatnonzero(occurs)
    if old.size == n_codes:
        return narrow(codes, n_codes), old
    return narrow(np.cumsum(occurs) - 1, old.size)[codes], old


def narrow(codes: Codes, n_codes: int) -> Codes:
    """The codes in the narrowest unsigned type that holds n_codes of them."""
    return codes.astype(np.min_scalar_type(max(n_codes - 1, 0)), copy=False)


def count_codes(codes: Codes, n_codes: int) -> NDArray[np.int64]:
    """How many items each code has, by the fastest means."""
    if n_codes == 2:
        ones = np.count_nonzero(codes)
        return np.array([codes.size - ones, ones])
    if codes.dtype == np.uint8 and codes.flags.c_contiguous:
        pieces = chunks(codes.size, CHUNK)
        threads = default_threads(codes.size)
        found = run_all(lambda a, b: pattern_counts(codes[a:b], n_codes), pieces, threads)
        return np.asarray(np.reshape(found, (-1, n_codes)).sum(axis=0, dtype=np.int64))
    return np.bincount(codes, minlength=n_codes)


def sum_codes(codes: Codes, values: NDArray[Any], n_codes: int) -> NDArray[np.float64]:
    """The sum of the values of each code's items."""
    return code_sums(codes, values, n_codes)
