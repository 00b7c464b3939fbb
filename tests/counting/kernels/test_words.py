"""Terms in words of bits against every pair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._counting.kernels.words import (
    count_segments,
    pack_sides,
    sum_one_term,
    sum_segments,
)

# Per segment, runs of equal scores of item numbers.
segment_lists = st.lists(
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), max_size=5),
    min_size=1,
    max_size=3,
)


class Case:
    """Six kinds of items, on random sides of some terms, and their order."""

    def __init__(self, segments: list[list[list[int]]], n_terms: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.side = rng.integers(-1, 2, (6, n_terms))
        self.sides = np.zeros((1, 6, 2), np.uint64)
        pack_sides(self.side > 0, self.side < 0, self.sides)
        self.numbers = np.array([x for runs in segments for run in runs for x in run], np.int64)
        flat = [i == len(run) - 1 for runs in segments for run in runs for i in range(len(run))]
        self.last = np.array(flat, np.bool_)
        self.starts = np.cumsum([0, *(sum(map(len, runs)) for runs in segments)])
        self.score = [r for runs in segments for r, run in enumerate(runs) for _ in run]
        self.weight = rng.integers(0, 9, self.numbers.size) / 8
        self.n_columns = -(-n_terms // 8) * 8

    def pairs(self, g: int, r: int) -> list[tuple[int, int]]:
        """Positions of the upper and the lower item of each pair of a term in a segment."""
        here = range(self.starts[g], self.starts[g + 1])
        upper = [i for i in here if self.side[self.numbers[i], r] > 0]
        lower = [i for i in here if self.side[self.numbers[i], r] < 0]
        return [(i, j) for i in upper for j in lower]

    def right(self, i: int, j: int) -> Fraction:
        return Fraction((self.score[i] > self.score[j]) + (self.score[i] >= self.score[j]), 2)


@given(segment_lists, st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_counts(segments: list[list[list[int]]], n_terms: int, seed: int) -> None:
    case = Case(segments, n_terms, seed)
    out = np.zeros((3, len(segments), case.n_columns), np.uint64)
    count_segments((case.numbers, case.last), case.starts, case.sides[0], *out)
    for g in range(len(segments)):
        here = case.side[case.numbers[case.starts[g] : case.starts[g + 1]]]
        assert out[1, g, :n_terms].tolist() == (here > 0).sum(axis=0).tolist()
        assert out[2, g, :n_terms].tolist() == (here < 0).sum(axis=0).tolist()
        for r in range(n_terms):
            assert out[0, g, r] == 2 * sum(case.right(i, j) for i, j in case.pairs(g, r))
    assert not out[:, :, n_terms:].any()


@given(segment_lists, st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_sums(segments: list[list[list[int]]], n_terms: int, seed: int) -> None:
    case = Case(segments, n_terms, seed)
    out = np.zeros((len(segments), 4, case.n_columns))
    sum_segments((case.numbers, case.last), case.weight, case.starts, case.sides[0], out)
    weight = [Fraction(w) for w in case.weight.tolist()]
    for g in range(len(segments)):
        for r in range(n_terms):
            right = sum(weight[i] * weight[j] * case.right(i, j) for i, j in case.pairs(g, r))
            wrong = sum(weight[i] * weight[j] * case.right(j, i) for i, j in case.pairs(g, r))
            # Weights in eighths: every sum is exact.
            assert (out[g, 0, r], out[g, 1, r]) == (right, wrong)


@given(segment_lists, st.integers(0, 2**32 - 1))
def test_one_term_has_the_bits_of_many(segments: list[list[list[int]]], seed: int) -> None:
    case = Case(segments, 1, seed)
    weight = np.random.default_rng(seed).lognormal(0, 9, case.numbers.size)
    items, out = (case.numbers, case.last), np.zeros((len(segments), 4, case.n_columns))
    sum_segments(items, weight, case.starts, case.sides[0], out)
    one = np.empty((len(segments), 4, 1))
    sum_one_term(items, weight, case.starts, case.sides[0], one)
    assert one[:, :, 0].tolist() == out[:, :, 0].tolist()


def test_what_rounding_loses_is_carried_along() -> None:
    n = 4001
    weight = np.where(np.arange(n) % 2, 1e-16, 0.1)
    weight[0] = 1.0
    items = (np.append(np.zeros(n - 1, np.int64), 1), np.ones(n, np.bool_))
    sides = np.zeros((1, 2, 2), np.uint64)
    pack_sides(np.array([[0], [1]]), np.array([[1], [0]]), sides)
    out = np.zeros((1, 4, 8))
    sum_segments(items, weight, np.array([0, n]), sides[0], out)
    assert out[0, 3, 0] == float(sum(map(Fraction, weight[:-1].tolist())))


@pytest.mark.parametrize("n_terms", [1, 2])
def test_no_sum_loses_what_is_small(n_terms: int) -> None:
    """Thousands of items that weigh too little to change a sum by themselves, on both sides."""
    rng = np.random.default_rng(0)
    n = 3000
    weight = np.r_[1.0, 1.0, rng.uniform(0.5e-16, 1.1e-16, n), rng.uniform(0.5, 1.0, 6)]
    above = np.r_[True, False, rng.random(n) < 0.5, [True, False] * 3]
    # At the end a run of both sides, and one item of each side by itself.
    last = np.ones(weight.size, np.bool_)
    last[-6:-3] = False
    right, wrong, up, low = (Fraction(0) for _ in range(4))
    start = 0
    for stop in (np.flatnonzero(last) + 1).tolist():
        run = range(start, stop)
        ups = sum((Fraction(weight[i]) for i in run if above[i]), Fraction(0))
        lows = sum((Fraction(weight[i]) for i in run if not above[i]), Fraction(0))
        right += ups * (low + lows / 2)
        wrong += lows * (up + ups / 2)
        up, low, start = up + ups, low + lows, stop
    kinds = np.where(above, 0, 1)
    sides = np.zeros((1, 2, 2), np.uint64)
    pack_sides(np.tile([[1], [0]], n_terms), np.tile([[0], [1]], n_terms), sides)
    add_up, columns = (sum_one_term, 1) if n_terms == 1 else (sum_segments, 8)
    out = np.zeros((1, 4, columns))
    add_up((kinds, last), weight, np.array([0, weight.size]), sides[0], out)
    for r in range(n_terms):
        expected = [float(each) for each in (right, wrong, up, low)]
        np.testing.assert_allclose(out[0, :, r], expected, rtol=1e-15)
