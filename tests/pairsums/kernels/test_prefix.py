"""Hinge sums against every pair."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums.kernels import prefix

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
        prefix.term_sums(0, 3, r, starts, scores, code, weight, sides, edges[0], power, totals)
    for direction, edge in zip((1, -1), edges, strict=True):
        prefix.member_sums(
            0, 3, direction, starts, scores, code, source, weight, sides, edge, power,
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


@given(st.lists(st.lists(st.sampled_from([0.0, -0.0, 0.5, 1.0, -2.0]), min_size=1, max_size=9)))
def test_insert(segments: list[list[float]]) -> None:
    starts = np.cumsum([0, *map(len, segments)])
    scores = np.concatenate([np.zeros(0), *segments])
    order = np.full(scores.size, -1)
    prefix.insert(0, len(segments), starts, scores, 6, order)
    for (a, b), segment in zip(pairwise(starts.tolist()), segments, strict=True):
        if len(segment) > 6:
            assert (order[a:b] == -1).all()
        else:
            assert sorted(order[a:b].tolist()) == list(range(a, b))
            assert scores[order[a:b]].tolist() == sorted(segment, reverse=True)
