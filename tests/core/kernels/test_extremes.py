"""Lowest and highest values."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core import extremes


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_extremes_are_those_of_numpy(values: list[float]) -> None:
    array = np.array(values)
    expected = (array.min(), array.max())
    np.testing.assert_array_equal(extremes(array), expected)


def test_nan_of_either_sign_is_found_in_any_part() -> None:
    for nan in (math.nan, -math.nan):
        array = np.zeros(300_000)
        array[290_000] = nan
        assert all(map(math.isnan, extremes(array)))
        assert all(map(math.isnan, extremes(array, threads=3)))
