"""How much each item moves an AUC: placement values, centred and scaled.

The kernels go through positions start to stop of a ranking and hand on their state to
the next call: what lies below, and inside, the current run of equal scores (`tied`), and `run`
(where that run starts and stops; zeros at first).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

# Codes and ends of runs, in ascending order of score.
RankedCodes: TypeAlias = tuple[NDArray[np.integer[Any]], NDArray[np.bool_]]


@kernel
def term_influences(
    items: RankedCodes,
    weight: NDArray[np.float64] | None,
    scale: NDArray[np.float64] | None,
    own: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    tables: tuple[NDArray[np.float64], NDArray[np.float64]],
    constants: tuple[NDArray[np.float64], NDArray[np.float64]],
    state: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]],
    start: int,
    stop: int,
) -> NDArray[np.float64]:
    """Influence of each item on each of a few terms, (stop - start, R).

    An item's share x on a side of a term, with placement p (the items of the opposite
    side that it is ranked rightly against, ties 1/2), has influence
    factor * x * (p - centre), times `scale` where there is one. `tables` are x and
    factor * x, (L, 2, R) each: above and below; `totals`, `centre`, `seen` and `tied` have
    shape (2, R).

    `own` is for patterns on both sides of a term: the weight of one of the items that a
    position stands for, and what its pair with itself, a tie, would bring, (L, R). That
    is taken away.
    """
    codes, last = items
    shares, factors = tables
    totals, centre = constants
    seen, tied, run = state
    n_terms = shares.shape[2]
    out = np.empty((stop - start, n_terms))
    first, end = run[0], run[1]
    for i in range(start, stop):
        c = codes[i]
        w = 1.0 if weight is None else weight[i]
        unit = w if scale is None else w * scale[i]
        if i == end:
            first = i
            while not last[end]:
                end += 1
            end += 1
            if end > i + 1 or own is not None:
                for j in range(i, end):
                    share = 1.0 if weight is None else weight[j]
                    for r in range(n_terms):
                        tied[0, r] += share * shares[codes[j], 0, r]
                        tied[1, r] += share * shares[codes[j], 1, r]
        if end == first + 1 and own is None:
            # The usual case, without ties.
            for r in range(n_terms):
                below, above = seen[0, r], seen[1, r]
                out[i - start, r] = unit * (
                    factors[c, 0, r] * (above - centre[0, r])
                    + factors[c, 1, r] * (totals[0, r] - below - centre[1, r])
                )
                seen[0, r] = below + w * shares[c, 0, r]
                seen[1, r] = above + w * shares[c, 1, r]
            continue
        for r in range(n_terms):
            beats = seen[1, r] + 0.5 * tied[1, r]
            loses = totals[0, r] - seen[0, r] - 0.5 * tied[0, r]
            out[i - start, r] = unit * (
                factors[c, 0, r] * (beats - centre[0, r])
                + factors[c, 1, r] * (loses - centre[1, r])
            )
        if own is not None:
            single, itself = own
            for r in range(n_terms):
                out[i - start, r] -= unit * single[i] * itself[c, r]
        if i + 1 == end:
            for r in range(n_terms):
                seen[0, r] += tied[0, r]
                seen[1, r] += tied[1, r]
                tied[0, r] = 0.0
                tied[1, r] = 0.0
    run[0], run[1] = first, end
    return out


@kernel
def side_squares(
    items: RankedCodes,
    weight: NDArray[np.float64] | None,
    scale: NDArray[np.float64] | None,
    shares: NDArray[np.float64],
    constants: tuple[NDArray[np.float64], NDArray[np.float64]],
    state: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]],
    out: NDArray[np.float64],
    start: int,
    stop: int,
) -> None:
    """Squared influences, by side and term; the influences on the first terms go into `out`.

    As `term_influences`, for terms of which no pattern is on both sides. `shares` are x,
    (L, 2, R); `factor` and `centre` have shape (2, R). `sums`, (4, R), are one array, so that
    the compiler sees that the loop over terms may be done by vectors: what an item above and
    one below would be ranked rightly against at this place, and the squares of both sides.
    """
    codes, last = items
    factor, centre = constants
    sums, tied, run = state
    n_terms, n_joint = shares.shape[2], out.shape[1]
    first, end = run[0], run[1]
    for i in range(start, stop):
        c = codes[i]
        w = 1.0 if weight is None else weight[i]
        unit = w if scale is None else w * scale[i]
        if i == end:
            first = i
            while not last[end]:
                end += 1
            end += 1
            if end > i + 1:
                for j in range(i, end):
                    share = 1.0 if weight is None else weight[j]
                    for r in range(n_terms):
                        tied[0, r] += share * shares[codes[j], 0, r]
                        tied[1, r] += share * shares[codes[j], 1, r]
                for r in range(n_terms):
                    sums[0, r] += 0.5 * tied[1, r]
                    sums[1, r] -= 0.5 * tied[0, r]
        for r in range(n_joint):
            out[i - start, r] = unit * (
                factor[0, r] * shares[c, 0, r] * (sums[0, r] - centre[0, r])
                + factor[1, r] * shares[c, 1, r] * (sums[1, r] - centre[1, r])
            )
        # Without ties, the usual case, the item itself is all that is passed.
        passed = w if end == first + 1 else 0.0
        for r in range(n_terms):
            above, below = shares[c, 0, r], shares[c, 1, r]
            up = unit * (factor[0, r] * above * (sums[0, r] - centre[0, r]))
            low = unit * (factor[1, r] * below * (sums[1, r] - centre[1, r]))
            sums[2, r] += up * up
            sums[3, r] += low * low
            sums[0, r] += passed * below
            sums[1, r] -= passed * above
        if i + 1 == end > first + 1:
            for r in range(n_terms):
                sums[0, r] += 0.5 * tied[1, r]
                sums[1, r] -= 0.5 * tied[0, r]
                tied[0, r] = 0.0
                tied[1, r] = 0.0
    run[0], run[1] = first, end


@kernel
def pooled_influences(
    items: RankedCodes,
    weight: NDArray[np.float64] | None,
    table: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    constants: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    state: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]],
    start: int,
    stop: int,
) -> NDArray[np.float64]:
    """Influence of each item on the sum of many terms, of which it is in few.

    As `term_influences`, with the compressed rows of `sum_pairs` for a table and arrays
    by side: 2r above, 2r + 1 below.
    """
    codes, last = items
    rows, sides, values = table
    totals, factor, centre = constants
    seen, tied, run = state
    out = np.zeros(stop - start)
    for i in range(start, stop):
        if i == run[1]:
            run[0] = i
            while not last[run[1]]:
                run[1] += 1
            run[1] += 1
            for j in range(i, run[1]):
                w = 1.0 if weight is None else weight[j]
                for e in range(rows[codes[j]], rows[codes[j] + 1]):
                    tied[sides[e]] += w * values[e]
        w = 1.0 if weight is None else weight[i]
        for e in range(rows[codes[i]], rows[codes[i] + 1]):
            s = sides[e]
            placement = seen[s ^ 1] + 0.5 * tied[s ^ 1]
            if s & 1:
                placement = totals[s ^ 1] - placement
            out[i - start] += factor[s] * w * values[e] * (placement - centre[s])
        if i + 1 == run[1]:
            for j in range(run[0], run[1]):
                for e in range(rows[codes[j]], rows[codes[j] + 1]):
                    seen[sides[e]] += tied[sides[e]]
                    tied[sides[e]] = 0.0
    return out
