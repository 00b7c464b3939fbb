"""Sums of midranks: all that Mann and Whitney's count, and linear costs of levels, need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import CodedWords
from isonomy._counting.blocks import block_starts
from isonomy._counting.kernels.coded_ranks import coded_rank_sums
from isonomy._counting.kernels.counting import rank_sums
from isonomy._counting.kernels.words import Ranked
from isonomy._infra import default_threads, run_all, segment_chunks


def midrank_sums(items: Ranked, n_codes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Twice the sum of the midranks of each code's items, and how many they are.

    Ranks count from 1, from the lowest score up.
    """
    n = items[0].size
    starts = block_starts(items[1])
    # A thread has counters of its own, which should be fewer than its items.
    pieces = segment_chunks(starts, max(-(-n // 16), 4 * n_codes, 1))

    def work(first: int, stop: int) -> NDArray[np.int64]:
        return rank_sums(*items, int(starts[first]), int(starts[stop]), n_codes)

    found = sum(run_all(work, pieces, default_threads(n)), np.zeros((n_codes, 2), np.int64))
    return np.ascontiguousarray(found[:, 0]), np.ascontiguousarray(found[:, 1])


def coded_midranks(items: CodedWords, n_codes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same of codes that were sorted beside scores."""

    def work(starts: NDArray[np.int64]) -> NDArray[np.int64]:
        return coded_rank_sums(items.words, starts, items.width, n_codes)

    sums, counts = np.sum(items.visit(work), axis=0)
    return sums, counts
