"""Sums of midranks: all that Mann and Whitney's count, and linear costs of levels, need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import count_codes
from isonomy._counting.blocks import block_starts
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

    def work(first: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        start, end = int(starts[first]), int(starts[stop])
        return rank_sums(*items, start, end, n_codes), count_codes(items[0][start:end], n_codes)

    sums = counts = np.zeros(n_codes, np.int64)
    for some, found in run_all(work, pieces, default_threads(n)):
        sums, counts = sums + some, counts + found
    return sums, counts
