"""Pairs weighed by what swapping them would change at the top of their list.

All kernels take items list by list, ascending by score, with the ends of runs of equal scores.
`place[:, i, c]` says where the run of item i stands in column c: the expected discount in the top,
that wherever it stands, the probability of the top, and the expected difference of two of the run
with one in the top. Swapping two items changes the discounted gain by the difference of their
discounts times what they are worth. Only pairs with an item in the top count; of two runs that is
an item of the upper one. As in LightGBM, a pair also weighs the more the closer its scores are, by
1 / (near + distance), unless all scores of the list are equal: what is decided is left alone.

`Sides` has a compressed row per pattern: side 2r for what term r puts above, side 2r + 1 for what
it puts below; the ratio of each side, and its column of `mean` and `apart`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel
from isonomy._pairsums.kernels.direct import Curve, _at

Array: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.int64]


class Ranked(NamedTuple):
    """Items in order: codes, ends of runs, starts of lists, weights, discounts."""

    codes: NDArray[np.integer[Any]]
    last: NDArray[np.bool_]
    starts: Index
    weight: Array
    place: Array


class Sides(NamedTuple):
    """What patterns put above and below."""

    rows: Index
    side: Index
    value: Array
    ratio: Index
    column: Index


class Slopes(NamedTuple):
    """First and second derivative of a surrogate: tables, or the power of a hinge where not 0."""

    first: Curve
    second: Curve
    first_power: int
    second_power: int


@kernel
def swap_derivatives(
    first: int,
    stop_list: int,
    items: Ranked,
    scores: Array,
    sides: Sides,
    coefficient: Array,
    slopes: Slopes,
    near: float,
    out: tuple[Array, Array, Array],
) -> None:
    """Gradient and Hessian diagonal of the weighed pairs, and their weight in each list.

    For lists `first` to `stop_list`. A pair of ratio q in list g counts `coefficient[g, q]` times
    what swapping it would change. The items of a run have one score and one place: they are met as
    one.
    """
    codes, last, starts, weight, place = items
    rows, side, value, ratio, _ = sides
    run_sums = np.zeros(ratio.size)
    felt = np.zeros((2, ratio.size))
    for g in range(first, stop_list):
        stop = starts[g + 1]
        tied_factor = 1.0
        if stop > starts[g] and scores[starts[g]] < scores[stop - 1]:
            tied_factor = 1.0 / near
        while stop > starts[g]:
            start = stop - 1
            while start > starts[g] and not last[start - 1]:
                start -= 1
            in_top = False
            for c in range(place.shape[2]):
                in_top |= place[2, start, c] > 0.0
            # With lists that differ by column, a run may be out of one's top and in another's.
            if in_top:
                for i in range(start, stop):
                    for e in range(rows[codes[i]], rows[codes[i] + 1]):
                        run_sums[side[e]] += weight[i] * value[e]
                _inside_run(
                    start, stop, g, tied_factor, items, sides, coefficient, slopes, run_sums, out
                )
                for j in range(starts[g], start):
                    _below_run(
                        start, j, g, near, items, scores, sides, coefficient, slopes, run_sums,
                        felt, out,
                    )  # fmt: skip
                for i in range(start, stop):
                    for e in range(rows[codes[i]], rows[codes[i] + 1]):
                        s = side[e]
                        out[0][i] += weight[i] * value[e] * felt[0, s]
                        out[1][i] += weight[i] * value[e] * felt[1, s]
                felt[:] = 0.0
                run_sums[:] = 0.0
            stop = start


@kernel
def _inside_run(
    start: int,
    stop: int,
    g: int,
    factor: float,
    items: Ranked,
    sides: Sides,
    coefficient: Array,
    slopes: Slopes,
    run_sums: Array,
    out: tuple[Array, Array, Array],
) -> None:
    """Pairs of equal scores."""
    codes, _, _, weight, place = items
    rows, side, value, ratio, column = sides
    slope = _derivative(0.0, slopes.first, 1, slopes.first_power)
    curvature = _derivative(0.0, slopes.second, 2, slopes.second_power)
    for i in range(start, stop):
        for e in range(rows[codes[i]], rows[codes[i] + 1]):
            s = side[e]
            others = run_sums[s ^ 1]
            for f in range(rows[codes[i]], rows[codes[i] + 1]):
                if side[f] == s ^ 1:
                    others -= weight[i] * value[f]
            pair = weight[i] * value[e] * others * place[3, i, column[s]] * coefficient[g, ratio[s]]
            pair *= factor
            # Each pair of a run is met from either side.
            out[2][g] += 0.5 * pair
            out[0][i] += pair * slope * (1.0 - 2.0 * (s & 1))
            out[1][i] += pair * curvature


@kernel
def _below_run(
    i: int,
    j: int,
    g: int,
    near: float,
    items: Ranked,
    scores: Array,
    sides: Sides,
    coefficient: Array,
    slopes: Slopes,
    run_sums: Array,
    felt: Array,
    out: tuple[Array, Array, Array],
) -> None:
    """Pairs of item j with the run of item i, which stands above it."""
    codes, _, _, weight, place = items
    rows, side, value, ratio, column = sides
    right = wrong = False
    for e in range(rows[codes[j]], rows[codes[j] + 1]):
        s = side[e]
        if run_sums[s ^ 1] > 0.0 and place[2, i, column[s]] > 0.0:
            right |= (s & 1) == 1
            wrong |= (s & 1) == 0
    margin = scores[i] - scores[j]
    slope_right = slope_wrong = curve_right = curve_wrong = 0.0
    if right:
        slope_right = _derivative(margin, slopes.first, 1, slopes.first_power)
        curve_right = _derivative(margin, slopes.second, 2, slopes.second_power)
    if wrong:
        slope_wrong = _derivative(-margin, slopes.first, 1, slopes.first_power)
        curve_wrong = _derivative(-margin, slopes.second, 2, slopes.second_power)
    if not (right or wrong):
        return
    for e in range(rows[codes[j]], rows[codes[j] + 1]):
        s = side[e]
        c = column[s]
        change = place[0, i, c] - place[2, i, c] * place[1, j, c]
        share = weight[j] * value[e] * change * coefficient[g, ratio[s]] / (near + margin)
        out[2][g] += share * run_sums[s ^ 1]
        # Below the item of the run: its score lowers what the pair costs.
        slope = slope_right if s & 1 else -slope_wrong
        curvature = curve_right if s & 1 else curve_wrong
        felt[0, s ^ 1] += share * slope
        felt[1, s ^ 1] += share * curvature
        out[0][j] -= share * run_sums[s ^ 1] * slope
        out[1][j] += share * run_sums[s ^ 1] * curvature


@kernel
def _derivative(margin: float, curve: Curve, order: int, power: int) -> float:
    """A derivative of the surrogate at a margin."""
    if power == 0:
        return _at(margin, curve.per_unit, curve.pieces, curve.tails)
    if margin >= 1.0:
        return 0.0
    if power == 1:
        return -1.0 if order == 1 else 0.0
    return -2.0 * (1.0 - margin) if order == 1 else 2.0
