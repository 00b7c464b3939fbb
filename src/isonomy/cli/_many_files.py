"""Tables in several files: patterns, folders and partitioned data sets, read piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import polars as pl

from isonomy._infra import real_path
from isonomy._partial import AUCSketch, is_sketch
from isonomy.cli._errors import UserError, raised_by_isonomy
from isonomy.cli._panics import panics_unheard
from isonomy.cli._table_files import Source, open_table, polars_errors_explained

# Rows that are held in memory at a time.
PIECE = 250_000
_PATTERN = set("*?[")
# How a folder is named where its rows have no value.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Part:
    """One file of a table, and what the names of its folders say of its rows (`day=3`)."""

    source: Source
    folder_values: dict[str, str | None]

    def scan(self, columns: Sequence[str] | None = None) -> pl.LazyFrame:
        """The part, to be read piece by piece; all columns, or some."""
        with panics_unheard():
            lazy = self.source.scan()
            held = lazy.collect_schema().names()
        added = {key: text for key, text in self.folder_values.items() if key not in held}
        lazy = lazy.with_columns(pl.lit(text, pl.String).alias(key) for key, text in added.items())
        return lazy if columns is None else lazy.select(columns)

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Some rows at a time."""
        with polars_errors_explained(self.source.name):
            lazy = self.scan(columns)
            if self.source.format == "parquet":
                # Slices read no more than they need, of row groups of any size.
                for start in range(0, self.n_rows, PIECE):
                    with panics_unheard():
                        piece = lazy.slice(start, PIECE).collect()
                    yield piece
            else:
                yield from lazy.collect_batches(chunk_size=PIECE, maintain_order=True)

    @cached_property
    def n_rows(self) -> int:
        """How many rows it has."""
        with polars_errors_explained(self.source.name), panics_unheard():
            return int(self.source.scan().select(pl.len()).collect().item())


class Piece(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    table : polars.DataFrame
    source : Source
        The file that they stand in.
    first : int
        Number of the first of them there, from 1.
    """

    table: pl.DataFrame
    source: Source
    first: int

    @contextmanager
    def errors_located(self) -> Iterator[None]:
        """Say of a mistake in these rows where they stand."""
        try:
            yield
        except (UserError, ValueError) as error:
            if not isinstance(error, UserError) and not raised_by_isonomy(error):
                raise
            where = f"{self.source.name}, rows from {self.first:,} on"
            raise UserError(f"{where}: {error}") from None


@dataclass(frozen=True)
class Parts:
    """A table in one file or many, with the same columns in each."""

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """What to call it."""
        first = self.parts[0].source.name
        return first if len(self.parts) == 1 else f"{first} and {len(self.parts) - 1} more"

    @property
    def single(self) -> Source | None:
        """The file, where there is only one."""
        return self.parts[0].source if len(self.parts) == 1 else None

    @cached_property
    def columns(self) -> list[str]:
        """Those that all parts have; an error where a part lacks one of the first part's."""
        with polars_errors_explained(self.parts[0].source.name):
            columns = self.parts[0].scan().collect_schema().names()
        for part in self.parts[1:]:
            with polars_errors_explained(part.source.name):
                own = part.scan().collect_schema().names()
            lacking = [name for name in columns if name not in own]
            if lacking or len(own) != len(columns):
                odd = lacking or [name for name in own if name not in columns]
                raise UserError(
                    f"{part.source.name} should have the columns of {self.parts[0].source.name}. "
                    f"Found a difference: {odd[0]!r} stands in one of them only."
                )
        return columns

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        """Some rows at a time, file by file."""
        for part in self.parts:
            first = 1
            for table in part.pieces(columns):
                if table.height:
                    yield Piece(table, part.source, first)
                first += table.height


def open_tables(names: Sequence[str], separator: str | None = None) -> Parts:
    """The tables that files, patterns ('part-*.parquet') and folders name, in order."""
    if "-" in names and len(names) > 1:
        raise UserError("Standard input (-) should be the only table. Name files, or - alone.")
    return Parts(
        tuple(
            Part(open_table(path, separator), {} if root is None else _folder_values(path, root))
            for path, root in _all_expanded(names)
        )
    )


def files_of(names: Sequence[str]) -> list[str]:
    """The files that names, patterns and folders lead to; they need not be there."""
    return [path for path, _ in _all_expanded(names)]


def open_sketches(names: Sequence[str]) -> dict[str, AUCSketch] | None:
    """The sketches that all names lead to, by their files; None where they lead to tables."""
    if "-" in names:
        return None
    paths = [Path(path) for path in files_of(names)]
    which = [path.is_file() and is_sketch(_head(path)) for path in paths]
    if not any(which):
        return None
    if not all(which):
        table = paths[which.index(False)]
        raise UserError(
            f"{table} is no sketch, but {paths[which.index(True)]} is. Audit sketches together, or "
            "tables; `isonomy sketch` makes one of a table."
        )
    found = {}
    for path in paths:
        try:
            found[str(path)] = AUCSketch.from_bytes(path.read_bytes())
        except ValueError as error:
            raise UserError(f"{path}: {error}") from None
    return found


def _all_expanded(names: Sequence[str]) -> list[tuple[str, Path | None]]:
    """As `_expanded`, of several; none should be there twice, or its rows would be."""
    found = [pair for name in names for pair in _expanded(name)]
    seen: set[Path] = set()
    for path, _ in found:
        where = real_path(path)
        if where in seen:
            raise UserError(f"{path} is named twice: its rows would count twice. Name it once.")
        seen.add(where)
    return found


def _expanded(name: str) -> list[tuple[str, Path | None]]:
    """The files of a name, each with the folder below which the names of folders are values."""
    path = Path(name)
    if path.is_dir():
        inside = [
            each
            for each in sorted(path.rglob("*"))
            if each.is_file() and not any(p[0] in "._" for p in each.relative_to(path).parts)
        ]
        if not inside:
            raise UserError(f"{name} is a folder without files. Name one that holds tables.")
        return [(str(each), path) for each in inside]
    if name == "-" or path.exists() or not _PATTERN & set(name):
        return [(name, None)]
    root = Path(path.anchor)
    matching = sorted(root.glob(str(path.relative_to(root)) if path.is_absolute() else name))
    if not matching:
        raise UserError(
            f"No file matches {name}. Name files, folders or a pattern that some match."
        )
    return [pair for each in matching for pair in _expanded(str(each))]


def _folder_values(path: str, root: Path) -> dict[str, str | None]:
    """What Hive, Spark and their like write into the names of folders."""
    folders = Path(path).relative_to(root).parts[:-1]
    pairs = (map(unquote, folder.split("=", 1)) for folder in folders if "=" in folder)
    return {key: None if text == _NO_VALUE else text for key, text in pairs}


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(16)
