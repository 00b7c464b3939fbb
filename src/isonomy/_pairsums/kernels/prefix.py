r"""Hinge sums by sorting: :math:`\phi(z) = \max(0, 1 - z)^p` with running sums that only grow.

Visit the items by decreasing score s and let an item j below enter when :math:`s - f_j < 1`.
The sums :math:`M_k = \sum_j w_j (1 - s + f_j)^k` then move with s by additions alone:
:math:`M_1 \mathrel{+}= \delta M_0`, :math:`M_2 \mathrel{+}= \delta (2 M_1 + \delta M_0)`, so that
nothing cancels, wherever the scores lie. What items below feel is the same on the mirrored axis.
Who has entered when depends on the scores alone: it is found once for all terms and powers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = ["gather", "insert", "member_sums", "reach", "scatter", "term_sums"]

Array = NDArray[np.float64]
Index = NDArray[np.int32]
Starts = NDArray[np.int64]


@kernel
def insert(
    first: int, last: int, starts: Starts, scores: Array, at_most: int, order: Starts
) -> None:
    """Order the members of segments by decreasing score, where they are `at_most` so many."""
    for s in range(first, last):
        a, b = starts[s], starts[s + 1]
        if b - a > at_most:
            continue
        for i in range(a, b):
            k = i
            while k > a and scores[order[k - 1]] < scores[i]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = i


@kernel
def gather(order: Starts, scores: Array, code: Index, felt: Array, pattern: Index) -> None:
    """Write down the scores and patterns of members in an order."""
    for k in range(order.size):
        i = np.uintp(order[k])
        felt[k] = scores[i]
        pattern[k] = code[i]


@kernel
def scatter(order: Starts, one: Array, other: Array, out: Array) -> None:
    """Write down the sum of two arrays in an order where its members are."""
    for k in range(order.size):
        out[np.uintp(order[k])] = one[k] + other[k]


@kernel
def reach(begin: int, end: int, starts: Starts, scores: Array, entered: Index, left: Index) -> None:
    """Find who is in reach, at a margin below 1, in the segments from `begin` to `end`.

    Scores decrease within each segment. An item above at i has below it those in reach up to
    ``entered[i]``; an item below at j has above it those from ``left[j]`` on.
    """
    for s in range(begin, end):
        j, last = starts[s], starts[s + 1]
        for i in range(starts[s], last):
            score = scores[i]
            while j < last and score - scores[j] < 1.0:
                left[j] = i
                j += 1
            entered[i] = j


@kernel
def _counted(
    feels: Array, gives: Array, code: Index, items: tuple[Array, Array], edge: Index,
    direction: int, scale: float, sums: Array, out: Array,
) -> None:  # fmt: skip
    """`_sweep` for power 0: sums up to each item, then that at the edge of an item's reach."""
    source, weight = items
    n = code.size
    total = 0.0
    if direction > 0:
        for k in range(n):
            sums[k] = total
            total += max(-gives[code[k]], 0.0) * source[k]
        sums[n] = total
    else:
        for k in range(n - 1, -1, -1):
            total += max(gives[code[k]], 0.0) * source[k]
            sums[k] = total
        sums[n] = 0.0
    for k in range(n):
        out[k] += scale * max(direction * feels[code[k]], 0.0) * weight[k] * sums[edge[k]]


@kernel
def _sweep(
    scores: Array, feels: Array, gives: Array, code: Index, items: tuple[Array, Array],
    edge: Index, direction: int, power: int, scale: float, out: Array,
) -> float:  # fmt: skip
    r"""Add `scale` times :math:`w_i A_i M_{power}` to ``out[i]``, power > 0; return the sum.

    The scores decrease. Pattern p stands above with the weight of its entry where that is
    positive, below where it is negative. `items` are what M is the sum of, and the weights of
    those that feel it. Items above feel those below, which enter up to the `edge` of their reach,
    when `direction` is 1; when it is -1, items below feel those above. An item on both sides feels
    itself.
    """
    source, weight = items
    last = scores.size - 1
    start = 0 if direction > 0 else last
    zeroth, first, second, total = 0.0, 0.0, 0.0, 0.0
    previous = scores[start]
    j = start
    for k in range(scores.size):
        i = start + direction * k
        step = direction * (previous - scores[i])
        previous = scores[i]
        if power > 1:  # Else it may overflow.
            second += step * (2.0 * first + step * zeroth)
        first += step * zeroth
        stop = edge[i] if direction > 0 else edge[i] - 1
        while j != stop:
            share = max(-direction * gives[code[j]], 0.0) * source[j]
            excess = 1.0 - direction * (scores[i] - scores[j])
            zeroth += share
            first += share * excess
            if power > 1:
                second += share * excess * excess
            j += direction
        felt = second if power > 1 else first
        felt *= scale * max(direction * feels[code[i]], 0.0) * weight[i]
        out[i] += felt
        total += felt
    return total


@kernel
def term_sums(
    begin: int,
    end: int,
    r: int,
    starts: Starts,
    scores: Array,
    code: Index,
    weight: Array,
    sides: Array,
    entered: Index,
    power: int,
    out: Array,
) -> None:
    r"""Set ``out[s, r]`` to :math:`N_r` of the segments from `begin` to `end`, for power > 0.

    Scores decrease within each segment. `sides`, (terms, 2, patterns), are those that items stand
    on above and below; `entered` is from `reach`.
    """
    longest = 0
    for s in range(begin, end):
        longest = max(longest, starts[s + 1] - starts[s])
    scratch, edge = np.zeros(longest), np.empty(longest, np.int32)
    for s in range(begin, end):
        mine = slice(starts[s], starts[s + 1])
        n = starts[s + 1] - starts[s]
        for k in range(n):
            edge[k] = entered[starts[s] + k] - starts[s]
        out[s, r] = _sweep(
            scores[mine], sides[r, 0], sides[r, 1], code[mine], (weight[mine], weight[mine]),
            edge[:n], 1, power, 1.0, scratch[:n],
        )  # fmt: skip


@kernel
def member_sums(
    begin: int,
    end: int,
    direction: int,
    starts: Starts,
    scores: Array,
    code: Index,
    source: Array,
    weight: Array,
    sides: Array,
    edges: Index,
    power: int,
    coefficient: Array,
    out: Array,
) -> None:
    r"""Add :math:`w_i \sum_r a_{sr} A_{ir} M_{power, r}` to ``out[i]``, M of the `source` below.

    When `direction` is -1, the same with B for A, M of the source above. `edges` is what `reach`
    finds for the direction.
    """
    longest = 0
    for s in range(begin, end):
        longest = max(longest, starts[s + 1] - starts[s])
    sums, edge = np.empty(longest + 1), np.empty(longest, np.int32)
    upper, lower = (0, 1) if direction > 0 else (1, 0)
    for s in range(begin, end):
        mine = slice(starts[s], starts[s + 1])
        n = starts[s + 1] - starts[s]
        for k in range(n):
            edge[k] = edges[starts[s] + k] - starts[s]
        items = (source[mine], weight[mine])
        for r in range(sides.shape[0]):
            scale = coefficient[s, r]
            if scale == 0.0:
                continue
            feels, gives = sides[r, upper], sides[r, lower]
            if power > 0:
                _sweep(
                    scores[mine], feels, gives, code[mine], items, edge[:n], direction, power,
                    scale, out[mine],
                )  # fmt: skip
            else:
                _counted(
                    feels, gives, code[mine], items, edge[:n], direction, scale, sums, out[mine]
                )
