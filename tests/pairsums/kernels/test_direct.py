"""Pair by pair against tables of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums.kernels import direct
from isonomy._pairsums.tables import curve_tables
from isonomy.surrogates import SURROGATES

LOGISTIC = SURROGATES["logistic"]


@pytest.mark.parametrize("order", [0, 1, 2])
@given(seed=st.integers(0, 2**32), spread=st.sampled_from([0.0, 1.0, 100.0]))
def test_sums_and_pulls(order: int, seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    starts = np.array([0, 1, 4, 10])
    n, n_terms, sign = 10, 2, (-1.0) ** order
    segment = np.repeat(np.arange(3), np.diff(starts))
    code = rng.integers(0, 3, n).astype(np.int32)
    code = code[np.lexsort((code, segment))]
    table = rng.integers(-1, 2, (3, n_terms)) * rng.uniform(0.5, 2.0, (3, n_terms))
    # Patterns on one side, or on both: in their own run they meet all but themselves.
    lower = table if seed % 2 else rng.integers(-1, 1, (3, n_terms)) * rng.random((3, n_terms))
    sides = table, lower
    scores, weight, source = spread * rng.normal(size=n), rng.random(n), rng.normal(size=n)
    coefficient = rng.random((3, n_terms))
    curve = curve_tables(LOGISTIC, order)
    totals, out = np.zeros((3, n_terms)), np.zeros(n)
    # In two pieces of whole segments.
    for first, last in ((0, 2), (2, 3)):
        direct.term_sums(first, last, starts, scores, code, weight, sides, curve, totals)
        direct.member_sums(
            first, last, starts, scores, code, source, sides, curve, sign, coefficient, out
        )
    phi = LOGISTIC.derivative(order)(scores[:, None] - scores)
    expected = np.zeros(n)
    for s in range(3):
        inside = np.where(segment == s, 1.0, 0.0)
        for r in range(n_terms):
            up, low = (each[code, r] * inside for each in sides)
            cost = np.outer(np.maximum(up, 0.0), np.maximum(-low, 0.0)) * phi
            np.fill_diagonal(cost, 0.0)
            assert np.isclose(totals[s, r], weight @ cost @ weight, rtol=1e-13, atol=1e-13)
            expected += coefficient[s, r] * (cost @ source + sign * source @ cost)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
