"""The weight of all pairs of different members against a table of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums.kernels.layout import both_sides_pair_weights


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
