"""Many labels as words: the same as their patterns."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import isonomy as iso
from isonomy._core import ConflictPairs, Items, Labels, LossAggregation, Preferences, SideBySide
from isonomy._core.labels import FEW_LABELS
from isonomy._core.side_words import SideWords


def random_table(n: int, K: int, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).integers(0, 3, (n, K))
    return np.where(values == 2, np.nan, values)


tables = st.builds(
    random_table, st.integers(1, 30), st.integers(11, 140), st.integers(0, 2**32 - 1)
)


@given(tables)
def test_rows_and_patterns(table: np.ndarray) -> None:
    labels = Labels.from_table(table)
    assert "codes" not in labels.__dict__
    assert len(labels) == len(table)
    assert labels.n_labels == table.shape[1]
    assert np.array_equal(labels.table, table, equal_nan=True)
    assert np.array_equal(labels.patterns[labels.codes], table, equal_nan=True)
    rows = np.arange(len(table))[::2]
    for each in (labels, Labels.from_table(table)):
        assert np.array_equal(each.take(rows).table, table[rows], equal_nan=True)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16, np.float32])
@pytest.mark.parametrize("K", [11, 64, 69, 136])
def test_complete_tables_of_any_type(dtype: type, K: int) -> None:
    table = (random_table(70, K, K) == 1).astype(dtype)
    for each in (table, np.asfortranarray(table)):
        words = SideWords.of_table(each)
        assert words is not None
        assert np.array_equal(words.table, table)


@given(tables, st.lists(st.integers(0, 140), max_size=4))
def test_columns_one_after_another(table: np.ndarray, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, table.shape[1]) for cut in cuts), table.shape[1]]
    parts = [SideWords.of_table(table[:, a:b]) for a, b in pairwise(edges)]
    joined = SideWords.joined(parts)  # type: ignore[arg-type]
    assert joined.n_columns == table.shape[1]
    assert np.array_equal(joined.table, table, equal_nan=True)


@given(tables, st.integers(0, 10))
def test_one_label(table: np.ndarray, k: int) -> None:
    one = Labels.from_table(table).one(k)
    assert np.array_equal(one.table, table[:, [k]], equal_nan=True)
    assert one.names == (str(k),)


@given(tables)
def test_terms_are_those_of_the_patterns(table: np.ndarray) -> None:
    table = table[:, :14]
    labels = Labels.from_table(table)
    plain = Labels(labels.codes, labels.patterns, labels.names)
    objective = SideBySide((LossAggregation(), ConflictPairs(3, 80)))
    found, expected = (objective.preferences(each) for each in (labels, plain))
    assert found.row_terms is not None
    assert expected.row_terms is None
    assert (len(found), found.n_terms) == (len(table), expected.n_terms)
    assert found.names == expected.names
    for side, other in zip(found.tables, expected.tables, strict=True):
        assert np.array_equal(side[found.codes], other[expected.codes])


@pytest.mark.parametrize("K", [FEW_LABELS, FEW_LABELS + 1, 64, 65, 130])
@pytest.mark.parametrize("options", [{}, {"groups": True}, {"sample_weight": True}])
def test_metrics_are_those_of_the_labels_one_by_one(K: int, options: dict[str, bool]) -> None:
    rng = np.random.default_rng(K)
    n = 300
    table, scores = random_table(n, K, K), rng.integers(0, 60, n).astype(float)
    given = {"groups": rng.integers(0, 6, n), "sample_weight": rng.integers(0, 4, n) / 2}
    chosen = {name: given[name] for name in options}
    found = iso.label_aucs(table, scores, **chosen)
    assert found.tolist() == [iso.auc(column, scores, **chosen) for column in table.T]


def test_copies_and_pickles() -> None:
    labels = Labels.from_table(random_table(5, 12, 0))
    wish = Items.checked(labels, y_score=np.arange(5.0)).preferences(LossAggregation())
    for again in (pickle.loads(pickle.dumps(labels)), copy.deepcopy(labels)):
        assert np.array_equal(again.table, labels.table, equal_nan=True)
    assert isinstance(pickle.loads(pickle.dumps(wish)), Preferences)
    with pytest.raises(AttributeError, match="no attribute 'color'"):
        _ = labels.color
    with pytest.raises(AttributeError, match="no attribute 'color'"):
        _ = wish.color


def test_other_values_have_no_words() -> None:
    assert SideWords.of_table(np.full((3, 2), 2)) is None
    late = np.zeros((1000, 12))
    late[-1, -1] = 0.5
    assert SideWords.of_table(late) is None
    assert Labels.from_table(late).patterns.max() == 0.5


@given(tables, st.sampled_from(["mean", "product", "any"]))
def test_aggregates_need_only_tallies(table: np.ndarray, how: str) -> None:
    """The levels are those of the patterns, bit by bit."""
    labels = Labels.from_table(table)
    tallied = labels.tallied()
    for value in (0, 1):
        assert ((tallied.table == value).sum(axis=1) == (table == value).sum(axis=1)).all()
    for objective in (iso.LabelAggregation(how), iso.SoftLabel()):
        assert_as_by_patterns(objective, labels)


def last_label(patterns: np.ndarray) -> np.ndarray:
    return patterns[:, -1]


@given(tables)
def test_aggregates_that_tell_labels_apart(table: np.ndarray) -> None:
    labels = Labels.from_table(table)
    weights = np.arange(table.shape[1]) % 7 + 1.0
    assert_as_by_patterns(iso.LabelAggregation(weights=weights), labels)
    assert_as_by_patterns(iso.LabelAggregation(last_label), labels)
    assert_as_by_patterns(iso.SoftLabel(weights), labels)


def assert_as_by_patterns(objective: Any, labels: Labels) -> None:
    plain = Labels(labels.codes, labels.patterns, labels.names)
    found, expected = (objective.preferences(each) for each in (labels, plain))
    for side, other in zip(found.tables, expected.tables, strict=True):
        side, other = (each.toarray() if sparse.issparse(each) else each for each in (side, other))
        assert np.array_equal(side[found.codes], other[expected.codes])


def test_a_sum_names_the_label_that_is_missing() -> None:
    table = np.ones((3, 12))
    table[1, 4] = np.nan
    with pytest.raises(ValueError, match="missing values in label '4'"):
        iso.objective_auc(table, [1.0, 2.0, 3.0], iso.LabelAggregation("sum"))
