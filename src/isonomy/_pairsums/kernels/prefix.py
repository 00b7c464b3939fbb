r"""Hinge sums by sorting: :math:`\phi(z) = \max(0, 1 - z)^p` with running sums that only grow.

Visit the items by decreasing score s and let an item j below enter when :math:`s - f_j < 1`.
The sums :math:`M_k = \sum_j w_j (1 - s + f_j)^k` then move with s by additions alone:
:math:`M_1 \mathrel{+}= \delta M_0`, :math:`M_2 \mathrel{+}= \delta (2 M_1 + \delta M_0)`, so that
nothing cancels, wherever the scores lie. What items below feel is the same on the mirrored axis.
Who has entered when depends on the scores alone: it is found once for all terms and powers. So
what enters is summed up to each item j first, and what it has grown by, item after item, next:
neither loop has to guess how many items enter at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = ["gather", "member_sums", "reach", "scatter", "term_sums"]

# From so many members on, four stretches of the way are gone side by side.
FOUR_FROM = 256
# Those that enter are summed so many at a time.
AT_ONCE = 512

Array = NDArray[np.float64]
Index = NDArray[np.int32]
Starts = NDArray[np.int64]
# For items above, up to where others below are in reach; for items below, from where.
Edges = tuple[Index, Index]


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
        a, b = starts[s], starts[s + 1]
        i = j = a
        if b - a >= FOUR_FROM:
            i, j = _four_stretches(a, b, scores, entered, left)
        while i < b:
            while j < b and scores[i] - scores[j] < 1.0:
                left[j] = i
                j += 1
            entered[i] = j
            i += 1


@kernel
def _four_stretches(a: int, b: int, scores: Array, entered: Index, left: Index) -> tuple[int, int]:
    """Go the way of `reach` from i = j = a until the last j has been reached; return where it ends.

    A step is either to the next i or to the next j. None can be guessed, and each waits for the
    one before: four stretches of as many steps are gone at the same time.
    """
    n_steps = (b - a + _first_above(a, b, scores, b - 1) - a) // 4
    one = (a, a)
    two = _after(a, b, n_steps, scores)
    three = _after(a, b, 2 * n_steps, scores)
    four = _after(a, b, 3 * n_steps, scores)
    joints = (two, three, four)
    for _ in range(n_steps):
        one = _step(one, scores, entered, left)
        two = _step(two, scores, entered, left)
        three = _step(three, scores, entered, left)
        four = _step(four, scores, entered, left)
    # The end of a stretch has written over the start of the next one.
    for i, j in joints:
        left[j] = _first_above(a, b, scores, j)
        while j < b and scores[i] - scores[j] < 1.0:
            j += 1
        entered[i] = j
    return four


@kernel
def _step(at: tuple[int, int], scores: Array, entered: Index, left: Index) -> tuple[int, int]:
    """To the next j where this one is in reach of i, else to the next i."""
    i, j = np.uintp(at[0]), np.uintp(at[1])
    in_reach = int(scores[i] - scores[j] < 1.0)
    left[j] = at[0]
    entered[i] = at[1]
    return at[0] + (1 - in_reach), at[1] + in_reach


@kernel
def _after(a: int, b: int, n_steps: int, scores: Array) -> tuple[int, int]:
    """Where so many steps from i = j = a lead, all of them before the last j is reached."""
    # The lowest number of steps in i for which all others are in reach.
    low, high = max(n_steps - (b - a), 0), min(n_steps, b - a - 1)
    while low < high:
        middle = (low + high) // 2
        if scores[a + middle] - scores[a + n_steps - middle - 1] < 1.0:
            high = middle
        else:
            low = middle + 1
    return a + low, a + n_steps - low


@kernel
def _first_above(a: int, b: int, scores: Array, j: int) -> int:
    """The first item from a on that has j in reach."""
    low, high = a, b - 1
    while low < high:
        middle = (low + high) // 2
        if scores[middle] - scores[j] < 1.0:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def _sweep(
    a: int, b: int, scores: Array, feels: Array, gives: Array, code: Index,
    items: tuple[Array, Array], edges: Edges, direction: int, power: int, scale: float,
    sums: Array, out: Array | None,
) -> float:  # fmt: skip
    r"""Add `scale` times :math:`w_i A_i M_{power}` to ``out[i]``; return the sum, for power > 0.

    Pattern p stands above with the weight of its entry where that is positive, below where it is
    negative. `items` are what M is the sum of, and the weights of those that feel it. Items above
    feel those below when `direction` is 1; when it is -1, items below feel those above. An item
    on both sides feels itself. Some of those that enter are taken at a time, so that `sums` of
    them stay in the cache.
    """
    source, weight = items
    n, at_once = b - a, sums.shape[1] - 1
    entering, felt = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0)
    visited = entered = 0
    while entered < n:
        some = min(at_once, n - entered)
        entering = _enter(
            a, b, entered, some, scores, gives, code, source, edges, direction, power, entering,
            sums,
        )  # fmt: skip
        served = _served(a, b, visited, entered + some, edges, direction)
        if power > 0:
            felt = _feel(
                a, b, visited, served, entered, scores, feels, code, weight, edges, direction,
                power, scale, sums, felt, out,
            )  # fmt: skip
        else:
            _feel_number(
                a, b, visited, served, entered, feels, code, weight, edges, direction, scale, sums,
                out,
            )  # fmt: skip
        visited = served
        entered += some
    return felt[0]


@kernel
def _served(a: int, b: int, visited: int, entered: int, edges: Edges, direction: int) -> int:
    """Up to where no more than those that entered are in reach of items yet to be visited."""
    low, high = (b - a if entered == b - a else visited), b - a
    while low < high:
        middle = (low + high) // 2
        in_reach = edges[0][a + middle] - a if direction > 0 else b - edges[1][b - 1 - middle]
        if in_reach <= entered:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _enter(
    a: int, b: int, entered: int, some: int, scores: Array, gives: Array, code: Index,
    source: Array, edges: Edges, direction: int, power: int,
    so_far: tuple[float, float, float], sums: Array,
) -> tuple[float, float, float]:  # fmt: skip
    """Sum some more that enter, times powers of their excess over the margin when they do.

    ``sums[k, q]`` gets the k-th of `so_far`, what entered before, with the first q of them.
    """
    zeroth, first, second = so_far
    sums[0, 0], sums[1, 0], sums[2, 0] = so_far
    start = a + entered if direction > 0 else b - 1 - entered
    for q in range(some):
        j = start + direction * q
        share = max(-direction * gives[code[j]], 0.0) * source[j]
        zeroth += share
        sums[0, q + 1] = zeroth
        if power > 0:
            meets = edges[1][j] if direction > 0 else edges[0][j] - 1
            excess = 1.0 - direction * (scores[np.uintp(meets)] - scores[j])
            first += share * excess
            sums[1, q + 1] = first
            if power > 1:
                second += share * excess * excess
                sums[2, q + 1] = second
    return zeroth, first, second


@kernel
def _feel(
    a: int, b: int, visited: int, served: int, entered: int, scores: Array, feels: Array,
    code: Index, weight: Array, edges: Edges, direction: int, power: int, scale: float,
    sums: Array, so_far: tuple[float, float, float, float, float], out: Array | None,
) -> tuple[float, float, float, float, float]:  # fmt: skip
    """Visit the next items, of whose reach `sums` tell, for power > 0."""
    total, zeroth, first, grown, grown_twice = so_far
    start = a if direction > 0 else b - 1
    previous = scores[start + direction * max(visited - 1, 0)]
    for k in range(visited, served):
        i = start + direction * k
        at = np.uintp((edges[0][i] - a if direction > 0 else b - edges[1][i]) - entered)
        step = direction * (previous - scores[i])
        previous = scores[i]
        if power > 1:  # Else it may overflow.
            grown_twice += step * (2.0 * first + step * zeroth)
        grown += step * zeroth
        zeroth, first = sums[0, at], grown + sums[1, at]
        felt = first if power == 1 else grown_twice + sums[2, at]
        felt *= scale * max(direction * feels[code[i]], 0.0) * weight[i]
        total += felt
        if out is not None:
            out[i] += felt
    return total, zeroth, first, grown, grown_twice


@kernel
def _feel_number(
    a: int, b: int, visited: int, served: int, entered: int, feels: Array, code: Index,
    weight: Array, edges: Edges, direction: int, scale: float, sums: Array, out: Array | None,
) -> None:  # fmt: skip
    """`_feel` for power 0, of which no sum is asked for."""
    start = a if direction > 0 else b - 1
    for k in range(visited, served):
        i = start + direction * k
        at = np.uintp((edges[0][i] - a if direction > 0 else b - edges[1][i]) - entered)
        share = scale * max(direction * feels[code[i]], 0.0) * weight[i]
        if out is not None:
            out[i] += share * sums[0, at]


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
    edges: Edges,
    power: int,
    out: Array,
) -> None:
    r"""Set ``out[s, r]`` to :math:`N_r` of the segments from `begin` to `end`, for power > 0.

    Scores decrease within each segment. Pattern p stands above with the weight of its entry in
    `sides`, (terms, 2, patterns), where the first is positive, below where the second is negative;
    on both sides it meets itself. `edges` are from `reach`.
    """
    sums = np.empty((3, AT_ONCE + 1))
    for s in range(begin, end):
        out[s, r] = _sweep(
            starts[s], starts[s + 1], scores, sides[r, 0], sides[r, 1], code, (weight, weight),
            edges, 1, power, 1.0, sums, None,
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
    edges: Edges,
    power: int,
    coefficient: Array,
    out: Array,
) -> None:
    r"""Add :math:`w_i \sum_r a_{sr} A_{ir} M_{power, r}` to ``out[i]``, M of the `source` below.

    When `direction` is -1, the same with B for A, M of the source above.
    """
    sums = np.empty((3, AT_ONCE + 1))
    upper, lower = (0, 1) if direction > 0 else (1, 0)
    for s in range(begin, end):
        for r in range(sides.shape[0]):
            scale = coefficient[s, r]
            if scale != 0.0:
                _sweep(
                    starts[s], starts[s + 1], scores, sides[r, upper], sides[r, lower], code,
                    (source, weight), edges, direction, power, scale, sums, out,
                )  # fmt: skip
