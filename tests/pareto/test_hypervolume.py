"""Hypervolumes against inclusion and exclusion, and against random points."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.pareto import front, hypervolume


@st.composite
def point_sets(draw: st.DrawFn, sizes: tuple[int, int] = (0, 7)) -> np.ndarray:
    K = draw(st.integers(1, 5))
    n = draw(st.integers(*sizes))
    some = st.one_of(st.sampled_from([0.2, 0.5, 0.6, 0.75, 1.0]), st.floats(0, 1))
    return np.array(draw(st.lists(some, min_size=n * K, max_size=n * K))).reshape(n, K)


def slow_hypervolume(points: np.ndarray, reference: np.ndarray | float) -> float:
    """Inclusion and exclusion over all sets of boxes."""
    sides = np.maximum(points - reference, 0.0)
    return sum(
        (-1) ** (size + 1) * sides[list(chosen)].min(axis=0).prod()
        for size in range(1, len(sides) + 1)
        for chosen in combinations(range(len(sides)), size)
    )


@given(point_sets(), st.data())
def test_inclusion_and_exclusion(points: np.ndarray, data: st.DataObject) -> None:
    K = points.shape[1]
    reference = data.draw(
        st.one_of(
            st.sampled_from([0.0, 0.5, 1.0]),
            st.lists(st.floats(0, 1), min_size=K, max_size=K).map(np.array),
        )
    )
    assert hypervolume(points, reference=reference) == pytest.approx(
        slow_hypervolume(points, reference), abs=1e-12
    )


@given(point_sets((1, 8)))
def test_more_points_cover_more(points: np.ndarray) -> None:
    assert hypervolume(points) >= hypervolume(points[:-1]) - 1e-15
    raised = np.minimum(points + 0.1, 1.0)
    assert hypervolume(raised) >= hypervolume(points) - 1e-15
    assert hypervolume(points[front(points)]) == pytest.approx(hypervolume(points), abs=1e-15)
    assert hypervolume(points[::-1]) == pytest.approx(hypervolume(points), abs=1e-15)


@pytest.mark.parametrize("K", [2, 3, 4, 6])
def test_random_points_fall_inside_as_often(K: int) -> None:
    rng = np.random.default_rng(K)
    points = rng.dirichlet(np.ones(K), 40) ** 0.5
    thrown = rng.random((100_000, K))
    inside = (points[:, None, :] >= thrown[None]).all(axis=2).any(axis=0).mean()
    error = np.sqrt(inside * (1 - inside) / len(thrown))
    assert hypervolume(points, reference=0) == pytest.approx(inside, abs=5 * error)


def test_points_that_do_not_exceed_the_reference_cover_nothing() -> None:
    assert hypervolume([[0.5, 1.0], [0.4, 0.9]]) == 0
    assert hypervolume([[0.5, 1.0], [0.6, 0.6]]) == pytest.approx(0.01)
    assert hypervolume(np.empty((0, 3))) == 0


def test_one_box() -> None:
    assert hypervolume([[0.75, 1.0, 1.0]]) == 0.25 * 0.5 * 0.5
    assert hypervolume([[0.9], [0.75]], reference=[0.5]) == pytest.approx(0.4)
