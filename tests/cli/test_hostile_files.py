"""Tables and names that strangers made: told in a line, and never obeyed by the terminal."""

from __future__ import annotations

import gzip
import json
import os
import sys
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from isonomy.cli import _rank, _table_files
from isonomy.cli._judge_questions import parse_params
from isonomy.cli._parquet_pages import claims_of
from isonomy.cli._table_files import open_table
from tests.cli.command import Shell
from tests.cli.conftest import make_table

BOTH = ("--labels", "click,buy")
RED = "\x1b[31mred\x07"


def fit(shell: Shell, file: Path, *more: object) -> object:
    return shell("fit", file, *BOTH, "--method", "mean", "--out", file.parent / "m", *more)


@pytest.mark.parametrize(
    ("name", "found"), [("1e200", "1e\\+200"), ("-1e308", "-1e\\+308")], ids=["large", "largest"]
)
def test_numbers_whose_squares_are_infinite(
    shell: Shell, tmp_path: Path, name: str, found: str
) -> None:
    path = tmp_path / "large.csv"
    row = pl.int_range(pl.len())
    make_table().with_columns(x=pl.when(row == 4).then(float(name)).otherwise("x")).write_csv(path)
    done = fit(shell, path)
    assert done.code == 2
    assert "Column 'x' should hold numbers up to 1e+150" in done.err
    assert "row 5" in done.err
    assert found.replace("\\", "") in done.err


def test_numbers_that_are_infinite_in_units_of_their_spread(shell: Shell, tmp_path: Path) -> None:
    """Those of the training table differ so little that others are left out with them."""
    fine, large = tmp_path / "fine.csv", tmp_path / "large.csv"
    make_table().with_columns(pl.col("x") * 1e-160).write_csv(fine)
    done = fit(shell, fine, "--features", "x,score", "--no-tune")
    assert done.code == 0
    assert "Column 'x' is not used: its numbers differ by less than 1e-150" in done.err
    make_table().with_columns(x=pl.lit(1e149)).write_csv(large)
    ranked = ("--score-name", "s", "--out", tmp_path / "ranked.csv")
    done = shell("rank", large, "--model", tmp_path / "m", *ranked)
    assert done.code == 0, done.err


@pytest.mark.parametrize("value", [float("inf"), 1e200])
@pytest.mark.parametrize("seed", [0, 1])
def test_scores_that_cannot_be_added_up(
    shell: Shell, file: Path, tmp_path: Path, value: float, seed: int
) -> None:
    """In the half that is held out, too, and where the blend is used."""
    blend = ("--scores", "x,score", "--quiet")
    good, model, odd = ("blend", file, *BOTH, *blend), tmp_path / "m", tmp_path / "odd.csv"
    assert shell(*good, "--out", model).code == 0
    row = pl.int_range(pl.len())
    make_table().with_columns(x=pl.when(row == 4).then(value).otherwise("x")).write_csv(odd)
    for arguments in (
        ("blend", odd, *BOTH, *blend, "--seed", seed),
        ("rank", odd, "--model", model, "--out", tmp_path / "o.csv", "--score-name", "s"),
    ):
        done = shell(*arguments)
        assert done.code == 2, done.err
        assert "column 'x' should hold" in done.err
        assert f"Found {value} in row 5" in done.err


def test_a_mistake_far_down_is_told_with_its_place(
    shell: Shell, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fit(shell, file, "--no-tune").code == 0
    odd, row = tmp_path / "odd.csv", pl.int_range(pl.len())
    make_table().with_columns(x=pl.when(row == 204).then(np.inf).otherwise("x")).write_csv(odd)
    monkeypatch.setattr(_rank, "PIECE", 100)
    rank = ("rank", odd, "--model", tmp_path / "m", "--score-name", "s", "--out")
    done = shell(*rank, tmp_path / "o.csv")
    assert done.code == 2
    assert "odd.csv, rows from 201 on: Column 'x' should hold finite" in done.err
    assert "in row 5" in done.err


@pytest.mark.parametrize("separator", ["é", "::", '"', "\n"])
def test_separators_are_one_character_of_ascii(shell: Shell, file: Path, separator: str) -> None:
    done = fit(shell, file, "--separator", separator)
    assert done.code == 2
    assert "--separator should be one character of ASCII" in done.err


def test_links_that_lead_to_each_other(shell: Shell, tmp_path: Path) -> None:
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    done = shell("audit", loop, *BOTH, "--score", "x")
    assert done.code == 2
    assert "There is no file" in done.err
    assert "Did you mean" not in done.err


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux only")
def test_names_that_are_no_utf_8(shell: Shell, tmp_path: Path, table: pl.DataFrame) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    table.write_csv(tmp_path / "t.csv")
    (tmp_path / "t.csv").rename(path)
    numbers, report = tmp_path / "r.json", tmp_path / "r.html"
    done = shell(
        *("compare", path, *BOTH, "--no-tune", "--family", "linear", "--folds", "2"),
        *("--repeats", "1", "--json", numbers, "--report", report),
    )
    assert done.code == 0, done.err
    assert "\N{REPLACEMENT CHARACTER}.csv" in json.loads(numbers.read_text())["command"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("NaN", "a line is no JSON object"),
        ("9" * 400, "a line is no JSON object"),
        ("[1]", "values of different kinds in different lines"),
        ("[" * 2000 + "]" * 2000, "nested too deep"),
    ],
    ids=["nan", "400 digits", "a list", "2000 lists"],
)
def test_a_line_of_json_that_is_none(shell: Shell, tmp_path: Path, value: str, why: str) -> None:
    path = tmp_path / "odd.jsonl"
    good = '{"x": 1, "click": 0, "buy": 1}'
    path.write_text(f"{good.replace('1,', f'{value},', 1)}\n{good}\n")
    done = fit(shell, path)
    assert done.code == 2
    assert why in done.err
    assert "Internal" not in done.err


@pytest.mark.parametrize("name", ["x^2", "x\x01", "x\u0682"])
def test_names_that_begin_as_packed_data_do(shell: Shell, tmp_path: Path, name: str) -> None:
    """polars unpacks what begins as zlib's data do, which it would do to any length."""
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    make_table().rename({"x": name}).select(name, "z", "click", "buy").write_csv(path)
    assert fit(shell, path, "--no-tune").code == 0
    done = shell("rank", path, "--model", tmp_path / "m", "--score-name", "s", "--out", out)
    assert done.code == 0, done.err
    assert out.read_text().splitlines()[0] == f"{name},z,click,buy,s"


def test_zlib_is_not_unpacked(shell: Shell, tmp_path: Path) -> None:
    """However it begins, so that its names could be read as text."""
    path = tmp_path / "t.csv"
    path.write_bytes(zlib.compress(b"x,click,buy\n1,0,1\n" * 9, 0).replace(b"\0", b"\x01"))
    done = shell("audit", path, *BOTH, "--score", "x")
    assert done.code == 2
    assert "deflate" not in done.err


def nested(levels: int) -> pl.DataFrame:
    kind: pl.DataType = pl.Int64()
    for _ in range(levels):
        kind = pl.List(kind)
    return make_table().with_columns(odd=pl.lit(None, kind))


@pytest.mark.parametrize(("levels", "code"), [(30, 0), (50, 2), (300, 2)])
def test_values_that_are_nested_deep(shell: Shell, tmp_path: Path, levels: int, code: int) -> None:
    """Readers take minutes for hundreds of levels, or end the process."""
    rows, lines = tmp_path / "t.parquet", tmp_path / "t.jsonl"
    nested(levels).write_parquet(rows)
    deep = f'"odd": {"[" * levels + "]" * levels}'
    records = make_table().rows(named=True)
    lines.write_text("".join(f"{json.dumps(each)[:-1]}, {deep}}}\n" for each in records))
    for path in (rows, lines):
        done = shell("audit", path, *BOTH, "--score", "score")
        assert done.code == code, done.err
        assert ("nested more than 32 levels deep" in done.err) == (code == 2)


def test_a_quote_inside_a_column_name(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "quote.csv"
    path.write_text('x,t"0,click,buy\n' + "1,2,1,1\n2,1,0,1\n3,2,0,0\n" * 20)
    done = fit(shell, path)
    assert done.code == 2
    assert 'column name with a quote (") inside' in done.err
    path.write_text('"x, or ""x""",t,click,buy\n' + "1,2,1,1\n2,1,0,1\n3,2,0,0\n" * 20)
    done = fit(shell, path)
    assert done.code == 0, done.err
    assert open_table(str(path)).read().columns[0] == 'x, or "x"'
    ranked = tmp_path / "ranked.csv"
    done = shell("rank", path, "--model", tmp_path / "m", "--out", ranked)
    assert done.code == 0, done.err
    assert ranked.read_text().startswith('"x, or ""x""",t,click,buy,score\n')


def test_a_name_longer_than_what_tells_formats_apart(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"x,{'q' * 70_000},click,buy\n" + "1,2,1,1\n2,2,0,1\n3,2,0,0\n" * 20)
    done = fit(shell, path)
    assert done.code == 0, done.err
    assert "letters) is not used" in done.err
    assert len(done.err) < 1000


def test_fields_longer_than_pythons_reader_takes(shell: Shell, tmp_path: Path) -> None:
    """Which counts them where a row may be short."""
    path, text = tmp_path / "long.csv", "a" * 140_000
    path.write_text(f"x,text,click,buy,z\n1,{text},1,0,\n2,{text},0,1,3\n" + "3,b,0,0,1\n" * 20)
    done = fit(shell, path, "--no-tune")
    assert done.code == 0, done.err


def test_names_that_are_longer_together(shell: Shell, tmp_path: Path) -> None:
    """The last names of a header of 70 kB are not cut to doubles of each other."""
    path = tmp_path / "wide.csv"
    names = [f"{k:03} {'x' * 96}" for k in range(700)]
    rows = "".join(f"{k % 3},{'1,' * 699}{k % 2},{k % 5 == 0:d}\n" for k in range(60))
    path.write_text(f"{','.join(names)},click,buy\n{rows}")
    done = fit(shell, path, "--no-tune")
    assert done.code == 0, done.err
    assert len(done.err.splitlines()) == 2
    assert "and 693 more are not used" in done.err


def test_the_last_name_that_is_looked_at_may_be_cut(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = ",".join(f"c{k}" for k in range(12_000))
    assert names[: 1 << 16].endswith(",c10")
    path.write_text(f"{names},click,buy\n" + "".join(f"{k}," * 12_000 + "1,0\n" for k in (1, 2)))
    done = fit(shell, path)
    assert "two columns named" not in done.err


def test_gzip_may_unpack_to_what_fits_the_memory(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv.gz"
    text = make_table().write_csv().encode()
    path.write_bytes(gzip.compress(text))
    n_fields = text.count(b"\n") + text.count(b",")
    needed = 48 * n_fields + 4 * len(text)
    for limit, code in ((2 * needed, 0), (2 * needed - 2, 2)):
        monkeypatch.setattr(_table_files, "memory_limit", lambda limit=limit: limit)
        done = fit(shell, path, "--no-tune")
        assert done.code == code, done.err
    assert "unpacks to 0 million fields or more" in done.err


@pytest.mark.parametrize("content", [b",,,,,,,\n", b"1\n", b'{"a":[1,1,1,1,1,1,1]}\n', b"x" * 99])
def test_a_gzip_bomb_is_not_unpacked_whole(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"a,b,c,d,e,f,g,h\n" + content * (2**26 // len(content)), 1))
    monkeypatch.setattr(_table_files, "memory_limit", lambda: 2 * 10**8)
    monkeypatch.setattr(_table_files, "_UNPACKED", 2**18)
    tracemalloc.start()
    done = shell("audit", path, *BOTH, "--score", "x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert done.code == 2
    assert "unpacks to" in done.err
    assert peak < 10**8


def test_a_long_parquet_file_is_read_in_pieces_or_refused(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal values take no room in the file."""
    path = tmp_path / "table.parquet"
    make_table().write_parquet(path)
    claims = claims_of(path)
    assert claims is not None
    needed = 48 * claims.n_values + 4 * claims.n_bytes
    for limit, code in ((2 * needed, 0), (2 * needed - 2, 2)):
        monkeypatch.setattr(_table_files, "memory_limit", lambda limit=limit: limit)
        done = fit(shell, path, "--no-tune")
        assert done.code == code, done.err
    assert "which may take 0.0 GB: more than half of the 0.0 GB of memory" in done.err
    done = shell("sketch", path, *BOTH, "--score", "score", "--out", tmp_path / "s")
    assert done.code == 0, done.err


@pytest.mark.parametrize("texts", ["equal", "different"])
def test_long_texts_in_a_small_parquet_file(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: str
) -> None:
    """Equal ones are one in the file, and in memory until something is made of them."""
    path, long = tmp_path / "t.parquet", pl.lit("a" * 100_000)
    same = long if texts == "equal" else pl.concat_str(long, pl.int_range(pl.len()))
    make_table().with_columns(text=same).write_parquet(path, compression="zstd")
    assert path.stat().st_size < 10**5
    monkeypatch.setattr(_table_files, "memory_limit", lambda: 2 * 10**8)
    done = fit(shell, path, "--no-tune")
    assert done.code == 2
    assert "which may take 0.1 GB: more than half of the 0.2 GB of memory" in done.err


def test_the_terminal_obeys_no_name(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "red.csv"
    make_table().rename({"click": RED}).with_columns(text=pl.lit("\x9b2J")).write_csv(path)
    labels = ("--labels", RED, "--labels", "buy")
    for command in (
        ("audit", path, *labels, "--score", "score"),
        ("compare", path, *labels, "--no-tune", "--family", "linear", "--folds", "2"),
        ("fit", path, *labels, "--method", "mean", "--out", tmp_path / "m"),
        ("fit", path, "--labels", "nothing", "--method", "mean", "--out", tmp_path / "m"),
    ):
        done = shell(*command)
        assert "\x1b[31m" not in done.out + done.err
        assert "\x07" not in done.out + done.err


def test_suggested_options_can_be_pasted(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    names = range(300)
    words = pl.Series("a b; rm -r c", [f"w{name}" for name in names])
    make_table().drop("id").with_columns(words).write_csv(path)
    done = fit(shell, path)
    assert "--text 'a b; rm -r c' uses its words" in done.err
    path = path.rename(tmp_path / "a b; rm -r c.csv")
    done = shell("compare", path)
    assert f"isonomy compare '{path}' --labels click" in done.err


def test_cells_that_spreadsheets_would_run_stay_as_they_are(shell: Shell, tmp_path: Path) -> None:
    """As docs/command-line.md says, which warns of them."""
    formula = '=HYPERLINK("http://example.org/?"&A1;"x")'
    path, out = tmp_path / "formulas.csv", tmp_path / "o.csv"
    make_table().with_columns(id=pl.lit(formula), extra=pl.lit("@SUM(A1)")).write_csv(path)
    assert fit(shell, path, "--no-tune", "--features", "x").code == 0
    done = shell("rank", path, "--model", tmp_path / "m", "--score-name", "s", "--out", out)
    assert done.code == 0, done.err
    found = pl.read_csv(out)
    assert found["id"].unique().to_list() == [formula]
    assert found["extra"].unique().to_list() == ["@SUM(A1)"]


def test_a_field_of_a_request_that_is_nested_deep() -> None:
    deep = "[" * 100_000
    assert parse_params([f"x={deep}"])["x"] == deep


def test_a_closed_standard_input_is_empty(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    done = shell("audit", "-", *BOTH, "--score", "x")
    assert done.code == 2
    assert "Standard input is empty" in done.err
    sys.stdin.close()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("labels", 0, "prior", "value"), 10**400),
        (("labels",), "none"),
        (("n_rows",), "many"),
        (("labels", 0, "name"), 3),
    ],
    ids=["400 digits", "text for a list", "text for a number", "number for a name"],
)
def test_an_earlier_audit_with_fields_of_other_kinds(
    shell: Shell, file: Path, tmp_path: Path, place: tuple[str | int, ...], value: object
) -> None:
    audit = ("audit", file, *BOTH, "--score", "score")
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    assert shell(*audit, "--json", good).code == 0
    document = json.loads(good.read_text())
    part = document
    for step in place[:-1]:
        part = part[step]
    assert place[-1] in part
    part[place[-1]] = value
    sys.set_int_max_str_digits(5000)
    bad.write_text(json.dumps(document))
    done = shell(*audit, "--baseline", bad)
    assert done.code == 2
    assert "is not what `isonomy audit --json` wrote" in done.err


@pytest.mark.parametrize("field", ['"2,1,0', '2,1,"0'])
def test_a_quote_that_nothing_closes(field: str, shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "open.csv"
    path.write_text(f"score,click,buy\n1,0,1\n{field}\n3,1,1\n")
    done = shell("audit", path, *BOTH, "--score", "score")
    assert done.code == 2
    assert "a field opens a quote that nothing closes; close it, or write it twice" in done.err
