"""Cells of a table: what a dictionary would count, in order."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._counting.kernels.cells import gather_cells, merge_cells, packed_size, tally_rows
from tests.strategies import NASTY

Cell = tuple[int, int, int]


def in_order(cells: Counter[Cell]) -> list[tuple[int, int, int, int]]:
    """Start, level, pattern and count, the longest range of a start first."""
    kept = ((s, level, p, n) for (s, level, p), n in cells.items() if n > 0)
    return sorted(kept, key=lambda each: (each[0], -each[1], each[2]))


def key_of(score: float) -> int:
    bits = int(np.float64(score + 0.0).view(np.uint64))
    return 2**64 - 1 - bits if bits >= 2**63 else bits + 2**63


SCORES = st.one_of(st.sampled_from(list(NASTY)), st.floats(allow_nan=False))


@given(st.lists(st.tuples(SCORES, st.integers(0, 40), st.integers(0, 3))), st.booleans())
def test_rows_become_cells(rows: list[tuple[float, int, int]], counted: bool) -> None:
    scores = np.array([score for score, *_ in rows], np.float64) + 0.0
    codes = np.array([code for _, code, _ in rows], np.uint8)
    counts = np.array([n for *_, n in rows if counted], np.int64)
    expected: Counter[Cell] = Counter()
    for score, code, n in rows:
        expected[key_of(score), 0, code] += n if counted else 1
    n = len(rows)
    out = np.empty(n, np.uint64), np.empty(n, np.int64), np.empty(n, np.int64)
    order = np.argsort(scores, kind="stable")
    made = tally_rows(scores.view(np.uint64), order, codes, counts, 41, *out)
    found = list(zip(*(each[:made].tolist() for each in out), strict=True))
    assert found == [(s, p, n) for s, _, p, n in in_order(expected)]


CELLS = st.dictionaries(
    st.tuples(st.integers(0, 5), st.sampled_from([0, 1, 64]), st.integers(0, 3)),
    st.integers(1, 9),
)


def columns(cells: list[tuple[int, int, int, int]]) -> tuple[np.ndarray, ...]:
    table = np.array(cells, np.int64).reshape(-1, 4).T
    return table[0].astype(np.uint64), table[1].astype(np.uint64), table[2].copy(), table[3].copy()


@given(CELLS, CELLS)
def test_two_tables_become_one(a: dict[Cell, int], b: dict[Cell, int]) -> None:
    first, second = (columns(in_order(Counter(each))) for each in (a, b))
    out = tuple(np.empty(len(a) + len(b), each.dtype) for each in first)
    made = merge_cells(first, second, out)
    found = list(zip(*(each[:made].tolist() for each in out), strict=True))
    assert found == in_order(Counter(a) + Counter(b))


@pytest.mark.parametrize("n_patterns", [3, 90])
@given(data=st.data())
def test_neighbours_become_one_range(n_patterns: int, data: st.DataObject) -> None:
    cell = st.tuples(st.integers(0, 3), st.integers(0, n_patterns - 1), st.integers(1, 9))
    cells = sorted(data.draw(st.lists(cell, max_size=300)), key=lambda each: each[0])
    expected: Counter[tuple[int, int]] = Counter()
    for group, pattern, n in cells:
        expected[group, pattern] += n
    given_ = np.array(cells, np.int64).reshape(-1, 3).T
    out = [np.empty(len(cells), np.int64) for _ in range(3)]
    made = gather_cells(*(each.copy() for each in given_), n_patterns, *out)
    found = list(zip(*(each[:made].tolist() for each in out), strict=True))
    assert found == [(*key, n) for key, n in sorted(expected.items())]


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_seven_bits_a_byte(numbers: list[int]) -> None:
    expected = sum(max(1, -(-number.bit_length() // 7)) for number in numbers)
    assert packed_size(np.array(numbers, np.uint64)) == expected
