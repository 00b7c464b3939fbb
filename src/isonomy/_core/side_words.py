"""Many labels, or terms, of a row as words of bits: no patterns have to be found for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core.codes import Codes, narrow, number_occurring, number_values
from isonomy._core.kernels.side_words import (
    conflict_sides,
    pack_bytes,
    pack_sides,
    renumber,
    tally,
    ternary_codes,
    unpack_sides,
)
from isonomy._core.validation import FloatArray
from isonomy._infra import chunks, default_threads, run_all

WORD = 64
# Rows that one thread packs at a time, and those that are looked at first.
CHUNK, HEAD = 1 << 14, 64


@dataclass(frozen=True, eq=False)
class SideWords:
    """On which side of each of many columns each row stands: yes, no, or neither.

    Attributes
    ----------
    sides : ndarray of uint64, shape (blocks, rows, 2)
        Bit k of block b: whether column 64 b + k is yes, and whether it is no.
    n_columns : int
        Number of columns.
    """

    sides: NDArray[np.uint64]
    n_columns: int

    @classmethod
    def of_table(cls, table: NDArray[Any]) -> SideWords | None:
        """Those of a label table; None where a value is not 0, 1 or NaN."""
        n, n_columns = table.shape
        sides = _room(n, n_columns)
        if not pack_sides(table[:HEAD], sides[:, :HEAD]):
            return None
        pieces = chunks(n, CHUNK)

        one_byte = table.dtype.itemsize == 1 and table.flags.c_contiguous

        def work(start: int, stop: int) -> bool:
            rows, words = table[start:stop], sides[:, start:stop]
            if one_byte:
                return pack_bytes(rows.reshape(-1).view(np.uint8), n_columns, words)
            return pack_sides(rows, words)

        known = all(run_all(work, pieces, default_threads(table.size // 8)))
        return cls(sides, n_columns) if known else None

    @classmethod
    def joined(cls, parts: Sequence[SideWords]) -> SideWords:
        """The columns of several, one after another."""
        n_columns = sum(part.n_columns for part in parts)
        sides, at = np.zeros_like(_room(len(parts[0]), n_columns)), 0
        for part in parts:
            for block, words in enumerate(part.sides):
                begin = at + WORD * block
                shift = np.uint64(begin % WORD)
                sides[begin // WORD] |= words << shift
                if shift and begin // WORD + 1 < len(sides):
                    sides[begin // WORD + 1] |= words >> (np.uint64(WORD) - shift)
            at += part.n_columns
        return cls(sides, n_columns)

    def __len__(self) -> int:
        return int(self.sides.shape[1])

    def take(self, rows: NDArray[np.integer[Any]]) -> SideWords:
        """Some of the rows, by their numbers."""
        return SideWords(np.ascontiguousarray(self.sides[:, rows]), self.n_columns)

    def conflicts(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> SideWords:
        """Pairs of columns: rows with the first alone are yes, with the second alone no."""
        found = _room(len(self), first.size)

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            conflict_sides(self.sides[:, rows], first, second, found[:, rows])

        run_all(work, chunks(len(self), CHUNK), default_threads(len(self)))
        return SideWords(found, first.size)

    def column(self, k: int) -> Codes:
        """0 for no, 1 for yes, 2 for neither, of each row."""
        yes, no = (self.sides[k // WORD].T >> np.uint64(k % WORD)) & np.uint64(1)
        return np.where(yes | no, yes, 2).astype(np.uint8)

    @property
    def table(self) -> FloatArray:
        """1 for yes, 0 for no, NaN for neither, (rows, columns)."""
        found = np.empty((len(self), self.n_columns))
        unpack_sides(self.sides, found)
        return found

    def few_patterns(self) -> tuple[Codes, FloatArray]:
        """As `numbered`, of up to ten columns: a pattern is a number in base 3."""
        sets = np.arange(2**self.n_columns)[:, None] >> np.arange(self.n_columns) & 1
        powers = 3 ** np.arange(self.n_columns)
        codes, occurs = np.empty(len(self), np.uint16), np.zeros(3**self.n_columns, np.bool_)
        ternary_codes(self.sides[0], (sets @ powers).astype(np.uint16), codes, occurs)
        old = np.flatnonzero(occurs)
        renumber(codes, (np.cumsum(occurs) - 1).astype(np.uint16))
        return narrow(codes, old.size), np.array([0.0, 1.0, np.nan])[old[:, None] // powers % 3]

    def tallies(self) -> tuple[Codes, FloatArray]:
        """A number for how many yes and how many no each row has, and a row with each.

        As `numbered`, for what does not care which columns they are.
        """
        size = self.n_columns + 1
        codes, occurs = np.empty(len(self), np.uint32), np.zeros(size * size, np.bool_)
        pieces, threads = chunks(len(self), CHUNK), default_threads(len(self))
        run_all(lambda a, b: tally(self.sides[:, a:b], size, codes[a:b], occurs), pieces, threads)
        yes, no = np.divmod(np.flatnonzero(occurs), size)
        new = (np.cumsum(occurs) - 1).astype(np.uint32)
        run_all(lambda a, b: renumber(codes[a:b], new), pieces, threads)
        column = np.arange(self.n_columns)
        known = np.where(column < (yes + no)[:, None], 0.0, np.nan)
        return narrow(codes, yes.size), np.where(column < yes[:, None], 1.0, known)

    @cached_property
    def numbered(self) -> tuple[Codes, FloatArray]:
        """The pattern of each row, and the patterns, as in `Labels`."""
        codes: Codes = np.zeros(len(self), np.uint8)
        n_codes = 1
        for words in (column for block in self.sides for column in block.T):
            digits, values = number_values(np.ascontiguousarray(words))
            joint = codes.astype(np.int64) * values.size + digits
            codes, old = number_occurring(joint, n_codes * values.size)
            n_codes = old.size
        # One row of each pattern.
        rows = np.zeros(n_codes, np.int64)
        rows[codes] = np.arange(len(self))
        return narrow(codes, n_codes), self.take(rows).table


def _room(n: int, n_columns: int) -> NDArray[np.uint64]:
    return np.empty((-(-n_columns // WORD), n, 2), np.uint64)
