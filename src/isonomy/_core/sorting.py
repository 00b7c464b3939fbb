"""Sort scores with a small payload: exact, and near the speed of a sort of plain numbers.

Each score becomes an order-preserving integer *key*, a payload (the item's pattern code, or
its index) goes into the bits below it, and a sort of such words carries the payload along.

A key is a score's position among the floats within the range of the scores at hand:
magnitudes count from the smallest one present, zero has one slot of its own, and
trailing zero bits that all scores share are dropped. Most scores then need fewer than
64 bits, which makes room for the payload. Many words are first partitioned by the top bits
of the key, which the words of a part then need not hold. What still does not fit is left out
of indices' keys, and such ties are settled by the scores themselves; codes get more parts.

Parts are sorted on all cores, by `np.sort` or by digits, whichever this machine is faster at:
what `np.sort` takes depends on the processor's vector instructions and on how well numpy uses
them. Sorted words are the same either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from isonomy._core.kernels.radix import sort_parts as sort_by_digits
from isonomy._core.kernels.sorting import (
    HIGHEST,
    SORTABLE,
    gather,
    group_starts,
    key_extremes,
    key_layout,
    pack_groups,
    pack_words,
    part_counts,
    settle_ties,
    unpack_codes,
    unpack_items,
    unpack_members,
)
from isonomy._infra import chunks, default_threads, run_all, segment_chunks

# Parts have about this many words, which stay in a core's own cache, but there are at most
# 2**MOST_PARTS: a processor writes to so many places at once without waiting.
PART, MOST_PARTS = 1 << 12, 9
# Below this many words `np.sort` is not worth a comparison.
WORTH_DIGITS = 1 << 11
# Items whose bits one thread looks at before another is worth its start.
CHUNK = 1 << 21
# Runs up to this long are sorted by insertion.
LONGEST_INSERTION = 32
# Values that one thread gathers at a time.
GATHERED = 1 << 17

Result = TypeVar("Result")


class Ordered(NamedTuple):
    """Items in ascending order of score, group by group.

    Attributes
    ----------
    order : ndarray of int64
        The items.
    starts : ndarray of int64, shape (groups + 1,)
        Where each group starts.
    last : ndarray of bool
        Whether each position ends a run of equal scores.
    """

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    last: NDArray[np.bool_]


class CodedWords:
    """Keys of scores with the items' codes in their lowest bits, in parts that ascend.

    They are sorted when they are first looked at. Keys of different parts cannot be compared,
    and never belong to equal scores.

    Attributes
    ----------
    words : ndarray of uint64, shape (n,)
        The keys and codes.
    starts : ndarray of int64, shape (parts + 1,)
        Where each part starts.
    width : int
        How many bits, at most 16, the codes have.
    """

    def __init__(
        self, scores: NDArray[np.float64], codes: NDArray[Any], width: int, threads: int
    ) -> None:
        bits = scores.view(np.uint64)
        layout = _layout(bits, threads)
        top = min(SORTABLE - width, _top_bits(layout, bits.size))
        self.words, self.starts = _parted(bits, codes, layout, (top, 0, width), threads)
        self.width = width
        self._threads = threads
        self._sorted = False

    def visit(self, work: Callable[[NDArray[np.int64]], Result]) -> list[Result]:
        """What `work` makes of the starts of some parts side by side, for all parts in order.

        It is called in the thread that has just sorted them, while they are in its cache.
        """
        found = _sort_parts(self.words, self.starts, self._threads, work, done=self._sorted)
        self._sorted = True
        return found

    def runs(self) -> tuple[NDArray[np.integer[Any]], NDArray[np.bool_]]:
        """The codes in order, and whether each position ends a run of equal scores."""
        codes: NDArray[Any] = np.empty(self.words.size, np.uint8 if self.width <= 8 else np.uint32)
        last = np.empty(self.words.size, np.bool_)
        self.visit(lambda starts: unpack_codes(self.words, starts, self.width, codes, last))
        return codes, last


def sort_order(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Indices that put the scores in ascending order: `np.argsort`, several times faster."""
    return order_items(scores).order


def order_items(
    scores: NDArray[np.float64], group: NDArray[np.int64] | None = None, n_groups: int = 1
) -> Ordered:
    """Items in ascending order of score, group by group."""
    bits, threads = scores.view(np.uint64), default_threads(scores.size)
    layout = _layout(bits, threads)
    key_bits = int(layout[HIGHEST]).bit_length()
    members = None
    if group is None:
        starts = np.array([0, bits.size])
        width = max(bits.size - 1, 1).bit_length()
        top = _top_bits(layout, bits.size)
        drop = max(min(top, key_bits) + width - SORTABLE, 0)
        packed, parts = _parted(bits, None, layout, (top, drop, width), threads)
    else:
        starts = parts = group_starts(group, n_groups)
        width = max(int(np.diff(starts).max()) - 1, 1).bit_length()
        drop = max(key_bits + width - SORTABLE, 0)
        packed = np.empty(bits.size, np.uint64)
        if (group[1:] < group[:-1]).any():
            members = np.empty(bits.size, np.int64)
        pack_groups(bits, group, layout, (drop, width), starts, packed, members)
    order, last = packed.view(np.int64), np.empty(bits.size, np.bool_)

    def unpack(some: NDArray[np.int64]) -> None:
        if group is None:
            unpack_items(packed, some, width, last)
        else:
            unpack_members(packed, some, members, width, last)
        if drop:
            here = slice(some[0], some[-1])
            _settle(scores, order[here], last[here])

    _sort_parts(packed, parts, threads, unpack)
    return Ordered(order, starts, last)


def gathered(values: NDArray[Any], order: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """values[order], on all cores."""
    out = np.empty(order.size, values.dtype)
    pieces = chunks(order.size, GATHERED)
    run_all(lambda a, b: gather(values, order[a:b], out[a:b]), pieces, default_threads(order.size))
    return out


def _settle(scores: NDArray[np.float64], order: NDArray[np.int64], last: NDArray[np.bool_]) -> None:
    """Order items whose shortened keys are equal, as `last` tells, by their scores."""
    for start, stop in settle_ties(scores, order, last, LONGEST_INSERTION):
        items = order[start:stop].copy()
        order[start:stop] = items[np.argsort(scores[items])]
        sorted_scores = scores[order[start:stop]]
        last[start : stop - 1] = sorted_scores[1:] != sorted_scores[:-1]


def _layout(bits: NDArray[np.uint64], threads: int) -> NDArray[np.uint64]:
    pieces = chunks(bits.size, CHUNK)
    return key_layout(
        np.array(run_all(lambda start, stop: key_extremes(bits[start:stop]), pieces, threads))
    )


def _top_bits(layout: NDArray[np.uint64], n: int) -> int:
    """From which bit on keys choose their part."""
    part_bits = min((n // PART).bit_length(), MOST_PARTS)
    return max(int(layout[HIGHEST]).bit_length() - part_bits, 0)


def _parted(
    bits: NDArray[np.uint64],
    payload: NDArray[Any] | None,
    layout: NDArray[np.uint64],
    room: tuple[int, int, int],
    threads: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Words by their parts, and where each part starts; `room` is that of `pack_words`."""
    top = room[0]
    n_parts = (int(layout[HIGHEST]) >> top) + 1
    # Each chunk of items has its own positions inside each part.
    pieces = chunks(bits.size, -(-bits.size // threads))

    def count(start: int, stop: int) -> NDArray[np.int64]:
        return part_counts(bits[start:stop], layout, top, n_parts)

    counts = np.array(run_all(count, pieces, threads))
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    free = (starts[:-1] + np.cumsum(counts, axis=0) - counts).astype(np.uint64)
    packed = np.empty(bits.size, np.uint64)

    def pack(number: int, start: int, stop: int) -> None:
        some = None if payload is None else payload[start:stop]
        pack_words(bits[start:stop], some, start, layout, room, free[number], packed)

    run_all(pack, [(k, *piece) for k, piece in enumerate(pieces)], threads)
    return packed, starts


def _sort_parts(
    words: NDArray[np.uint64],
    starts: NDArray[np.int64],
    threads: int,
    then: Callable[[NDArray[np.int64]], Result],
    *,
    done: bool = False,
) -> list[Result]:
    """Sort each part of the words in place, unless that is done.

    What `then` makes of the starts of some parts, as soon as those are sorted.
    """
    few = starts.size <= 2 * (1 << MOST_PARTS)
    by_numpy = few and (words.size < WORTH_DIGITS or numpy_is_faster())

    def work(first: int, stop: int) -> Result:
        some = starts[first : stop + 1]
        if by_numpy and not done:
            for start, end in pairwise(some.tolist()):
                words[start:end].view(np.float64).sort()
        elif not done:
            sort_by_digits(words, some)
        return then(some)

    pieces = segment_chunks(starts, max(words.size // (4 * threads), 1))
    return run_all(work, pieces, threads)


@cache
def numpy_is_faster() -> bool:
    """Whether `np.sort` beats the sort by digits here, on as many words as a part has."""
    words = np.random.default_rng(0).integers(1 << 52, 1 << 61, PART, dtype=np.uint64)
    starts = np.array([0, words.size])

    def seconds(digits: bool) -> float:
        copy = words.copy()
        begun = time.perf_counter()
        if digits:
            sort_by_digits(copy, starts)
        else:
            copy.view(np.float64).sort()
        return time.perf_counter() - begun

    # The first of each also compiles, or warms the cache.
    return min(seconds(False) for _ in range(6)) <= min(seconds(True) for _ in range(6))
