"""Multiplied by a power of two, against `np.ldexp`."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from isonomy._core.powers import times_power
from tests.strategies import nasty_floats

powers = st.integers(-2200, 2200) | st.sampled_from([-1023, -1022, -1021, 1022, 1023, 1024])


@example([(2.0**100, -1100)], -1100)
@given(st.lists(st.tuples(nasty_floats, powers), min_size=1, max_size=5), powers)
def test_the_same_bits(rows: list[tuple[float, int]], power: int) -> None:
    values, each = np.array([value for value, _ in rows]), np.array([p for _, p in rows])
    with np.errstate(over="ignore", under="ignore"):
        assert times_power(values, power).tolist() == np.ldexp(values, power).tolist()
        assert times_power(values, each).tolist() == np.ldexp(values, each).tolist()
