"""Label rows to bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core.kernels import packing


def pack_rows(table: np.ndarray) -> tuple[np.ndarray, bool]:
    codes = np.empty(len(table), np.uint8)
    return codes, packing.pack_rows(table, codes)


def pack_words(table: np.ndarray) -> tuple[np.ndarray, bool]:
    codes = np.empty(len(table), np.uint8)
    return codes, packing.pack_words(table.reshape(-1).view(np.uint64), codes)


@given(st.integers(1, 8), st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_bit_k_is_label_k(K: int, n: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 2, (n, K))
    codes, binary = pack_rows(table)
    assert binary
    assert codes.tolist() == [sum(int(row[k]) << k for k in range(K)) for row in table]


def test_words_agree_with_rows_on_all_patterns() -> None:
    table = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.uint8)
    codes, binary = pack_words(table)
    assert binary
    assert codes.tolist() == list(range(256)) == pack_rows(table)[0].tolist()


@pytest.mark.parametrize("value", [2, 3, 128, 255])
@pytest.mark.parametrize("column", [0, 3, 7])
def test_other_values_are_noticed(value: int, column: int) -> None:
    table = np.ones((5, 8), np.uint8)
    table[2, column] = value
    assert not pack_words(table)[1]
    assert not pack_rows(table)[1]


@pytest.mark.parametrize("value", [np.nan, -1.0, 0.5, np.inf])
def test_other_floats_are_noticed(value: float) -> None:
    assert not pack_rows(np.array([[1.0, 0.0], [value, 1.0]]))[1]
