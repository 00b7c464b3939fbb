"""Rows that have a score already: all of them, or a sketch of them where they are too many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from isonomy._core import Items
from isonomy._infra import progress
from isonomy._partial import AUCSketch
from isonomy.cli._console import Messages
from isonomy.cli._data import TableOptions, checked_items, find_roles
from isonomy.cli._errors import UserError
from isonomy.cli._labels import Roles, need_plain, score_column
from isonomy.cli._many_files import Part, Parts, Piece, open_tables
from isonomy.cli._table_files import Source, need_columns

# More rows than this are not held at once, if the question allows that.
MOST_AT_ONCE = 2_000_000
# About what a row of text takes.
_BYTES_OF_LINE = 100
# What the sketch of more rows may take; working with it takes about 50 times as much memory.
SKETCH_BYTES = 2_000_000


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows with scores and labels.

    Attributes
    ----------
    parts : Parts
        Where they came from.
    rows : Items or AUCSketch
        All of them with their scores, or what is kept of very many.
    segments : array, polars.Series or None
        The segment of each row.
    """

    parts: Parts
    rows: Items | AUCSketch
    segments: Any = None


def read_scored(
    talk: Messages,
    files: list[str],
    options: TableOptions,
    *,
    score: str,
    by: str | None,
    check: Callable[[Sequence[str]], None],
) -> Scored:
    """Read the columns that matter, piece by piece; a mistake is told before any work starts.

    `check` is called with the labels as soon as they are known.
    """
    parts = open_tables(files, options.separator)
    if parts.single is not None and not _is_long(parts.parts[0]):
        # The whole table at once: its types are known only then.
        table = parts.single.read()
        table = table.with_columns(
            pl.lit(text, pl.String).alias(key)
            for key, text in parts.parts[0].folder_values.items()
            if key not in table.columns
        )
        roles = _checked_roles(options, parts.single, table.columns, table, score, by, "audit")
        check(roles.labels)
        return _whole(parts, roles, table, score, by)
    columns, first = parts.columns, next(parts.pieces(), None)
    if first is None:
        raise UserError(f"{parts.name} has column names but no rows. Bring some.")
    roles = _checked_roles(options, first.source, columns, first.table, score, by, "audit")
    check(roles.labels)
    wanted = list(dict.fromkeys([score, *roles.columns, *([by] if by else [])]))
    kept, n_rows, sketch = [], 0, None
    needed = any((by, roles.group, roles.weight, roles.cluster))
    with talk.while_working():
        for piece in progress(parts.pieces(wanted), None, "reading"):
            n_rows += piece.table.height
            if sketch is not None:
                _add(sketch, piece, roles, score)
                continue
            kept.append(piece)
            if n_rows > MOST_AT_ONCE and not needed:
                sketch = AUCSketch(roles.labels, max_bytes=SKETCH_BYTES)
                for earlier in kept:
                    _add(sketch, earlier, roles, score)
                kept = []
    if sketch is not None:
        _check_both_classes(sketch)
        return Scored(parts, sketch)
    # A column of gaps in one file is one of numbers in another.
    table = pl.concat([piece.table for piece in kept], how="vertical_relaxed")
    return _whole(parts, roles, table, score, by)


def sketch_of(
    talk: Messages, files: list[str], options: TableOptions, score: str, max_bytes: int
) -> AUCSketch:
    """A sketch of all rows, read piece by piece."""
    parts = open_tables(files, options.separator)
    columns, first = parts.columns, next(parts.pieces(), None)
    if first is None:
        raise UserError(f"{parts.name} has column names but no rows. Bring some.")
    roles = _checked_roles(options, first.source, columns, first.table, score, None, "sketch")
    found = AUCSketch(roles.labels, max_bytes=max_bytes)
    with talk.while_working():
        for piece in progress(parts.pieces([score, *roles.columns]), None, "sketching"):
            _add(found, piece, roles, score)
    return found


def _is_long(part: Part) -> bool:
    """Whether there are probably more rows than are held at once; text tells by its size."""
    if part.source.format == "parquet":
        return part.n_rows > MOST_AT_ONCE
    data = part.source.data
    size = data.stat().st_size if isinstance(data, Path) else len(data)
    return size > MOST_AT_ONCE * _BYTES_OF_LINE


def _checked_roles(
    options: TableOptions,
    source: Source,
    columns: list[str],
    sample: pl.DataFrame,
    score: str,
    by: str | None,
    command: str,
) -> Roles:
    roles = find_roles(options, source, columns, sample, command)
    need_columns(columns, [score], source, "--score")
    if score in roles.labels:
        raise UserError(f"--score: {score!r} is a label. Name the score that you rank by.")
    if by is not None:
        need_columns(columns, [by], source, "--by")
        if by in roles.labels:
            raise UserError(
                f"--by: {by!r} is a label. Name a column of segments, such as a country."
            )
    return roles


def _whole(parts: Parts, roles: Roles, table: pl.DataFrame, score: str, by: str | None) -> Scored:
    items = checked_items(roles, table)
    scores = score_column(table, score)
    return Scored(parts, replace(items, scores=items.scored(scores).scores), _segments(table, by))


def _segments(table: pl.DataFrame, by: str | None) -> Any:
    if by is None:
        return None
    column = need_plain(table[by], "--by")
    # Numbers as they are: the audit knows whole ones, such as 22, by their values.
    return column.to_numpy() if column.dtype.is_float() else column.cast(pl.String)


def _add(sketch: AUCSketch, piece: Piece, roles: Roles, score: str) -> None:
    with piece.errors_located():
        counts = roles.counts(piece.table, whole=False)
        labels = roles.label_table(piece.table, whole=False)
        sketch.add(labels, score_column(piece.table, score), counts=counts)


def _check_both_classes(sketch: AUCSketch) -> None:
    labels, table = sketch.items().labels, sketch.table()
    for k, name in enumerate(labels.names):
        classes = [int(table.range_counts(labels.patterns[:, k] == v).sum()) for v in (0, 1)]
        if not all(classes):
            raise UserError(
                f"Label {name!r} has one class only: {classes[1]:,} positives, {classes[0]:,} "
                "negatives. Leave it out, or bring rows of the other class."
            )
