"""Preferences and mixes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isonomy import Mean, Pooled, Preferences, Worst
from isonomy._core.costs import LevelCosts
from isonomy._core.side_words import SideWords

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
    with pytest.raises(TypeError, match="two_sided"):
        Preferences([0], [1], [0], Pooled(), two_sided=True)  # type: ignore[call-arg]


def test_words_become_tables_when_they_are_asked_for() -> None:
    Y = np.array([[1.0, 0.0, np.nan], [0.0, np.nan, 1.0], [1.0, 0.0, np.nan], [0.0, 0.0, 0.0]])
    words = SideWords.of_table(Y)
    assert words is not None
    wish = Preferences.of_words(words, Pooled(), ("a", "b", "c"))
    assert (len(wish), wish.n_terms, wish.two_sided, wish.names) == (4, 3, False, ("a", "b", "c"))
    assert not {"codes", "above", "below"} & set(wish.__dict__)
    assert np.array_equal(wish.above[wish.codes], Y == 1)
    assert np.array_equal(wish.below[wish.codes], Y == 0)
    assert wish.n_patterns == 3
    with pytest.raises(AttributeError, match="'other'"):
        _ = wish.other


def test_levels_become_tables_when_they_are_asked_for() -> None:
    levels = LevelCosts(np.array([2.0, np.nan, 0.0, 2.0]), linear=True)
    wish = Preferences.of_levels(np.array([0, 1, 2, 3, 0]), levels)
    assert (len(wish), wish.n_patterns, wish.two_sided) == (5, 4, False)
    assert not {"above", "below"} & set(wish.__dict__)
    costs = wish.above @ wish.below.T
    assert np.asarray(costs).tolist() == [[0, 0, 2, 0], [0] * 4, [0] * 4, [0, 0, 2, 0]]
    with pytest.raises(AttributeError, match="'other'"):
        _ = wish.other
    with pytest.raises(AttributeError, match="'other'"):
        _ = Preferences([0], [1], [0], Pooled()).other


@pytest.mark.parametrize(
    ("codes", "above", "below", "message"),
    [
        ([0, 1], [[1, 0], [0, 1]], [0, 1], r"one shape, .*Found \(2, 2\) and \(2, 1\)"),
        ([[0], [1]], [1, 0], [0, 1], r"1-D array .*Found shape \(2, 1\)"),
        ([0.0, 1.0], [1, 0], [0, 1], "1-D array .*dtype float64"),
        ([0, 2], [1, 0], [0, 1], r"lie in 0\.\.1.*Found 0\.\.2"),
        ([-1, 1], [1, 0], [0, 1], r"lie in 0\.\.1.*Found -1\.\.1"),
        ([0], np.empty((2, 0)), np.empty((2, 0)), "at least one term"),
        ([0, 1], [1, np.inf], [0, 1], "`above` should be a table of finite"),
        ([0, 1], [1, 0], [-0.5, 1], "`below` should be a table of finite"),
        ([0, 1], np.ones((2, 1, 1)), [0, 1], "`above` should be a table of finite"),
        ([0, 1], [1, 0], sparse.csr_array([[0.0], [np.nan]]), "`below` should be a table"),
    ],
)
def test_refused(codes: object, above: object, below: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Preferences(codes, above, below, Pooled())


@pytest.mark.parametrize("name", ["weight", "group", "count"])
def test_one_number_for_each_item(name: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}` should hold one number for each of the 2"):
        Preferences([0, 1], [1, 0], [0, 1], Pooled(), **{name: np.ones(3, np.int64)})


def test_no_items() -> None:
    assert len(Preferences(np.empty(0, np.int64), [1, 0], [0, 1], Pooled())) == 0
