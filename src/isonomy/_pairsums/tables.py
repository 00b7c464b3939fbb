r"""Tables of a surrogate's derivatives for the kernels of `isonomy._kernels.fields`."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from isonomy._kernels.fields import Field, Sweep
from isonomy._kernels.moments import NODES
from isonomy.surrogates import FAR, Analytic, Surrogate, Tail

__all__ = ["field_tables", "near_table"]

Array = NDArray[np.float64]

# Bins narrower than usual are so few (`bin_width`) that none of them is out of this reach.
_MIN_REACH = 6


@lru_cache(maxsize=256)
def field_tables(surrogate: Surrogate, width: float, order: int, mirrored: bool) -> Field:
    r"""Return tables of :math:`\psi^{(order)}`, :math:`\psi(z) = \phi(z)` or :math:`\phi(-z)`."""
    shape = surrogate.shape
    assert isinstance(shape, Analytic)
    reach = max(_MIN_REACH, ceil(FAR / shape.width))
    near = near_table(surrogate, width, order, mirrored, reach)
    # Sources on the left meet their targets with positive margins, unless mirrored.
    left, right = (shape.left, shape.right) if mirrored else (shape.right, shape.left)
    frontier = (reach + 1) * width
    return Field(
        width,
        near,
        left=_sweep(left, order, 1, frontier, width),
        right=_sweep(right, order, -1, frontier, width),
    )


@lru_cache(maxsize=256)
def near_table(surrogate: Surrogate, width: float, order: int, mirrored: bool, reach: int) -> Array:
    r"""Return :math:`\psi^{(order)}` by bins between, source node and target node."""
    sign = -1.0 if mirrored else 1.0
    offset = np.arange(-reach, reach + 1)[:, None, None] * width
    node = 0.5 * width * NODES
    margin = sign * (offset + node - node[:, None])
    return np.asarray(sign**order * surrogate.derivative(order)(margin))


def _sweep(tail: Tail, order: int, direction: int, frontier: float, width: float) -> Sweep:
    """Return the tables of a tail, where distance = `direction` * margin."""
    polynomial = np.polynomial.Polynomial(tail.polynomial).deriv(order).trim() * direction**order
    powers = np.zeros(3)
    powers[: polynomial.coef.size] = polynomial.coef
    n_powers = int(np.flatnonzero(powers).max(initial=-1)) + 1
    rate = np.array(tail.rates)
    lever = -direction * 0.5 * width * NODES
    # A source d behind the frontier is d + ahead away from the target's nodes.
    ahead = frontier - lever
    release = np.array(tail.coefficients) * (-direction * rate) ** order
    release_powers = np.stack(
        [
            powers[0] + powers[1] * ahead + powers[2] * ahead**2,
            powers[1] + 2.0 * powers[2] * ahead,
            np.full(8, powers[2]),
        ]
    )
    return Sweep(
        direction=direction,
        lever=lever,
        rate=rate,
        collect=np.exp(-np.multiply.outer(lever, rate)),
        step=np.exp(-rate * width),
        release=release[:, None] * np.exp(-np.multiply.outer(rate, ahead)),
        release_powers=np.ascontiguousarray(release_powers[:n_powers]),
    )
