"""Sums of midranks: all that Mann and Whitney's count, and linear costs of levels, need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._counting.blocks import block_starts
from isonomy._counting.kernels.counting import rank_sums
from isonomy._counting.kernels.words import Ranked
from isonomy._infra import default_threads, run, segment_chunks


def midrank_sums(items: Ranked, n_codes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Twice the sum of the midranks of each code's items, and how many they are.

    Ranks count from 1, from the lowest score up.
    """
    n = items[0].size
    starts = block_starts(items[1])
    # A thread has counters of its own, which should be fewer than its items.
    pieces = segment_chunks(starts, max(-(-n // 16), 4 * n_codes))

    def work(first: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return rank_sums(*items, int(starts[first]), int(starts[stop]), n_codes)

    sums = counts = np.zeros(n_codes, np.int64)
    for some, found in run(work, pieces, default_threads(n)):
        sums, counts = sums + some, counts + found
    return sums, counts
