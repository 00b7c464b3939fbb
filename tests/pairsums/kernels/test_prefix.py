"""Hinge sums against every pair."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isonomy._pairsums.kernels import prefix
from isonomy._pairsums.kernels.prefix import AT_ONCE, FOUR_FROM

N_TERMS = 2


@pytest.mark.parametrize("power", [0, 1, 2])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@given(seed=st.integers(0, 2**32), spread=st.sampled_from([0.0, 1e-3, 1.0, 100.0]))
def test_sums_and_pulls(power: int, sign: float, seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    starts = np.array([0, 1, 8, 20])
    n = int(starts[-1])
    # Eighths, so that margins of exactly 1 occur.
    scores = np.round(8.0 * spread * rng.normal(size=n)) / 8.0
    for a, b in pairwise(starts.tolist()):
        scores[a:b] = -np.sort(-scores[a:b])
    code = rng.integers(0, 3, n).astype(np.int32)
    table = rng.integers(-1, 2, (3, N_TERMS)) * rng.uniform(0.5, 2.0, (3, N_TERMS))
    weight, source = rng.random(n), rng.normal(size=n)
    coefficient = rng.random((3, N_TERMS)) * rng.integers(0, 2, (3, N_TERMS))
    totals = np.empty((3, N_TERMS))
    # Patterns on one side, or on both: there they meet themselves.
    lower = table if seed % 2 else rng.integers(-1, 1, (3, N_TERMS)) * rng.random((3, N_TERMS))
    sides = np.stack([table.T, lower.T], axis=1)
    edges = np.empty(n, np.int32), np.empty(n, np.int32)
    prefix.reach(0, 3, starts, scores, *edges)
    out = np.zeros(n)
    for r in range(N_TERMS * (power > 0)):
        prefix.term_sums(0, 3, r, starts, scores, code, weight, sides, edges, power, totals)
    for direction in (1, -1):
        prefix.member_sums(
            0, 3, direction, starts, scores, code, source, weight, sides, edges, power,
            coefficient * (sign if direction > 0 else 1.0), out,
        )  # fmt: skip

    margin = scores[:, None] - scores
    phi = np.where(margin < 1.0, np.maximum(1.0 - margin, 0.0) ** power, 0.0)
    expected = np.zeros(n)
    for s in range(3):
        mine = slice(starts[s], starts[s + 1])
        for r in range(N_TERMS):
            up, low = table[code[mine], r], lower[code[mine], r]
            cost = np.outer(np.maximum(up, 0.0), np.maximum(-low, 0.0)) * phi[mine, mine]
            if power:
                assert np.isclose(totals[s, r], weight[mine] @ cost @ weight[mine], atol=1e-13)
            felt = sign * cost @ source[mine] + source[mine] @ cost
            expected[mine] += coefficient[s, r] * weight[mine] * felt
    np.testing.assert_allclose(out, expected, atol=1e-12 * (1.0 + np.abs(expected).max()))


@pytest.mark.parametrize("n", [1, 2, 5, FOUR_FROM - 1, FOUR_FROM, FOUR_FROM + 3, 3 * AT_ONCE + 1])
@given(seed=st.integers(0, 2**32), spread=st.sampled_from([0.0, 1e-3, 0.3, 2.0, 1e3, 1e300]))
@settings(max_examples=max(10, settings.default.max_examples // 5))
def test_who_is_in_reach(n: int, seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    # Long ties, and margins of exactly 1.
    scores = np.round(rng.choice([1.0, 8.0]) * spread * rng.standard_t(2, size=n)) / 8.0
    scores = -np.sort(-scores)
    shifted, starts = np.append(9.0, scores), np.array([0, 1, n + 1])
    edges = np.full(n + 1, -7, np.int32), np.full(n + 1, -7, np.int32)
    prefix.reach(1, 2, starts, shifted, *edges)
    in_reach = scores[:, None] - scores < 1.0
    assert (edges[0][1:] - 1).tolist() == in_reach.sum(axis=1).tolist()
    assert (edges[1][1:] - 1).tolist() == in_reach.argmax(axis=0).tolist()
    assert edges[0][0] == edges[1][0] == -7


@pytest.mark.parametrize("power", [0, 1, 2])
@pytest.mark.parametrize("spread", [1e-3, 0.3, 100.0])
def test_more_members_than_are_summed_at_a_time(power: int, spread: float) -> None:
    rng = np.random.default_rng(power)
    n = 3 * AT_ONCE + 7
    scores = -np.sort(-spread * rng.standard_t(2, size=n))
    code, weight, source = rng.integers(0, 2, n).astype(np.int32), rng.random(n), rng.random(n)
    starts, sides = np.array([0, n]), np.tile([-1.0, 1.0], (1, 2, 1))
    edges = np.empty(n, np.int32), np.empty(n, np.int32)
    prefix.reach(0, 1, starts, scores, *edges)
    margin = scores[:, None] - scores
    cost = np.where(margin < 1.0, np.maximum(1.0 - margin, 0.0) ** power, 0.0)
    cost *= np.outer(code == 1, code == 0)
    for direction, felt in ((1, cost @ source), (-1, source @ cost)):
        out = np.zeros(n)
        prefix.member_sums(
            0, 1, direction, starts, scores, code, source, weight, sides, edges, power,
            np.full((1, 1), 2.0), out,
        )  # fmt: skip
        np.testing.assert_allclose(out, 2.0 * weight * felt, rtol=1e-12)
    if power:
        total = np.empty((1, 1))
        prefix.term_sums(0, 1, 0, starts, scores, code, weight, sides, edges, power, total)
        np.testing.assert_allclose(total[0, 0], weight @ cost @ weight, rtol=1e-12)
