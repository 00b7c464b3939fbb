"""Costs as terms between levels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isonomy._core.costs import FEW_LEVELS, MOST_LEVELS, LevelCosts, as_costs, cost_terms
from tests.oracles import cost_table, steep


def products(levels: np.ndarray, costs: object) -> np.ndarray:
    above, below = cost_terms(levels, costs)  # type: ignore[arg-type]
    assert above.shape == below.shape
    assert above.shape[0] == levels.size
    return np.asarray((above @ below.T).todense() if sparse.issparse(above) else above @ below.T)


@given(st.integers(0, 300), st.sampled_from(["linear", "uniform"]))
def test_terms_add_up_to_the_costs(n: int, costs: str) -> None:
    levels = np.cumsum(1.0 + np.arange(n) % 3) - 5
    gap = np.maximum(levels[:, None] - levels, 0)
    expected = gap if costs == "linear" else (gap > 0).astype(float)
    assert np.array_equal(products(levels, costs), expected)


@pytest.mark.parametrize("n", [FEW_LEVELS, FEW_LEVELS + 1, 1000])
def test_many_levels_need_few_entries(n: int) -> None:
    above, below = cost_terms(np.arange(float(n)), "linear")
    assert sparse.issparse(above) == (n > FEW_LEVELS)
    if n > FEW_LEVELS:
        assert above.nnz + below.nnz <= 2 * n * n.bit_length()
        shared = above.astype(bool).multiply(below.astype(bool))
        assert shared.sum() == 0


def test_arrays_are_looked_up_by_level() -> None:
    levels = np.array([0.0, 2.0, 3.0])
    table = np.array(cost_table(5), float)
    expected = np.tril(table[np.ix_([0, 2, 3], [0, 2, 3])], -1)
    assert np.array_equal(products(levels, table.tolist()), expected)


def test_levels_with_rounding_errors_are_looked_up() -> None:
    for levels in ([0.0, 3 * (1 / 3), 2 + 1e-13], [1e-9, 1.0, 2.0]):
        assert products(np.array(levels), cost_table(3))[2, 1] == cost_table(3)[2][1]


def test_functions_are_called_with_high_and_low() -> None:
    calls: list[tuple[float, float]] = []

    def cost(high: float, low: float) -> float:
        calls.append((high, low))
        return steep(high, low)

    found = products(np.array([0.0, 1.5, 4.0]), cost)
    assert set(calls) == {(1.5, 0.0), (4.0, 0.0), (4.0, 1.5)}
    assert found[2, 1] == steep(4.0, 1.5)
    assert found[1, 2] == 0


@pytest.mark.parametrize("costs", ["linear", "uniform", steep, cost_table(3)])
@pytest.mark.parametrize("levels", [[], [2.0]])
def test_without_two_levels_there_are_no_pairs(costs: object, levels: list[float]) -> None:
    assert not products(np.array(levels), costs).any()


def test_arrays_become_tuples() -> None:
    assert as_costs(np.array([[0, 9], [1, 0]])) == ((0, 9), (1, 0))
    assert as_costs(((0, 0), (True, 0))) == ((0, 0), (1, 0))
    assert as_costs(steep) is steep


@pytest.mark.parametrize(("costs", "per_split"), [("uniform", 1), ("linear", 2)])
def test_as_many_terms_as_splits(costs: str, per_split: int) -> None:
    above, _ = cost_terms(np.arange(256.0), costs)  # type: ignore[arg-type]
    assert above.shape == (256, per_split * 255)


@pytest.mark.parametrize("n", [3, FEW_LEVELS + 10])
@pytest.mark.parametrize("linear", [True, False])
def test_patterns_without_a_level_join_no_pair(n: int, linear: bool) -> None:
    levels = np.roll(np.append(np.arange(float(n)), [np.nan, np.nan, 1.0]), 2)
    found = LevelCosts(levels, linear)
    assert (found.ascending, found.all_known) == (False, False)
    assert found.distinct.tolist() == list(range(n))
    expected = np.where(np.isnan(levels), -1, levels)
    assert found.number.tolist() == expected.tolist()
    above, below = found.terms()
    gap = np.nan_to_num(np.maximum(levels[:, None] - levels, 0))
    assert sparse.issparse(above) == sparse.issparse(below) == (n > FEW_LEVELS)
    together = above @ below.T
    together = together.toarray() if sparse.issparse(together) else together
    assert np.array_equal(together, gap if linear else gap > 0)


def test_levels_in_order_number_themselves() -> None:
    found = LevelCosts(np.array([-1.0, -0.5, 7.0]), linear=True)
    assert (found.ascending, found.all_known) == (True, True)
    assert found.number.tolist() == [0, 1, 2]
    for levels in ([1.0, 1.0, 2.0], [2.0, 1.0], [0.0, 1.0, np.nan]):
        assert LevelCosts(np.array(levels), linear=True).ascending is False


def always(cost: object) -> Callable[[float, float], object]:
    """Costs that do not ask for the levels."""
    return lambda _high, _low: cost


@pytest.mark.parametrize(
    ("levels", "costs", "message"),
    [
        ([0.0, 1.0, 5.0], cost_table(3), "at least 6 x 6.* levels reach 5"),
        ([0.0, 0.5, 1.0], cost_table(3), "integer levels.*Found the level 0.5"),
        ([-1.0, 0.0, 1.0], cost_table(3), "integer levels.*Found the level -1"),
        ([-1.0, 1e-9, 1.0], cost_table(3), "integer levels.*Found the level -1"),
        ([0.0, 1.0], always(-0.5), "finite costs >= 0. Found -0.5"),
        ([0.0, 1.0], always(np.inf), "finite costs >= 0. Found inf"),
        ([0.0, 1.0], always(0), "some pair of levels a positive cost"),
        ([0.0, 1.0], always("1"), "return a number. Found '1' for levels 1.0, 0.0"),
        (np.arange(MOST_LEVELS + 1.0), steep, f"up to {MOST_LEVELS} levels"),
    ],
)
def test_refused_for_these_levels(levels: object, costs: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cost_terms(np.array(levels), costs)  # type: ignore[arg-type]


def test_as_many_levels_as_promised() -> None:
    table = np.ones((1024, 1024))
    assert MOST_LEVELS == 1024
    assert cost_terms(np.arange(1024.0), table)[0].shape == (1024, 1023)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1], [2]], "unequal length"),
        (np.ma.array([[0, 1], [1, 0]], mask=[[0, 0], [1, 0]]), "no masked values"),
        ([[0, 1, 2], [1, 0, 2]], r"square array .*Found shape \(2, 3\)"),
        ([0, 1], r"square array .*Found shape \(2,\)"),
        ([["0", "0"], ["1", "0"]], "square array of numbers"),
        ([[0, 0], [-0.5, 0]], "finite costs >= 0. Found -0.5"),
        ([[0, 3], [0, 0]], "stand below the diagonal"),
        ([[3, 0], [0, 3]], "stand below the diagonal"),
        ("square", "`costs`"),
    ],
)
def test_refused_for_any_levels(costs: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_costs(costs)
