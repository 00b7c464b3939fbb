"""What `rank` does with pieces of a table, without the threads in which polars asks for them."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import isonomy as iso
from isonomy.cli import _rank
from isonomy.cli._errors import BrokenOutputPipeError, UserError
from isonomy.cli._many_files import open_tables
from isonomy.cli._rank import _arranged, _check_alike, _print, _Scored
from tests.cli.conftest import make_table


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rank, "PIECE", 70)


def ranker_of(columns: list[str]) -> Any:
    """A ranker that knows its columns by name."""
    table = make_table()
    labels = np.column_stack([table["click"], table["buy"] == "yes"]).astype(int)
    return iso.LinearRanker(l2=0.1).fit(table.select(columns).to_pandas(), labels)


def scored(files: list[Path], ranker: Any, table: pl.DataFrame | None = None) -> _Scored:
    return _Scored(ranker, open_tables([str(file) for file in files]), table, "s")


@pytest.fixture
def two_files(tmp_path: Path) -> list[Path]:
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for k, file in enumerate(files):
        make_table(200, seed=k).write_csv(file)
    return files


@pytest.mark.parametrize("in_memory", [False, True])
def test_pieces_are_small_and_all_rows_once(file: Path, *, in_memory: bool) -> None:
    ranker = ranker_of(["x", "score"])
    given = scored([file], ranker, pl.read_csv(file) if in_memory else None)
    found = list(given.pieces())
    assert max(each.height for each in found) <= 70
    whole = pl.concat(found)
    assert whole["id"].to_list() == make_table()["id"].to_list()
    expected = ranker.predict(make_table().select("x", "score").to_pandas())
    assert whole["s"].to_numpy() == pytest.approx(expected, rel=1e-12)
    assert given.n_rows == 300


def test_every_order_of_several_files(two_files: list[Path]) -> None:
    given = scored(two_files, ranker_of(["x", "score"]))

    def rows(**order: Any) -> pl.DataFrame:
        return pl.concat(_arranged(given, **{"sort": False, "n_best": None, **order})())

    plain = rows(rank_name=None)
    assert plain.height == 400
    assert "rank" not in plain.columns
    best = plain.sort("s", descending=True, maintain_order=True)["s"].to_list()
    assert rows(sort=True, rank_name="rank")["s"].to_list() == best
    assert rows(n_best=9, rank_name="rank")["s"].to_list() == best[:9]
    ranked = rows(rank_name="rank")
    assert ranked["s"].to_list() == plain["s"].to_list()
    assert ranked.sort("rank")["s"].to_list() == best


def test_a_mistake_in_any_file_is_told_with_its_place(two_files: list[Path]) -> None:
    row = pl.int_range(pl.len())
    odd = make_table(200).with_columns(x=pl.when(row == 150).then(np.inf).otherwise("x"))
    odd.write_csv(two_files[1])
    given = scored(two_files, ranker_of(["x", "score"]))
    with (
        pytest.raises(
            UserError, match=r"b\.csv, rows from 141 on: --model: column 'x' should hold finite"
        ),
        given.errors_explained(),
    ):
        list(given.pieces())
    assert given.n_rows == 340


def test_our_own_error_comes_out_of_what_polars_makes_of_it(file: Path) -> None:
    """polars raises an error of its own for whatever is raised while it asks for pieces."""
    given = scored([file], ranker_of(["x", "weight"]))
    given.error = UserError("what happened")
    with pytest.raises(UserError, match="what happened"), given.errors_explained():
        raise pl.exceptions.ComputeError("caught exception during execution of a Python source")
    given.error = None
    with pytest.raises(UserError, match="own words"), given.errors_explained():
        raise UserError("own words")


def test_a_ranker_without_names_of_columns_is_told(file: Path) -> None:
    table = make_table()
    bare = iso.LinearRanker(l2=0.1).fit(table.select("x", "score").to_numpy(), table["click"])
    with pytest.raises(UserError, match="fitted without column names"):
        list(scored([file], bare).pieces())


def test_columns_have_one_type_in_all_files(tmp_path: Path) -> None:
    other = tmp_path / "c.parquet"
    files = [tmp_path / "b.parquet", other]
    make_table().write_parquet(files[0])
    make_table().with_columns(pl.col("x").cast(pl.Float32)).write_parquet(other)
    parts = open_tables([str(file) for file in files])
    with pytest.raises(UserError, match=r"c\.parquet: column 'x' should hold Float64, as in "):
        _check_alike(parts, dict(parts.parts[0].scan().collect_schema()))


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (OSError("Broken pipe (os error 32)"), BrokenOutputPipeError),
        (OSError(errno.ENOSPC, "No space left on device"), OSError),
    ],
)
def test_only_a_broken_pipe_is_one(
    raised: OSError, told: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise raised

    monkeypatch.setattr(_rank, "write_rows", fail)
    with pytest.raises(told) as found:
        _print(pl.LazyFrame(), "csv")
    assert type(found.value) is told
