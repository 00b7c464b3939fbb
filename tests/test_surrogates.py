"""Every surrogate's derivatives and tails agree with its value."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import isonomy as iso
from isonomy.boosting import lightgbm_objective
from isonomy.surrogates import FAR, SURROGATES, Analytic, Hinge, Surrogate, Tail
from tests.pairsums.cases import each_surrogate

MARGINS = np.array([-30.2, -4.1, -1.3, -0.4, -1e-3, 0.0, 0.2, 0.9, 1.1, 3.7, 25.3])


def test_names() -> None:
    assert list(SURROGATES) == [
        "logistic",
        "sigmoid",
        "exponential",
        "square",
        "hinge",
        "squared_hinge",
    ]
    assert all(name == entry.name for name, entry in SURROGATES.items())
    assert iso.surrogates.SURROGATES is SURROGATES


@each_surrogate
def test_derivatives(surrogate: Surrogate) -> None:
    step = 1e-6
    for order in (0, 1):
        f, slope = surrogate.derivative(order), surrogate.derivative(order + 1)
        found = (f(MARGINS + step) - f(MARGINS - step)) / (2.0 * step)
        np.testing.assert_allclose(slope(MARGINS), found, rtol=2e-4, atol=1e-8)


@each_surrogate
def test_a_wrong_order_costs_more_than_a_right_one(surrogate: Surrogate) -> None:
    z = np.linspace(0.01, 0.99, 20)
    assert (surrogate.value(-z) > surrogate.value(z)).all()
    assert (surrogate.slope(np.linspace(-5.0, 0.9, 20)) < 0.0).all()


@each_surrogate
def test_all_but_the_sigmoid_are_convex(surrogate: Surrogate) -> None:
    z = np.linspace(-40.0, 40.0, 801)
    assert (surrogate.curvature(z) >= 0.0).all() == (surrogate.name != "sigmoid")
    assert surrogate.convex == (surrogate.name != "sigmoid")


@pytest.mark.parametrize(
    "surrogate",
    [entry for entry in SURROGATES.values() if isinstance(entry.shape, Analytic)],
    ids=lambda entry: entry.name,
)
def test_tails(surrogate: Surrogate) -> None:
    distance = np.linspace(FAR, 40.0, 50)
    for sign, tail in ((1.0, surrogate.shape.right), (-1.0, surrogate.shape.left)):
        found = np.polynomial.polynomial.polyval(distance, tail.polynomial)
        for rate, coefficient in zip(tail.rates, tail.coefficients, strict=True):
            found = found + coefficient * np.exp(-rate * distance)
        np.testing.assert_allclose(found, surrogate.value(sign * distance), rtol=1e-14)


@pytest.mark.parametrize("name", ["hinge", "squared_hinge"])
def test_hinges_by_powers(name: str) -> None:
    entry = SURROGATES[name]
    expected = np.maximum(1.0 - MARGINS, 0.0) ** entry.shape.power
    np.testing.assert_allclose(entry.value(MARGINS), expected, rtol=1e-15)


@each_surrogate
def test_no_overflow_within_the_range(surrogate: Surrogate) -> None:
    far = min(surrogate.max_range, 1e300)
    z = np.array([-far, far])
    for order in range(3):
        assert np.isfinite(surrogate.derivative(order)(z)).all()


@pytest.mark.parametrize("width", [0.3, 0.0, -0.25, np.nan])
def test_bins_need_exact_edges(width: float) -> None:
    with pytest.raises(ValueError, match="`width` should be a power of two"):
        Analytic(Tail(), Tail(), width)


@pytest.mark.parametrize("power", [0, 3, 1.5])
def test_other_powers_are_refused(power: float) -> None:
    with pytest.raises(ValueError, match=re.escape(f"`power` should be 1 or 2. Found {power}")):
        Hinge(power)


@pytest.mark.parametrize(
    "user",
    [iso.pair_loss, iso.BoostedRanker, iso.NeuralRanker, iso.torch.PairLoss, lightgbm_objective],
    ids=lambda user: user.__name__,
)
def test_docstrings_list_all_surrogates(user: Callable[..., object]) -> None:
    listed = re.search(r"surrogate : {(.*)}", inspect.getdoc(user) or "").group(1)
    assert listed.split(", ") == [f'"{name}"' for name in SURROGATES]


def test_what_is_not_convex_is_refused_with_a_list_of_what_is() -> None:
    with pytest.raises(ValueError, match=r"'hinge', 'squared_hinge'\. Found 'sigmoid'"):
        iso.LinearRanker(surrogate="sigmoid").fit([[0.0], [1.0]], [0, 1])


def test_a_falling_slope_is_not_convex() -> None:
    base = SURROGATES["hinge"]
    ramp = replace(base, slope=lambda z: -((z > 0.0) & (z < 1.0)).astype(float))
    assert not ramp.convex


@each_surrogate
def test_only_the_hinge_has_a_kink(surrogate: Surrogate) -> None:
    assert surrogate.kinked == (surrogate.name == "hinge")


@each_surrogate
def test_boosting_finds_a_curvature_wherever_there_is_a_slope(surrogate: Surrogate) -> None:
    z = np.linspace(-20.0, 20.0, 401)
    curvature = (surrogate.hessian_from or surrogate).curvature(z)
    assert (curvature >= np.abs(surrogate.curvature(z))).all()
    assert (curvature[surrogate.slope(z) != 0.0] > 0.0).all()
