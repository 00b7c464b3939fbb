"""Tables and models for the command line's tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.command import Shell


def make_table(n: int = 300, seed: int = 0) -> pl.DataFrame:
    """Two labels that two features predict, a score, and columns of every kind."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    click, buy = x[:, 0] + rng.logistic(size=n) > 0, x[:, 1] + rng.logistic(size=n) > 1.5
    return pl.DataFrame(
        {
            "id": [f"item-{i}" for i in range(n)],
            "x": x[:, 0],
            "z": np.where(rng.random(n) < 0.1, None, x[:, 1].astype(object)).tolist(),
            "country": rng.choice(["fr", "de", "it"], n),
            "query": rng.integers(0, 20, n),
            "weight": rng.integers(1, 4, n),
            "score": x[:, 0] + x[:, 1],
            "click": click.astype(int),
            "buy": np.where(buy, "yes", "no"),
            "stars": (2 + x[:, 2]).clip(0, 4).round(),
        },
        schema_overrides={"z": pl.Float64},
    )


@pytest.fixture
def table() -> pl.DataFrame:
    return make_table()


@pytest.fixture
def file(tmp_path: Path, table: pl.DataFrame) -> Path:
    path = tmp_path / "table.csv"
    table.write_csv(path)
    return path


@pytest.fixture
def model(tmp_path: Path, file: Path, shell: Shell) -> Path:
    path = tmp_path / "model.isonomy"
    done = shell("fit", file, "--labels", "click,buy", "--method", "mean", "--out", path)
    assert done.code == 0, done.err
    return path
