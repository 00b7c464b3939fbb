"""Counting kernels against every pair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core.kernels.packing import pattern_counts
from isonomy._counting.kernels.counting import (
    add,
    concordance,
    rank_sums,
    sum_pairs,
)

Table = tuple[np.ndarray, np.ndarray, np.ndarray]

run_lists = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=6)


def flatten(runs: list[list[int]]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Codes, where runs end, and a score for each position."""
    codes = [code for run in runs for code in run]
    last = [i == len(run) - 1 for run in runs for i in range(len(run))]
    return np.array(codes, np.uint8), np.array(last), [r for r, run in enumerate(runs) for _ in run]


def dense(table: Table, n_sides: int) -> np.ndarray:
    rows, sides, values = table
    out = np.zeros((rows.size - 1, n_sides))
    for c in range(rows.size - 1):
        out[c, sides[rows[c] : rows[c + 1]]] = values[rows[c] : rows[c + 1]]
    return out


# Four patterns, two terms: side 0 above and 1 below of the first, 2 and 3 of the second.
TABLE: Table = (
    np.array([0, 2, 3, 5, 5]),
    np.array([0, 3, 1, 1, 2]),
    np.array([1.0, 2.0, 1.0, 0.5, 3.0]),
)


@given(run_lists, run_lists)
def test_rank_sums(before: list[list[int]], runs: list[list[int]]) -> None:
    codes, last, scores = flatten(before + runs)
    start = sum(map(len, before))
    found = rank_sums(codes, last, start, codes.size, 4)
    doubled = [2 * sum(s < x for s in scores) + scores.count(x) + 1 for x in scores]
    for c in range(4):
        mine = [doubled[i] for i in range(start, codes.size) if codes[i] == c]
        assert found[c].tolist() == [sum(mine), len(mine)]


@given(run_lists)
def test_concordance(runs: list[list[int]]) -> None:
    codes, last, scores = flatten(runs)
    counts = concordance(codes, last, 4)
    expected = np.zeros((4, 4), int)
    for i, c in enumerate(codes):
        for j, d in enumerate(codes):
            expected[c, d] += 2 * (scores[i] > scores[j]) + (scores[i] == scores[j])
    # No pattern stands above itself, so the diagonal is never used.
    assert counts[~np.eye(4, dtype=bool)].tolist() == expected[~np.eye(4, dtype=bool)].tolist()


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 50])
def test_pattern_counts(n: int) -> None:
    codes = np.random.default_rng(n).integers(0, 5, n).astype(np.uint8)
    assert pattern_counts(codes, 6).sum(axis=0).tolist() == [
        int((codes == c).sum()) for c in range(6)
    ]


@given(st.lists(run_lists, min_size=1, max_size=3), st.booleans(), st.booleans())
def test_sum_pairs(groups: list[list[list[int]]], weighted: bool, pooled: bool) -> None:
    parts = [flatten(runs) for runs in groups]
    codes = np.concatenate([part[0] for part in parts]).astype(np.uint32)
    last = np.concatenate([part[1] for part in parts])
    starts = np.cumsum([0] + [part[0].size for part in parts])
    weight = 0.25 * (1 + np.arange(codes.size) % 5) if weighted else None
    slots = np.array([0, 1, 0, 1] if pooled else [0, 1, 2, 3])
    found = sum_pairs(codes, last, starts, weight, None, TABLE, slots, slots.max() + 1, False)
    expected = np.zeros_like(found)
    shares = dense(TABLE, 4)[codes] * (np.ones(codes.size) if weight is None else weight)[:, None]
    for g, (_, _, scores) in enumerate(parts):
        for i in range(len(scores)):
            for j in range(len(scores)):
                right = (scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j])
                a, b = starts[g] + i, starts[g] + j
                for r in (0, 1):
                    pair = shares[a, 2 * r] * shares[b, 2 * r + 1]
                    expected[g, slots[2 * r]] += pair * right
                    expected[g, slots[2 * r + 1]] += pair * (1 - right)
    # Every share is a small multiple of 1/8, so that sums of products are exact.
    assert (found == expected).all()


@given(run_lists, st.booleans(), st.booleans())
def test_sum_pairs_on_both_sides(runs: list[list[int]], weighted: bool, counted: bool) -> None:
    codes, last, scores = flatten(runs)
    n = codes.size
    shares = 0.125 * (np.arange(8).reshape(4, 2) % 5)
    indptr, sides = np.arange(0, 9, 2), np.tile([0, 1], 4)
    weight = 0.25 * (1 + np.arange(n) % 5) if weighted else None
    twins = np.array([0.0, 0.5, 0.75])[np.arange(n) % 3] if counted else None
    found = sum_pairs(
        codes.astype(np.uint32),
        last,
        np.array([0, n]),
        weight,
        twins,
        (indptr, sides, shares.ravel()),
        np.arange(2),
        2,
        True,
    )[0]
    up, low = shares[codes].T * (np.ones(n) if weight is None else weight)
    pairs = np.outer(up, low)
    np.fill_diagonal(pairs, up * low * (0.0 if twins is None else twins))
    scores = np.asarray(scores)
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    # Every number is a small multiple of a power of two: the sums are exact.
    assert found.tolist() == [(pairs * right).sum(), (pairs * (1 - right)).sum()]


def test_an_empty_group_has_no_pairs() -> None:
    codes, last = np.array([1, 0], np.uint32), np.array([True, True])
    starts, slots = np.array([0, 0, 2, 2]), np.arange(4)
    found = sum_pairs(codes, last, starts, None, None, TABLE, slots, 4, False)
    assert found.tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_compensated_addition_keeps_what_rounding_loses() -> None:
    total = np.zeros((2, 2))
    for x in (1.0, 1e100, 1.0, -1e100):
        add(total, 1, x)
    assert total[1].sum() == 2.0
    assert (total[0] == 0).all()


def test_many_tiny_weights_beside_a_large_one() -> None:
    n = 200
    codes = np.array([0] + [1] * n, np.uint32)
    weight = np.array([1.0, 2.0**60] + [0.1] * (n - 1))
    found = sum_pairs(
        codes[::-1].copy(),
        np.ones(n + 1, bool),
        np.array([0, n + 1]),
        weight[::-1].copy(),
        None,
        TABLE,
        np.arange(4),
        4,
        False,
    )
    exact = Fraction(2.0**60) + (n - 1) * Fraction(0.1)
    assert found[0, 0] == float(exact)


@pytest.mark.parametrize("tied", [False, True])
def test_no_sum_of_pairs_loses_what_is_small(tied: bool) -> None:
    """Thousands of items that weigh too little to change a sum by themselves, on both sides."""
    rng = np.random.default_rng(0)
    n = 3000
    weight = np.r_[1.0, 1.0, rng.uniform(0.5e-16, 1.1e-16, n), 0.75, 0.625]
    codes = np.r_[0, 1, rng.integers(0, 2, n), 0, 1].astype(np.uint32)
    last = np.full(codes.size, not tied)
    last[-1] = True
    right = wrong = up = low = Fraction(0)
    for w, code in zip(map(Fraction, weight.tolist()), codes.tolist(), strict=True):
        if code == 0:
            right, up = right + w * low, up + w
        else:
            wrong, low = wrong + w * up, low + w
    if tied:
        right = wrong = up * low / 2
    table = np.array([0, 1, 2]), np.array([0, 1]), np.ones(2)
    starts = np.array([0, codes.size])
    for two_sided in (False, True):
        found = sum_pairs(codes, last, starts, weight, None, table, np.arange(2), 2, two_sided)
        np.testing.assert_allclose(found[0], [float(right), float(wrong)], rtol=1e-15)
