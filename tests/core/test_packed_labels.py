"""Packed labels come back, from any rows and through float32."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.boosting import pack_labels, unpack_labels


def packed_slowly(row: np.ndarray) -> int:
    """The number whose digits are 1 and the labels, from the last to the first."""
    digits = [1, *(2 if value != value else int(value) for value in row[::-1])]
    base = 3 if 2 in digits else 2
    number = 0
    for digit in digits:
        number = number * base + digit
    return number if base == 2 else -number


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_packing_is_the_number_with_these_digits_and_comes_back(seed: int, missing: bool) -> None:
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 12), rng.integers(1, 15 if missing else 24)
    Y = rng.choice([0.0, 1.0, np.nan] if missing else [0.0, 1.0], shape)
    packed = pack_labels(Y)
    assert packed.dtype == np.float32
    assert packed.tolist() == [packed_slowly(row) for row in Y]
    np.testing.assert_array_equal(unpack_labels(packed), Y)
    for row in range(len(Y)):
        np.testing.assert_array_equal(unpack_labels(packed[[row]]), Y[[row]])


@pytest.mark.parametrize(("K", "value"), [(23, 0.0), (23, 1.0), (14, np.nan)])
def test_the_largest_numbers_are_exact_in_float32(K: int, value: float) -> None:
    Y = np.full((2, K), value)
    Y[1, 0] = 1 - Y[1, 0] if value == value else 1.0
    np.testing.assert_array_equal(unpack_labels(pack_labels(Y)), Y)


def test_rows_of_many_labels_and_of_none_missing_mix() -> None:
    Y = np.array([[1, 0, 1], [0, np.nan, 1], [np.nan] * 3, [0, 0, 0]])
    np.testing.assert_array_equal(unpack_labels(pack_labels(Y)), Y)


def test_data_frames_and_one_column_pack() -> None:
    frame = pd.DataFrame({"a": [1, 0], "b": [1, 1]})
    assert pack_labels(frame).tolist() == [7, 6]
    assert pack_labels([1, 0]).tolist() == [3, 2]


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        (np.zeros((2, 24)), "at most 23 labels.*Found 24.*BoostedRanker"),
        (np.full((2, 15), np.nan), "at most 14 labels where some are missing.*Found 15"),
        ([[0, 2]], "binary labels.*2.0 in label '1'"),
    ],
)
def test_what_cannot_be_packed_is_refused(Y: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pack_labels(Y)


def test_any_type_of_number_is_read() -> None:
    for dtype in (np.int8, np.uint64, np.float16, np.float64):
        assert unpack_labels(np.array([5, 6], dtype)).tolist() == [[1, 0], [0, 1]]


def test_fifteen_labels_pack_if_none_is_missing() -> None:
    assert unpack_labels(pack_labels(np.eye(15))).shape == (15, 15)


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        ([0.0, 4.0], "Found 0, which it never makes.*LGBMRegressor"),
        ([1.0], "Found 1,"),
        ([-3.0], "Found -3,"),
        ([-1.0, 5.0], "Found -1,"),
        ([-6.0], "Found -6,"),
        ([2.5], "Found 2.5,"),
        ([np.nan, 4.0], "Found nan,"),
        ([2.0**24], "which it never makes"),
        ([1e30, 4.0], r"Found 1e\+30,"),
        (np.array([-(2**63)]), "which it never makes"),
        ([-2.0 * 3**14], "which it never makes"),
        ([4.0, 9.0], "same number of labels in every row. Found 2 and 3"),
        ([], "1-D numbers"),
        ([[4.0]], "1-D numbers"),
        (["a"], "1-D numbers"),
    ],
)
def test_what_was_not_packed_is_refused(packed: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unpack_labels(packed)
