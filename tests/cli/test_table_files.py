"""Whatever a file is called, its table is found."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

from isonomy.cli._errors import UserError
from isonomy.cli._table_files import open_table

TABLE = pl.DataFrame(
    {"a": [1.0, 2.5, None], "b, c": ['say "x"', "é;|", None], "d": [0.0, 1.0, 0.0]}
)


def as_parquet(table: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


FORMATS = {
    "csv": TABLE.write_csv().encode(),
    "semicolons": TABLE.write_csv(separator=";").encode(),
    "tabs": TABLE.write_csv(separator="\t").encode(),
    "bars": TABLE.write_csv(separator="|").encode(),
    "byte order mark": b"\xef\xbb\xbf" + TABLE.write_csv().encode(),
    "windows lines": TABLE.write_csv(line_terminator="\r\n").encode(),
    "no last newline": TABLE.write_csv().encode().rstrip(b"\n"),
    "json lines": TABLE.write_ndjson().encode(),
    "parquet": as_parquet(TABLE),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_table(tmp_path: Path, name: str, zipped: bool) -> None:
    data = gzip.compress(FORMATS[name], mtime=0) if zipped else FORMATS[name]
    path = tmp_path / "table.anything"
    path.write_bytes(data)
    source = open_table(str(path))
    assert source.read().equals(TABLE)
    assert source.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("name", FORMATS)
def test_standard_input_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FORMATS[name])))
    source = open_table("-")
    assert source.read().equals(TABLE)
    assert source.sha256 == hashlib.sha256(FORMATS[name]).hexdigest()


def test_numbers_need_every_value_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d\n1,x,NA,\n-2e3,1, 7,\n")
    found = open_table(str(path)).read()
    assert found["a"].to_list() == [1, -2000]
    assert found["b"].to_list() == ["x", "1"]
    assert found["c"].to_list() == [None, 7]
    assert found["d"].null_count() == 2


def test_a_separator_may_be_given(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a:b\n1:2\n")
    assert open_table(str(path), ":").read().columns == ["a", "b"]
    with pytest.raises(UserError, match="one character"):
        open_table(str(path), "::")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"  \n \n", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,2,3\n", "more fields than the header"),
        (b"a,b,c\n1,2,3\n4,5\n6,7,8\n", "line 3 has 2 fields where the header has 3"),
        (b"a,a\n1,2\n", "two columns named 'a'"),
        (b'a,"a"\n1,2\n', "two columns named 'a'"),
        ("a,b\né,1\n".encode("latin1"), "not UTF-8"),
        (b"\xff\xfea\0,\0b\0", "UTF-16"),
        (b"\0\1\2\3rubbish", "no table that Isonomy reads"),
        (b"PAR1rubbish", "cannot be read"),
        (b"\x1f\x8brubbish", "gzip data is broken"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 99, mtime=0)[:-9], "gzip data is broken"),
        (b'[{"a": 1}]', "JSON array.*jq -c"),
        (b'{"a": 1\n{"a": 2}\n', "cannot be read"),
        (b"PK\3\4\0\0", "no table that Isonomy reads"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    with pytest.raises(UserError, match=message):
        open_table(str(path)).read()


def test_missing_files_are_named_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a\n1\n")
    with pytest.raises(UserError, match=r"no file .*dta.csv.*mean 'data.csv'"):
        open_table(str(tmp_path / "dta.csv"))
    with pytest.raises(UserError, match="is a folder"):
        open_table(str(tmp_path))
    with pytest.raises(UserError, match="no file"):
        open_table(str(tmp_path / "none" / "x.csv"))


@pytest.mark.parametrize("name", FORMATS)
def test_names_are_no_patterns(tmp_path: Path, name: str) -> None:
    (tmp_path / "t1").write_bytes(b"other")
    path = tmp_path / "t[1]*?"
    path.write_bytes(FORMATS[name])
    assert open_table(str(path)).read().equals(TABLE)


@pytest.mark.parametrize("name", FORMATS)
def test_a_named_pipe_is_read_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(FORMATS[name],))
    writer.start()
    source = open_table(str(path))
    writer.join()
    assert source.read().equals(TABLE)
