"""Rows of many labels as words of bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core.kernels.side_words import (
    conflict_sides,
    pack_bytes,
    pack_sides,
    renumber,
    ternary_codes,
    unpack_sides,
)

sizes = st.tuples(st.integers(0, 9), st.integers(1, 140))


def tables(n: int, K: int, seed: int, *, gaps: bool) -> np.ndarray:
    values = np.random.default_rng(seed).integers(0, 3 if gaps else 2, (n, K)).astype(float)
    return np.where(values == 2, np.nan, values)


def packed(table: np.ndarray) -> np.ndarray:
    sides = np.full((-(-table.shape[1] // 64), len(table), 2), 7, np.uint64)
    assert pack_sides(table, sides)
    return sides


def bit(sides: np.ndarray, i: int, k: int, side: int) -> int:
    return int(sides[k // 64, i, side]) >> k % 64 & 1


@given(sizes, st.integers(0, 2**32 - 1), st.booleans())
def test_bit_k_is_label_k(size: tuple[int, int], seed: int, gaps: bool) -> None:
    table = tables(*size, seed, gaps=gaps)
    sides = packed(table)
    for i, row in enumerate(table):
        for k, value in enumerate(row):
            assert bit(sides, i, k, 0) == (value == 1)
            assert bit(sides, i, k, 1) == (value == 0)
    back = np.empty_like(table)
    unpack_sides(sides, back)
    assert np.array_equal(back, table, equal_nan=True)


@given(sizes, st.integers(0, 2**32 - 1), st.sampled_from([np.int8, np.int64, np.float32, bool]))
def test_any_type_of_number(size: tuple[int, int], seed: int, dtype: type) -> None:
    table = tables(*size, seed, gaps=False)
    assert np.array_equal(packed(table.astype(dtype)), packed(table))
    assert np.array_equal(packed(np.asfortranarray(table)), packed(table))


@given(sizes, st.integers(0, 2**32 - 1))
def test_bytes_are_packed_alike(size: tuple[int, int], seed: int) -> None:
    table = tables(*size, seed, gaps=False)
    expected, found = packed(table), np.zeros_like(packed(table))
    assert pack_bytes(table.astype(np.uint8).reshape(-1), size[1], found)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("value", [2, 128, 255])
@pytest.mark.parametrize("K", [3, 8, 20, 70])
def test_other_values_are_noticed(value: int, K: int) -> None:
    for column in range(K):
        table = np.ones((3, K), np.uint8)
        table[1, column] = value
        sides = np.empty((-(-K // 64), 3, 2), np.uint64)
        assert not pack_bytes(table.reshape(-1), K, sides)
        assert not pack_sides(table, sides)


@pytest.mark.parametrize("value", [-1.0, 0.5, np.inf])
def test_other_floats_are_noticed(value: float) -> None:
    sides = np.empty((1, 2, 2), np.uint64)
    assert not pack_sides(np.array([[1.0, np.nan], [value, 1.0]]), sides)


@given(st.integers(1, 10), st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_digit_k_is_label_k(K: int, n: int, seed: int) -> None:
    digits = np.random.default_rng(seed).integers(0, 3, (n, K))
    sides = packed(np.where(digits == 2, np.nan, digits))
    sets = np.arange(2**K)[:, None] >> np.arange(K) & 1
    codes, occurs = np.empty(n, np.uint16), np.zeros(3**K, np.bool_)
    ternary_codes(sides[0], (sets @ 3 ** np.arange(K)).astype(np.uint16), codes, occurs)
    expected = [sum(int(row[k]) * 3**k for k in range(K)) for row in digits]
    assert codes.tolist() == expected
    assert np.flatnonzero(occurs).tolist() == sorted(set(expected))
    renumber(codes, np.arange(3**K, dtype=np.uint16)[::-1].copy())
    assert codes.tolist() == [3**K - 1 - code for code in expected]


@given(st.integers(1, 5), st.integers(2, 14), st.integers(0, 2**32 - 1))
def test_conflicts(n: int, K: int, seed: int) -> None:
    table = tables(n, K, seed, gaps=True)
    first, second = np.triu_indices(K, k=1)
    out = np.empty((-(-first.size // 64), n, 2), np.uint64)
    conflict_sides(packed(table), first, second, out)
    for i, row in enumerate(table):
        for r, (k, j) in enumerate(zip(first, second, strict=True)):
            assert bit(out, i, r, 0) == (row[k] == 1 and row[j] == 0)
            assert bit(out, i, r, 1) == (row[k] == 0 and row[j] == 1)
