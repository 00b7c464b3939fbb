"""Which labels imply others: against a walk over all items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core import Items
from isonomy._rankers.blended.funnel import NO_PARENT, funnel_parents, implied_labels

nan = np.nan


def slowly_implied(Y: np.ndarray) -> np.ndarray:
    """Item by item: label j is never missing where k is there, and they meet at least once."""
    K = Y.shape[1]
    found = np.zeros((K, K), bool)
    for k in range(K):
        for j in range(K):
            beside = [row[j] for row in Y if row[k] == 1 and not np.isnan(row[j])]
            found[k, j] = len(beside) > 0 and all(value == 1 for value in beside)
    return found & ~found.T


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_as_item_by_item(n: int, K: int, seed: int) -> None:
    Y = np.random.default_rng(seed).choice([0.0, 1.0, nan], size=(n, K), p=[0.4, 0.4, 0.2])
    Y[0] = np.nan_to_num(Y[0])
    items = Items.checked(Y)
    assert (implied_labels(items) == slowly_implied(Y)).all()


@pytest.mark.parametrize(
    ("Y", "parents"),
    [
        # A chain: view, click, buy; each waits for the one just before it.
        ([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]], [NO_PARENT, 0, 1]),
        # The same in another order of columns.
        ([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]], [1, 2, NO_PARENT]),
        # What is not known breaks no funnel.
        ([[1, 1], [1, 0], [nan, 1], [0, nan], [0, 0]], [NO_PARENT, 0]),
        # Labels that never meet, and equal ones, are none.
        ([[1, 0], [0, 1], [0, 0]], [NO_PARENT, NO_PARENT]),
        ([[1, 1], [0, 0]], [NO_PARENT, NO_PARENT]),
        ([[1, 0], [0, 1], [1, 1]], [NO_PARENT, NO_PARENT]),
    ],
)
def test_parents(Y: list[list[float]], parents: list[int]) -> None:
    assert funnel_parents(Items.checked(Y)).tolist() == parents
