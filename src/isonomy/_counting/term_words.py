"""Terms as words of bits: the form in which up to 64 of them are counted at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import FloatArray, Preferences
from isonomy._counting.blocks import block_starts
from isonomy._counting.kernels.words import (
    Ranked,
    count_segments,
    pack_sides,
    sum_one_term,
    sum_segments,
)
from isonomy._infra import default_threads, run_all, segment_chunks

# Terms in a word.
WORD = 64
_ONE = np.uint64(1)
# Positions that a thread takes at a time; sums over them depend on nothing else.
TASK = 1 << 16
# Up to this many patterns their sums of ranks, where these are enough, are the fastest.
RANKED_PATTERNS = 1 << 12


@dataclass(frozen=True, eq=False)
class TermWords:
    """Which side of each term a pattern (or a row) stands on.

    Attributes
    ----------
    sides : ndarray of uint64, shape (blocks, patterns, 2)
        Words of the upper and the lower side, 64 terms at a time, one for each pattern.
    scale : ndarray of shape (terms,)
        What a pair of each term counts.
    """

    sides: NDArray[np.uint64]
    scale: FloatArray

    @classmethod
    def of(cls, preferences: Preferences) -> TermWords | None:
        """None where a term has patterns that count more than others, or on both sides."""
        if preferences.row_terms is not None:
            return cls(preferences.row_terms.sides, np.ones(preferences.n_terms))
        above, below = preferences.tables
        if preferences.two_sided or sparse.issparse(above):
            return None
        scale = np.ones(preferences.n_terms)
        for table in (above, below):
            if table.dtype != np.bool_:
                most = table.max(axis=0)
                if ((table != most) & (table != 0)).any():
                    return None
                scale *= most
        words = np.empty((-(-scale.size // WORD), preferences.n_patterns, 2), np.uint64)
        pack_sides(np.ascontiguousarray(above), np.ascontiguousarray(below), words)
        return cls(words, scale)

    def count(self, items: Ranked, starts: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        """Pairs in the right order, and all pairs, inside each group, (groups, terms): exact."""
        if starts.size > 2:
            right, above, below = self._counted(items, starts)
            return right * (0.5 * self.scale), (above * below) * self.scale
        right, above, below = self._counted(items, block_starts(items[1]))
        before = np.cumsum(below, axis=0) - below
        doubled = (right + 2 * above * before).sum(axis=0)
        pairs = above.sum(axis=0) * below.sum(axis=0)
        return (doubled * (0.5 * self.scale))[None, :], (pairs * self.scale)[None, :]

    def count_by_ranks(
        self, sums: NDArray[np.int64], n_items: NDArray[np.int64]
    ) -> tuple[FloatArray, FloatArray]:
        """The same from twice the midranks of each pattern's items, and how many these are.

        Mann and Whitney: N is the rank sum of the upper side less that of its own ranks.
        """
        bits = self.sides[:, :, :1].swapaxes(0, 1) >> np.arange(WORD, dtype=np.uint64) & _ONE
        upper = bits.reshape(self.n_patterns, -1)[:, : self.scale.size].astype(np.int64)
        above = n_items @ upper
        doubled = sums @ upper - above * (above + 1)
        pairs = above * (n_items.sum() - above)
        return (doubled * (0.5 * self.scale))[None, :], (pairs * self.scale)[None, :]

    @property
    def n_patterns(self) -> int:
        """Number of patterns, or of rows."""
        return int(self.sides.shape[1])

    @property
    def ranked(self) -> bool:
        """Whether sums of ranks are enough: every pattern stands on one side of every term."""
        if self.n_patterns > RANKED_PATTERNS:
            return False
        whole = np.full(len(self.sides), ~np.uint64(0))
        if self.scale.size % WORD:
            whole[-1] = (_ONE << np.uint64(self.scale.size % WORD)) - _ONE
        return bool((self.sides.sum(axis=2) == whole[:, None]).all())

    def _counted(self, items: Ranked, segments: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Twice the right pairs inside each segment, and its items above and below."""
        shape = (3, segments.size - 1)
        found = []
        for block, sides in enumerate(self.sides):
            out = np.empty((*shape, self._columns(block)), np.uint64)

            def work(first: int, stop: int, sides: Any = sides, out: Any = out) -> None:
                count_segments(items, segments[first : stop + 1], sides, *out[:, first:stop])

            _by_threads(work, segments)
            found.append(out)
        every = np.concatenate(found, axis=2)[:, :, : self.scale.size]
        return tuple(every.astype(np.int64))

    def sum(
        self, items: Ranked, weight: FloatArray, starts: NDArray[np.int64]
    ) -> tuple[FloatArray, FloatArray]:
        """The same with weights: sums that are rounded once."""
        segments = starts if starts.size > 2 else block_starts(items[1])
        right, wrong, above, below = self._summed(items, weight, segments)
        if starts.size == 2:
            right = _with_earlier(right, above, below)
            wrong = _with_earlier(wrong, below, above)
        right, wrong = right * self.scale, wrong * self.scale
        return right, right + wrong

    def _summed(
        self, items: Ranked, weight: FloatArray, segments: NDArray[np.int64]
    ) -> tuple[FloatArray, ...]:
        """Right and wrong pairs inside each segment, and its weights above and below."""
        found = []
        one = self.scale.size == 1
        add_up = sum_one_term if one else sum_segments
        for block, sides in enumerate(self.sides):
            out = np.empty((segments.size - 1, 4, 1 if one else self._columns(block)))

            def work(first: int, stop: int, sides: Any = sides, out: Any = out) -> None:
                add_up(items, weight, segments[first : stop + 1], sides, out[first:stop])

            _by_threads(work, segments)
            found.append(out)
        every = np.concatenate(found, axis=2)[:, :, : self.scale.size]
        return tuple(np.moveaxis(every, 1, 0))

    def _columns(self, block: int) -> int:
        """Columns of a block's terms: a multiple of eight."""
        return -(-min(self.scale.size - WORD * block, WORD) // 8) * 8


def _by_threads(work: Any, segments: NDArray[np.int64]) -> None:
    n = int(segments[-1])
    run_all(work, segment_chunks(segments, TASK), default_threads(n))


def _with_earlier(inside: FloatArray, here: FloatArray, opposite: FloatArray) -> FloatArray:
    """Pairs inside blocks and those with the opposite side in the blocks before, (1, terms)."""
    earlier = np.zeros_like(opposite)
    np.cumsum(opposite[:-1], axis=0, out=earlier[1:])
    pairs = np.concatenate([inside, here * earlier])
    return np.array([[math.fsum(column) for column in pairs.T]])
