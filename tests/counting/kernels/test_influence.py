"""Influence kernels against placement values over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._counting.kernels.influence import pooled_influences, term_influences
from tests.counting.kernels.test_counting import TABLE, dense, flatten, run_lists


@given(run_lists, st.booleans(), st.booleans(), st.integers(1, 5))
def test_influences(runs: list[list[int]], weighted: bool, pooled: bool, step: int) -> None:
    codes, last, ranks = flatten(runs)
    n, scores = codes.size, np.array(ranks)
    codes = codes.astype(np.uint32)
    weight = 0.25 * (1 + np.arange(n) % 5) if weighted else None
    table = dense(TABLE, 4)
    shares = table[codes] * (np.ones(n) if weight is None else weight)[:, None]
    # By side: above and below the first term, above and below the second.
    totals, factor = shares.sum(0), np.array([0.5, 2.0, 1.0, 0.25])
    centre = np.array([0.0, 1.0, 0.5, -1.0])
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    expected = np.zeros((n, 2))
    for r in (0, 1):
        up, low = 2 * r, 2 * r + 1
        beats, loses = right @ shares[:, low], shares[:, up] @ right
        expected[:, r] += factor[up] * shares[:, up] * (beats - centre[up])
        expected[:, r] += factor[low] * shares[:, low] * (loses - centre[low])

    if pooled:
        kernel, sides, arrays = pooled_influences, TABLE, (totals, factor, centre)
        expected = expected.sum(axis=1)
    else:
        kernel = term_influences
        sides = np.stack([table[:, 0::2], table[:, 1::2]], axis=1)
        arrays = tuple(np.ascontiguousarray(a.reshape(2, 2).T) for a in (totals, factor, centre))
    state = (np.zeros_like(arrays[0]), np.zeros_like(arrays[0]), np.zeros(2, np.int64))
    found = [
        kernel((codes, last), weight, sides, arrays, state, start, min(start + step, n))
        for start in range(0, n, step)
    ]
    assert np.concatenate(found) == pytest.approx(expected, rel=1e-12, abs=1e-12)
