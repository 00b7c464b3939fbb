"""The SQL of docs/scale.md, run by DuckDB: its tables give the numbers of the rows themselves."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import isonomy as iso

duckdb = pytest.importorskip("duckdb")

PAGE = (Path(__file__).parents[1] / "docs" / "scale.md").read_text()


def statement(title: str) -> str:
    """The SQL block that begins with this comment."""
    blocks = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    return next(block for block in blocks if block.startswith(f"-- {title}"))


@pytest.fixture
def ranked() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 20_000
    score = np.round(rng.normal(size=n), 3)
    score[:5] = [np.inf, -np.inf, 0.0, -0.0, 1e300]
    click = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(float)
    buy = (rng.random(n) < 0.2 / (1 + np.exp(-score))).astype(float)
    buy[rng.random(n) < 0.1] = np.nan
    table = pd.DataFrame({"score": score, "click": click, "buy": buy})
    return table.astype({"click": "Int8", "buy": "Int8"})


def test_exact_counts(ranked: pd.DataFrame, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.register("ranked", ranked)
        connection.execute(
            statement("DuckDB, exact").replace("counts.parquet", f"{tmp_path}/c.parquet")
        )
    counts = pd.read_parquet(tmp_path / "c.parquet")
    assert len(counts) < len(ranked) / 2
    labels = ["click", "buy"]
    found = iso.label_aucs(counts[labels], counts["score"], counts=counts["n"])
    np.testing.assert_array_equal(found, iso.label_aucs(ranked[labels], ranked["score"]))
    intervals = iso.auc_intervals(counts[labels], counts["score"], counts=counts["n"])
    direct = iso.auc_intervals(ranked[labels], ranked["score"])
    np.testing.assert_allclose(intervals.low, direct.low, rtol=1e-12)


def test_buckets(ranked: pd.DataFrame) -> None:
    with duckdb.connect() as connection:
        connection.register("ranked", ranked)
        counts = connection.execute(statement("DuckDB, by buckets")).df()
    labels = ["click", "buy"]
    assert counts["n"].sum() == len(ranked)
    assert counts["score"].nunique() <= 10_000
    found = iso.label_aucs(counts[labels], counts["score"], counts=counts["n"])
    np.testing.assert_allclose(found, iso.label_aucs(ranked[labels], ranked["score"]), atol=1e-4)
