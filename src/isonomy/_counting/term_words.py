"""Terms as words of bits: the form in which up to 64 of them are counted at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import FloatArray, Preferences
from isonomy._counting.blocks import block_starts
from isonomy._counting.kernels.words import (
    Ranked,
    count_segments,
    influence_segment,
    pack_sides,
    sum_segments,
)
from isonomy._counting.midranks import midrank_sums
from isonomy._infra import default_threads, run_all, segment_chunks

# Terms in a word.
WORD = 64
_ONE = np.uint64(1)
# Positions that a thread takes at a time; sums over them depend on nothing else.
TASK = 1 << 16
# Up to this many patterns their sums of ranks, where these are enough, are the fastest.
RANKED_PATTERNS = 1 << 12


@dataclass(frozen=True, eq=False)
class BlockCounts:
    """Blocks of a ranking: where they start, and what each has of each term.

    Attributes
    ----------
    segments : ndarray of shape (blocks + 1,)
        Where they start.
    right : ndarray of int64, shape (blocks, terms)
        Twice the pairs in the right order inside the block.
    above, below : ndarray of int64, shape (blocks, terms)
        Its upper and its lower items.
    """

    segments: NDArray[np.int64]
    right: NDArray[np.int64]
    above: NDArray[np.int64]
    below: NDArray[np.int64]

    def pairs(self, scale: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Pairs in the right order, and all pairs, of the whole ranking, (1, terms)."""
        before = np.cumsum(self.below, axis=0) - self.below
        right = (self.right + 2 * self.above * before).sum(axis=0)
        total = self.above.sum(axis=0) * self.below.sum(axis=0)
        return (right * (0.5 * scale))[None, :], (total * scale)[None, :]


@dataclass(frozen=True, eq=False)
class TermWords:
    """Which side of each term a pattern (or a row) stands on.

    Attributes
    ----------
    sides : ndarray of uint64, shape (blocks, patterns, 2)
        Words of the upper and the lower side, 64 terms at a time, one for each pattern.
    scale : ndarray of shape (terms,)
        What a pair of each term counts.
    plain : bool
        Whether items count 1 on either side of every term.
    """

    sides: NDArray[np.uint64]
    scale: FloatArray
    plain: bool = True

    @classmethod
    def of(cls, preferences: Preferences) -> TermWords | None:
        """None where a term has patterns that count more than others, or on both sides."""
        if preferences.row_terms is not None:
            return cls(preferences.row_terms.sides, np.ones(preferences.n_terms))
        above, below = preferences.tables
        if preferences.two_sided or sparse.issparse(above):
            return None
        scale, plain = np.ones(preferences.n_terms), True
        for table in (above, below):
            if table.dtype != np.bool_:
                most = table.max(axis=0)
                if ((table != most) & (table != 0)).any():
                    return None
                scale *= most
                plain &= bool((most == 1).all())
        words = np.empty((-(-scale.size // WORD), preferences.n_patterns, 2), np.uint64)
        pack_sides(np.ascontiguousarray(above), np.ascontiguousarray(below), words)
        return cls(words, scale, plain)

    def count(self, items: Ranked, starts: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        """Pairs in the right order, and all pairs, inside each group, (groups, terms): exact."""
        if starts.size > 2:
            right, above, below = self._counted(items, starts)
            return right * (0.5 * self.scale), (above * below) * self.scale
        if self.ranked:
            return self._by_ranks(items)
        return self.count_blocks(items).pairs(self.scale)

    def count_blocks(self, items: Ranked) -> BlockCounts:
        """Blocks of a ranking without groups."""
        segments = block_starts(items[1])
        return BlockCounts(segments, *self._counted(items, segments))

    @cached_property
    def ranked(self) -> bool:
        """Whether sums of ranks are enough."""
        return self.n_patterns <= RANKED_PATTERNS and self.complete

    def _by_ranks(self, items: Ranked) -> tuple[FloatArray, FloatArray]:
        """Mann and Whitney: N is the rank sum of the upper side less that of its own ranks."""
        sums, n_items = midrank_sums(items, self.n_patterns)
        bits = self.sides[:, :, :1].swapaxes(0, 1) >> np.arange(WORD, dtype=np.uint64) & _ONE
        upper = bits.reshape(self.n_patterns, -1)[:, : self.scale.size].astype(np.int64)
        above = n_items @ upper
        doubled = sums @ upper - above * (above + 1)
        pairs = above * (n_items.sum() - above)
        return (doubled * (0.5 * self.scale))[None, :], (pairs * self.scale)[None, :]

    @property
    def n_patterns(self) -> int:
        """Number of patterns, or of rows."""
        return self.sides.shape[1]

    @property
    def complete(self) -> bool:
        """Whether every pattern stands on one side of every term."""
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
        for block, sides in enumerate(self.sides):
            out = np.empty((segments.size - 1, 4, self._columns(block)))

            def work(first: int, stop: int, sides: Any = sides, out: Any = out) -> None:
                sum_segments(items, weight, segments[first : stop + 1], sides, out[first:stop])

            _by_threads(work, segments)
            found.append(out)
        every = np.concatenate(found, axis=2)[:, :, : self.scale.size]
        return tuple(np.moveaxis(every, 1, 0))

    def influences(
        self,
        items: Ranked,
        weight: FloatArray | None,
        scale: FloatArray | None,
        sides: tuple[FloatArray, FloatArray],
        n_joint: int,
        blocks: BlockCounts | None,
    ) -> tuple[FloatArray, FloatArray]:
        """Squared influences of the upper and the lower items, (2, terms), and psi' psi.

        `sides` are factor and centre, (2, terms) each, as `influence_segment` has them; psi are
        the influences on the first `n_joint` terms. There are no groups. `blocks` are known
        where there are no weights.
        """
        above: NDArray[Any]
        below: NDArray[Any]
        if blocks is not None:
            segments, above, below = blocks.segments, blocks.above, blocks.below
        else:
            assert weight is not None
            segments = block_starts(items[1])
            _, _, above, below = self._summed(items, weight, segments)
        beaten = np.zeros(below.shape)
        np.cumsum(below[:-1], axis=0, out=beaten[1:])
        rivals = np.cumsum(above[::-1], axis=0, dtype=np.float64)[::-1]
        (factor_up, factor_low), (centre_up, centre_low) = sides
        constant = np.stack([factor_up, centre_up, factor_low, centre_low])

        def work(first: int, stop: int) -> tuple[FloatArray, FloatArray]:
            squares, joint = np.zeros((2, self.scale.size)), np.zeros((n_joint, n_joint))
            for s in range(first, stop):
                segment = int(segments[s]), int(segments[s + 1])
                known = np.concatenate([constant, rivals[s : s + 1], beaten[s : s + 1]])
                psi = np.empty((segment[1] - segment[0], n_joint))
                for block, words in enumerate(self.sides):
                    columns = slice(WORD * block, min(WORD * block + WORD, self.scale.size))
                    some = np.zeros((6, self._columns(block)))
                    some[:, : known[:, columns].shape[1]] = known[:, columns]
                    own = np.zeros((2, some.shape[1]))
                    influence_segment(
                        items, weight, scale, segment, words, some, own, psi[:, columns]
                    )
                    squares[:, columns] += own[:, : known[:, columns].shape[1]]
                joint += psi.T @ psi
            return squares, joint

        tasks = segment_chunks(segments, TASK)
        found = run_all(work, tasks, default_threads(int(segments[-1])))
        squares, joint = (sum(each) for each in zip(*found, strict=True))
        return np.asarray(squares), np.asarray(joint)

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
