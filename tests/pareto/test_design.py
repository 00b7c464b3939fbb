"""Positions on the simplex."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.pareto._design import (
    effective_weights_at,
    lagrange_weights,
    lattice,
    line_position,
    nudges,
    simplex_design,
    widest_gap,
)


@pytest.mark.parametrize("K", [2, 3, 4, 7])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_lattices_are_complete(K: int, steps: int) -> None:
    found = lattice(K, steps)
    assert len(np.unique(found, axis=0)) == len(found) == comb(steps + K - 1, K - 1)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found * steps, np.rint(found * steps))
    assert (lattice(K, 0) == 1 / K).all()


@given(st.integers(3, 9), st.integers(0, 60))
def test_designs_hold_every_label_alone(K: int, more: int) -> None:
    found = simplex_design(K, K + more)
    assert K <= len(found) <= K + more
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert len(np.unique(found.round(12), axis=0)) == len(found)
    assert all((found == corner).all(axis=1).any() for corner in np.eye(K))
    if more:
        assert (found > 0).all(axis=1).any(), "nothing inside"


def test_designs_use_most_of_the_points() -> None:
    assert len(simplex_design(3, 21)) == 21
    assert len(simplex_design(5, 21)) >= 20
    assert len(simplex_design(8, 100)) >= 90


def test_neighbours_follow_each_other() -> None:
    found = simplex_design(3, 66)
    steps = np.linalg.norm(np.diff(found, axis=0), axis=1)
    assert np.median(steps) == pytest.approx(np.sqrt(2) / 10)


def test_ends_are_single_labels() -> None:
    assert effective_weights_at(np.array([1.0, 0.0])).tolist() == [1.0, 0.0]
    assert effective_weights_at(np.array([0.5, 0.5])).tolist() == [0.5, 0.5]
    assert effective_weights_at(np.array([1e-200, 1.0])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("at", [0.0, 0.25, 0.5, 1.0])
def test_a_line_leaves_the_other_labels_as_they_are(K: int, at: float) -> None:
    found = effective_weights_at(line_position((1, 0), K, at))
    np.testing.assert_allclose(found[2:], 1 / K)
    assert found[:2].sum() == pytest.approx(2 / K)
    # Log-odds are twice those of the place: the ends are reached.
    assert found[0] * (1 - at) ** 2 == pytest.approx(found[1] * at**2)


def test_the_longest_gap_comes_first() -> None:
    line = np.array([0.0, 0.5, 1.0])
    assert widest_gap(line, np.array([[0.9, 0.5], [0.8, 0.6], [0.79, 0.61]]), 5) == 0
    # Without any difference in AUC the weights decide.
    assert widest_gap(np.array([0, 0.25, 1]), np.full((3, 2), 0.7), 5) == 1


def test_a_jump_is_not_split_forever() -> None:
    def aucs(line: np.ndarray) -> np.ndarray:
        return np.column_stack([line < 1 / 3, line >= 1 / 3]).astype(float)

    line = np.array([0.0, 1.0])
    for _ in range(19):
        gap = widest_gap(line, aucs(line), 21)
        line = np.insert(line, gap + 1, (line[gap] + line[gap + 1]) / 2)
    assert np.diff(line).min() > 1 / 400
    assert np.diff(line).max() < 1 / 8


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_nudges_stay_on_the_simplex(seed: int, K: int) -> None:
    position = np.random.default_rng(seed).dirichlet(np.ones(K))
    near = list(nudges(position, 0.25))
    assert len(near) == 2 * K
    for moved in near:
        assert (moved >= 0).all()
        assert moved.sum() == pytest.approx(1)
    assert len(list(nudges(np.eye(K)[0], 0.25))) == 2 * K - 2


@given(st.integers(1, 5), st.integers(0, 99))
def test_polynomials_are_foretold_exactly(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    nodes, factors = rng.permutation(10)[:n] / 10, rng.normal(size=n)
    found = lagrange_weights(nodes, 0.37)
    assert found @ np.polyval(factors, nodes) == pytest.approx(np.polyval(factors, 0.37), abs=1e-9)
    assert found.sum() == pytest.approx(1)
