"""Rows of many labels to words: 64 of them in one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core.jit import kernel
from isonomy._core.kernels.packing import GATHER_BITS, LABEL_BITS

ONE = np.uint64(1)
NOTHING = np.uint64(0)
ALL = np.uint64((1 << 64) - 1)
PAIRS = np.uint64(0x3333333333333333)


@kernel
def pack_sides(table: NDArray[Any], sides: NDArray[np.uint64]) -> bool:
    """Bit k of a row's words: whether label k is 1, and whether it is 0; neither where it is NaN.

    `sides` has shape (blocks of 64 labels, rows, 2). Returns whether all values are 0, 1 or NaN.
    """
    n_labels = table.shape[1]
    known = True
    for block in range(sides.shape[0]):
        stop = min(64 * block + 64, n_labels)
        for i in range(table.shape[0]):
            yes = no = odd = NOTHING
            for k in range(64 * block, stop):
                value = table[i, k]
                place = np.uint64(k - 64 * block)
                yes |= np.uint64(value == 1) << place
                no |= np.uint64(value == 0) << place
                odd |= np.uint64((value != 1) & (value != 0) & (value == value))
            sides[block, i, 0] = yes
            sides[block, i, 1] = no
            known &= odd == NOTHING
    return known


@kernel
def pack_bytes(flat: NDArray[np.uint8], n_labels: int, sides: NDArray[np.uint64]) -> bool:
    """`pack_sides` of a table of bytes 0 and 1, row after row: several times faster.

    Eight labels are read as one number; a multiplication moves the lowest bit of each byte
    into the top byte, wrapping around on purpose.
    """
    odd = NOTHING
    for block in range(sides.shape[0]):
        n_here = min(64, n_labels - 64 * block)
        every = ALL >> np.uint64(64 - n_here)
        for i in range(sides.shape[1]):
            at = i * n_labels + 64 * block
            yes = NOTHING
            for k in range(0, n_here - 7, 8):
                eight = (
                    np.uint64(flat[at + k])
                    | np.uint64(flat[at + k + 1]) << np.uint64(8)
                    | np.uint64(flat[at + k + 2]) << np.uint64(16)
                    | np.uint64(flat[at + k + 3]) << np.uint64(24)
                    | np.uint64(flat[at + k + 4]) << np.uint64(32)
                    | np.uint64(flat[at + k + 5]) << np.uint64(40)
                    | np.uint64(flat[at + k + 6]) << np.uint64(48)
                    | np.uint64(flat[at + k + 7]) << np.uint64(56)
                )
                odd |= eight & ~LABEL_BITS
                yes |= ((eight * GATHER_BITS) >> np.uint64(56)) << np.uint64(k)
            for k in range(n_here & ~7, n_here):
                one = np.uint64(flat[at + k])
                odd |= one & ~ONE
                yes |= one << np.uint64(k)
            sides[block, i, 0] = yes
            sides[block, i, 1] = ~yes & every
    return bool(odd == NOTHING)


@kernel
def ternary_codes(
    words: NDArray[np.uint64],
    powers: NDArray[np.uint16],
    codes: NDArray[np.uint16],
    occurs: NDArray[np.bool_],
) -> None:
    """Digit k, in base 3, of a row's code is its label k <= 9, or 2 where that is NaN.

    `powers` has the sum of the powers of 3 for each set of labels, as bits. Codes that occur
    are marked.
    """
    every = np.uint64(powers.size - 1)
    for i in range(codes.size):
        yes, missing = words[i, 0], every & ~(words[i, 0] | words[i, 1])
        code = powers[yes] + 2 * powers[missing]
        codes[i] = code
        occurs[code] = True


@kernel
def tally(
    sides: NDArray[np.uint64], size: int, codes: NDArray[np.uint32], occurs: NDArray[np.bool_]
) -> None:
    """The code of a row is `size` times how many labels it has, plus how many it has not.

    Codes that occur are marked.
    """
    for i in range(codes.size):
        yes = no = NOTHING
        for block in range(sides.shape[0]):
            yes += _ones(sides[block, i, 0])
            no += _ones(sides[block, i, 1])
        code = yes * np.uint64(size) + no
        codes[i] = code
        occurs[code] = True


@kernel
def _ones(word: np.uint64) -> np.uint64:
    """How many bits are 1: pairs, fours, eights of them are added side by side."""
    word -= (word >> ONE) & np.uint64(0x5555555555555555)
    word = (word & PAIRS) + ((word >> np.uint64(2)) & PAIRS)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * LABEL_BITS) >> np.uint64(56)


@kernel
def renumber(codes: NDArray[Any], new: NDArray[Any]) -> None:
    """New numbers in the place of the old ones."""
    for i in range(codes.size):
        codes[i] = new[codes[i]]


@kernel
def unpack_sides(sides: NDArray[np.uint64], table: NDArray[np.float64]) -> None:
    """The labels as numbers, NaN where they are on neither side."""
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            yes = (sides[k >> 6, i, 0] >> np.uint64(k & 63)) & ONE
            no = (sides[k >> 6, i, 1] >> np.uint64(k & 63)) & ONE
            table[i, k] = np.float64(yes) if yes | no else np.nan


@kernel
def conflict_sides(
    sides: NDArray[np.uint64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    out: NDArray[np.uint64],
) -> None:
    """Pairs of labels as terms: rows with the first and not the second above the other way round.

    `sides` and `out` as in `pack_sides`.
    """
    for block in range(out.shape[0]):
        start, stop = 64 * block, min(64 * block + 64, first.size)
        for i in range(out.shape[1]):
            up = low = NOTHING
            for r in range(start, stop):
                a, b = first[r], second[r]
                here, there = sides[a >> 6, i], sides[b >> 6, i]
                one, other = np.uint64(a & 63), np.uint64(b & 63)
                place = np.uint64(r - start)
                up |= (((here[0] >> one) & (there[1] >> other)) & ONE) << place
                low |= (((here[1] >> one) & (there[0] >> other)) & ONE) << place
            out[block, i, 0] = up
            out[block, i, 1] = low
