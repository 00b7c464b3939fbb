"""Tables in many files, and sketches: the same numbers as from one table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import isonomy as iso
from isonomy.cli import _many_files, _scored_rows
from tests.cli.command import Shell
from tests.cli.conftest import make_table

BOTH = ("--score", "score", "--labels", "click,buy")


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A folder with the table cut into three files of unequal size, by segment of its order."""
    folder = tmp_path / "parts"
    folder.mkdir()
    table = make_table().sort("click")
    for number, (start, length) in enumerate([(0, 30), (30, 200), (230, 70)]):
        table.slice(start, length).write_parquet(folder / f"part-{number}.parquet")
    (folder / "_SUCCESS").touch()
    return folder


def audited(shell: Shell, *arguments: object) -> dict[str, Any]:
    done = shell("audit", *arguments, "--json", "-")
    assert done.code == 0, done.err
    return json.loads(done.out)


def numbers(document: dict[str, Any]) -> dict[str, Any]:
    return {key: document[key] for key in ("labels", "conflicts", "diff", "minimum", "n_rows")}


@pytest.mark.parametrize(
    "more", [(), ("--by", "country"), ("--group", "query"), ("--weight", "weight")]
)
def test_many_files_are_one_table(
    shell: Shell, file: Path, parts: Path, more: tuple[str, ...]
) -> None:
    whole = numbers(audited(shell, file, *BOTH, *more))
    for names in ([parts], [f"{parts}/part-*.parquet"], sorted(parts.glob("part*"))):
        found = audited(shell, *names, *BOTH, *more)
        assert found["input"]["name"].endswith("part-0.parquet and 2 more")
        for mine, theirs in zip(found["labels"], whole["labels"], strict=True):
            assert mine["auc"]["value"] == pytest.approx(theirs["auc"]["value"], abs=1e-12)
            assert mine["auc"]["low"] == pytest.approx(theirs["auc"]["low"], abs=1e-12)


def test_more_rows_than_are_held_at_once(
    shell: Shell, file: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_scored_rows, "MOST_AT_ONCE", 100)
    monkeypatch.setattr(_many_files, "PIECE", 40)
    whole, found = audited(shell, file, *BOTH), audited(shell, parts, *BOTH)
    assert numbers(found) == numbers(whole)
    assert "From a sketch of 300 items, which is exact" in found["notes"][0]
    # Questions that a sketch cannot answer still get all rows.
    by = audited(shell, parts, *BOTH, "--by", "country")
    assert len(by["segments"]) == 3


def test_csv_in_many_files(shell: Shell, file: Path, tmp_path: Path) -> None:
    table = make_table()
    for number in range(3):
        table[100 * number : 100 * number + 100].write_csv(tmp_path / f"p{number}.csv")
    whole = audited(shell, file, *BOTH)
    assert numbers(audited(shell, f"{tmp_path}/p?.csv", *BOTH)) == numbers(whole)


def test_one_large_csv_is_read_piece_by_piece(
    shell: Shell, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, large = audited(shell, file, *BOTH), tmp_path / "large.csv"
    make_table().write_csv(large)
    monkeypatch.setattr(_scored_rows, "MOST_AT_ONCE", 20)
    monkeypatch.setattr(_many_files, "PIECE", 40)
    found = audited(shell, large, *BOTH)
    assert numbers(found) == numbers(whole)
    assert "From a sketch of 300 items, which is exact" in found["notes"][0]


def test_names_of_folders_are_columns(shell: Shell, tmp_path: Path) -> None:
    table = make_table()
    for (country,), rows in table.group_by("country"):
        folder = tmp_path / "set" / f"country={country}"
        folder.mkdir(parents=True)
        rows.drop("country").write_parquet(folder / "0.parquet")
    found = audited(shell, tmp_path / "set", *BOTH, "--by", "country")
    assert {each["name"] for each in found["segments"]} == {"fr", "de", "it"}
    one = audited(shell, tmp_path / "set" / "country=fr", *BOTH)
    assert one["n_rows"] == (table["country"] == "fr").sum()


def test_folders_as_hive_and_spark_name_them(shell: Shell, tmp_path: Path) -> None:
    table = make_table()
    for text, start in (("a%2Fb", 0), ("__HIVE_DEFAULT_PARTITION__", 150)):
        folder = tmp_path / "set" / f"shop={text}"
        folder.mkdir(parents=True)
        table[start : start + 150].write_parquet(folder / "0.parquet")
    found = audited(shell, tmp_path / "set", *BOTH, "--by", "shop")
    named = {each["name"] for each in found["segments"]}
    assert "a/b" in named
    assert "__HIVE_DEFAULT_PARTITION__" not in named
    assert len(named) == 2


@pytest.mark.parametrize("command", ["sketch", "audit", "rank"])
@pytest.mark.parametrize("named", ["folder", "pattern"])
def test_no_table_that_is_read_is_written_over(
    shell: Shell, parts: Path, command: str, named: str
) -> None:
    target = parts / "part-1.parquet"
    before = target.read_bytes()
    files = parts if named == "folder" else f"{parts}/part-*.parquet"
    options = {
        "sketch": [*BOTH, "--out", target],
        "audit": [*BOTH, "--json", target],
        "rank": ["--model", parts / "model", "--out", target],
    }
    done = shell(command, files, *options[command])
    assert done.code == 2
    assert "one of the tables" in done.err
    assert target.read_bytes() == before


def test_a_file_that_is_named_twice(shell: Shell, parts: Path, tmp_path: Path) -> None:
    done = shell("audit", parts / "part-1.parquet", parts, *BOTH)
    assert done.code == 2
    assert "named twice" in done.err
    made = tmp_path / "a.sketch"
    assert shell("sketch", parts, *BOTH, "--out", made).code == 0
    assert "named twice" in shell("audit", made, made).err


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_whole_numbers_that_floats_would_tie(shell: Shell, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"large.{suffix}"
    table = pl.DataFrame(
        {
            "score": [2**60 + i for i in range(40)],
            "click": [0, 1] * 10 + [1] * 20,
            "query": [2**60 + i // 4 for i in range(40)],
        }
    )
    table.write_csv(file) if suffix == "csv" else table.write_parquet(file)
    options = ("--score", "score", "--labels", "click")
    found = audited(shell, file, *options)
    expected = iso.label_aucs(table["click"].to_numpy(), np.arange(40))
    assert found["labels"][0]["auc"]["value"] == expected[0]
    assert audited(shell, file, *options, "--group", "query")["n_groups"] == 10
    done = shell("sketch", file, *options, "--out", tmp_path / "a.sketch")
    assert done.code == 2
    assert "2**53" in done.err


def test_sketches_are_merged(shell: Shell, file: Path, parts: Path, tmp_path: Path) -> None:
    made = []
    for number, part in enumerate(sorted(parts.glob("part*"))):
        made.append(tmp_path / f"{number}.sketch")
        done = shell("sketch", part, *BOTH, "--out", made[-1])
        assert done.code == 0, done.err
        assert "rows in" in done.err
    assert numbers(audited(shell, *made)) == numbers(audited(shell, file, *BOTH))
    assert numbers(audited(shell, f"{tmp_path}/*.sketch")) == numbers(audited(shell, file, *BOTH))
    done = shell("audit", *made)
    assert "From a sketch of 300 items" in done.out


def test_a_sketch_of_many_files_keeps_its_size(shell: Shell, parts: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.sketch"
    done = shell("sketch", parts, *BOTH, "--out", out, "--max-bytes", "900")
    assert done.code == 0, done.err
    assert "bounds that are certain" in done.err
    assert out.stat().st_size <= 900
    found = iso.AUCSketch.from_bytes(out.read_bytes()).label_aucs()
    table = make_table()
    Y = np.column_stack([table["click"], table["buy"] == "yes"])
    exact = iso.label_aucs(Y, table["score"])
    assert ((found.low <= exact) & (exact <= found.high)).all()


def test_a_file_of_a_sketch_may_count_nothing(shell: Shell, parts: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.sketch"
    for number, part in enumerate(sorted(parts.glob("part*"))):
        pl.read_parquet(part).with_columns(n=pl.lit(2 * (number % 2))).write_parquet(part)
    done = shell("sketch", parts, *BOTH, "--count", "n", "--out", out)
    assert done.code == 0, done.err
    assert iso.AUCSketch.from_bytes(out.read_bytes()).n_items == 400


def test_rank_writes_all_files_as_one(
    shell: Shell, model: Path, parts: Path, tmp_path: Path
) -> None:
    one, many = tmp_path / "one.parquet", tmp_path / "many.parquet"
    pl.concat([pl.read_parquet(path) for path in sorted(parts.glob("p*"))]).write_parquet(
        tmp_path / "whole.parquet"
    )
    for source, out in ((tmp_path / "whole.parquet", one), (parts, many)):
        done = shell("rank", source, "--model", model, "--out", out, "--score-name", "rank")
        assert done.code == 0, done.err
    assert "300 rows scored" in done.err
    mine, theirs = pl.read_parquet(many), pl.read_parquet(one)
    assert mine.drop("rank").equals(theirs.drop("rank"))
    # Products of another number of rows may round otherwise.
    np.testing.assert_allclose(mine["rank"], theirs["rank"], rtol=1e-14)


@pytest.mark.parametrize("options", [("--sort",), ("--top", 20), ("--rank-name", "place")])
def test_ranks_go_over_all_files(
    shell: Shell, model: Path, parts: Path, tmp_path: Path, options: tuple[object, ...]
) -> None:
    out = tmp_path / "ranked.parquet"
    done = shell("rank", parts, "--model", model, "--out", out, "--score-name", "own", *options)
    assert done.code == 0, done.err
    found = pl.read_parquet(out)
    place = options[1] if "--rank-name" in options else "rank"
    assert found.height == (20 if "--top" in options else 300)
    if place == "rank":
        assert found["own"].is_sorted(descending=True)
        assert found["rank"][0] == 1
    else:
        assert found["click"].is_sorted()
        best = found["own"].rank("min", descending=True).cast(pl.Int64)
        assert found["place"].to_list() == best.to_list()


def test_gates_and_page_of_many_files_and_of_sketches(
    shell: Shell, parts: Path, tmp_path: Path
) -> None:
    made, page = tmp_path / "all.sketch", tmp_path / "audit.html"
    assert shell("sketch", parts, *BOTH, "--out", made).code == 0
    for given in ([parts, *BOTH], [made]):
        done = shell("audit", *given, "--fail-under", "buy=0.999", "--report", page)
        assert done.code == 1, done.err
        assert "Failed: the AUC of buy" in done.err
        text = page.read_text()
        assert "Does not pass" in text
        assert "SHA-256" not in text
        done = shell("audit", *given, "--fail-under", "bye=0.5")
        assert done.code == 2
        assert "bye" in done.err
    done = shell("audit", made, "--top", 3)
    assert done.code == 2
    assert "--group" in done.err
    done = shell("audit", parts, *BOTH, "--group", "query", "--top", 3)
    assert done.code == 0, done.err
    assert "nDCG@3" in done.out


def out(path: Path) -> list[object]:
    return ["--out", path]


MISTAKES = [
    ("no match", lambda t: ["audit", t / "no-*.parquet", *BOTH], "No file matches"),
    ("empty folder", lambda t: ["audit", t / "empty", *BOTH], "folder without files"),
    ("sketch and table", lambda t: ["audit", t / "a.sketch", t / "a.csv"], "is no sketch"),
    ("score of a sketch", lambda t: ["audit", t / "a.sketch", *BOTH], "holds its score"),
    ("other labels", lambda t: ["audit", t / "a.sketch", t / "b.sketch"], "should be a sketch of"),
    ("broken sketch", lambda t: ["audit", t / "broken.sketch"], "checksum"),
    ("no score", lambda t: ["audit", t / "a.csv", "--labels", "click"], "--score should name"),
    (
        "two columns",
        lambda t: ["audit", t / "a.csv", t / "other.csv", *BOTH],
        "should have the columns",
    ),
    ("stdin twice", lambda t: ["audit", "-", t / "a.csv", *BOTH], "only table"),
    ("text label", lambda t: ["audit", t / "a.csv", t / "text.csv", *BOTH], "should hold 0/1"),
    (
        "tiny",
        lambda t: ["sketch", t / "a.csv", *BOTH, "--out", t / "x", "--max-bytes", "9"],
        "at least",
    ),
    ("itself", lambda t: ["sketch", t / "a.csv", *BOTH, *out(t / "a.csv")], "table itself"),
    (
        "csv to parquet",
        lambda t: [
            "rank",
            t / "a.csv",
            t / "text.csv",
            "--model",
            t / "m",
            "--out",
            t / "x.parquet",
        ],
        "several CSV files",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "message"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES]
)
def test_mistakes(shell: Shell, tmp_path: Path, model: Path, arguments: Any, message: str) -> None:
    table = make_table(50)
    table.write_csv(tmp_path / "a.csv")
    table.with_columns(more=1).write_csv(tmp_path / "other.csv")
    table.with_columns(buy=pl.lit("perhaps")).write_csv(tmp_path / "text.csv")
    (tmp_path / "empty").mkdir()
    model.rename(tmp_path / "m")
    data = iso.AUCSketch(["click", "buy"]).add([[0, 1], [1, 0]], [1, 2]).to_bytes()
    (tmp_path / "a.sketch").write_bytes(data)
    (tmp_path / "b.sketch").write_bytes(iso.AUCSketch(["click"]).add([0, 1], [1, 2]).to_bytes())
    (tmp_path / "broken.sketch").write_bytes(data[:-1] + b"x")
    done = shell(*arguments(tmp_path))
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
