"""Pairs of up to 64 terms at once: bit r of an item's words says on which side of term r it is.

All kernels take items in ascending order of score: the number of the words that each has and,
in `last`, where each run of equal scores ends. They go through segments (groups, or blocks of
one ranking that end with a run) and know nothing of pairs between those.

Loops over terms vectorise; they are longer than there are terms, a multiple of eight, so that
nothing is left over. Columns beyond the terms stay 0.
"""

# Unsigned arithmetic in these kernels wraps around on purpose.

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

# Words of the upper and of the lower side of all terms, by an item's number: (numbers, 2).
Sides: TypeAlias = NDArray[np.uint64]
# Items in ascending order of score, and where runs of equal scores end.
Ranked: TypeAlias = tuple[NDArray[np.integer[Any]], NDArray[np.bool_]]

ONE = np.uint64(1)
NOTHING = np.uint64(0)


@kernel
def count_segments(
    items: Ranked,
    segments: NDArray[np.int64],
    sides: Sides,
    right: NDArray[np.uint64],
    above: NDArray[np.uint64],
    below: NDArray[np.uint64],
) -> None:
    """Count the pairs inside each segment.

    `right` gets twice the pairs in the right order, `above` and `below` the items on either
    side; all have shape (segments, columns).
    """
    last = items[1]
    n_columns = right.shape[1]
    buffer = _buffer(segments)
    doubled = np.empty(n_columns, np.uint64)
    pairs = np.empty(n_columns, np.uint64)
    ups, lows = np.empty(n_columns, np.uint64), np.empty(n_columns, np.uint64)
    total = np.empty(n_columns, np.uint64)
    for s in range(segments.size - 1):
        doubled[:] = NOTHING
        pairs[:] = NOTHING
        total[:] = NOTHING
        first = i = segments[s]
        _gather(items, first, segments[s + 1], sides, buffer)
        while i < segments[s + 1]:
            up, low = buffer[i - first, 0], buffer[i - first, 1]
            if last[i]:
                for r in range(n_columns):
                    yes = (up >> np.uint64(r)) & ONE
                    pairs[r] += (NOTHING - yes) & doubled[r]
                    total[r] += yes
                    doubled[r] += ((low >> np.uint64(r)) & ONE) << ONE
                i += 1
                continue
            ups[:] = NOTHING
            lows[:] = NOTHING
            tied = True
            while tied:
                up, low = buffer[i - first, 0], buffer[i - first, 1]
                for r in range(n_columns):
                    ups[r] += (up >> np.uint64(r)) & ONE
                    lows[r] += (low >> np.uint64(r)) & ONE
                tied = not last[i]
                i += 1
            # Of the pairs inside the run one half is right.
            for r in range(n_columns):
                pairs[r] += ups[r] * (doubled[r] + lows[r])
                total[r] += ups[r]
                doubled[r] += lows[r] << ONE
        for r in range(n_columns):
            right[s, r] = pairs[r]
            above[s, r] = total[r]
            below[s, r] = doubled[r] >> ONE


@kernel
def sum_segments(
    items: Ranked,
    weight: NDArray[np.float64],
    segments: NDArray[np.int64],
    sides: Sides,
    out: NDArray[np.float64],
) -> None:
    """Sum the pairs inside each segment by the products of their weights.

    `out`, (segments, 4, columns), gets the pairs in the right and in the wrong order and the
    weight of the upper and of the lower side. What rounding loses of each sum is carried along.
    """
    last = items[1]
    n_columns = out.shape[2]
    buffer = _buffer(segments)
    # Sums, and what they lost: right, wrong, above, below.
    sums, lost = np.empty((4, n_columns)), np.empty((4, n_columns))
    ups, lows = np.empty(n_columns), np.empty(n_columns)
    for s in range(segments.size - 1):
        sums[:] = 0.0
        lost[:] = 0.0
        first = i = segments[s]
        _gather(items, first, segments[s + 1], sides, buffer)
        while i < segments[s + 1]:
            up, low = buffer[i - first, 0], buffer[i - first, 1]
            w = weight[i]
            if last[i]:
                for r in range(n_columns):
                    upper = w if (up >> np.uint64(r)) & ONE else 0.0
                    lower = w if (low >> np.uint64(r)) & ONE else 0.0
                    _add(sums, lost, 0, r, upper * (sums[3, r] + lost[3, r]))
                    _add(sums, lost, 1, r, lower * (sums[2, r] + lost[2, r]))
                    _add(sums, lost, 2, r, upper)
                    _add(sums, lost, 3, r, lower)
                i += 1
                continue
            ups[:] = 0.0
            lows[:] = 0.0
            tied = True
            while tied:
                w = weight[i]
                up, low = buffer[i - first, 0], buffer[i - first, 1]
                for r in range(n_columns):
                    ups[r] += w if (up >> np.uint64(r)) & ONE else 0.0
                    lows[r] += w if (low >> np.uint64(r)) & ONE else 0.0
                tied = not last[i]
                i += 1
            # Of the pairs inside the run one half is right.
            for r in range(n_columns):
                above, below = sums[2, r] + lost[2, r], sums[3, r] + lost[3, r]
                _add(sums, lost, 0, r, ups[r] * (below + 0.5 * lows[r]))
                _add(sums, lost, 1, r, lows[r] * (above + 0.5 * ups[r]))
                _add(sums, lost, 2, r, ups[r])
                _add(sums, lost, 3, r, lows[r])
        for k in range(4):
            for r in range(n_columns):
                out[s, k, r] = sums[k, r] + lost[k, r]


@kernel
def sum_one_term(
    items: Ranked,
    weight: NDArray[np.float64],
    segments: NDArray[np.int64],
    sides: Sides,
    out: NDArray[np.float64],
) -> None:
    """The same bits for a single term, `out` (segments, 4, 1): its sums stay in registers."""
    numbers, last = items
    for s in range(segments.size - 1):
        right = wrong = above = below = (0.0, 0.0)
        i = segments[s]
        while i < segments[s + 1]:
            ups = weight[i] * np.float64(sides[numbers[i], 0] & ONE)
            lows = weight[i] * np.float64(sides[numbers[i], 1] & ONE)
            tied_up = tied_low = 0.0
            if not last[i]:
                while not last[i]:
                    i += 1
                    ups += weight[i] * np.float64(sides[numbers[i], 0] & ONE)
                    lows += weight[i] * np.float64(sides[numbers[i], 1] & ONE)
                tied_up, tied_low = 0.5 * ups, 0.5 * lows
            right = _plus(right, ups * ((below[0] + below[1]) + tied_low))
            wrong = _plus(wrong, lows * ((above[0] + above[1]) + tied_up))
            above, below = _plus(above, ups), _plus(below, lows)
            i += 1
        for k, (total, lost) in enumerate((right, wrong, above, below)):
            out[s, k, 0] = total + lost


@kernel
def _plus(total: tuple[float, float], x: float) -> tuple[float, float]:
    """A sum and what rounding lost of it, with one more number (Knuth)."""
    before, lost = total
    after = before + x
    part = after - before
    return after, lost + ((before - (after - part)) + (x - part))


@kernel
def _add(sums: NDArray[np.float64], lost: NDArray[np.float64], k: int, r: int, x: float) -> None:
    """sums[k, r] += x, with what rounding loses collected in `lost` (Knuth)."""
    before = sums[k, r]
    after = before + x
    part = after - before
    sums[k, r] = after
    lost[k, r] += (before - (after - part)) + (x - part)


@kernel
def _buffer(segments: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Room for the words of any segment."""
    longest = 0
    for s in range(segments.size - 1):
        longest = max(longest, segments[s + 1] - segments[s])
    return np.empty((longest, 2), np.uint64)


@kernel
def _gather(items: Ranked, first: int, stop: int, sides: Sides, buffer: NDArray[np.uint64]) -> None:
    """Words in order, apart from the counting, so that many are fetched from memory at once."""
    numbers = items[0]
    for i in range(first, stop):
        buffer[i - first, 0] = sides[numbers[i], 0]
        buffer[i - first, 1] = sides[numbers[i], 1]


@kernel
def pack_sides(above: NDArray[Any], below: NDArray[Any], words: NDArray[np.uint64]) -> None:
    """Bit r of a row's words is whether its entry in column r is above 0.

    `words` has shape (blocks of 64 columns, rows, 2): `above`, then `below`.
    """
    for block in range(words.shape[0]):
        stop = min(64 * block + 64, above.shape[1])
        for i in range(above.shape[0]):
            up = low = NOTHING
            for r in range(64 * block, stop):
                up |= np.uint64(above[i, r] > 0) << np.uint64(r - 64 * block)
                low |= np.uint64(below[i, r] > 0) << np.uint64(r - 64 * block)
            words[block, i, 0] = up
            words[block, i, 1] = low
