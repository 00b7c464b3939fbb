"""Every surrogate's derivatives and tails agree with its value."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import isonomy as iso
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


def softer() -> Surrogate:
    """A logistic half as sharp, which the registry does not know: 2 log(1 + exp(-z / 2))."""
    logistic = SURROGATES["logistic"]
    orders = range(1, 51)
    rates = tuple(k / 2 for k in orders)
    powers = tuple(2.0 * (-1.0) ** (k + 1) / k for k in orders)
    return Surrogate(
        name="softer",
        value=lambda z: 2.0 * logistic.value(z / 2.0),
        slope=lambda z: logistic.slope(z / 2.0),
        curvature=lambda z: 0.5 * logistic.curvature(z / 2.0),
        shape=Analytic(right=Tail((0, 0, 0), rates, powers), left=Tail((0, 1, 0), rates, powers)),
    )


@pytest.fixture
def softer_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SURROGATES, "softer", softer())


def rows(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, :2] + rng.logistic(size=(n, 2)) > 0).astype(int)


@pytest.mark.parametrize("n", [12, 3000])
@pytest.mark.usefixtures("softer_entry")
def test_one_entry_is_all_that_pair_loss_needs(n: int) -> None:
    X, Y = rows(n)
    scores = 3.0 * X[:, 0]
    found = iso.pair_loss(Y, scores, surrogate="softer", hessian=True)
    halved = iso.pair_loss(Y, scores / 2.0, surrogate="logistic", hessian=True)
    assert found.value == pytest.approx(2.0 * halved.value, rel=1e-12)
    np.testing.assert_allclose(found.gradient, halved.gradient, rtol=1e-9, atol=1e-14)
    bend = halved.hessian_diagonal / 2.0
    np.testing.assert_allclose(found.hessian_diagonal, bend, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("objective", [iso.LossAggregation(), iso.WorstLabel()], ids=repr)
@pytest.mark.usefixtures("softer_entry")
def test_one_entry_is_all_that_linear_ranker_needs(objective: object) -> None:
    X, Y = rows()
    found = iso.LinearRanker(objective, surrogate="softer", l2=0.01).fit(X, Y)
    assert found.converged_
    # 2 loss(X w / 2) + l2/2 |w|^2 in v = w / 2.
    halved = iso.LinearRanker(objective, l2=0.02).fit(X, Y)
    np.testing.assert_allclose(found.coef_, 2.0 * halved.coef_, atol=1e-6)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
@pytest.mark.usefixtures("softer_entry")
def test_one_entry_is_all_that_boosted_ranker_needs(engine: str) -> None:
    pytest.importorskip(engine)
    X, Y = rows()
    options = {"engine": engine, "n_rounds": 5, "patience": None}
    found = iso.BoostedRanker(surrogate="softer", **options).fit(X, Y)
    other = iso.BoostedRanker(**options).fit(X, Y)
    assert found.score(X, Y) > 0.6
    assert (found.predict(X) != other.predict(X)).any()


@pytest.mark.usefixtures("softer_entry")
def test_one_entry_is_all_that_torch_needs() -> None:
    torch = pytest.importorskip("torch")
    from isonomy.torch import PairLoss

    X, Y = rows()
    scores = torch.tensor(X[:, 0], requires_grad=True)
    loss = PairLoss(surrogate="softer")(scores, torch.tensor(Y))
    loss.backward()
    expected = iso.pair_loss(Y, X[:, 0], surrogate="softer")
    assert float(loss.detach()) == pytest.approx(expected.value, rel=1e-10)
    np.testing.assert_allclose(scores.grad.numpy(), expected.gradient, atol=1e-12)


@pytest.mark.usefixtures("softer_entry")
def test_one_entry_is_all_that_neural_ranker_needs() -> None:
    pytest.importorskip("skorch")
    X, Y = rows()
    ranker = iso.NeuralRanker(surrogate="softer", max_epochs=3, random_state=0)
    assert ranker.fit(X, Y).predict(X).shape == (200,)


@pytest.mark.usefixtures("softer_entry")
def test_what_is_not_convex_is_refused_with_a_list_of_what_is() -> None:
    with pytest.raises(ValueError, match=r"'squared_hinge', 'softer'\. Found 'sigmoid'"):
        iso.LinearRanker(surrogate="sigmoid").fit(*rows())


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
