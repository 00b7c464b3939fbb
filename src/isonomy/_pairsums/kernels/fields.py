r"""Sums over all pairs of nodes: the field :math:`U(x) = \sum_{x'} w(x')\, \psi(x - x')`.

Every row carries its sources as weights at eight Chebyshev nodes and wants the field at the same
nodes. Rows at most `reach` bins apart meet through a table of :math:`\psi`. For rows farther
apart :math:`\psi` is a polynomial plus exponentials of the distance (`isonomy.surrogates.Tail`),
which running sums carry along the axis. Only occupied rows are visited, so that outliers and gaps
cost nothing, and every field is a sum of its own terms, never a total minus another sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = ["Field", "Sweep", "add_field"]

Array = NDArray[np.float64]


class Sweep(NamedTuple):
    r"""Tables of the far :math:`\psi` for sources on one side: D powers and T exponentials.

    Running sums are kept at the *frontier*, the centre of the bin `reach` + 1 bins behind the
    target's. Node m lies :math:`\ell_m` behind the centre of its own bin.

    Attributes
    ----------
    direction : 1 for sources on the left of their targets, -1 for sources on the right
    lever : (8,) :math:`\ell_m`
    rate : (T,) :math:`\lambda_k`
    collect : (8, T) :math:`e^{-\lambda_k \ell_m}`
    step : (T,) :math:`e^{-\lambda_k h}`, the decay over one bin
    release : (T, 8) from the sums of :math:`w e^{-\lambda_k d}` to the target's nodes
    release_powers : (D, 8) from the sums of :math:`w d^k`, D <= 3
    """

    direction: int
    lever: Array
    rate: Array
    collect: Array
    step: Array
    release: Array
    release_powers: Array


class Field(NamedTuple):
    r"""Tables of one :math:`\psi`.

    Attributes
    ----------
    width : :math:`h`, of a bin
    near : (2 `reach` + 1, 8, 8) :math:`\psi` by bins between, source node and target node
    left, right : Sweep, for sources to the left and to the right of their targets
    """

    width: float
    near: Array
    left: Sweep
    right: Sweep


@kernel
def add_field(bins: Array, weights: Array, tables: Field, field: Array) -> None:
    """Add the field of `weights` (rows, 8), in rows of increasing `bins`, to `field` (rows, 8)."""
    reach = tables.near.shape[0] // 2
    _add_near(bins, weights, reach, tables.near, field)
    if bins[-1] - bins[0] > reach:
        _add_far(bins, weights, reach, tables.width, tables.left, field)
        _add_far(bins, weights, reach, tables.width, tables.right, field)


@kernel
def _add_near(bins: Array, weights: Array, reach: int, table: Array, field: Array) -> None:
    left = 0
    for b in range(bins.size):
        while bins[b] - bins[left] > reach:
            left += 1
        for a in range(left, bins.size):
            offset = bins[b] - bins[a]
            if offset < -reach:
                break
            block = table[int(offset) + reach]
            for j in range(8):
                for m in range(8):
                    field[b, m] += block[j, m] * weights[a, j]


@kernel
def _add_far(
    bins: Array,
    weights: Array,
    reach: int,
    width: float,
    sweep: Sweep,
    field: Array,
) -> None:
    """Visit targets in one direction while sources, farther than `reach` behind, follow."""
    direction, rate, step = sweep.direction, sweep.rate, sweep.step
    powers, exponentials = np.zeros(3), np.zeros(rate.size)
    start = 0 if direction > 0 else bins.size - 1
    source = start
    for i in range(1, bins.size):
        target = start + direction * i
        if source != start:
            gap = abs(bins[target] - bins[target - direction])
            _shift_powers(powers, gap * width, sweep.release_powers.shape[0])
            for k in range(rate.size):
                exponentials[k] *= step[k] if gap == 1.0 else np.exp(-gap * width * rate[k])
        while abs(bins[target] - bins[source]) > reach:
            behind = abs(bins[target] - bins[source]) - (reach + 1)
            _collect(weights[source], behind * width, sweep, powers, exponentials)
            source += direction
        if source != start:
            _release(powers, exponentials, sweep, field[target])


@kernel
def _shift_powers(powers: Array, distance: float, n_powers: int) -> None:
    """Move sums of w, w d and w d^2 away by `distance`; those not needed may overflow, so skip."""
    if n_powers > 2:
        powers[2] += distance * (2.0 * powers[1] + distance * powers[0])
    if n_powers > 1:
        powers[1] += distance * powers[0]


@kernel
def _collect(
    weights: Array, distance: float, sweep: Sweep, powers: Array, exponentials: Array
) -> None:
    """Let a row `distance` behind the frontier enter the running sums."""
    n_powers = sweep.release_powers.shape[0]
    for j in range(8):
        d = distance + sweep.lever[j]
        powers[0] += weights[j]
        if n_powers > 1:
            powers[1] += weights[j] * d
        if n_powers > 2:
            powers[2] += weights[j] * d * d
    for k in range(exponentials.size):
        fresh = 0.0
        for j in range(8):
            fresh += weights[j] * sweep.collect[j, k]
        if distance > 0.0:
            fresh *= np.exp(-distance * sweep.rate[k])
        exponentials[k] += fresh


@kernel
def _release(powers: Array, exponentials: Array, sweep: Sweep, field: Array) -> None:
    for k in range(sweep.release_powers.shape[0]):
        for m in range(8):
            field[m] += powers[k] * sweep.release_powers[k, m]
    for k in range(exponentials.size):
        for m in range(8):
            field[m] += exponentials[k] * sweep.release[k, m]
