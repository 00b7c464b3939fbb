"""Pairs of levels against every pair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._counting.kernels.levels import count_level_pairs, level_sum, sum_level_pairs

LEVELS = np.array([-3.0, 0.5, 1.0, 1.25, 4.0, 4.5, 100.0])

group_lists = st.lists(
    st.lists(st.lists(st.integers(0, LEVELS.size - 1), min_size=1, max_size=4), max_size=5),
    min_size=1,
    max_size=3,
)


def arranged(groups: list[list[list[int]]]) -> tuple[np.ndarray, list[tuple[int, int]], np.ndarray]:
    """Words, level and run of each item, and where groups start."""
    items, run = [], 0
    for runs in groups:
        for each in runs:
            items += [(level, run) for level in each]
            run += 1
    words = np.array([level << 32 | run for level, run in items], np.uint64)
    return words, items, np.cumsum([0, *(sum(map(len, runs)) for runs in groups)])


def expected(
    items: list[tuple[int, int]], weight: list[Fraction], *, linear: bool
) -> tuple[Fraction, Fraction]:
    right = wrong = Fraction(0)
    for (level, run), w in zip(items, weight, strict=True):
        for (lower, other), v in zip(items, weight, strict=True):
            if level > lower:
                cost = Fraction(LEVELS[level]) - Fraction(LEVELS[lower]) if linear else Fraction(1)
                right += w * v * cost * Fraction((run > other) + (run >= other), 2)
                wrong += w * v * cost * Fraction((run < other) + (run <= other), 2)
    return right, wrong


@given(group_lists)
def test_counts(groups: list[list[list[int]]]) -> None:
    words, items, starts = arranged(groups)
    right, total = np.empty(len(groups), np.int64), np.empty(len(groups), np.int64)
    count_level_pairs(words, starts, 3, right, total)
    for g in range(len(groups)):
        here = items[starts[g] : starts[g + 1]]
        good, bad = expected(here, [Fraction(1)] * len(here), linear=False)
        assert (right[g], total[g]) == (2 * good, 2 * (good + bad))


@given(group_lists, st.booleans(), st.integers(0, 2**32 - 1))
def test_sums(groups: list[list[list[int]]], linear: bool, seed: int) -> None:
    words, items, starts = arranged(groups)
    weight = np.random.default_rng(seed).integers(0, 9, len(items)) / 8
    exact = [Fraction(w) for w in weight.tolist()]
    out = np.empty((len(groups), 2))
    sum_level_pairs(words, weight.copy(), LEVELS if linear else None, starts, 3, out)
    for g in range(len(groups)):
        here = slice(starts[g], starts[g + 1])
        # Weights in eighths, levels in quarters: every sum is exact.
        assert tuple(out[g]) == expected(items[here], exact[here], linear=linear)


@given(
    st.lists(
        st.tuples(
            st.floats(-1, 1, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-100),
            st.integers(-(2**62), 2**62),
        ),
        max_size=20,
    )
)
def test_level_sum_is_exact_to_twice_the_precision(terms: list[tuple[float, int]]) -> None:
    levels = np.array([level for level, _ in terms], float)
    counts = np.array([count for _, count in terms], np.int64)
    high, low = level_sum(levels, counts)
    exact = sum(Fraction(level) * count for level, count in terms)
    size = sum(abs(Fraction(level) * count) for level, count in terms)
    assert abs(Fraction(high) + Fraction(low) - exact) <= size * Fraction(1, 2**98)


def test_level_sum_of_large_counts() -> None:
    """Neither a level nor a count fits into half of a float."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        levels, counts = rng.normal(size=7), rng.integers(-(2**62), 2**62, 7)
        high, low = level_sum(levels, counts)
        terms = [Fraction(x) * n for x, n in zip(levels.tolist(), counts.tolist(), strict=True)]
        error = abs(Fraction(high) + Fraction(low) - sum(terms))
        assert error <= sum(map(abs, terms)) * Fraction(1, 2**98)


@pytest.mark.parametrize("linear", [False, True])
def test_no_sum_loses_what_is_small(linear: bool) -> None:
    """Thousands of items that weigh too little to change a sum by themselves, of both levels."""
    rng = np.random.default_rng(0)
    n = 3000
    weight = np.r_[1.0, 1.0, rng.uniform(0.5e-16, 1.1e-16, n), rng.uniform(0.5, 1.0, 4)]
    is_up = np.r_[1, 0, rng.integers(0, 2, n), 1, 0, 1, 0]
    run = np.minimum(np.arange(weight.size), n + 4)  # At the end two that are tied.
    up = low = right = wrong = Fraction(0)
    for k in range(n + 5):
        here = np.flatnonzero(run == k).tolist()
        ups = sum((Fraction(weight[i]) for i in here if is_up[i]), Fraction(0))
        lows = sum((Fraction(weight[i]) for i in here if not is_up[i]), Fraction(0))
        right, wrong = right + ups * (low + lows / 2), wrong + lows * (up + ups / 2)
        up, low = up + ups, low + lows
    cost = Fraction(LEVELS[1]) - Fraction(LEVELS[0]) if linear else 1
    words = is_up.astype(np.uint64) << np.uint64(32) | run.astype(np.uint64)
    out = np.empty((1, 2))
    starts = np.array([0, weight.size])
    sum_level_pairs(words, weight, LEVELS[:2] if linear else None, starts, 1, out)
    np.testing.assert_allclose(out[0], [float(right * cost), float(wrong * cost)], rtol=1e-15)
