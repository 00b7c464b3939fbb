"""Labels as patterns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy import Labels
from isonomy._core.labels import CHUNK
from tests.strategies import COMPLETE_FORMS, MISSING_FORMS


def restored(labels: Labels) -> np.ndarray:
    """The table that the labels came from."""
    return labels.patterns[labels.codes]


@pytest.mark.parametrize("form", COMPLETE_FORMS)
@pytest.mark.parametrize("K", [1, 7, 8, 9, 20])
def test_complete_tables_are_restored(form: str, K: int) -> None:
    Y = np.random.default_rng(K).integers(0, 2, (60, K))
    labels = Labels.from_table(COMPLETE_FORMS[form](Y))
    assert np.array_equal(restored(labels), Y)
    assert len(labels) == 60
    assert labels.n_labels == K == len(labels.names)
    assert labels.named == form.startswith(("pandas", "polars"))


@pytest.mark.parametrize("form", MISSING_FORMS)
@pytest.mark.parametrize("K", [1, 3, 9, 20])
def test_tables_with_missing_labels_are_restored(form: str, K: int) -> None:
    Y = np.random.default_rng(K).choice([0.0, 1.0, np.nan], (60, K))
    labels = Labels.from_table(MISSING_FORMS[form](Y))
    assert np.array_equal(restored(labels), Y, equal_nan=True)


ordinal = st.sampled_from(
    [
        [0.0, 1.0, 2.0, 3.0, 4.0],
        [0.5, 0.25, -3.0, np.nan],
        [-0.0, 0.0, 1.0],
        [1e300, -1e300, 5e-324, 0.0],
        [float(2**62), float(2**63), float(-(2**63)), 0.0],
        [2.0**53, 2.0**53 + 2, 0.0, 5000.0],
        [0.1 + 0.2, 0.3],
        [np.nan],
    ]
)


@given(ordinal, st.integers(1, 15), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_any_values_are_restored(values: list[float], n: int, K: int, seed: int) -> None:
    Y = np.random.default_rng(seed).choice(values, (n, K))
    labels = Labels.from_table(Y)
    assert np.array_equal(restored(labels), Y, equal_nan=True)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint64"])
@pytest.mark.parametrize("K", [1, 2])
def test_integers_of_every_size_are_restored(dtype: str, K: int) -> None:
    info = np.iinfo(dtype)
    # Far enough apart for float64 to tell them.
    near = max(1, info.max // 2**50)
    ends = [info.min, info.min + near, 0, 1, info.max // 2, info.max - near, info.max]
    table = np.array([[ends[i], ends[-1 - i]][:K] for i in range(7)], dtype=dtype)
    assert np.array_equal(restored(Labels.from_table(table)), table.astype(float))


def test_whole_numbers_at_the_edge_of_the_shortcut() -> None:
    for span in (4094, 4095, 4096, 4097):
        Y = np.array([0, 1, span, span - 1])
        for table in (Y, Y.astype(float), np.stack([Y, Y[::-1]], axis=1)):
            labels = Labels.from_table(table)
            assert np.array_equal(restored(labels), table.reshape(4, -1))


def test_a_label_may_have_as_many_values_as_items() -> None:
    Y = np.random.default_rng(0).normal(size=(500, 3))
    labels = Labels.from_table(Y)
    assert np.array_equal(restored(labels), Y)
    assert labels.patterns.shape == (500, 3)


def test_codes_are_narrow() -> None:
    rng = np.random.default_rng(0)
    assert Labels.from_table(rng.integers(0, 2, (50, 8))).codes.dtype == np.uint8
    assert Labels.from_table(rng.choice([0, 1, np.nan], (50, 3))).codes.dtype == np.uint8
    assert Labels.from_table(np.arange(300)).codes.dtype == np.uint16


def test_names() -> None:
    assert Labels.from_table([[1, 0]]).names == ("0", "1")
    assert Labels.from_table(pd.DataFrame({"a": [1], 3: [0]})).names == ("a", "3")
    assert Labels.from_table(pl.DataFrame({"a": [1], "b": [0]})).names == ("a", "b")
    assert Labels.from_table(pd.Series([0, 1], name="click")).names == ("click",)
    assert Labels.from_table(pl.Series("click", [0, 1])).named
    assert not Labels.from_table(pd.Series([0, 1])).named


def test_only_occurring_patterns() -> None:
    labels = Labels.from_table([[1, 1], [0, 1], [1, 1]])
    assert sorted(map(tuple, labels.patterns[labels.occurs])) == [(0, 1), (1, 1)]


def test_a_pattern_that_only_the_last_row_has_occurs() -> None:
    Y = np.zeros((CHUNK + 2, 2), np.uint8)
    Y[1] = [0, 1]
    Y[-1] = [1, 0]
    assert Labels.from_table(Y).occurs.tolist() == [True, True, True, False]


def test_levels_that_floats_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(ValueError, match=r"float64 can tell apart.*Subtract the smallest level"):
        Labels.from_table(np.array([2**53, 2**53 + 1]))


def test_floats_beyond_all_integers_are_levels() -> None:
    Y = np.array([2.0**53, 2.0**53 + 2, 0.0])
    assert np.array_equal(restored(Labels.from_table(Y)), Y[:, None])


def test_labels_pass_through() -> None:
    labels = Labels.from_table([0, 1])
    assert Labels.from_table(labels) is labels


def test_the_table_is_not_changed() -> None:
    Y = np.random.default_rng(0).choice([0.0, 1.0, np.nan, 7.0], (30, 3))
    before = Y.copy()
    Labels.from_table(Y)
    assert np.array_equal(Y, before, equal_nan=True)


def test_a_label_that_is_not_observed_is_neither_positive_nor_negative() -> None:
    labels = Labels.from_table([[1, np.nan], [0, 1], [np.nan, 0]])
    assert labels.positive[labels.codes].tolist() == [[True, False], [False, True], [False, False]]
    assert labels.negative[labels.codes].tolist() == [[False, False], [True, False], [False, True]]
