"""Tables out: the format is told by the file's ending."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars as pl

from isonomy._infra import replacing
from isonomy.cli._errors import UserError

# As the program gzip has it.
GZIP_LEVEL = 6

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


def format_of(out: str) -> str:
    """What the ending of a file's name says: csv, tsv, parquet or jsonl."""
    suffix = Path(out.removesuffix(".gz")).suffix.lower()
    if suffix not in _SUFFIXES:
        raise UserError(
            f"--out should end in one of {', '.join(_SUFFIXES)} (text also with .gz), so that its "
            f"format is known. Found {out}."
        )
    if _SUFFIXES[suffix] == "parquet" and out.endswith(".gz"):
        raise UserError("--out: Parquet is compressed inside. Leave the .gz out.")
    return _SUFFIXES[suffix]


def check_types(schema: dict[str, pl.DataType], kind: str) -> None:
    """Text formats do not take all that Parquet and JSON hold."""
    for name, dtype in schema.items():
        beyond = "Binary" in str(dtype)
        if kind in ("csv", "tsv"):
            beyond = beyond or dtype.is_nested() or dtype == pl.Duration
        if kind != "parquet" and beyond:
            raise UserError(
                f"--out: {kind} cannot hold column {name!r} of type {dtype}. Write .parquet, or "
                "drop the column first."
            )


def write_table(lazy: pl.LazyFrame, out: str) -> None:
    """The whole table, or the file as it was."""
    kind = format_of(out)
    with replacing(out) as new, new.open("wb") as stream:
        if out.endswith(".gz"):
            # Without a time or a name, so that the same rows give the same bytes.
            with gzip.GzipFile("", "wb", GZIP_LEVEL, stream, mtime=0) as packed:
                write_rows(lazy, packed, kind)
        else:
            write_rows(lazy, stream, kind)


def write_rows(lazy: pl.LazyFrame, target: Any, kind: str) -> None:
    """The rows of a table, to a stream."""
    if kind == "parquet":
        lazy.sink_parquet(target)
    elif kind == "jsonl":
        lazy.sink_ndjson(target)
    else:
        lazy.sink_csv(target, separator="\t" if kind == "tsv" else ",")
