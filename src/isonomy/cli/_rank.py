"""`isonomy rank`: a saved model's score for every row, piece by piece."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from isonomy._core import FloatArray
from isonomy._infra import is_text, progress
from isonomy._models import load
from isonomy._rankers import TableEncoder
from isonomy.cli._console import Messages
from isonomy.cli._data import finite_column
from isonomy.cli._errors import BrokenOutputPipeError, UserError
from isonomy.cli._many_files import Parts, Piece, files_of, open_tables
from isonomy.cli._ranked import sorted_rows, top, with_ranks
from isonomy.cli._table_files import check_outputs, need_columns, polars_errors_explained
from isonomy.cli._table_outputs import check_types, format_of, write_rows, write_table

# Rows that are held in memory at a time.
PIECE = 100_000
# The name of the column with ranks, unless the user has another.
RANK = "rank"


def rank(
    talk: Messages,
    files: list[str],
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
    for option, new in (("--score-name", score_name), ("--rank-name", rank_name or "")):
        if not is_text(new):
            raise UserError(f"{option} should be text in UTF-8. Found {new!a}.")
    if score_name == rank_name:
        raise UserError(f"--score-name and --rank-name are both {score_name!r}. Change one.")
    kind = "csv" if out == "-" else format_of(out)
    if out != "-":
        # One table may be replaced by itself with scores; of several, one would be lost.
        inside = files_of(files)
        check_outputs(inside if len(inside) > 1 else [], {"--out": out})
    ranker = load(model, trusted=trusted)
    parts = open_tables(files, separator)
    source = parts.parts[0].source
    parts.columns  # noqa: B018 (an error where a part has others)
    with polars_errors_explained(source.name):
        schema = dict(parts.parts[0].scan().collect_schema())
    table = None
    if source.format == "csv" and kind not in ("csv", "tsv"):
        # CSV to CSV keeps the text of every field; other formats want types.
        if parts.single is None:
            raise UserError(
                f"--out: several CSV files should go to .csv or .tsv, which keep their text. Found "
                f"{out}. Rank them one by one, or bring Parquet."
            )
        table = source.read()
        schema = dict(table.schema)
    _check_alike(parts, schema)
    for name, what in ((score_name, "score"), (rank_name, "rank")):
        if name in schema:
            raise UserError(
                f"{source.name} has a column {name!r} already. Choose another name for the "
                f"{what} with --{what}-name."
            )
    check_types(schema, kind)
    schema[score_name] = pl.Float64()
    if rank_name is not None:
        schema[rank_name] = pl.Int64()
    with talk.while_working():
        scored = _Scored(ranker, parts, table, score_name)
        with scored.errors_explained():
            pieces = _arranged(scored, sort=sort, n_best=n_best, rank_name=rank_name)
            lazy = register_io_source(pieces, schema=schema)
            if out == "-":
                _print(lazy, kind)
            else:
                write_table(lazy, out)
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

    def __init__(self, ranker: Any, parts: Parts, table: pl.DataFrame | None, name: str) -> None:
        self.ranker, self.parts, self.table, self.name = ranker, parts, table, name
        self.source = parts.parts[0].source
        self.n_rows = 0
        self.error: BaseException | None = None

    def pieces(self, *_: Any) -> Iterator[pl.DataFrame]:
        """For polars to pull from. It would dress our errors up, so they are kept."""
        try:
            total = sum(part.n_rows for part in self.parts.parts)
            for piece in progress(self._rows(), -(-total // PIECE), "scoring"):
                if piece.table.height:
                    score = pl.Series(self.name, self._scores(piece))
                    yield piece.table.with_columns(score)
                    self.n_rows += piece.table.height
        except Exception as error:
            self.error = error
            raise

    def _rows(self) -> Iterator[Piece]:
        """The table, some rows at a time."""
        if self.table is not None:
            yield from _slices(Piece(self.table, self.source, 1))
            return
        columns = self.parts.columns
        for piece in self.parts.pieces(columns):
            self.source = piece.source
            yield from _slices(piece)

    def _scores(self, piece: Piece) -> FloatArray:
        """Of some rows; a mistake in any but the first of a single table is told with its place."""
        alone = piece.first == 1 and self.parts.single is not None
        with contextlib.nullcontext() if alone else piece.errors_located():
            return np.asarray(self.ranker.predict(self._features(piece.table)), np.float64)

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
        return pl.DataFrame({name: finite_column(piece, name, "--model") for name in names})

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


def _slices(piece: Piece) -> Iterator[Piece]:
    """Pieces no larger than are held in memory at a time."""
    for start in range(0, piece.table.height, PIECE):
        yield Piece(piece.table[start : start + PIECE], piece.source, piece.first + start)


def _check_alike(parts: Parts, schema: dict[str, pl.DataType]) -> None:
    """One table has one type in each column."""
    for part in parts.parts[1:]:
        with polars_errors_explained(part.source.name):
            own = dict(part.scan().collect_schema())
        odd = [name for name in schema if own[name] != schema[name]]
        if odd:
            raise UserError(
                f"{part.source.name}: column {odd[0]!r} should hold {schema[odd[0]]}, as in "
                f"{parts.parts[0].source.name}. Found {own[odd[0]]}."
            )


def _print(lazy: pl.LazyFrame, kind: str) -> None:
    try:
        write_rows(lazy, sys.stdout.buffer, kind)
    except OSError as error:
        # From polars it has no errno.
        if "Broken pipe" in str(error):
            raise BrokenOutputPipeError from None
        raise
