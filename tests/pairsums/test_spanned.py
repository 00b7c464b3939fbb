"""Which segments one polynomial serves."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._pairsums.layout import arrange
from isonomy._pairsums.spanned import spans_serve
from isonomy.surrogates import SURROGATES

SIZE = 400


@pytest.mark.parametrize(
    ("surrogate", "spread", "serves"),
    [
        ("logistic", 1e-3, True),
        ("logistic", 4.0, True),
        # Beyond the widest span that there are tables for.
        ("logistic", 60.0, False),
        ("exponential", 4.0, True),
        # A pair that is ranked rightly would drown in the rounding of one that is not.
        ("exponential", 10.0, False),
        # Of polynomials there is nothing to drown in.
        ("hinge", 1.0, False),
    ],
)
def test_narrow_segments_are_served(surrogate: str, spread: float, serves: bool) -> None:
    codes = np.arange(SIZE) % 2
    above, below = np.array([[False], [True]]), np.array([[True], [False]])
    (members,) = arrange(codes, above, below, small_below=SIZE + 1).small
    extent = (np.array([-spread / 2]), np.array([spread / 2]))
    assert spans_serve(members, extent, SURROGATES[surrogate]).tolist() == [serves]
