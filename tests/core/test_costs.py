"""Costs as terms between levels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isonomy._core.costs import FEW_LEVELS, as_costs, cost_terms
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
    levels = np.array([0.0, 3 * (1 / 3), 2 + 1e-13])
    assert products(levels, cost_table(3))[2, 1] == cost_table(3)[2][1]


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
