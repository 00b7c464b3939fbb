"""Blocks end where runs of equal scores do, and are no shorter than they should be."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from isonomy._counting.blocks import BLOCK, block_starts


@pytest.mark.parametrize("n", [0, 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 100])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.001])
def test_each_block_ends_with_a_run(n: int, share: float) -> None:
    last = np.random.default_rng(n).random(n) < share
    last[-1:] = True
    starts = block_starts(last).tolist()
    assert (starts[0], starts[-1]) == (0, n)
    assert all(last[stop - 1] for stop in starts[1:] if stop)
    for k, (start, stop) in enumerate(pairwise(starts[:-1])):
        # The first run that ends from the next multiple on.
        assert start < (k + 1) * BLOCK <= stop
        assert not last[(k + 1) * BLOCK - 1 : stop - 1].any()
    if share == 1.0:
        assert len(starts) == max(-(-n // BLOCK), 1) + 1


def test_a_run_longer_than_blocks_is_in_one() -> None:
    last = np.zeros(5 * BLOCK, np.bool_)
    last[[9, 3 * BLOCK + 4, -1]] = True
    assert block_starts(last).tolist() == [0, 3 * BLOCK + 5, 5 * BLOCK]
