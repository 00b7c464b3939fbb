import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isonomy.theory import scale_condition


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=7),
    st.lists(st.integers(1, 9), min_size=7, max_size=7),
)
@settings(deadline=None)
def test_finds_witnesses_of_every_cost_that_has_them(w, gaps):
    s = np.cumsum([0, *gaps])[: len(w)].astype(float)
    costs = np.tril(np.outer(w, w) * (s[:, None] - s), -1)
    found_w, found_s = scale_condition(costs)
    met = np.tril(np.outer(found_w, found_w) * (found_s[:, None] - found_s), -1)
    np.testing.assert_allclose(met, costs, rtol=1e-9)
    assert (np.diff(found_s) >= 0).all()
    assert (found_w > 0).all()


@given(st.lists(st.integers(0, 5), min_size=3, max_size=3))
def test_three_levels_meet_it_where_the_ends_have_a_cost(entries):
    costs = np.zeros((3, 3))
    costs[1, 0], costs[2, 0], costs[2, 1] = entries
    if not any(entries):
        return
    found = scale_condition(costs)
    # With one pair only, that pair is the ends.
    lone = sum(e > 0 for e in entries) == 1
    assert (found is not None) == (entries[1] > 0 or lone)


@pytest.mark.parametrize("n_levels", [4, 5, 9])
def test_uniform_costs_on_four_levels_do_not(n_levels):
    assert scale_condition(np.tri(n_levels, k=-1)) is None


def test_levels_without_costs_have_weight_0():
    costs = np.zeros((4, 4))
    costs[2, 0], costs[3, 0], costs[3, 2] = 1, 2, 1
    w, s = scale_condition(costs)
    assert w.tolist() == [1, 0, 1, 1]
    assert s.tolist() == [0, 0, 1, 2]


def test_random_costs_do_not():
    costs = np.tril(np.random.default_rng(0).random((5, 5)), -1)
    assert scale_condition(costs) is None


def test_bad_costs_are_named():
    with pytest.raises(TypeError, match="square array"):
        scale_condition("linear")
    with pytest.raises(ValueError, match="`costs`"):
        scale_condition([[0, 0], [-1, 0]])
    with pytest.raises(ValueError, match="All are 0"):
        scale_condition([[0, 1], [0, 0]])


def test_a_level_apart_from_both_ends():
    """Level 2 has a cost, but none with the lowest or the highest level."""
    costs = np.zeros((4, 4))
    costs[1, 0], costs[3, 0], costs[3, 1], costs[2, 1] = 1, 2, 1, 1
    assert scale_condition(costs) is None


def test_tolerance_is_relative_to_each_cost():
    w, s = np.array([1e-5, 1, 1, 1e-5]), np.arange(4.0)
    costs = np.tril(np.outer(w, w) * (s[:, None] - s), -1)
    found_w, found_s = scale_condition(costs)
    met = np.tril(np.outer(found_w, found_w) * (found_s[:, None] - found_s), -1)
    np.testing.assert_allclose(met, costs, rtol=1e-9)
    costs[3, 0] *= 2
    assert scale_condition(costs) is None
