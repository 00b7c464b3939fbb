"""Columns become labels, groups, weights and features."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from isonomy.cli._data import label_arguments
from isonomy.cli._errors import UserError
from isonomy.cli._labels import (
    Roles,
    check_both_classes,
    likely_labels,
    parse_roles,
    score_column,
    split_names,
)
from isonomy.cli._table_files import Source

TABLE = pl.DataFrame(
    {
        "click": [1, 0, None, 1],
        "buy": ["yes", "No", "", " YES "],
        "seen": [True, False, None, True],
        "stars": [0.0, 3.0, 4.0, None],
        "job": ["cook", "smith", None, "cook"],
        "last, first": ["t", "f", "y", "n"],
        "a=b": ["x", "y", "x", "y"],
        "x": [1.5, 2.5, 3.5, 4.5],
    }
)
SOURCE = Source("data.csv", b"", "csv", ",", b"")


def roles(
    *labels: str, positive: tuple[str, ...] = (), threshold: tuple[str, ...] = (), **others: object
) -> Roles:
    return parse_roles(
        SOURCE,
        TABLE.columns,
        labels=list(labels),
        positive=list(positive),
        threshold=list(threshold),
        **others,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("found", "name", "values"),
    [
        (roles("click"), "click", [1, 0, None, 1]),
        (roles("buy"), "buy", [1, 0, None, 1]),
        (roles("seen"), "seen", [1, 0, None, 1]),
        (roles("last, first"), "last, first", [1, 0, 1, 0]),
        (roles(threshold=("stars=3",)), "stars", [0, 1, 1, None]),
        (roles(positive=("stars=3",)), "stars", [0, 1, 0, None]),
        (roles(positive=("job=cook",)), "job", [1, 0, None, 1]),
        (roles(positive=("a=b=x",)), "a=b", [1, 0, 1, 0]),
        (roles(positive=("seen=True",)), "seen", [1, 0, None, 1]),
        (roles(positive=("click=1.0",)), "click", [1, 0, None, 1]),
    ],
)
def test_values_of_labels(found: Roles, name: str, values: list[float | None]) -> None:
    column = found.label_table(TABLE)[name]
    assert [None if value != value else value for value in column] == values


def test_labels_are_named_in_three_ways_once_each() -> None:
    found = roles("click,job", "last, first", positive=("job=cook",), threshold=("stars=3",))
    assert found.labels == ["click", "job", "last, first", "stars"]


def test_a_column_may_have_no_name() -> None:
    nameless = [*TABLE.columns, ""]
    assert split_names(["", "click,,x"], nameless) == ["", "click", "x"]
    assert split_names(["", "click,"], TABLE.columns) == ["click"]


def test_features_are_the_other_columns() -> None:
    found = roles("click,buy", group="job", weight="x", exclude=["seen"])
    assert found.feature_table(TABLE).columns == ["stars", "last, first", "a=b"]
    assert roles("click", features=["x,stars"]).feature_table(TABLE).columns == ["x", "stars"]


def test_the_order_and_the_exact_threshold_can_be_written_again() -> None:
    found = roles("click", "stars", "buy", threshold=("stars=1234567.25",))
    again = label_arguments(found)
    assert again == ["--labels", "click,stars,buy", "--threshold", "stars=1234567.25"]


def test_likely_labels() -> None:
    assert likely_labels(TABLE) == ["click", "buy", "seen", "last, first"]


def test_the_options_can_be_written_again() -> None:
    found = roles("click", "last, first", positive=("job=cook",), threshold=("stars=3",), group="x")
    again = label_arguments(found)
    assert again == [
        *("--labels", "click", "--labels", "last, first"),
        *("--positive", "job=cook", "--threshold", "stars=3", "--group", "x"),
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: roles("clik"), r"no column 'clik'.*mean 'click'.*\nIts columns: click, buy"),
        (lambda: roles("click,click"), "named twice"),
        (lambda: roles("click", group="click"), "--group: 'click' is a label"),
        (lambda: roles("click", weight="w"), "--weight: data.csv has no column 'w'"),
        (lambda: roles(positive=("job",)), "should read name=value"),
        (lambda: roles(positive=("jb=cook",)), "no column 'jb'"),
        (lambda: roles(threshold=("stars=many",)), "--threshold stars should be a number"),
        (lambda: roles(threshold=("stars=nan",)), "should be a number"),
        (lambda: roles(positive=("stars=3",), threshold=("stars=3",)), "Give one of them"),
        (lambda: roles("stars").label_table(TABLE), "--threshold 'stars=3'"),
        (lambda: roles("job").label_table(TABLE), "--positive 'job=cook'"),
        (lambda: roles(positive=("job=king",)).label_table(TABLE), "It has: cook, smith"),
        (lambda: roles(threshold=("job=3",)).label_table(TABLE), "does not hold numbers"),
        (lambda: roles("click", features=["click"]).feature_table(TABLE), "is a label"),
        (lambda: roles("click", group="job").groups(TABLE), "1 rows have no value in 'job'"),
        (lambda: roles("click", weight="job").weights(TABLE), "should hold numbers"),
        (lambda: roles("click", weight="stars").weights(TABLE), "1 missing values.*row 4"),
        (
            lambda: roles("click", exclude=TABLE.columns[1:]).feature_table(TABLE),
            "No column is left",
        ),
        (
            lambda: check_both_classes(pl.DataFrame({"a": [1.0, np.nan]})),
            "'a' has one class only: all its values are 1",
        ),
        (lambda: check_both_classes(pl.DataFrame({"a": [np.nan]})), "missing in every row"),
    ],
)
def test_mistakes_are_told(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(UserError, match=message):
        make()


@pytest.mark.parametrize("dtype", [pl.Int128, pl.Decimal(38, 0)])
def test_numbers_that_numpy_does_not_have(dtype: pl.DataType) -> None:
    ids = pl.Series("x", [2**90, 2**90 + 1, 2**90, 5], dtype=dtype)
    table = TABLE.with_columns(ids)
    found = roles("click", group="x").groups(table)
    assert found is not None
    assert (found[:, None] == found).tolist() == np.equal.outer([0, 1, 0, 2], [0, 1, 0, 2]).tolist()
    with pytest.raises(UserError, match=r"--score: column 'x' .*tells apart. Found .*ranks"):
        score_column(table, "x")
    few = TABLE.with_columns(pl.Series("x", [3, 1, 3, 0], dtype=dtype))
    assert score_column(few, "x").tolist() == [3.0, 1.0, 3.0, 0.0]
