"""How rows are dealt for training and testing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import Items
from isonomy._rankers import Split, given_splits, row_folds, time_splits
from isonomy._rankers import folds as fold_splits

# How often the folds are dealt anew below so many rows.
REPEATS = ((2_000, 3), (10_000, 2))
# Blocks of rows by which a single split is judged.
BLOCKS = 20


def comparison_splits(
    items: Items, folds: int, repeats: int, splits: Any, rng: np.random.Generator
) -> list[Split]:
    """Folds of our own, or what the user says."""
    if splits is None:
        if items.group is None and folds > len(items):
            raise ValueError(
                f"Parameter `folds` should be at most {len(items)}, the number of rows. Found "
                f"{folds}."
            )
        return fold_splits(items, folds, repeats, rng)
    if _are_times(splits):
        return time_splits(items, splits, folds, parameter="splits")
    if isinstance(splits, tuple) and len(splits) == 2 and _is_part(splits[0]):
        splits = [splits]
    return given_splits(splits, items, parameter="splits")


def _are_times(splits: Any) -> bool:
    """Whether it is a column: a series, an array, a list of single values; or a name of one."""
    if isinstance(splits, np.ndarray):
        return splits.ndim == 1 and splits.dtype != object
    if hasattr(splits, "to_numpy"):
        return True
    return isinstance(splits, str) or (
        isinstance(splits, list | tuple) and bool(splits) and _is_single(splits[0])
    )


def _is_part(rows: Any) -> bool:
    """Whether these are the rows of one part, not parts themselves."""
    return hasattr(rows, "__len__") and len(rows) > 0 and _is_single(rows[0])


def _is_single(value: Any) -> bool:
    return isinstance(value, str) or not hasattr(value, "__len__")


def default_repeats(items: Items) -> int:
    """The fewer rows, the more often each is tested."""
    return next((repeats for most, repeats in REPEATS if len(items) < most), 1)


def blocks_left(test: Items) -> list[NDArray[np.int64]]:
    """The test rows of a single split without each of some blocks, of whole groups."""
    n_blocks = min(BLOCKS, test.n_groups if test.group is not None else len(test))
    block = row_folds(test, n_blocks, np.random.default_rng(0))
    return [np.flatnonzero(block != b) for b in range(n_blocks)]
