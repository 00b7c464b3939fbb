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
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._core.kernels.radix import sort_parts
from isonomy._core.kernels.sorting import (
    HIGHEST,
    SORTABLE,
    group_starts,
    key_ends,
    key_extremes,
    key_layout,
    pack_groups,
    pack_words,
    part_counts,
    settle_ties,
    unpack_items,
    unpack_members,
)
from isonomy._core.kernels.sorting import unpack_codes as _unpack_codes
from isonomy._infra import chunks, default_threads, run_all, segment_chunks

# Parts have about this many words, which stay in a core's own cache, but there are at most
# 2**MOST_PARTS: a processor writes to so many places at once without waiting.
PART, MOST_PARTS = 1 << 12, 7
# Below this many words `np.sort` is not worth a comparison.
WORTH_DIGITS = 1 << 11
# Items whose bits one thread looks at before another is worth its start.
CHUNK = 1 << 21
# Runs up to this long are sorted by insertion.
LONGEST_INSERTION = 32
# Words that one thread unpacks at a time.
UNPACKED = 1 << 17


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


def sort_codes(
    scores: NDArray[np.float64], codes: NDArray[Any], width: int, threads: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Keys in ascending order of score, with the codes in their lowest `width` <= 16 bits.

    Also returns where each part starts: keys of different parts cannot be compared, and
    never belong to equal scores.
    """
    bits = scores.view(np.uint64)
    layout = _layout(bits, threads)
    top = min(SORTABLE - width, _top_bits(layout, bits.size))
    return _packed(bits, codes, layout, (top, 0, width), threads)


def unpack_codes(
    packed: NDArray[np.uint64], starts: NDArray[np.int64], width: int
) -> tuple[NDArray[np.integer[Any]], NDArray[np.bool_]]:
    """What `sort_codes` sorted: the codes, and where each run of equal scores ends."""
    codes: NDArray[Any] = np.empty(packed.size, np.uint8 if width <= 8 else np.uint32)
    return codes, _run_ends(packed, starts, width, codes)


def _run_ends(
    packed: NDArray[np.uint64],
    starts: NDArray[np.int64],
    width: int,
    codes: NDArray[Any] | None = None,
) -> NDArray[np.bool_]:
    """Whether each position ends a run of equal keys within its part; `codes` get theirs."""
    last = np.empty(packed.size, np.bool_)

    def work(begin: int, end: int) -> None:
        key_ends(packed, begin, end, width, last)
        if codes is not None:
            _unpack_codes(packed[begin:end], width, codes[begin:end])

    run_all(work, chunks(packed.size, UNPACKED), default_threads(packed.size))
    ends = starts[1:]
    last[ends[ends > 0] - 1] = True
    last[-1:] = True
    return last


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
        packed, parts = _packed(bits, None, layout, (top, drop, width), threads)
    else:
        starts = parts = group_starts(group, n_groups)
        width = max(int(np.diff(starts).max()) - 1, 1).bit_length()
        drop = max(key_bits + width - SORTABLE, 0)
        packed = np.empty(bits.size, np.uint64)
        if (group[1:] < group[:-1]).any():
            members = np.empty(bits.size, np.int64)
        pack_groups(bits, group, layout, (drop, width), starts, packed, members)
        _sort(packed, parts, threads)
    last = _run_ends(packed, parts, width)
    if group is None:
        unpack_items(packed, width)
    else:
        unpack_members(packed, members, starts, width)
    order = packed.view(np.int64)
    if drop:
        for start, stop in settle_ties(scores, order, last, LONGEST_INSERTION):
            items = order[start:stop].copy()
            order[start:stop] = items[np.argsort(scores[items])]
            sorted_scores = scores[order[start:stop]]
            last[start : stop - 1] = sorted_scores[1:] != sorted_scores[:-1]
    return Ordered(order, starts, last)


def _layout(bits: NDArray[np.uint64], threads: int) -> NDArray[np.uint64]:
    pieces = chunks(bits.size, CHUNK)
    return key_layout(
        np.array(run_all(lambda start, stop: key_extremes(bits[start:stop]), pieces, threads))
    )


def _top_bits(layout: NDArray[np.uint64], n: int) -> int:
    """From which bit on keys choose their part."""
    part_bits = min((n // PART).bit_length(), MOST_PARTS)
    return max(int(layout[HIGHEST]).bit_length() - part_bits, 0)


def _packed(
    bits: NDArray[np.uint64],
    payload: NDArray[Any] | None,
    layout: NDArray[np.uint64],
    room: tuple[int, int, int],
    threads: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Sorted words, and where each part starts; `room` is that of `pack_words`."""
    top = room[0]
    n_parts = (int(layout[HIGHEST]) >> top) + 1
    # Each chunk of items has its own positions inside each part.
    pieces = chunks(bits.size, -(-bits.size // threads))

    def count(start: int, stop: int) -> NDArray[np.int64]:
        return part_counts(bits[start:stop], layout, top, n_parts)

    counts = np.array(run_all(count, pieces, threads))
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    free = starts[:-1] + np.cumsum(counts, axis=0) - counts
    packed = np.empty(bits.size, np.uint64)

    def pack(number: int, start: int, stop: int) -> None:
        some = None if payload is None else payload[start:stop]
        pack_words(bits[start:stop], some, start, layout, room, free[number], packed)

    run_all(pack, [(k, *piece) for k, piece in enumerate(pieces)], threads)
    _sort(packed, starts, threads)
    return packed, starts


def _sort(words: NDArray[np.uint64], starts: NDArray[np.int64], threads: int) -> None:
    """Sort each part of the words in place."""
    few = starts.size <= 2 * (1 << MOST_PARTS)
    by_numpy = few and (words.size < WORTH_DIGITS or numpy_is_faster())

    def sort(first: int, stop: int) -> None:
        if not by_numpy:
            sort_parts(words, starts[first : stop + 1])
            return
        for part in range(first, stop):
            words[starts[part] : starts[part + 1]].view(np.float64).sort()

    pieces = segment_chunks(starts, max(words.size // (4 * threads), 1))
    run_all(sort, pieces, threads)


@cache
def numpy_is_faster() -> bool:
    """Whether `np.sort` beats the sort by digits here, on as many words as a part has."""
    words = np.random.default_rng(0).integers(1 << 52, 1 << 61, PART, dtype=np.uint64)
    starts = np.array([0, words.size])

    def seconds(digits: bool) -> float:
        copy = words.copy()
        begun = time.perf_counter()
        if digits:
            sort_parts(copy, starts)
        else:
            copy.view(np.float64).sort()
        return time.perf_counter() - begun

    # The first of each also compiles, or warms the cache.
    return min(seconds(False) for _ in range(6)) <= min(seconds(True) for _ in range(6))
