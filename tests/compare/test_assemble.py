"""Which splits make up the first repeat."""

from __future__ import annotations

import numpy as np

from isonomy._compare.assemble import first_repeat
from isonomy._core import Items
from isonomy._rankers import folds, given_splits


def test_the_first_repeat_tests_each_row_once() -> None:
    items = Items.checked(np.arange(30) % 2)
    found = folds(items, 5, 3, np.random.default_rng(0))
    kept, fold = first_repeat(found, 30)
    assert kept == 5
    assert all((fold[found[s].test] == s).all() for s in range(5))


def test_rows_that_no_split_tests() -> None:
    items = Items.checked(np.arange(30) % 2)
    mask = np.arange(30) < 20
    found = given_splits([(mask, ~mask), (np.arange(10, 30), [0, 3, 5])], items, parameter="splits")
    kept, fold = first_repeat(found, 30)
    assert kept == 2
    assert (fold[6:20] == -1).all()
    assert first_repeat([found[0], found[0]], 30)[0] == 1
