"""Scored pieces of a table in the order of their scores, with ranks, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from isonomy._core import FloatArray
from isonomy._infra import scratch_folder

# Of a sorted table, so that there are not too many files.
MOST_PARTS = 64
# Pieces of a table, each with its scores.
Pieces: TypeAlias = Callable[..., Iterable[pl.DataFrame]]


def best_first(scores: FloatArray) -> NDArray[np.int64]:
    """The rows by their scores, the highest first; equal ones in the order of the table.

    >>> best_first(np.array([1.0, 3.0, np.nan, 3.0])).tolist()
    [1, 3, 0, 2]
    """
    return np.argsort(-scores, kind="stable")


def ranks(ordered: FloatArray, start: int = 0) -> NDArray[np.int64]:
    """Ranks of scores that are in order: 1 is the best, and equal scores share the best of theirs.

    >>> ranks(np.array([3.0, 3.0, 1.0])).tolist()
    [1, 1, 3]
    """
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    places = np.arange(start + 1, start + 1 + len(ordered))
    return np.maximum.accumulate(np.where(new, places, 0))


def top(pieces: Pieces, n: int, score: str, rank: str) -> Iterator[pl.DataFrame]:
    """The n best rows. Memory: they and one piece."""
    best: pl.DataFrame | None = None
    for piece in pieces():
        both = piece if best is None else pl.concat([best, piece])
        best = both[best_first(both[score].to_numpy())[:n]]
    if best is not None:
        yield best.with_columns(pl.Series(rank, ranks(best[score].to_numpy())))


def sorted_rows(pieces: Pieces, size: int, score: str, rank: str) -> Iterator[pl.DataFrame]:
    """All rows, the best first, in parts. Memory: two parts, and 32 bytes a row.

    Pieces wait on the disk, each in order. A part of the whole order is then, in each piece, a
    run of rows, because the whole has the rows of a piece in the piece's order.
    """
    with scratch_folder() as folder:
        files, scores = _put_aside(pieces, folder, score, in_order=True)
        if not files:
            return
        starts = np.concatenate([[0], np.cumsum([len(each) for each in scores])])
        everything = np.concatenate(scores)
        order = best_first(everything)
        rank_of = ranks(everything[order])
        # Not more parts than this: each holds a file for each piece.
        size = max(size, -(-len(order) // MOST_PARTS))
        owner = np.searchsorted(starts, order, side="right") - 1
        n_parts = -(-len(order) // size)
        cell = owner * n_parts + np.arange(len(order)) // size
        runs = np.bincount(cell, minlength=len(files) * n_parts).reshape(len(files), n_parts)
        _cut(files, runs)
        taken = starts[:-1].copy()
        for part in range(n_parts):
            there = np.flatnonzero(runs[:, part])
            rows = order[part * size : (part + 1) * size]
            # By their numbers in all pieces, the rows as they come from the files.
            numbers = [np.arange(taken[k], taken[k] + runs[k, part]) for k in there]
            together = pl.concat([pl.read_ipc(_part_of(files[k], part)) for k in there])
            taken += runs[:, part]
            found = together[np.searchsorted(np.concatenate(numbers), rows)]
            own = rank_of[part * size : (part + 1) * size]
            yield found.with_columns(pl.Series(rank, own))


def _cut(files: list[Path], runs: NDArray[np.int64]) -> None:
    """Each piece into its runs, a file each, in the place of the piece."""
    for file, lengths in zip(files, runs, strict=True):
        piece, start = pl.read_ipc(file), 0
        for part, length in enumerate(lengths.tolist()):
            if length:
                piece.slice(start, length).write_ipc(_part_of(file, part))
            start += length
        file.unlink()


def _part_of(file: Path, part: int) -> Path:
    return file.with_name(f"{file.stem}-{part}.arrow")


def with_ranks(pieces: Pieces, score: str, rank: str) -> Iterator[pl.DataFrame]:
    """All rows in the order of the table, with their ranks. Memory: a piece, 24 bytes a row."""
    with scratch_folder() as folder:
        files, scores = _put_aside(pieces, folder, score, in_order=False)
        if not files:
            return
        everything = np.concatenate(scores)
        order = best_first(everything)
        found = np.empty(len(order), np.int64)
        found[order] = ranks(everything[order])
        start = 0
        for file in files:
            piece = pl.read_ipc(file)
            yield piece.with_columns(pl.Series(rank, found[start : start + piece.height]))
            start += piece.height


def _put_aside(
    pieces: Pieces, folder: Path, score: str, *, in_order: bool
) -> tuple[list[Path], list[FloatArray]]:
    """Each piece in a file, perhaps in the order of its scores; and its scores."""
    files: list[Path] = []
    scores: list[FloatArray] = []
    for piece in pieces():
        kept = piece[best_first(piece[score].to_numpy())] if in_order else piece
        files.append(folder / f"{len(files)}.arrow")
        kept.write_ipc(files[-1])
        scores.append(kept[score].to_numpy())
    return files, scores
