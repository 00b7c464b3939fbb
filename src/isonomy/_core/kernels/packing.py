"""Rows of 0/1 labels to one byte each, and how many rows have each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core.jit import kernel

LABEL_BITS = np.uint64(0x0101010101010101)
GATHER_BITS = np.uint64(0x0102040810204080)


@kernel
def pack_rows(table: NDArray[Any], codes: NDArray[np.uint8]) -> bool:
    """Set bit k of an item's code to its label k <= 7; return whether all values are 0 or 1."""
    binary = True
    for i in range(table.shape[0]):
        code = np.int64(0)
        for k in range(table.shape[1]):
            one = table[i, k] == 1
            binary &= one or table[i, k] == 0
            code |= np.int64(one) << k
        codes[i] = code
    return binary


@kernel
def pack_words(words: NDArray[np.uint64], codes: NDArray[np.uint8]) -> bool:
    """The same for eight one-byte labels that arrive as one word: ten times faster.

    One multiplication moves the lowest bit of each byte into the top byte, wrapping
    around on purpose.
    """
    union = np.uint64(0)
    for i in range(words.size):
        union |= words[i]
        codes[i] = (words[i] * GATHER_BITS) >> np.uint64(56)
    return bool((union & ~LABEL_BITS) == 0)


@kernel
def pattern_counts(codes: NDArray[np.integer[Any]], n_patterns: int) -> NDArray[np.int64]:
    """How many items each pattern has: the sum of the four rows."""
    # Additions to one place wait for each other: four places take turns.
    counts = np.zeros((4, n_patterns), np.int64)
    for i in range(codes.size):
        counts[i & 3, codes[i]] += 1
    return counts


@kernel
def code_sums(
    codes: NDArray[np.integer[Any]], values: NDArray[Any], n_codes: int
) -> NDArray[np.float64]:
    """The sum of the values of each code's items."""
    sums = np.zeros(n_codes)
    for i in range(codes.size):
        sums[codes[i]] += values[i]
    return sums
