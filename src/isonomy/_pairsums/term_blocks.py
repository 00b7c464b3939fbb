"""Terms that are summed together, and the number of each item's pattern in them.

Patterns that stand on the same sides of all terms are one. Many labels have nearly as many
patterns as there are items, but few of them have few: their terms are then cut into blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import SideWords, count_codes
from isonomy._infra import chunks, default_threads, run_all
from isonomy._pairsums.kernels import term_blocks as kernels

__all__ = ["TermBlock", "blocks_of_tables", "blocks_of_words", "signed_sides"]

Array = NDArray[np.float64]
Table: TypeAlias = NDArray[np.bool_] | NDArray[np.float64] | Any  # Any: scipy.sparse CSR

# A pattern of a block of terms is one of at most so many: the moments of their cells stay in the
# cache.
MAX_PATTERNS = 256
# Terms whose bits are looked up at once.
_LOOKED_UP = 8
# So many items a pattern, and looking for patterns that are one costs next to nothing.
_WORTH_MERGING = 64

_CHUNK = 1 << 17


class TermBlock(NamedTuple):
    """Some of the terms.

    Attributes
    ----------
    terms : slice
    code : (n,) pattern of each item
    sizes : (patterns,) how many items each has
    sides : (patterns, terms), as in `isonomy._pairsums.layout.Members`
    """

    terms: slice
    code: NDArray[np.int32]
    sizes: NDArray[np.int64]
    sides: tuple[Array, ...]


def blocks_of_tables(
    codes: NDArray[np.integer], above: NDArray[Any], below: NDArray[Any]
) -> Iterator[TermBlock]:
    """Yield the terms of tables over patterns, (patterns, terms)."""
    new, above, below = _merged(codes.size, above, below)
    n_patterns, n_terms = above.shape
    occurs = np.zeros((n_terms, 4), np.bool_)
    if n_patterns > MAX_PATTERNS and above.dtype == below.dtype == np.bool_:
        kernels.find_states(above, below, occurs)
    if not occurs.any() or occurs[:, 3].any():
        code, sizes = _renumbered(codes, new, n_patterns)
        yield TermBlock(slice(None), code, sizes, signed_sides(above, below))
        return
    for first, number, sides in _radix_blocks(occurs[:, :3], n_terms):
        renumbered = np.empty(n_patterns, np.int32)
        kernels.block_codes(above, below, first, number, renumbered)
        if new is not None:
            renumbered = renumbered[new]
        code, sizes = _renumbered(codes, renumbered, len(sides))
        yield TermBlock(slice(first, first + len(number)), code, sizes, (sides,))


def blocks_of_words(words: SideWords) -> Iterator[TermBlock]:
    """Yield the terms whose bits are those of words."""
    n, n_terms = len(words), words.n_columns
    occurs = np.zeros((words.sides.shape[0], 64, 3), np.bool_)
    threads, pieces = default_threads(n), chunks(n, _CHUNK)
    for block, sides in enumerate(words.sides):
        found = run_all(lambda a, b, at=sides: kernels.word_states(at[a:b]), pieces, threads)
        bits = np.bitwise_or.reduce(np.array(found), axis=0)
        occurs[block] = ((bits[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).T
    for first, number, sides in _radix_blocks(occurs.reshape(-1, 3)[:n_terms], _LOOKED_UP):
        mine = words.sides[first // 64]
        code, sizes = _numbered_words(mine, first % 64, number, len(sides))
        yield TermBlock(slice(first, first + len(number)), code, sizes, (sides,))


def _numbered_words(
    words: NDArray[np.uint64], first: int, number: NDArray[np.int64], n_patterns: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the sum of the numbers of each row's states in the columns from `first` on."""
    n_here = len(number)
    sets = np.arange(1 << n_here)[:, None] >> np.arange(n_here) & 1
    lookup = np.stack([sets @ (number[:, k] - number[:, 0]) for k in (1, 2)]).astype(np.int32)
    lookup[0] += number[:, 0].sum()
    code = np.empty(len(words), np.int32)
    found = run_all(
        lambda a, b: kernels.word_codes(words[a:b], first, lookup, code[a:b], n_patterns),
        chunks(len(words), _CHUNK),
        default_threads(len(words)),
    )
    return code, np.sum(found, axis=(0, 1))


def _radix_blocks(
    occurs: NDArray[np.bool_], at_most: int
) -> Iterator[tuple[int, NDArray[np.int64], Array]]:
    """Yield runs of terms that have few patterns: the first, a number for each state, the sides.

    States are 0 for neither side, 1 for above, 2 for below. The sum of the numbers of a pattern's
    states is its number, of mixed radix, with a digit for what it is in each term.
    """
    n_terms, first = len(occurs), 0
    while first < n_terms:
        last, n_patterns = first, 1
        stop = min(n_terms, first + at_most, (first // 64 + 1) * 64)
        while last < stop and n_patterns * occurs[last].sum() <= MAX_PATTERNS:
            n_patterns *= int(occurs[last].sum())
            last += 1
        here = occurs[first:last]
        radix = here.sum(axis=1)
        place = np.cumprod(np.append(1, radix[:-1]))
        number = place[:, None] * (np.cumsum(here, axis=1) - 1)
        digit = np.arange(n_patterns)[:, None] // place % radix
        state = np.argsort(~here, axis=1, kind="stable")
        sides = np.array([0.0, 1.0, -1.0])[state[np.arange(last - first), digit]]
        yield first, number, sides
        first = last


def _merged(
    n_items: int, above: NDArray[Any], below: NDArray[Any]
) -> tuple[NDArray[np.int32] | None, NDArray[Any], NDArray[Any]]:
    """Return new numbers of patterns, one for those on the same sides; None: they stay."""
    if not 2 < len(above) <= n_items // _WORTH_MERGING:
        return None, above, below
    rows = np.ascontiguousarray(np.hstack([above, below]) + 0.0)  # -0.0 has other bits than 0.0
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
    _, where, new = np.unique(whole, return_index=True, return_inverse=True)
    if where.size == len(above):
        return None, above, below
    return new.astype(np.int32), above[where], below[where]


def _renumbered(
    codes: NDArray[np.integer], new: NDArray[np.int32] | None, n_patterns: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the new number of each item's pattern, and how many items have each."""
    code, threads = np.empty(codes.size, np.int32), default_threads(codes.size)
    pieces = chunks(codes.size, max(_CHUNK, 16 * n_patterns))
    if new is None:
        run_all(lambda a, b: np.copyto(code[a:b], codes[a:b]), pieces, threads)
        return code, count_codes(codes, n_patterns)
    found = run_all(
        lambda a, b: kernels.renumber(codes[a:b], new, code[a:b], n_patterns), pieces, threads
    )
    return code, np.sum(found, axis=(0, 1), dtype=np.int64, initial=0)


def signed_sides(above: Table, below: Table) -> tuple[Array, ...]:
    """Return the `sides` of `isonomy._pairsums.layout.Members`."""
    if (above.astype(bool) & below.astype(bool)).any():
        return above.astype(np.float64), -below.astype(np.float64)
    return (np.subtract(above, below, dtype=np.float64),)
