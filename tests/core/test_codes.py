"""Numbering the values of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core.codes import (
    SMALL_SPAN,
    count_codes,
    narrow,
    number_close,
    number_occurring,
    number_values,
    sum_codes,
)

MANY = np.arange(10_000) % 5 - 2.5
ARRAYS = {
    "nothing": np.array([]),
    "bool": np.array([True, False, True]),
    "int8 ends": np.array([-128, 127, 0], np.int8),
    "uint8 ends": np.array([0, 255], np.uint8),
    "uint16 beyond int16": np.array([40_000, 40_002], np.uint16),
    "int64 ends": np.array([-(2**63), 2**63 - 1, 0]),
    "uint64 ends": np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], np.uint64),
    "beyond 2^53": np.array([2**53, 2**53 + 1, 2**53 + 5]),
    "small span": np.array([10, 10 + SMALL_SPAN - 1]),
    "large span": np.array([10, 10 + SMALL_SPAN]),
    "whole floats": np.array([3.0, 5.0, -1.0]),
    "fractions": np.array([0.5, 0.25, 0.5]),
    "fractions, single": np.array([0.5, 0.25, 0.5], np.float32),
    "huge floats": np.array([1e300, -1e300, 2.0**62, -(2.0**63)]),
    "whole floats beyond int64": np.array([2.0**63, 5.0, 2.0**64]),
    "zeros": np.array([0.0, -0.0]),
    "many": np.arange(10_000) * 3 % 7001,
    "few among many": np.arange(10_000) % 2000 / 7,
    "few among many, both zeros": np.where(MANY > 0, np.copysign(0.0, MANY - 1), MANY / 7),
    "few large integers": np.arange(10_000) % 2000 * 2**40 - 2**45,
    "few huge integers": np.uint64(2**64 - 1) - np.arange(10_000, dtype=np.uint64) % 2000 * 2**40,
    "half of them different": np.arange(10_000) // 2 / 7,
    "the other byte order": (np.arange(10_000) % 2000 / 7).astype(">f8"),
    "few among many, single": (np.arange(10_001) % 2000 / 7).astype(np.float32),
    "few large int32": (np.arange(10_001) % 2000 * 2**20 - 2**30).astype(np.int32),
    "half of them different integers": np.arange(10_000) // 2 * 2**40,
    "half of them different beyond 2^53": np.arange(10_000) // 2 + 2**62,
    "256 among many": np.arange(5000) % 256 / 7,
    "257 among many": np.arange(5000) % 257 / 7,
    "many names": np.array([f"no {i % 2000}" for i in range(5000)], object),
    "infinite": np.where(np.arange(10_000) % 3, np.inf, -np.inf) * MANY,
}


@pytest.mark.parametrize("name", ARRAYS)
def test_values_come_back(name: str) -> None:
    array = ARRAYS[name]
    codes, values = number_values(array)
    assert codes.dtype.kind == "u"
    assert values[codes].tolist() == array.tolist()
    assert (values[1:] > values[:-1]).all()
    if array.size <= SMALL_SPAN or 4 * values.size <= array.size:
        assert codes.dtype == np.min_scalar_type(max(values.size - 1, 0))


@pytest.mark.parametrize(
    ("lowest", "highest", "dtype"),
    [
        (0, 1, bool),
        (-128, 127, np.int8),
        (10_000, 10_255, np.uint16),
        (10_000, 10_256, np.uint16),
        (-3, 2, np.float64),
        (-1, SMALL_SPAN - 2, np.float32),
        (2**53 - 2, 2**53, np.int64),
    ],
)
def test_all_values_of_a_small_span_are_numbered(lowest: int, highest: int, dtype: type) -> None:
    codes, values = number_values(np.array([highest, lowest, highest], dtype))
    assert values.tolist() == list(range(lowest, highest + 1))
    assert codes.tolist() == [highest - lowest, 0, highest - lowest]
    assert codes.dtype == np.min_scalar_type(highest - lowest)


def test_both_truth_values_are_numbered_whether_they_occur_or_not() -> None:
    assert number_values(np.array([True, True]))[1].tolist() == [0, 1]


@pytest.mark.parametrize(
    "ends",
    [(10_000, 10_000 + SMALL_SPAN), (-1.0, SMALL_SPAN - 1.0), (0.5, 2.0), (2**53 - 1, 2**53 + 1)],
)
def test_of_a_larger_span_only_what_occurs_is_numbered(ends: tuple[float, float]) -> None:
    assert number_values(np.array(ends))[1].tolist() == list(ends)


@pytest.mark.parametrize("n_values", [50, 5000])
def test_nan_is_one_value_and_the_last(n_values: int) -> None:
    array = np.arange(10_000) % n_values / 7
    array[::7], array[3::7] = np.nan, np.copysign(np.nan, -1)
    codes, values = number_values(array)
    assert np.array_equal(values[codes], array, equal_nan=True)
    assert np.isnan(values).tolist() == [False] * (values.size - 1) + [True]
    assert (np.diff(values[:-1]) > 0).all()


@given(st.lists(st.integers(0, 6000), min_size=1, max_size=20))
def test_only_what_occurs_is_numbered(old: list[int]) -> None:
    codes, kept = number_occurring(np.array(old), 6001)
    assert kept[codes].tolist() == old
    assert kept.tolist() == sorted(set(old))


@pytest.mark.parametrize(
    ("n", "dtype"), [(1, np.uint8), (256, np.uint8), (257, np.uint16), (70_000, np.uint32)]
)
def test_codes_are_narrow(n: int, dtype: type) -> None:
    assert narrow(np.array([0, n - 1]), n).dtype == dtype


def test_close_values_are_one() -> None:
    codes, values = number_close(np.array([0.3, 0.7, 0.1 + 0.2]), relative=1e-15)
    assert (codes.tolist(), values.tolist()) == ([0, 1, 0], [0.3, 0.7])
    codes, values = number_close(np.array([5.0, 0.0, 0.09, 5.2]), absolute=0.1)
    assert (codes.tolist(), values.tolist()) == ([1, 0, 0, 2], [0.0, 5.0, 5.2])
    codes, values = number_close(np.array([0.18, 0.0, 0.09]), absolute=0.1)
    assert (codes.tolist(), values.tolist()) == ([1, 0, 0], [0.0, 0.18])


def test_infinities_are_one_and_nan_is_the_same_as_nothing() -> None:
    array = np.array([np.nan, 1.0, np.nan, np.inf, np.inf, -np.inf])
    codes, values = number_close(array, relative=1e-12, absolute=1e-12)
    assert codes[3] == codes[4] != codes[1]
    assert codes[0] != codes[2]
    assert np.array_equal(values[codes], array, equal_nan=True)


def test_a_chain_of_close_values_is_not_all_one() -> None:
    chain = 1.0 + 0.9e-12 * np.arange(1000)
    for array in (chain, -chain, np.append(chain, [-np.inf, np.inf, np.inf])):
        codes, values = number_close(array, relative=1e-12)
        found, finite = values[codes], np.isfinite(array)
        assert 400 <= values.size <= 700
        assert np.abs(found[finite] - array[finite]).max() <= 1.1e-12
        assert (np.diff(found[finite][np.argsort(array[finite])]) >= 0).all()


def test_sums_of_codes() -> None:
    found = sum_codes(np.array([2, 0, 2]), np.array([True, False, True]), 4)
    assert found.tolist() == [0.0, 0.0, 2.0, 0.0]
    assert found.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
@pytest.mark.parametrize("n", [0, 1, 300_000])
@pytest.mark.parametrize(("occurring", "n_codes"), [(7, 9), (1, 1), (1, 2), (2, 2)])
def test_counts(n: int, dtype: type, occurring: int, n_codes: int) -> None:
    codes = np.random.default_rng(n).integers(0, occurring, n).astype(dtype)
    assert count_codes(codes, n_codes).tolist() == [(codes == c).sum() for c in range(n_codes)]
