"""Dominance and fronts against their definitions."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.pareto import dominates, front

coordinates = st.one_of(
    st.integers(0, 3).map(float),
    st.sampled_from([0.5, float(np.nextafter(0.5, 1)), 5e-324, 0.0, -0.0, 1e308, -1e308]),
    st.floats(-1, 1),
)


@st.composite
def point_sets(draw: st.DrawFn, sizes: tuple[int, int] = (0, 12)) -> np.ndarray:
    K = draw(st.integers(1, 5))
    n = draw(st.integers(*sizes))
    return np.array(draw(st.lists(coordinates, min_size=n * K, max_size=n * K))).reshape(n, K)


def slow_front(points: np.ndarray) -> list[bool]:
    return [not any(dominates(other, point) for other in points) for point in points]


@given(point_sets((3, 3)))
def test_dominance_is_a_strict_partial_order(points: np.ndarray) -> None:
    f, g, h = points
    assert not dominates(f, f)
    assert not (dominates(f, g) and dominates(g, f))
    if dominates(f, g) and dominates(g, h):
        assert dominates(f, h)
    assert dominates(f, g) == (all(f >= g) and any(f > g))


def test_the_better_scorer_dominates_not_the_worse() -> None:
    # eta = [.9, .1], [.8, .3]: the printed definition had it the other way round.
    assert dominates([0.9, 0.753], [0.1, 0.247])
    assert not dominates([0.1, 0.247], [0.9, 0.753])


@given(point_sets())
def test_front_is_what_nothing_dominates(points: np.ndarray) -> None:
    assert front(points).tolist() == slow_front(points)


@given(point_sets((1, 10)), st.randoms(use_true_random=False))
def test_front_ignores_order_and_copies(points: np.ndarray, random: object) -> None:
    rng = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    index = rng.integers(0, len(points), 2 * len(points))
    index[: len(points)] = np.arange(len(points))
    assert (front(points[index]) == front(points)[index]).all()


@given(point_sets((1, 12)))
def test_front_is_the_front_of_itself(points: np.ndarray) -> None:
    on = front(points)
    assert on.any()
    assert front(points[on]).all()
    for point in points[~on]:
        assert any(dominates(other, point) for other in points[on])


@pytest.mark.parametrize("K", [2, 3, 6])
def test_many_points_against_a_slow_front(K: int) -> None:
    points = np.random.default_rng(K).integers(0, 12, (300, K)) / 12
    assert front(points).tolist() == slow_front(points)


def test_two_labels_take_one_sort() -> None:
    angle = np.random.default_rng(0).random(300_000) * np.pi / 2
    begun = time.perf_counter()
    on = front(np.column_stack([np.cos(angle), np.sin(angle)]))
    assert time.perf_counter() - begun < 10
    assert on.mean() > 0.999


def test_many_points_of_three_labels() -> None:
    points = np.random.default_rng(0).random((10_000, 3))
    on = front(points)
    assert 20 < on.sum() < 300
