"""How much each item moves an AUC: placement values, centred and scaled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels._jit import kernel


@kernel
def side_totals(
    codes: NDArray[np.unsignedinteger],
    weight: NDArray[np.float64] | None,
    table: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    n_sides: int,
) -> NDArray[np.float64]:
    """Per side the sum of its items' shares, the sum of their squares, and their number."""
    rows, sides, values = table
    totals = np.zeros((3, n_sides))
    for i in range(codes.size):
        w = 1.0 if weight is None else weight[i]
        for e in range(rows[codes[i]], rows[codes[i] + 1]):
            share = w * values[e]
            totals[0, sides[e]] += share
            totals[1, sides[e]] += share * share
            totals[2, sides[e]] += share > 0.0
    return totals


@kernel
def influences(
    codes: NDArray[np.unsignedinteger],
    last: NDArray[np.bool_],
    weight: NDArray[np.float64] | None,
    table: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    slots: NDArray[np.int64],
    totals: NDArray[np.float64],
    factor: NDArray[np.float64],
    centre: NDArray[np.float64],
    seen: NDArray[np.float64],
    tied: NDArray[np.float64],
    run: NDArray[np.int64],
    start: int,
    stop: int,
) -> NDArray[np.float64]:
    """Influence of the items at positions start to stop on each slot.

    For an item's share x on side s with placement p (the opposite items that it is
    ranked rightly against, ties 1/2) it is factor[s] * x * (p - centre[s]), summed into
    slots[s >> 1]. `table` is as in `sum_pairs`.

    Calls go through the positions in order and hand on their state: `seen` and `tied`
    (per side, what lies below and inside the current run of ties) and `run` (where
    that run starts and stops; zeros at first).
    """
    rows, sides, values = table
    out = np.zeros((stop - start, slots.max() + 1))
    for i in range(start, stop):
        if i == run[1]:
            for j in range(run[0], run[1]):
                for e in range(rows[codes[j]], rows[codes[j] + 1]):
                    seen[sides[e]] += tied[sides[e]]
                    tied[sides[e]] = 0.0
            run[0] = i
            while not last[run[1]]:
                run[1] += 1
            run[1] += 1
            for j in range(run[0], run[1]):
                w = 1.0 if weight is None else weight[j]
                for e in range(rows[codes[j]], rows[codes[j] + 1]):
                    tied[sides[e]] += w * values[e]
        w = 1.0 if weight is None else weight[i]
        for e in range(rows[codes[i]], rows[codes[i] + 1]):
            s = sides[e]
            placement = seen[s ^ 1] + 0.5 * tied[s ^ 1]
            if s & 1:
                placement = totals[s ^ 1] - placement
            out[i - start, slots[s >> 1]] += factor[s] * w * values[e] * (placement - centre[s])
    return out
