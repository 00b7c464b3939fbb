"""Influence kernels against placement values over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._counting.kernels.influence import (
    pooled_influences,
    side_squares,
    term_influences,
)
from tests.counting.kernels.test_counting import TABLE, dense, flatten, run_lists


@given(run_lists, st.booleans(), st.booleans(), st.booleans(), st.integers(1, 5))
def test_influences(
    runs: list[list[int]], weighted: bool, scaled: bool, pooled: bool, step: int
) -> None:
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

    state = (np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(2, np.int64))
    spans = [(start, min(start + step, n)) for start in range(0, n, step)]
    if pooled:
        flat = tuple(array.ravel() for array in state[:2]) + state[2:]
        arrays = totals, factor, centre
        found = [
            pooled_influences((codes, last), weight, TABLE, arrays, flat, start, stop)
            for start, stop in spans
        ]
        assert np.concatenate(found) == pytest.approx(expected.sum(axis=1), rel=1e-12, abs=1e-12)
        return
    scale = 1 / (1.0 + np.arange(n) % 3) if scaled else None
    if scale is not None:
        expected *= scale[:, None]
    sides = np.stack([table[:, 0::2], table[:, 1::2]], axis=1)
    totals, factor, centre = (
        np.ascontiguousarray(array.reshape(2, 2).T) for array in (totals, factor, centre)
    )
    tables = sides, factor * sides
    found = [
        term_influences(
            (codes, last),
            weight,
            scale,
            None,
            tables,
            (totals, centre),
            state,
            start,
            stop,
        )
        for start, stop in spans
    ]
    assert np.concatenate(found) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(run_lists, st.booleans(), st.booleans(), st.integers(0, 2), st.integers(1, 5))
def test_squares_by_side(
    runs: list[list[int]], weighted: bool, scaled: bool, n_joint: int, step: int
) -> None:
    codes, last, ranks = flatten(runs)
    n, scores = codes.size, np.array(ranks)
    codes = codes.astype(np.uint32)
    weight = 0.25 * (1 + np.arange(n) % 5) if weighted else None
    scale = 1 / (1.0 + np.arange(n) % 3) if scaled else None
    item = np.ones(n) if weight is None else weight
    unit = item if scale is None else item * scale
    # Each pattern is on one side of a term at most; (patterns, sides, terms).
    table = np.stack([dense(TABLE, 4)[:, 0::2], dense(TABLE, 4)[:, 1::2]], axis=1)
    table[:, 1] *= table[:, 0] == 0
    up, low = table[codes, 0], table[codes, 1]
    factor = np.array([[0.5, 1.0], [2.0, 0.25]])
    centre = np.array([[0.0, 0.5], [1.0, -1.0]])
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    above = factor[0] * unit[:, None] * up * (right @ (item[:, None] * low) - centre[0])
    below = factor[1] * unit[:, None] * low * (right.T @ (item[:, None] * up) - centre[1])

    sums = np.zeros((4, 2))
    sums[1] = (item[:, None] * up).sum(axis=0)
    state = sums, np.zeros((2, 2)), np.zeros(2, np.int64)
    found = np.empty((n, n_joint))
    for start in range(0, n, step):
        stop = min(start + step, n)
        side_squares(
            (codes, last),
            weight,
            scale,
            table,
            (factor, centre),
            state,
            found[start:stop],
            start,
            stop,
        )
    assert found == pytest.approx((above + below)[:, :n_joint], rel=1e-12, abs=1e-12)
    squares = np.stack([(above**2).sum(axis=0), (below**2).sum(axis=0)])
    assert sums[2:] == pytest.approx(squares, rel=1e-12, abs=1e-12)
