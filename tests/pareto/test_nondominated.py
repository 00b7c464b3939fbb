"""The front of sorted points against every pair of points."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy.pareto._nondominated import descending, nondominated


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 3).map(float), min_size=k, max_size=k), min_size=1, max_size=12
        )
    )
)
def test_points_that_are_neither_dominated_nor_copies(rows: list[list[float]]) -> None:
    points = np.array(rows)
    falling = points[descending(points)]
    assert falling.tolist() == sorted(rows, reverse=True)
    expected = [
        not any(
            (other >= point).all() and ((other > point).any() or j < i)
            for j, other in enumerate(falling)
        )
        for i, point in enumerate(falling)
    ]
    # Of copies, the first is kept.
    assert nondominated(falling).tolist() == expected
