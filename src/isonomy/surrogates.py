r"""Surrogates: smooth or convex stand-ins :math:`\phi(z)` for a wrongly ordered pair.

The margin of a pair is :math:`z = f_i - f_j` when item *i* should stand above item *j*. Each
surrogate is one `Surrogate` entry of `SURROGATES`: its value, its first two derivatives, and the
*shape* that lets the sum over all pairs be computed without visiting the pairs. One more entry is
all that losses, rankers and engines need to take one more surrogate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAR", "SURROGATES", "Analytic", "Hinge", "Surrogate", "Tail"]

Array = NDArray[np.float64]
Consistency: TypeAlias = Literal["one comparison", "any pairs", "nothing", "unknown"]

# Distance from which a tail replaces the surrogate, and how many terms of a series in exp(-z)
# are kept there: exp(-1.5 * 25) < 2**-53.
FAR = 1.5
_N_EXPONENTIALS = 25
# Margins at which slopes are compared, and the rounding of a slope, relative to the largest.
_MARGINS = np.linspace(-40.0, 40.0, 80 * 32 + 1)
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Tail:
    r"""How :math:`\phi` looks at a distance :math:`d = |z| \ge` `FAR` on one side of zero.

    .. math:: \phi = c_0 + c_1 d + c_2 d^2 + \sum_k q_k e^{-\lambda_k d}

    Parameters
    ----------
    polynomial : tuple of three floats
        :math:`c_0, c_1, c_2`.
    rates, coefficients : tuple of float
        :math:`\lambda_k` and :math:`q_k`; a negative rate grows with the distance.

    Examples
    --------
    The logistic loss falls like :math:`e^{-d}` on one side and grows like :math:`d` on the other:

    >>> from isonomy.surrogates import SURROGATES
    >>> shape = SURROGATES["logistic"].shape
    >>> shape.right.polynomial, shape.right.rates[0], shape.left.polynomial
    ((0.0, 0.0, 0.0), 1.0, (0.0, 1.0, 0.0))
    """

    polynomial: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rates: tuple[float, ...] = ()
    coefficients: tuple[float, ...] = ()


@dataclass(frozen=True)
class Analytic:
    r"""Shape of a :math:`\phi` analytic for :math:`|\mathrm{Im}\, z| < \pi`: summed by bin moments.

    Parameters
    ----------
    right, left : Tail
        :math:`\phi` for large positive and large negative margins.
    width : float
        A power of two: bins of this width, on which :math:`\phi, \phi', \phi''` are
        polynomials of degree 7 to 14, 13 and 12 digits.

    Examples
    --------
    >>> from isonomy.surrogates import Analytic, Tail
    >>> Analytic(right=Tail(), left=Tail((1.0, 0.0, 0.0))).width
    0.25
    """

    right: Tail
    left: Tail
    width: float = 0.25

    def __post_init__(self) -> None:
        if math.frexp(self.width)[0] != 0.5:
            raise ValueError(
                f"Parameter `width` should be a power of two, such as 0.25, so that bins have "
                f"exact edges. Found {self.width!r}."
            )


@dataclass(frozen=True)
class Hinge:
    r"""Shape :math:`\phi(z) = \max(0, 1 - z)^p`: summed exactly by sorting and running sums.

    Parameters
    ----------
    power : int
        :math:`p`, 1 or 2.

    Examples
    --------
    >>> from isonomy.surrogates import SURROGATES
    >>> SURROGATES["squared_hinge"].shape
    Hinge(power=2)
    """

    power: int

    def __post_init__(self) -> None:
        if self.power not in (1, 2):
            raise ValueError(f"Parameter `power` should be 1 or 2. Found {self.power!r}.")


@dataclass(frozen=True)
class Surrogate:
    r"""One surrogate :math:`\phi(z)`.

    Parameters
    ----------
    name : str
        The name users pass.
    value, slope, curvature : callable
        :math:`\phi, \phi', \phi''`, elementwise; at a kink the derivative from the right.
    shape : Analytic or Hinge
        Selects the algorithm for the sum over all pairs and gives what it needs.
    max_range : float
        Largest difference between two scores that are compared, beyond which :math:`\phi`
        overflows and the sum is refused.
    hessian_from : Surrogate, optional
        Whose curvature boosting takes where its own gives nothing to divide by.
    consistent_for : {"one comparison", "any pairs", "nothing", "unknown"}
        For which objectives a model that can fit anything, at the least loss, ranks best.
        "one comparison": those that are a single term of `Preferences`, such as `SoftLabel`,
        `OneLabel` or the product of labels; not the loss or label aggregation of several
        labels. "any pairs": every objective that is a weighted sum over pairs, all but
        `WorstLabel`. See docs/surrogates.md.

    Examples
    --------
    >>> SURROGATES["hinge"].value(np.array([-1.0, 0.0, 2.0])).tolist()
    [2.0, 1.0, 0.0]
    >>> [name for name, entry in SURROGATES.items() if not entry.convex]
    ['sigmoid']
    >>> SURROGATES["logistic"].consistent_for
    'one comparison'
    """

    name: str
    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    curvature: Callable[[Array], Array]
    shape: Analytic | Hinge = field(repr=False)
    max_range: float = math.inf
    hessian_from: Surrogate | None = field(default=None, repr=False)
    consistent_for: Consistency = "unknown"

    @cached_property
    def convex(self) -> bool:
        """Whether the slope never falls, so that a slope of zero is the optimum."""
        near = np.abs(_MARGINS) <= self.max_range
        slope = self.slope(_MARGINS[near])
        room = _ROUNDING * np.maximum(np.abs(slope[1:]), np.abs(slope[:-1]))
        return bool((np.diff(slope) >= -room).all())

    @property
    def kinked(self) -> bool:
        """Whether the slope jumps: the curvature then tells nothing of the way to the optimum."""
        return isinstance(self.shape, Hinge) and self.shape.power == 1

    def derivative(self, order: int) -> Callable[[Array], Array]:
        r"""Return :math:`\phi^{(order)}`, order 0, 1 or 2."""
        return (self.value, self.slope, self.curvature)[order]


def _softplus(z: Array) -> Array:
    return np.log1p(np.exp(-np.abs(z))) + np.maximum(-z, 0.0)


def _sigmoid(z: Array) -> Array:
    decay = np.exp(-np.abs(z))
    return np.where(z > 0.0, decay, 1.0) / (1.0 + decay)


def _bump(z: Array) -> Array:
    decay = np.exp(-np.abs(z))
    return decay / ((1.0 + decay) * (1.0 + decay))


def _bump_slope(z: Array) -> Array:
    decay, rest = np.exp(-np.abs(z)), -np.expm1(-np.abs(z))
    return np.copysign(decay * rest / (1.0 + decay) ** 3, z)


def _excess(z: Array) -> Array:
    return np.maximum(1.0 - z, 0.0)


def _below_one(z: Array) -> Array:
    return np.where(z < 1.0, 1.0, 0.0)


_ORDERS = range(1, _N_EXPONENTIALS + 1)
_RATES = tuple(float(k) for k in _ORDERS)
_LOG1P = tuple((-1.0) ** (k + 1) / k for k in _ORDERS)
_GEOMETRIC = tuple((-1.0) ** (k + 1) for k in _ORDERS)

_LOGISTIC = Surrogate(
    name="logistic",
    value=_softplus,
    slope=lambda z: -_sigmoid(z),
    curvature=_bump,
    shape=Analytic(
        right=Tail(rates=_RATES, coefficients=_LOG1P),
        left=Tail((0.0, 1.0, 0.0), rates=_RATES, coefficients=_LOG1P),
    ),
    consistent_for="one comparison",
)
_SQUARED_HINGE = Surrogate(
    name="squared_hinge",
    value=lambda z: _excess(z) ** 2,
    slope=lambda z: -2.0 * _excess(z),
    curvature=lambda z: 2.0 * _below_one(z),
    shape=Hinge(power=2),
    max_range=1e150,
    consistent_for="one comparison",
)

_ENTRIES = (
    _LOGISTIC,
    Surrogate(
        name="sigmoid",
        value=_sigmoid,
        slope=lambda z: -_bump(z),
        curvature=_bump_slope,
        shape=Analytic(
            right=Tail(rates=_RATES, coefficients=_GEOMETRIC),
            left=Tail((1.0, 0.0, 0.0), rates=_RATES, coefficients=tuple(-q for q in _GEOMETRIC)),
            width=0.125,
        ),
        # At least the sigmoid's in size at every margin.
        hessian_from=_LOGISTIC,
        consistent_for="any pairs",
    ),
    Surrogate(
        name="exponential",
        value=lambda z: np.exp(-z),
        slope=lambda z: -np.exp(-z),
        curvature=lambda z: np.exp(-z),
        shape=Analytic(
            right=Tail(rates=(1.0,), coefficients=(1.0,)),
            left=Tail(rates=(-1.0,), coefficients=(1.0,)),
        ),
        max_range=700.0,
        consistent_for="one comparison",
    ),
    Surrogate(
        name="square",
        value=lambda z: (1.0 - z) ** 2,
        slope=lambda z: -2.0 * (1.0 - z),
        curvature=lambda z: np.full_like(z, 2.0),
        shape=Analytic(right=Tail((1.0, -2.0, 1.0)), left=Tail((1.0, 2.0, 1.0))),
        max_range=1e150,
        consistent_for="one comparison",
    ),
    Surrogate(
        name="hinge",
        value=_excess,
        slope=lambda z: -_below_one(z),
        curvature=np.zeros_like,
        shape=Hinge(power=1),
        # 2 where the hinge has a slope.
        hessian_from=_SQUARED_HINGE,
        consistent_for="nothing",
    ),
    _SQUARED_HINGE,
)

SURROGATES: dict[str, Surrogate] = {entry.name: entry for entry in _ENTRIES}
