"""The recipe for a surrogate: half as steep an exponential, 2 exp(-z / 2)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import isonomy as iso
from isonomy.surrogates import SURROGATES, Surrogate
from tests import test_surrogates
from tests.recipes.consumers import check_boosted, check_compared, check_saved, check_torch, data
from tests.recipes.recipe import entry

NAME = "slow_exponential"


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> Surrogate:
    found: Surrogate = entry("A surrogate", "src/isonomy/surrogates.py")
    monkeypatch.setitem(SURROGATES, found.name, found)
    return found


def test_it_has_the_properties_of_all_entries(slow: Surrogate) -> None:
    assert (slow.name, slow.convex, slow.kinked) == (NAME, True, False)
    test_surrogates.test_derivatives(slow)
    test_surrogates.test_a_wrong_order_costs_more_than_a_right_one(slow)
    test_surrogates.test_tails(slow)
    test_surrogates.test_no_overflow_within_the_range(slow)
    test_surrogates.test_boosting_finds_a_curvature_wherever_there_is_a_slope(slow)


@pytest.mark.parametrize("n", [12, 3000])
def test_the_pair_loss_takes_it(n: int) -> None:
    X, Y = data(n)
    scores = 3.0 * X[:, 0]
    found = iso.pair_loss(Y, scores, surrogate=NAME, hessian=True)
    halved = iso.pair_loss(Y, scores / 2.0, surrogate="exponential", hessian=True)
    assert found.value == pytest.approx(2.0 * halved.value, rel=1e-12)
    np.testing.assert_allclose(found.gradient, halved.gradient, rtol=1e-9, atol=1e-14)
    bend = halved.hessian_diagonal / 2.0
    np.testing.assert_allclose(found.hessian_diagonal, bend, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("objective", [iso.LossAggregation(), iso.WorstLabel()], ids=repr)
def test_the_linear_ranker_takes_it(objective: iso.Objective) -> None:
    X, Y = data()
    found = iso.LinearRanker(objective, surrogate=NAME, l2=0.01).fit(X, Y)
    assert found.converged_
    # 2 loss(X w / 2) + l2/2 |w|^2 in v = w / 2.
    halved = iso.LinearRanker(objective, surrogate="exponential", l2=0.02).fit(X, Y)
    np.testing.assert_allclose(found.coef_, 2.0 * halved.coef_, atol=1e-6)


def test_refusals_name_it_among_the_convex_ones() -> None:
    with pytest.raises(ValueError, match=rf"'squared_hinge', '{NAME}'\. Found 'sigmoid'"):
        iso.LinearRanker(surrogate="sigmoid").fit(*data())


def test_docstrings_that_do_not_list_it_are_told() -> None:
    with pytest.raises(AssertionError, match=NAME):
        test_surrogates.test_docstrings_list_all_surrogates(iso.pair_loss)


def test_engines_take_it() -> None:
    check_boosted(iso.LossAggregation(), NAME)


def test_torch_takes_it() -> None:
    check_torch(iso.LossAggregation(), NAME)


def test_it_is_saved_and_compared(tmp_path: Path) -> None:
    ranker = iso.LinearRanker(surrogate=NAME, l2=0.01)
    check_compared(tmp_path, NAME, rankers={NAME: ranker}, methods=["mean"])
    check_saved(ranker.fit(*data()), tmp_path)
