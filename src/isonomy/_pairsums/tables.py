r"""Tables of a surrogate's derivatives for the kernels `fields` and `direct`."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, hypot, log, pi

import numpy as np
from numpy.typing import NDArray

from isonomy._pairsums.kernels.direct import Curve
from isonomy._pairsums.kernels.fields import Field, Sweep
from isonomy._pairsums.kernels.moments import NODES
from isonomy.surrogates import FAR, Analytic, Surrogate, Tail

__all__ = ["MIN_WIDTH", "curve_tables", "field_tables", "span_degree", "span_tables"]

Array = NDArray[np.float64]

# Bins and spans of equal scores have some width too.
MIN_WIDTH = 2.0**-100

# Bins narrower than usual are so few (`bin_width`) that none of them is out of this reach.
_MIN_REACH = 6

# Coefficients of polynomials over spans fall to exp(-this).
_DIGITS = 34.0

# Margins up to here have a polynomial of degree 5 for every 32nd; beyond it exponentials that
# decay by one more unit are below the rounding of the first.
_TABLE_END = 40
_PER_UNIT = 32


@lru_cache(maxsize=256)
def field_tables(surrogate: Surrogate, width: float, order: int, mirrored: bool) -> Field:
    r"""Return tables of :math:`\psi^{(order)}`, :math:`\psi(z) = \phi(z)` or :math:`\phi(-z)`."""
    shape = surrogate.shape
    assert isinstance(shape, Analytic)
    reach = max(_MIN_REACH, ceil(FAR / shape.width))
    near = _near_table(surrogate, width, order, mirrored, reach)
    # Sources on the left meet their targets with positive margins, unless mirrored.
    left, right = (shape.left, shape.right) if mirrored else (shape.right, shape.left)
    frontier = (reach + 1) * width
    return Field(
        width,
        near,
        left=_sweep(left, order, 1, frontier, width),
        right=_sweep(right, order, -1, frontier, width),
    )


def _near_table(
    surrogate: Surrogate, width: float, order: int, mirrored: bool, reach: int
) -> Array:
    r"""Return :math:`\psi^{(order)}` by bins between, source node and target node."""
    sign = -1.0 if mirrored else 1.0
    offset = np.arange(-reach, reach + 1)[:, None, None] * width
    node = 0.5 * width * NODES
    margin = sign * (offset + node - node[:, None])
    return np.asarray(sign**order * surrogate.derivative(order)(margin))


def span_degree(surrogate: Surrogate, width: float) -> int:
    r"""Return how many Chebyshev polynomials stand for the surrogate over a span of this width.

    Its singularities at a distance of :math:`\pi` make coefficients fall as powers of rho. The
    width of the surrogate's bins tells of others that are closer or weigh more: eight polynomials
    serve such a bin.
    """
    shape = surrogate.shape
    assert isinstance(shape, Analytic)
    reach = 2.0 * pi / width
    needed = _DIGITS / log(reach + hypot(reach, 1.0)) + 8.0 * (0.25 / shape.width - 1.0)
    return max(8, 4 * ceil(needed / 4.0))


@lru_cache(maxsize=256)
def span_tables(surrogate: Surrogate, width: float, order: int) -> Array:
    r"""Return the Chebyshev coefficients of :math:`\phi^{(order)}(x - x')` by x and x'."""
    degree = span_degree(surrogate, width)
    angle = (2.0 * np.arange(degree) + 1.0) * (pi / (2.0 * degree))
    node = 0.5 * width * np.cos(angle)
    to_series = np.cos(np.multiply.outer(np.arange(degree), angle)) * (2.0 / degree)
    to_series[0] *= 0.5
    values = surrogate.derivative(order)(node[:, None] - node)
    return np.asarray(to_series @ values @ to_series.T)


@lru_cache(maxsize=64)
def curve_tables(surrogate: Surrogate, order: int) -> Curve:
    r"""Return tables of :math:`\phi^{(order)}` at any margin."""
    shape = surrogate.shape
    if not isinstance(shape, Analytic):
        return _hinge_curve(shape.power, order)
    derivative = surrogate.derivative(order)
    node = 0.5 * np.cos((2.0 * np.arange(6) + 1.0) * (np.pi / 12.0))
    middle = np.arange(-_TABLE_END * _PER_UNIT, _TABLE_END * _PER_UNIT + 1.0)
    values = derivative((middle[:, None] + node) / _PER_UNIT)
    pieces = np.linalg.solve(np.vander(node, increasing=True), values.T).T
    # Exact in the middle: of a function that vanishes there, small margins keep all digits.
    pieces[:, 0] = derivative(middle / _PER_UNIT)
    return Curve(
        float(_PER_UNIT),
        np.ascontiguousarray(pieces, dtype=np.float64),
        np.stack([_far(shape.left, order, -1), _far(shape.right, order, 1)]),
    )


def _hinge_curve(power: int, order: int) -> Curve:
    """Return the tables of a hinge: with 3/2 pieces in a unit its kink lies between two of them.

    Margins an ulp from the kink stay on their side of it when they are multiplied by that.
    """
    left = (np.polynomial.Polynomial([1.0, -1.0]) ** power).deriv(order)
    pieces, tails = np.zeros((3, 6)), np.zeros((2, 5))
    for middle in (-1, 0, 1):
        inside = left(np.polynomial.Polynomial([middle / 1.5, 1.0 / 1.5]))
        pieces[middle + 1, : inside.coef.size] = inside.coef
    beyond = left(np.polynomial.Polynomial([0.0, -1.0]))
    tails[0, : beyond.coef.size] = beyond.coef
    return Curve(1.5, pieces, tails)


def _far(tail: Tail, order: int, direction: int) -> Array:
    """Return the powers, and the slowest exponential, of a tail, where distance = +-margin."""
    slowest = np.argmin(tail.rates) if tail.rates else None
    rate = 0.0 if slowest is None else tail.rates[slowest]
    coefficient = 0.0 if slowest is None else tail.coefficients[slowest]
    return np.append(
        _powers(tail, order, direction), [coefficient * (-direction * rate) ** order, rate]
    )


def _powers(tail: Tail, order: int, direction: int) -> Array:
    """Return the coefficients of the powers of the distance in a derivative of a tail."""
    polynomial = np.polynomial.Polynomial(tail.polynomial).deriv(order).trim() * direction**order
    powers = np.zeros(3)
    powers[: polynomial.coef.size] = polynomial.coef
    return powers


def _sweep(tail: Tail, order: int, direction: int, frontier: float, width: float) -> Sweep:
    """Return the tables of a tail, where distance = `direction` * margin."""
    powers = _powers(tail, order, direction)
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
