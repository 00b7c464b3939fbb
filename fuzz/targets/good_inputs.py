"""Inputs as they should be, made once, from which hostile ones are made."""

from __future__ import annotations

import gzip
import io
import tempfile
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import polars as pl

from fuzz.command_line import run_command
from fuzz.in_child import in_child

LABELS = ("--labels", "click,buy")


@cache
def table(n_rows: int) -> pl.DataFrame:
    """Two labels, a score, and columns of every kind."""
    rng = np.random.default_rng(n_rows)
    x = rng.normal(size=(n_rows, 3)).round(3)
    return pl.DataFrame(
        {
            "id": [f"item-{i}" for i in range(n_rows)],
            "x": x[:, 0],
            "z": np.where(rng.random(n_rows) < 0.1, None, x[:, 1].astype(object)).tolist(),
            "country": rng.choice(["fr", "de", "it"], n_rows),
            "query": rng.integers(0, 4, n_rows),
            "weight": rng.integers(1, 4, n_rows),
            "score": x[:, 0] + x[:, 1],
            "click": (x[:, 0] > 0).astype(int),
            "buy": np.where(x[:, 1] > 0.3, "yes", "no"),
            "stars": (2 + x[:, 2]).clip(0, 4).round(),
        },
        schema_overrides={"z": pl.Float64},
    )


def written(frame: pl.DataFrame, kind: str) -> bytes:
    """A table in one of the formats."""
    out = io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(out)
    elif kind == "jsonl":
        frame.write_ndjson(out)
    else:
        frame.write_csv(out, separator={"csv": ",", "tsv": "\t", "semicolon": ";"}[kind])
    return out.getvalue()


def zipped(random: Random, content: bytes) -> bytes:
    """With gzip, the same bytes for the same content."""
    return gzip.compress(content, random.choice((1, 6)), mtime=0)


@cache
def made_files() -> dict[str, bytes]:
    """What commands take besides tables: a model, a sketch, the JSON of an audit."""
    return in_child(_make_files)


def _make_files() -> dict[str, bytes]:
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        path.write_bytes(written(table(60), "csv"))
        score = ("--score", "score")
        made = {
            "model.isonomy": (
                *("fit", str(path), *LABELS, "--features", "x,z,country", "--method", "mean"),
                *("--no-tune", "--out"),
            ),
            "a.sketch": ("sketch", str(path), *LABELS, *score, "--out"),
            "old.json": ("audit", str(path), *LABELS, *score, "--json"),
        }
        for name, arguments in made.items():
            ended = run_command((*arguments, str(Path(folder, name)), "--quiet"))
            if ended.code != 0:
                raise RuntimeError(ended.err or ended.raised)
            found[name] = Path(folder, name).read_bytes()
    return found
