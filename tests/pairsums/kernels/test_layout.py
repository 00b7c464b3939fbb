"""Members in order, and the weight of their pairs, against plain numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums.kernels.layout import (
    add_at,
    both_sides_pair_weights,
    pair_weights,
    place,
    place_inside,
)


@given(seed=st.integers(0, 2**32))
def test_against_all_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts, n = np.array([0, 1, 4, 10]), 10
    code = rng.integers(0, 3, n).astype(np.int32)
    upper, lower = rng.uniform(-1, 1, (2, 3, 2))
    weight = 10.0 ** rng.uniform(-3, 6, n)
    twins = rng.choice([0.0, 0.5, 0.75], n)
    found = np.empty((3, 2))
    both_sides_pair_weights(starts, code, weight, (upper, lower), twins, found)
    above, below = np.maximum(upper, 0.0)[code], np.maximum(-lower, 0.0)[code]
    for s in range(3):
        for r in range(2):
            mine = slice(starts[s], starts[s + 1])
            up, low = weight[mine] * above[mine, r], weight[mine] * below[mine, r]
            pairs = np.outer(up, low)
            np.fill_diagonal(pairs, twins[mine] * up * low)
            np.testing.assert_allclose(found[s, r], pairs.sum(), rtol=1e-13)


def test_one_member_has_exactly_no_pairs() -> None:
    found = np.empty((1, 1))
    sides = np.full((1, 1), 0.1), np.full((1, 1), -0.3)
    code = np.zeros(1, np.int32)
    both_sides_pair_weights(np.array([0, 1]), code, np.array([1 / 3]), sides, np.zeros(1), found)
    assert found[0, 0] == 0.0


@given(seed=st.integers(0, 2**32), n=st.integers(0, 50), n_keys=st.integers(1, 60))
def test_place_is_a_stable_sort(seed: int, n: int, n_keys: int) -> None:
    rng = np.random.default_rng(seed)
    keys, before = rng.integers(0, n_keys, n), rng.permutation(n).astype(np.int32)
    order = np.empty(n, np.int32)
    place(keys, before, np.zeros(n_keys + 1, np.int64), order)
    np.testing.assert_array_equal(order, before[np.argsort(keys[before], kind="stable")])


@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=9),
    n_patterns=st.integers(1, 12),
)
def test_place_inside_is_a_stable_sort_of_each_segment(
    seed: int, sizes: list[int], n_patterns: int
) -> None:
    starts = np.append(0, np.cumsum(sizes))
    code = np.random.default_rng(seed).integers(0, n_patterns, starts[-1]).astype(np.int32)
    order = np.full(code.size, -1, np.int32)
    cut = len(sizes) // 2
    place_inside(0, cut, starts, code, n_patterns, order)
    place_inside(cut, len(sizes), starts, code, n_patterns, order)
    segment = np.repeat(np.arange(len(sizes)), sizes)
    np.testing.assert_array_equal(order, np.lexsort((code, segment)))


@given(seed=st.integers(0, 2**32), n_patterns=st.sampled_from([1, 3, 40]))
def test_one_side_against_all_pairs(seed: int, n_patterns: int) -> None:
    rng = np.random.default_rng(seed)
    starts, n = np.array([0, 1, 4, 10, 30]), 30
    code = rng.integers(0, n_patterns, n).astype(np.int32)
    side = rng.integers(-1, 2, (n_patterns, 2)) * rng.uniform(0.5, 2.0, (n_patterns, 2))
    weight = rng.choice([0.0, 1.0, 2.5, 1e6], n)
    found = np.empty((4, 2))
    pair_weights(starts, code, weight, side, found)
    for s in range(4):
        mine = slice(starts[s], starts[s + 1])
        signed = weight[mine, None] * side[code[mine]]
        expected = np.maximum(signed, 0.0).sum(axis=0) * np.maximum(-signed, 0.0).sum(axis=0)
        np.testing.assert_allclose(found[s], expected, rtol=1e-13)


@given(seed=st.integers(0, 2**32), n=st.integers(0, 20))
def test_members_are_added_to_their_items(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    item, members = rng.integers(0, 7, n).astype(np.int32), rng.integers(0, 9, n).astype(float)
    added = np.zeros(7)
    add_at(members, item, added)
    np.testing.assert_array_equal(added, np.bincount(item, members, 7))
