r"""Hinge sums by sorting: :math:`\phi(z) = \max(0, 1 - z)^p` with running sums that only grow.

Visit the items by decreasing score s and let an item j below enter when :math:`s - f_j < 1`.
The sums :math:`M_k = \sum_j w_j (1 - s + f_j)^k` then move with s by additions alone:
:math:`M_1 \mathrel{+}= \delta M_0`, :math:`M_2 \mathrel{+}= \delta (2 M_1 + \delta M_0)`, so that
nothing cancels, wherever the scores lie. What items below feel is the same on the mirrored axis.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = ["insert", "member_sums", "term_sums"]

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
def _sweep(
    scores: Array,
    code: Index,
    source: Array,
    weight: Array,
    sides: Array,
    direction: int,
    power: int,
    scale: float,
    out: Array,
) -> float:
    r"""Add `scale` times :math:`w_i A_i M_{power}` to ``out[i]``, M of `source`; return the sum.

    The scores decrease. Pattern p stands above with weight ``sides[0, p]`` where that is positive,
    below with ``-sides[1, p]`` where that is negative. Items above feel those below when
    `direction` is 1; when it is -1, items below feel those above. An item on both sides feels
    itself.
    """
    feels, felt_from = (sides[0], sides[1]) if direction > 0 else (sides[1], sides[0])
    last = scores.size - 1
    start = 0 if direction > 0 else last
    zeroth, first, second, total = 0.0, 0.0, 0.0, 0.0
    previous = scores[start]
    entered = 0
    for k in range(scores.size):
        i = start + direction * k
        step = direction * (previous - scores[i])
        previous = scores[i]
        if power > 1:  # Else it may overflow.
            second += step * (2.0 * first + step * zeroth)
        first += step * zeroth
        while entered <= last:
            j = start + direction * entered
            margin = direction * (scores[i] - scores[j])
            if margin >= 1.0:
                break
            share = max(-direction * felt_from[code[j]], 0.0) * source[j]
            excess = 1.0 - margin
            zeroth += share
            first += share * excess
            if power > 1:
                second += share * excess * excess
            entered += 1
        felt = second if power > 1 else first if power > 0 else zeroth
        felt *= scale * max(direction * feels[code[i]], 0.0) * weight[i]
        out[i] += felt
        total += felt
    return total


@kernel
def term_sums(
    begin: int,
    end: int,
    starts: Starts,
    scores: Array,
    code: Index,
    weight: Array,
    sides: Array,
    power: int,
    scratch: Array,
    out: Array,
) -> None:
    r"""Set ``out[s, r]`` to :math:`N_r` of the segments from `begin` to `end`.

    Scores decrease within each segment. `sides` (terms, 2, patterns) are those of `_sweep`;
    `scratch` (m,) is space to write to.
    """
    for s in range(begin, end):
        mine = slice(starts[s], starts[s + 1])
        for r in range(sides.shape[0]):
            out[s, r] = _sweep(
                scores[mine], code[mine], weight[mine], weight[mine], sides[r], 1, power, 1.0,
                scratch[mine],
            )  # fmt: skip


@kernel
def member_sums(
    begin: int,
    end: int,
    starts: Starts,
    scores: Array,
    code: Index,
    source: Array,
    weight: Array,
    sides: Array,
    power: int,
    sign: float,
    coefficient: Array,
    out: Array,
) -> None:
    r"""Add :math:`w_i \sum_r a_{sr} B_{ir} M_{power, r}` to ``out[i]``, M of the `source` above,
    and `sign` times the same with A for B, M of the source below.
    """
    for s in range(begin, end):
        mine = slice(starts[s], starts[s + 1])
        for r in range(sides.shape[0]):
            if coefficient[s, r] != 0.0:
                for direction in (1, -1):
                    _sweep(
                        scores[mine], code[mine], source[mine], weight[mine], sides[r], direction,
                        power, coefficient[s, r] * (sign if direction > 0 else 1.0), out[mine],
                    )  # fmt: skip
