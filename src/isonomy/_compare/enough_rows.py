"""Whether there are rows enough to compare methods on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Items

# Fewer rows or positives say nothing about which method is better.
FEWEST_ROWS = 20
FEWEST_OF_A_CLASS = 2


def check_enough_rows(items: Items) -> None:
    """Enough rows, and of both classes of every label, in some group where there are groups."""
    weight, table, group = items.sample_weight, items.labels.table, items.group
    if weight is not None:
        table, group = table[weight > 0], None if group is None else group[weight > 0]
    if len(table) < FEWEST_ROWS:
        raise ValueError(
            f"Parameter `Y` should have at least {FEWEST_ROWS} rows (of positive weight) to "
            f"compare methods on. Found {len(table)}."
        )
    for name, column in zip(items.labels.names, table.T, strict=True):
        positives, negatives = int((column == 1).sum()), int((column == 0).sum())
        if min(positives, negatives) < FEWEST_OF_A_CLASS:
            raise ValueError(
                f"Parameter `Y` should hold at least {FEWEST_OF_A_CLASS} positives and "
                f"{FEWEST_OF_A_CLASS} negatives of each label. Found {positives} and {negatives} "
                f"of label {name!r}. Drop the label, or bring more rows."
            )
    if group is None:
        return
    for name, count in zip(items.labels.names, groups_of_both_classes(table, group), strict=True):
        if not count:
            raise ValueError(
                "Parameter `groups` should put positives and negatives of each label together, "
                f"because only rows of one group are compared. Found no group with both of label "
                f"{name!r}. Drop the label, or leave `groups` out to compare all rows."
            )


def groups_of_both_classes(Y: FloatArray, group: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each label, how many groups hold both classes of it.

    Examples
    --------
    >>> groups_of_both_classes(np.array([[1, 1], [0, 1], [0, 0]]), np.array([0, 0, 1]))
    array([1, 0])
    """
    both = [np.intersect1d(group[column == 1], group[column == 0]).size for column in Y.T]
    return np.array(both, np.int64)
