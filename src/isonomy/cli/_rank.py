"""`isonomy rank`: a saved model's score for every row, piece by piece."""

from __future__ import annotations

import contextlib
import gzip
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from isonomy._infra import check_writable, progress, replacing
from isonomy._models import load
from isonomy._rankers import TableEncoder
from isonomy.cli._console import Messages
from isonomy.cli._errors import BrokenOutputPipeError, UserError
from isonomy.cli._labels import numeric_column
from isonomy.cli._ranked import sorted_rows, top, with_ranks
from isonomy.cli._table_files import Source, need_columns, open_table, polars_errors_explained

# Rows that are held in memory at a time.
PIECE = 100_000
# The name of the column with ranks, unless the user has another.
RANK = "rank"
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


def rank(
    talk: Messages,
    file: str,
    *,
    model: str,
    out: str,
    score_name: str,
    sort: bool,
    n_best: int | None,
    rank_name: str | None,
    separator: str | None,
    trusted: list[str],
) -> None:
    """Write the table with one more column, the score; with an order, also the rank."""
    if sort or n_best is not None:
        rank_name = rank_name or RANK
    if not score_name:
        raise UserError("--score-name should name the new column. Found nothing.")
    if score_name == rank_name:
        raise UserError(f"--score-name and --rank-name are both {score_name!r}. Change one.")
    kind = "csv" if out == "-" else _format_of(out)
    if out != "-":
        check_writable(out, "--out")
    ranker = load(model, trusted=trusted)
    source = open_table(file, separator)
    with polars_errors_explained(source.name):
        lazy = source.scan()
        schema = dict(lazy.collect_schema())
    if source.format == "csv" and kind not in ("csv", "tsv"):
        # CSV to CSV keeps the text of every field; other formats want types.
        table = source.read()
        lazy, schema = table.lazy(), dict(table.schema)
    for name, what in ((score_name, "score"), (rank_name, "rank")):
        if name in schema:
            raise UserError(
                f"{source.name} has a column {name!r} already. Choose another name for the "
                f"{what} with --{what}-name."
            )
    _check_types(schema, kind)
    schema[score_name] = pl.Float64()
    if rank_name is not None:
        schema[rank_name] = pl.Int64()
    with talk.while_working():
        scored = _Scored(ranker, lazy, score_name, source)
        with scored.errors_explained():
            pieces = _arranged(scored, sort=sort, n_best=n_best, rank_name=rank_name)
            lazy = register_io_source(pieces, schema=schema)
            if out == "-":
                _print(lazy, kind)
            else:
                with replacing(out) as new, new.open("wb") as stream:
                    if out.endswith(".gz"):
                        # Without a time or a name, so that the same rows give the same bytes.
                        with gzip.GzipFile("", "wb", GZIP_LEVEL, stream, mtime=0) as packed:
                            _write(lazy, packed, kind)
                    else:
                        _write(lazy, stream, kind)
    kept = "" if n_best is None else f", the best {min(n_best, scored.n_rows):,} kept"
    talk.say(f"{scored.n_rows:,} rows scored{kept}{'' if out == '-' else f': {out}'}")


def _arranged(
    scored: _Scored, *, sort: bool, n_best: int | None, rank_name: str | None
) -> Callable[..., Iterator[pl.DataFrame]]:
    """The scored pieces as they should be written, for polars to pull from."""

    def pieces(*_: Any) -> Iterator[pl.DataFrame]:
        if rank_name is None:
            return scored.pieces()
        if n_best is not None:
            return top(scored.pieces, n_best, scored.name, rank_name)
        if sort:
            return sorted_rows(scored.pieces, PIECE, scored.name, rank_name)
        return with_ranks(scored.pieces, scored.name, rank_name)

    return pieces


class _Scored:
    """The pieces of a table, with their scores."""

    def __init__(self, ranker: Any, lazy: pl.LazyFrame, name: str, source: Source) -> None:
        self.ranker, self.lazy, self.name, self.source = ranker, lazy, name, source
        self.n_rows = 0
        self.error: BaseException | None = None

    def pieces(self, *_: Any) -> Iterator[pl.DataFrame]:
        """For polars to pull from. It would dress our errors up, so they are kept."""
        try:
            total = self.lazy.select(pl.len()).collect().item()
            steps = progress(self._rows(total), -(-total // PIECE), "scoring")
            for piece in steps:
                if piece.height:
                    score = np.asarray(self.ranker.predict(self._features(piece)), np.float64)
                    yield piece.with_columns(pl.Series(self.name, score))
                    self.n_rows += piece.height
        except Exception as error:
            self.error = error
            raise

    def _rows(self, total: int) -> Iterator[pl.DataFrame]:
        """The table, some rows at a time."""
        if self.source.format == "parquet":
            # Slices read no more than they need, of row groups of any size.
            for start in range(0, total, PIECE):
                yield self.lazy.slice(start, PIECE).collect()
        else:
            yield from self.lazy.collect_batches(chunk_size=PIECE, maintain_order=True)

    def _features(self, piece: pl.DataFrame) -> pl.DataFrame:
        """What the model takes: the raw table where it encodes it, else its columns, as numbers."""
        if isinstance(getattr(self.ranker, "steps", [(None, None)])[0][1], TableEncoder):
            return piece
        names = getattr(self.ranker, "feature_names_in_", None)
        if names is None:
            raise UserError(
                "--model: it was fitted without column names, so its columns cannot be found. "
                "Fit it on a data frame, or with `isonomy fit`."
            )
        need_columns(piece.columns, list(names), self.source, "--model")
        return pl.DataFrame({name: numeric_column(piece, name, "--model") for name in names})

    @contextlib.contextmanager
    def errors_explained(self) -> Iterator[None]:
        """Our own errors as they were raised, and polars' in plain words."""
        try:
            with polars_errors_explained(self.source.name):
                yield
        except (UserError, pl.exceptions.PolarsError):
            if self.error is not None and not isinstance(self.error, pl.exceptions.PolarsError):
                raise self.error from None
            raise


def _format_of(out: str) -> str:
    suffix = Path(out.removesuffix(".gz")).suffix.lower()
    if suffix not in _SUFFIXES:
        raise UserError(
            f"--out should end in one of {', '.join(_SUFFIXES)} (text also with .gz), so that its "
            f"format is known. Found {out}."
        )
    if _SUFFIXES[suffix] == "parquet" and out.endswith(".gz"):
        raise UserError("--out: Parquet is compressed inside. Leave the .gz out.")
    return _SUFFIXES[suffix]


def _check_types(schema: dict[str, pl.DataType], kind: str) -> None:
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


def _print(lazy: pl.LazyFrame, kind: str) -> None:
    try:
        _write(lazy, sys.stdout.buffer, kind)
    except OSError as error:
        # From polars it has no errno.
        if "Broken pipe" in str(error):
            raise BrokenOutputPipeError from None
        raise


def _write(lazy: pl.LazyFrame, target: Any, kind: str) -> None:
    if kind == "parquet":
        lazy.sink_parquet(target)
    elif kind == "jsonl":
        lazy.sink_ndjson(target)
    else:
        lazy.sink_csv(target, separator="\t" if kind == "tsv" else ",")
