r"""Hinge sums by sorting: :math:`\phi(z) = \max(0, 1 - z)^p` with running sums that only grow.

Visit the items by decreasing score s and let an item j below enter when :math:`s - f_j < 1`.
The sums :math:`M_k = \sum_j w_j (1 - s + f_j)^k` then move with s by additions alone:
:math:`M_1 \mathrel{+}= \delta M_0`, :math:`M_2 \mathrel{+}= \delta (2 M_1 + \delta M_0)`, so that
nothing cancels, wherever the scores lie.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels._jit import kernel

__all__ = ["pair_sums", "pull"]

Array = NDArray[np.float64]
Index = NDArray[np.int32]
Starts = NDArray[np.int64]


@kernel
def _share(code: Index, weight: Array, table: Array, r: int, sign: float, out: Array) -> None:
    """Set ``out[i]`` to the item's weight on one side of term r: above (sign 1) or below (-1)."""
    for i in range(code.size):
        out[i] = max(sign * table[code[i], r], 0.0) * weight[i]


@kernel
def _running_sum(scores: Array, share: Array, power: int, out: Array) -> None:
    r"""Set ``out[i]`` to :math:`M_{power}` at item i; the scores decrease."""
    zeroth, first, second = 0.0, 0.0, 0.0
    previous = scores[0]
    j = 0
    for i in range(scores.size):
        score = scores[i]
        step = previous - score
        previous = score
        if power > 1:
            second += step * (2.0 * first + step * zeroth)
        first += step * zeroth
        while j < scores.size:
            margin = score - scores[j]
            if margin >= 1.0:
                break
            excess = 1.0 - margin
            zeroth += share[j]
            first += share[j] * excess
            if power > 1:
                second += share[j] * excess * excess
            j += 1
        out[i] = second if power > 1 else first if power > 0 else zeroth


@kernel
def pair_sums(
    begin: int,
    end: int,
    starts: Starts,
    scores: Array,
    code: Index,
    weight: Array,
    table: Array,
    power: int,
    share: Array,
    felt: Array,
    out: Array,
) -> None:
    r"""Set ``out[s, r]`` to :math:`N_r` of the segments from `begin` to `end`.

    The scores decrease within each segment. `share` and `felt` (m,) are scratch space.
    """
    for s in range(begin, end):
        a, b = starts[s], starts[s + 1]
        for r in range(table.shape[1]):
            _share(code[a:b], weight[a:b], table, r, -1.0, share[a:b])
            _running_sum(scores[a:b], share[a:b], power, felt[a:b])
            _share(code[a:b], weight[a:b], table, r, 1.0, share[a:b])
            total = 0.0
            for i in range(a, b):
                total += share[i] * felt[i]
            out[s, r] = total


@kernel
def pull(
    begin: int,
    end: int,
    starts: Starts,
    scores: Array,
    code: Index,
    source: Array,
    weight: Array,
    table: Array,
    power: int,
    coefficient: Array,
    share: Array,
    felt: Array,
    out: Array,
) -> None:
    r"""Add :math:`w_i \sum_r a_{sr} A_{ir} M_{power, r}` to ``out[i]``, M of the `source`."""
    for s in range(begin, end):
        a, b = starts[s], starts[s + 1]
        for r in range(table.shape[1]):
            _share(code[a:b], source[a:b], table, r, -1.0, share[a:b])
            _running_sum(scores[a:b], share[a:b], power, felt[a:b])
            _share(code[a:b], weight[a:b], table, r, 1.0, share[a:b])
            for i in range(a, b):
                out[i] += coefficient[s, r] * share[i] * felt[i]
