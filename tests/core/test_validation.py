"""What passes the border, and as what."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from isonomy._core.validation import (
    as_groups,
    as_label_table,
    as_label_weights,
    as_numbers,
    as_scores,
    as_weight,
    check_count,
    check_flag,
    check_level,
    check_score_table,
    suggestion,
)
from tests.strategies import SCORE_TYPES


@pytest.mark.parametrize("kind", SCORE_TYPES)
def test_scores_keep_their_order(kind: str) -> None:
    given = SCORE_TYPES[kind](np.random.default_rng(0), 40)
    plain = given if isinstance(given, list) else list(np.asarray(given).tolist())
    scores = as_scores(given)
    assert scores.dtype == np.float64
    assert scores.flags.c_contiguous
    assert scores.dtype.isnative
    for i in range(40):
        for j in range(40):
            assert (scores[i] < scores[j]) == (plain[i] < plain[j])


def test_scores_are_not_copied_needlessly() -> None:
    scores = np.arange(5.0)
    assert np.shares_memory(as_scores(scores), scores)


def test_label_table() -> None:
    table, names = as_label_table([1, 0])
    assert table.shape == (2, 1)
    assert names is None
    table, names = as_label_table(pd.DataFrame({"a": [1, 0], "b": [0.0, np.nan]}))
    assert names == ("a", "b")
    assert np.isnan(table[1, 1])
    table, names = as_label_table(pl.DataFrame({"a": [True, None]}))
    assert names == ("a",)
    assert table[0, 0] == 1
    assert np.isnan(table[1, 0])


@pytest.mark.parametrize(
    ("groups", "same"),
    [
        ([5, 3, 5, -1], [1, 0, 1, 2]),
        (["b", "a", "b", "c"], [1, 0, 1, 2]),
        ([0.5, 0.0, 0.5, -0.0], [1, 0, 1, 0]),
        ([True, False, True, False], [1, 0, 1, 0]),
        (np.array(["b", "a", "b", "c"], object), [1, 0, 1, 2]),
        (np.array(["2021", "2020", "2021", "2022"], "M8[Y]"), [1, 0, 1, 2]),
        (pd.Series(["b", "a", "b", "c"], index=[9, 8, 7, 6]), [1, 0, 1, 2]),
        (pd.Series(["b", "a", "b", "c"], dtype="string"), [1, 0, 1, 2]),
        (pd.Series(["b", "a", "b", "c"], dtype="category"), [1, 0, 1, 2]),
        (pd.Series([5, 3, 5, 1], dtype="Int64"), [1, 0, 1, 2]),
        (pl.Series(["b", "a", "b", "c"]), [1, 0, 1, 2]),
        (pl.Series(["b", "a", "b", "c"], dtype=pl.Categorical), [1, 0, 1, 2]),
        (np.array([2**63, 2**63 + 1, 2**63, 0], np.uint64), [1, 0, 1, 2]),
        (pl.Series([2**90, 2**90 + 1, 2**90, 0], dtype=pl.Int128), [1, 0, 1, 2]),
        ((7, 8, 7, 9), [1, 0, 1, 2]),
    ],
)
def test_groups_become_numbers(groups: object, same: list[int]) -> None:
    found = as_groups(groups, 4)  # type: ignore[arg-type]
    assert found is not None
    assert found.dtype == np.int64
    assert sorted(set(found.tolist())) == list(range(len(set(same))))
    assert (found[:, None] == found).tolist() == (np.equal.outer(same, same)).tolist()


def test_nothing_stays_nothing() -> None:
    assert as_groups(None, 4) is None
    assert as_weight(None, 4) is None
    assert as_label_weights(None) is None


@pytest.mark.parametrize("weight", [[1, 2], [True, False], np.array([1, 2], np.float16)])
def test_weights_keep_their_proportions(weight: object) -> None:
    found = as_weight(weight, 2)  # type: ignore[arg-type]
    assert found is not None
    assert found.dtype == np.float64
    given = np.asarray(weight, float)
    assert (found * given[0]).tolist() == (given * found[0]).tolist()


def test_the_callers_weights_are_not_changed() -> None:
    weight = np.array([1.0, 2.0, 1e300])
    as_weight(weight, 3)
    assert weight.tolist() == [1.0, 2.0, 1e300]


def test_choices_that_are_close_are_suggested() -> None:
    assert suggestion("lineer", ["linear", "uniform"]) == " Did you mean 'linear'?"
    assert suggestion("quadratic", ["linear", "uniform"]) == ""


@pytest.mark.parametrize("level", [0.5, np.float32(0.9), np.float64(0.95)])
def test_levels(level: float) -> None:
    check_level(level)


@pytest.mark.parametrize("count", [1, np.int32(7), 10**6])
def test_counts(count: int) -> None:
    check_count("n", count)


@pytest.mark.parametrize("flag", [True, False, np.True_])
def test_flags(flag: bool) -> None:
    check_flag("positive", flag)
    with pytest.raises(ValueError, match=r"`positive` should be True or False.*'yes'"):
        check_flag("positive", "yes")


def test_tables_of_scores() -> None:
    check_score_table([[1, 2], [3, 4]], name="scores")
    check_score_table(pd.DataFrame({"a": [0.5, 1.0]}), name="scores")


@pytest.mark.parametrize("dtype", [pl.Int128, pl.Decimal(38, 0)])
def test_numbers_that_numpy_does_not_have(dtype: pl.DataType) -> None:
    assert as_numbers(pl.Series([1, None, 0], dtype=dtype), "y").tolist()[::2] == [1.0, 0.0]
    assert as_scores(pl.Series([2**90, 1], dtype=dtype)).tolist() == [2.0**90, 1.0]
    with pytest.raises(ValueError, match=r"`y_score` .*tells apart. Found .*`y_score.rank"):
        as_scores(pl.Series([2**90, 2**90 + 1], dtype=dtype))
