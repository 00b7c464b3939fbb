"""Rows held out: every row once, rare patterns spread, groups whole."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._core import Items
from isonomy._rankers.splitting import held_out


def test_held_out_rows_spread_over_rare_patterns() -> None:
    levels = np.repeat([0, 1, 2], [960, 20, 20])
    split = held_out(Items.checked(levels), 0.2, np.random.default_rng(0))
    assert np.bincount(levels[split.test]).tolist() == [192, 4, 4]
    assert sorted([*split.train, *split.test]) == list(range(1000))
    few = held_out(Items.checked(levels[:2]), 0.01, np.random.default_rng(0))
    assert few.test.size == 1


def test_held_out_rows_are_whole_groups() -> None:
    groups = np.arange(100) // 7
    items = Items.checked(np.arange(100) % 2, groups=groups)
    split = held_out(items, 0.2, np.random.default_rng(0))
    assert sorted([*split.train, *split.test]) == list(range(100))
    assert not set(groups[split.train]) & set(groups[split.test])
    assert split.test.size in range(14, 30)


def test_one_group_cannot_be_parted() -> None:
    items = Items.checked([0, 1, 0, 1], groups=[3, 3, 3, 3])
    with pytest.raises(ValueError, match=r"`groups`.*two groups.*Found one. Do without."):
        held_out(items, 0.2, np.random.default_rng(0), cure="Do without.")
