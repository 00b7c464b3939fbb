"""Pair by pair, by lists of pairs, against tables of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._kernels import direct


@pytest.mark.parametrize("sign", [1.0, -1.0])
@given(seed=st.integers(0, 2**32))
def test_sums_and_pulls(sign: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts = np.array([0, 1, 4, 10])
    n, n_terms = 10, 2
    segment = np.repeat(np.arange(3, dtype=np.int32), np.diff(starts))
    code = rng.integers(0, 3, n).astype(np.int32)
    table = rng.integers(-1, 2, (3, n_terms)) * rng.uniform(0.5, 2.0, (3, n_terms))
    above, below = ((table > 0) @ [1, 2])[code], ((table < 0) @ [1, 2])[code]
    high, low = np.full((2, n * n + 1), -1, dtype=np.int32)
    k = direct.list_pairs(0, 3, starts, above, below, high, low)
    high, low = high[:k], low[:k]
    compared = (above[:, None] & below).astype(bool) & (segment[:, None] == segment)
    assert np.c_[high, low].tolist() == np.argwhere(compared).tolist()

    phi, weight, source = rng.normal(size=(n, n)), rng.random(n), rng.normal(size=n)
    coefficient = rng.random((3, n_terms))
    totals, out = np.zeros((3, n_terms)), np.zeros(n)
    direct.pair_sums(segment, high, low, phi[high, low], code, weight, table, totals)
    direct.pull(segment, high, low, phi[high, low], code, source, table, sign, coefficient, out)
    expected = np.zeros(n)
    for s in range(3):
        inside = np.where(segment == s, 1.0, 0.0)
        for r in range(n_terms):
            side = table[code, r] * inside
            cost = np.outer(np.maximum(side, 0.0), np.maximum(-side, 0.0)) * phi
            assert np.isclose(totals[s, r], weight @ cost @ weight, atol=1e-13)
            expected += coefficient[s, r] * (cost @ source + sign * source @ cost)
    np.testing.assert_allclose(out, expected, atol=1e-13)
