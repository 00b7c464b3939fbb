"""`to_sql`: the expressions, run by DuckDB, beside our scores."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import isonomy as iso
from isonomy._rankers import TableEncoder
from tests.export.made_tables import FAST, LATER, MATRIX, ROWS, SUMS, TABLE, Y, fitted, trees


def by_duckdb(expression: str, table: pl.DataFrame) -> np.ndarray:
    connection = duckdb.connect()
    connection.register("rows", table.to_arrow())
    # Numbers of rows keep the order.
    found = connection.sql(f"SELECT ({expression}) AS score FROM rows").fetchnumpy()["score"]
    assert found.dtype == np.float64
    return found


@pytest.mark.parametrize("kind", SUMS)
def test_models_of_raw_tables(kind: str) -> None:
    model = fitted(SUMS[kind], TABLE)
    expression = iso.to_sql(model)
    for rows in (TABLE, LATER.with_columns(pl.col("job") + " ")):
        wanted = model.predict(rows)
        assert np.unique(wanted.round(6)).size > 5
        np.testing.assert_allclose(by_duckdb(expression, rows), wanted, rtol=1e-9, atol=1e-9)


def test_dates_are_days() -> None:
    rng = np.random.default_rng(3)
    start = np.datetime64("1969-06-01")
    days = (start + rng.integers(0, 800, len(TABLE))).astype("datetime64[D]")
    times = start.astype("datetime64[us]") + rng.integers(0, 10**14, len(TABLE))
    gaps = pl.when(pl.col("plain") > 1).then(None)
    table = TABLE.with_columns(day=gaps.otherwise(pl.Series(days)), time=pl.Series(times))
    model = make_pipeline(TableEncoder(), StandardScaler(), iso.LinearRanker()).fit(table, Y)
    found = by_duckdb(iso.to_sql(model), table)
    np.testing.assert_allclose(found, model.predict(table), rtol=1e-9, atol=1e-9)


def test_trees_are_refused_before_names_are_asked_for() -> None:
    ranker = iso.BoostedRanker(**FAST).fit(MATRIX, Y)
    with pytest.raises(ValueError, match="not of sums of columns"):
        iso.to_sql(ranker)


def test_models_of_numbers() -> None:
    names = ["p_click", "p buy", 'q"', "select"]
    rows = pl.DataFrame(dict(zip(names, ROWS.T, strict=True)))
    for model in (iso.blend(MATRIX, Y), fitted(lambda: iso.LinearRanker(), MATRIX)):
        found = by_duckdb(iso.to_sql(model, columns=names), rows)
        np.testing.assert_allclose(found, model.predict(ROWS), rtol=1e-12)
    named = iso.blend(pd.DataFrame(MATRIX, columns=names), Y)
    assert iso.to_sql(named) == iso.to_sql(named, columns=names)


def test_bad_input() -> None:
    model = iso.LinearRanker().fit(MATRIX, Y)
    with pytest.raises(ValueError, match=r"`columns` should name the features.*pass 4 names"):
        iso.to_sql(model)
    with pytest.raises(ValueError, match=r"`columns` should name the 4 features. Found 2"):
        iso.to_sql(model, columns=["a", "b"])
    with pytest.raises(ValueError, match="no way to write"):
        iso.to_sql(model, columns=["a\0", "b", "c", "d"])
    with pytest.raises(ValueError, match="no column without a name"):
        iso.to_sql(model, columns=["", "b", "c", "d"])
    with pytest.raises(TypeError, match="Found list"):
        iso.to_sql([1])
    for trained in (
        fitted(lambda: trees(iso.BoostedRanker(**FAST)), TABLE),
        iso.NeuralRanker(hidden=(2,), max_epochs=1, random_state=0).fit(MATRIX, Y),
    ):
        with pytest.raises(ValueError, match=r"not of sums of columns.*`to_onnx`"):
            iso.to_sql(trained, columns=list("abcd"))
    model.coef_ = np.array([1.0, np.inf, 0.0, 0.0])
    with pytest.raises(ValueError, match="weight inf"):
        iso.to_sql(model, columns=list("abcd"))
