"""Rows in the order of their scores: `rank --sort`, `--top` and ranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.cli import _rank, _ranked
from isonomy.cli._ranked import sorted_rows, top, with_ranks
from tests.cli.command import Shell
from tests.cli.conftest import make_table

SCORES = st.lists(st.sampled_from([0.0, -0.0, 1.0, -2.5, np.inf, 1.0 + 2**-52]), max_size=40)


def oracle(scores: list[float]) -> list[tuple[int, int]]:
    """Row and rank, the best first; equal scores in their order."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return [(i, 1 + sum(other > scores[i] for other in scores)) for i in order]


def pieces_of(scores: list[float], size: int) -> list[pl.DataFrame]:
    table = pl.DataFrame({"id": range(len(scores)), "s": scores}, schema_overrides={"s": float})
    return [table[k : k + size] for k in range(0, len(scores), size)]


@given(SCORES, st.integers(1, 7), st.integers(1, 9), st.integers(1, 50))
def test_orders_are_those_of_a_plain_sort(
    scores: list[float], size: int, part: int, n_best: int
) -> None:
    expected, given_pieces = oracle(scores), pieces_of(scores, size)

    def rows(found: list[pl.DataFrame]) -> list[tuple[int, int]]:
        return [(i, r) for each in found for i, r in each.select("id", "rank").iter_rows()]

    assert rows(list(sorted_rows(lambda: given_pieces, part, "s", "rank"))) == expected
    assert rows(list(top(lambda: given_pieces, n_best, "s", "rank"))) == expected[:n_best]
    kept = rows(list(with_ranks(lambda: given_pieces, "s", "rank")))
    assert kept == sorted(expected)


def test_many_pieces_make_no_more_files_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ranked, "MOST_PARTS", 3)
    scores = np.random.default_rng(0).normal(size=50).tolist()
    found = list(sorted_rows(lambda: pieces_of(scores, 4), 1, "s", "rank"))
    assert len(found) == 3
    assert [i for each in found for i in each["id"]] == [i for i, _ in oracle(scores)]


@pytest.mark.parametrize("source", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "csv.gz"])
def test_sorted_and_top(
    shell: Shell,
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    suffix: str,
) -> None:
    monkeypatch.setattr(_rank, "PIECE", 70)
    table = make_table(seed=1)
    given_file, out = tmp_path / f"new.{source}", tmp_path / f"out.{suffix}"
    writers = {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}
    writers[source](given_file)
    options = ("rank", given_file, "--model", model, "--out", out, "--score-name", "s")

    def read() -> pl.DataFrame:
        if suffix == "parquet":
            return pl.read_parquet(out)
        return pl.read_ndjson(out) if suffix == "jsonl" else pl.read_csv(out)

    assert shell(*options).code == 0
    plain = read()
    assert "rank" not in plain.columns
    done = shell(*options, "--sort")
    assert done.code == 0, done.err
    found = read()
    assert (
        found["id"].to_list()
        == plain.sort("s", descending=True, maintain_order=True)["id"].to_list()
    )
    assert found["rank"].to_list() == list(range(1, 301))
    assert shell(*options, "--top", "7", "--rank-name", "place").code == 0
    assert read().rename({"place": "rank"}).equals(found[:7])
    assert shell(*options, "--rank-name", "place").code == 0
    assert read()["id"].to_list() == plain["id"].to_list()
    assert read().sort("place")["id"].to_list() == found["id"].to_list()
    assert not list(tmp_path.glob(".*"))


def test_names_that_are_taken(shell: Shell, model: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    make_table().with_columns(rank=1).write_csv(path)
    options = ("rank", path, "--model", model, "--out", out, "--score-name", "s")
    done = shell(*options, "--sort")
    assert done.code == 2
    assert "has a column 'rank' already. Choose another name for the rank with --rank-name" in (
        done.err
    )
    assert shell(*options).code == 0
    done = shell(*options, "--rank-name", "s")
    assert "are both 's'" in done.err
    assert shell(*options, "--top", "0").code == 2
