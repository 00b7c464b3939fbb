"""Preferences and mixes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isonomy import Mean, Pooled, Preferences, Worst

RATIOS = np.array([0.6, 0.9, 0.3])


@pytest.mark.parametrize("mix", [Mean((1.0, 2.0, 3.0)), Mean((0.0, 1.0, 0.0)), Worst()], ids=repr)
def test_slopes_are_derivatives(mix: Mean | Worst) -> None:
    assert not mix.pooled
    for r in range(3):
        step = 1e-6 * np.eye(3)[r]
        numeric = (mix.value(RATIOS + step) - mix.value(RATIOS - step)) / 2e-6
        assert mix.slope(RATIOS)[r] == pytest.approx(numeric, abs=1e-9)


def test_values() -> None:
    assert Mean((1.0, 1.0, 2.0)).value(RATIOS) == pytest.approx(0.525)
    assert Worst().value(RATIOS) == 0.3
    assert Pooled().value(RATIOS[:1]) == 0.6
    assert Pooled().slope(RATIOS[:1]).tolist() == [1]
    assert Pooled().pooled


def test_undefined_terms() -> None:
    gap = np.array([0.6, np.nan, 0.3])
    assert Mean((1.0, 0.0, 1.0)).value(gap) == pytest.approx(0.45)
    assert np.isnan(Mean((1.0, 1.0, 1.0)).value(gap))
    assert np.isnan(Worst().value(gap))


def test_tables() -> None:
    wish = Preferences([0, 1, 1], above=[1, 0], below=[0, 1], mix=Pooled())
    assert (wish.n_patterns, wish.n_terms, wish.n_groups) == (2, 1, 1)
    assert wish.above.dtype == np.float64
    grouped = Preferences([0, 1], [1, 0], [0, 1], Pooled(), group=np.array([0, 4]))
    assert grouped.n_groups == 5


def test_booleans_and_sparse_tables_stay_what_they_are() -> None:
    flags = np.array([[True], [False]])
    assert Preferences([0], flags, ~flags, Pooled()).above.dtype == np.bool_
    table = sparse.coo_array([[1.0], [0.0]])
    wish = Preferences([0], table, sparse.csr_array([[0.0], [1.0]]), Pooled())
    assert wish.above.format == "csr"
    assert wish.n_terms == 1


def test_a_pattern_on_both_sides() -> None:
    one = Preferences([0, 1], above=[1, 0], below=[0, 1], mix=Pooled())
    two = Preferences([0, 1], above=[1, 0.5], below=[0, 0.5], mix=Pooled())
    assert (one.two_sided, two.two_sided) == (False, True)
    # Sparse tables with such a pattern become dense, and counts say how many pairs are twins'.
    table = sparse.csr_array([[1.0], [0.5]])
    dense = Preferences([0, 1], table, table, Pooled(), count=np.array([1, 4]))
    assert dense.two_sided
    assert isinstance(dense.above, np.ndarray)
    assert dense.twins is not None
    assert dense.twins.tolist() == [0, 0.75]
    assert two.twins is None
    assert two.on(None, None, "pairs", np.array([0, 2])).twins.tolist() == [0, 0.5]
