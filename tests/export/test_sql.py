"""`to_sql`: the expressions, run by DuckDB, beside our scores."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import isonomy as iso
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
