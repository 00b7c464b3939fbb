"""Products of tall tables."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._core import gram


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_gram_is_the_products_of_all_columns(columns: int) -> None:
    table = np.arange(5.0 * columns).reshape(5, columns) - 3
    expected = [[sum(a * b) for b in table.T] for a in table.T]
    assert gram(table).tolist() == expected
