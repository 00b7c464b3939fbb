"""Blocks of a ranking, to be gone through side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Positions in a block.
BLOCK = 1 << 13


def block_starts(last: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where blocks of one ranking start, and its end: each ends with a run of equal scores.

    They depend on the data alone, so that sums over them have the same bits for any number of
    threads.
    """
    if last.size <= BLOCK:
        return np.array([0, last.size])
    cuts = [cut + int(last[cut - 1 :].argmax()) for cut in range(BLOCK, last.size, BLOCK)]
    return np.array([*dict.fromkeys([0, *cuts, last.size])])
