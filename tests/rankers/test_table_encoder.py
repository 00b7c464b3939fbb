"""Raw tables as matrices."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._rankers import table_encoder
from isonomy._rankers.table_encoder import TableEncoder, text_to_numbers

TABLE = pl.DataFrame(
    {
        "age": [20, None, 40, 60],
        "paid": [True, False, None, True],
        "job": ["cook", None, "smith", " cook "],
        "name": ["a", "b", "c", "d"],
        "same": [1, 1, 1, 1],
        "none": [None, None, None, None],
        "tags": [[1], [2], [3], [4]],
        "day": [dt.date(2026, 1, d) for d in (1, 2, 3, 4)],
    }
)


def test_each_kind_of_column() -> None:
    encoder = TableEncoder(max_categories=3).fit(TABLE)
    assert encoder.get_feature_names_out().tolist() == [
        "age",
        "paid",
        "day",
        "age is missing",
        "paid is missing",
        "job = cook",
        "job = smith",
        "job = (missing)",
    ]
    assert encoder.dropped_ == {
        "name": "it is text with 4 different values",
        "same": "it is constant",
        "none": "it is empty",
        "tags": "its values are of type List(Int64)",
    }
    X = encoder.transform(TABLE)
    assert X[:, 0].tolist() == [20, 40, 40, 60]
    assert X[:, 1].tolist() == [1, 0, 1, 1]
    assert np.diff(X[:, 2]).tolist() == [1, 1, 1]
    assert X[:, 3].tolist() == [0, 1, 0, 0]
    assert X[:, 5:].tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]


def test_trees_get_numbers_as_they_are() -> None:
    X = TableEncoder(impute=False).fit(TABLE).transform(TABLE)
    assert X.shape[1] == 3 + 3 + 4
    assert np.isnan(X[1, 0])


def test_new_categories_are_no_category() -> None:
    encoder = TableEncoder().fit(pl.DataFrame({"job": ["cook", "smith"]}))
    assert encoder.transform(pl.DataFrame({"job": ["miner", None]})).tolist() == [[0, 0], [0, 0]]


def test_columns_are_found_by_name_and_others_ignored() -> None:
    encoder = TableEncoder().fit(pl.DataFrame({"a": [1, 2], "b": [3, 5]}))
    X = encoder.transform(pl.DataFrame({"c": ["x"], "b": ["7"], "a": [8]}))
    assert X.tolist() == [[8, 7]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"agee": [1], "job": ["cook"]}, "lacks the column 'age' .nearest: 'agee'."),
        ({"jobs": ["cook"]}, "lacks the 2 columns 'age', 'job' .nearest: 'jobs'., which"),
        ({"age": ["old"], "job": ["cook"]}, "'age' should hold numbers.*Found 'old'"),
        ({"age": [[1]], "job": ["cook"]}, "'age' should hold numbers.*List"),
        ({"age": [float("inf")], "job": ["cook"]}, "'age' should hold finite.*row 1"),
        ({"age": [1], "job": [["cook"]]}, "'job' should hold text.*List"),
    ],
)
def test_wrong_tables_are_refused(table: dict[str, object], message: str) -> None:
    encoder = TableEncoder().fit(pl.DataFrame({"age": [1, 2], "job": ["cook", "smith"]}))
    with pytest.raises(ValueError, match=message):
        encoder.transform(pl.DataFrame(table))


@pytest.mark.parametrize(
    "column",
    [[1, None, 1, None], [2.5, None, 2.5, None], [True, None, True, None], ["1", "", "1", "NA"]],
    ids=["integer", "float", "boolean", "number as text"],
)
@pytest.mark.parametrize("impute", [True, False])
def test_one_value_and_gaps_tell_something(column: list[object], impute: bool) -> None:
    table = pl.DataFrame({"f": column, "b": [1.0, 2.0, 3.0, 4.0]})
    encoder = TableEncoder(impute=impute).fit(table)
    assert encoder.dropped_ == {}
    found = dict(zip(encoder.get_feature_names_out(), encoder.transform(table).T, strict=True))
    missing = found["f is missing"] if impute else np.isnan(found["f"])
    assert missing.tolist() == [0, 1, 0, 1]


def test_one_word_and_gaps_tell_something() -> None:
    table = pl.DataFrame({"f": ["yes", None, "yes", ""], "b": [1.0, 2.0, 3.0, 4.0]})
    encoder = TableEncoder().fit(table)
    assert encoder.dropped_ == {}
    assert encoder.transform(table)[:, 1:].tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]


@pytest.mark.parametrize("dtype", [pl.Null, pl.Int64, pl.Float64, pl.Boolean, pl.String])
def test_a_column_without_any_value_is_left_out(dtype: type[pl.DataType]) -> None:
    nothing = pl.Series("f", [None, None], dtype=dtype)
    assert TableEncoder().fit(pl.DataFrame({"b": [1, 2]}).with_columns(nothing)).dropped_ == {
        "f": "it is empty"
    }


def test_a_table_without_features_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no feature to learn from: 'a': it is constant"):
        TableEncoder().fit(pl.DataFrame({"a": [1, 1]}))
    with pytest.raises(ValueError, match=r"'4': it is constant, ... and 7,995 more") as caught:
        TableEncoder().fit(pl.DataFrame({str(k): [1, 1] for k in range(8000)}))
    assert len(str(caught.value)) < 500


def test_arrays_have_no_names() -> None:
    with pytest.raises(TypeError, match="data frame"):
        TableEncoder().fit(np.ones((2, 2)))


def test_pandas_gives_the_same() -> None:
    columns = ["age", "paid", "job"]
    pandas = pd.DataFrame({name: TABLE[name].to_list() for name in columns})
    encoder = TableEncoder().fit(TABLE.select(columns))
    assert (encoder.transform(pandas) == encoder.transform(TABLE)).all()
    assert encoder.fit(pandas).get_feature_names_out()[0] == "age"


@given(st.lists(st.floats(allow_infinity=False) | st.none(), min_size=1))
def test_numbers_survive_their_text(values: list[float | None]) -> None:
    text = pl.Series(["" if value is None else repr(value) for value in values])
    numbers, rest = text_to_numbers(text)
    assert not len(rest)
    for found, value in zip(numbers, values, strict=True):
        missing = value is None or value != value
        assert (found is None) if missing else (found == value)


def test_booleans_of_training_may_come_as_text() -> None:
    encoder = TableEncoder().fit(pl.DataFrame({"flag": [True, False, None]}))
    given, told = [True, False, None], ["True", " false", ""]
    expected = encoder.transform(pl.DataFrame({"flag": given}))
    assert np.array_equal(encoder.transform(pl.DataFrame({"flag": told})), expected)


def test_a_text_column_may_come_without_any_value() -> None:
    encoder = TableEncoder().fit(pl.DataFrame({"job": ["cook", "smith", "cook"]}))
    assert not encoder.transform(pl.DataFrame({"job": [None, None]})).any()


def test_words_may_not_become_more_than_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of few bytes may come to a matrix of many."""
    table = pl.DataFrame({f"c{k}": [f"w{i % 40}" for i in range(400)] for k in range(5)})
    needed = 8 * 400 * 5 * 40
    for memory, fits in ((3 * needed, True), (3 * needed - 3, False), (None, True)):
        monkeypatch.setattr(table_encoder, "memory_limit", lambda memory=memory: memory)
        if fits:
            assert TableEncoder().fit_transform(table).shape == (400, 200)
            continue
        with pytest.raises(ValueError, match=r"400 rows have 200 features.*more than a third"):
            TableEncoder().fit_transform(table)
