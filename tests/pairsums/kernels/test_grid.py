"""Bins and cells against floor and unique."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums.kernels.grid import NEAR, Places, find_cells, find_rows

WIDTH = 0.25

segment_lists = st.lists(
    st.lists(
        st.one_of(
            st.sampled_from([0.0, -0.0, 0.25, -0.25, 1e12, -1e300, 1e300, 0.1]),
            st.floats(-3.0, 3.0),
            st.integers(-(10**6), 10**6).map(float),
        ),
        min_size=1,
        max_size=20,
    ),
    min_size=1,
    max_size=5,
)


def flatten(segments: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """Scores, and where segments start."""
    return np.concatenate(segments), np.cumsum([0, *map(len, segments)])


@given(segment_lists, st.booleans())
def test_find_rows(segments: list[list[float]], roomy: bool) -> None:
    scores, starts = flatten(segments)
    slots = np.zeros(2 << int(np.diff(starts).max()).bit_length() if roomy else 16, np.int32)
    row, bins = np.empty(scores.size, np.int32), np.empty(scores.size)
    row_starts = np.empty(starts.size, np.int64)
    had_room = find_rows(scores, WIDTH, starts, slots, row, bins, row_starts)
    expected = np.floor(scores / WIDTH)
    far = [
        np.unique(mine[(mine < low) | (mine >= low + NEAR)]).size
        for mine, low in (
            (
                expected[a:b],
                np.floor(np.median(scores[[a, (a + b) // 2, b - 1]]) / WIDTH) - NEAR // 2,
            )
            for a, b in pairwise(starts)
        )
    ]
    assert had_room == (max(far) <= slots.size // 2)
    if not had_room:
        return
    np.testing.assert_array_equal(bins[row], expected)
    for s, segment in enumerate(segments):
        mine = slice(starts[s], starts[s + 1])
        rows = np.arange(row_starts[s], row_starts[s + 1])
        assert sorted(bins[rows].tolist()) == np.unique(expected[mine]).tolist()
        assert set(row[mine].tolist()) == set(rows.tolist())
        assert len(segment) >= rows.size


def test_the_middle_one_of_three_decides_what_is_near() -> None:
    """An outlier among them does not send all others to the hash table."""
    scores = np.zeros(9)
    for place in (0, 4, 8):
        scores[:] = np.arange(9.0)
        scores[place] = 1e12
        slots, row, bins = np.zeros(2, np.int32), np.empty(9, np.int32), np.empty(9)
        assert find_rows(scores, WIDTH, np.array([0, 9]), slots, row, bins, np.empty(2, np.int64))
        np.testing.assert_array_equal(bins[row], np.floor(scores / WIDTH))


@given(
    st.lists(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=9), min_size=1, max_size=5),
    st.integers(1, 3),
)
def test_find_cells(segments: list[list[float]], n_patterns: int) -> None:
    scores, starts = flatten(segments)
    code = np.arange(scores.size, dtype=np.int32) % n_patterns
    first = np.array([np.floor(min(segment) / WIDTH) for segment in segments])
    first_cell = 100 * np.arange(len(segments))
    cell = np.empty(scores.size, np.int32)
    find_cells(scores, WIDTH, Places(starts, first, first_cell, n_patterns, code), cell)
    for i, score in enumerate(scores):
        s = int(np.searchsorted(starts, i, side="right")) - 1
        position = np.floor(score / WIDTH) - first[s]
        assert cell[i] == first_cell[s] + position * n_patterns + code[i]
