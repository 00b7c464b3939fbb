"""Moments and polynomials against numpy's Chebyshev series."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums.kernels.grid import Places
from isonomy._pairsums.kernels.moments import (
    NODES,
    TO_NODES,
    TO_POWERS,
    TO_SERIES,
    accumulate,
    evaluate,
)

chebyshev = np.polynomial.chebyshev
seeds = st.integers(0, 2**32)


def place(scores: np.ndarray, width: float) -> np.ndarray:
    """Where in its bin a score lies, from -1 to 1."""
    return 2.0 * (scores / width - np.floor(scores / width)) - 1.0


def listed(cell: np.ndarray) -> Places:
    """Places of one segment that are the cells themselves."""
    return Places(np.array([0, cell.size]), np.zeros(1), np.zeros(1, np.int64), 0, cell)


def by_bin(scores: np.ndarray, width: float, n_patterns: int, rng: np.random.Generator) -> Places:
    """Places of two segments, by bins and patterns."""
    starts = np.array([0, scores.size // 3, scores.size])
    parts = [np.floor(scores[a:b] / width) for a, b in pairwise(starts)]
    span = int(parts[0].max() - parts[0].min()) + 1
    return Places(
        starts,
        np.array([part.min() for part in parts]),
        np.array([0, span * n_patterns]),
        n_patterns,
        rng.integers(0, n_patterns, scores.size).astype(np.int32),
    )


def cells_of(scores: np.ndarray, width: float, places: Places) -> np.ndarray:
    """The cell of each member."""
    segment = np.repeat(np.arange(2), np.diff(places.starts))
    row = np.floor(scores / width) - places.first_bin[segment]
    return places.first_cell[segment] + row.astype(int) * places.n_patterns + places.code


@given(seeds, st.sampled_from([0.125, 0.25, 2.0**-40]), st.integers(0, 5))
def test_accumulate_in_listed_cells(seed: int, width: float, first: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weight = rng.normal(size=30), rng.normal(size=30)
    cell = rng.integers(first, first + 4, 30).astype(np.int32)
    moments = np.ones((4, 8))
    accumulate(0, 30, 0, scores, width, weight, listed(cell), first, moments)
    series = weight[:, None] * chebyshev.chebvander(place(scores, width), 7)
    for c in range(4):
        expected = 1.0 + series[cell == first + c].sum(axis=0)
        np.testing.assert_allclose(moments[c], expected, atol=1e-13)


@given(seeds, st.sampled_from([0.125, 1.0]), st.integers(1, 3), st.integers(1, 29))
def test_accumulate_and_evaluate_by_bin(seed: int, width: float, patterns: int, cut: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weight = 3.0 * rng.normal(size=30), rng.normal(size=30)
    places = by_bin(scores, width, patterns, rng)
    cell = cells_of(scores, width, places)
    t = place(scores, width)
    expected = np.zeros((cell.max() + 1, 8))
    np.add.at(expected, cell, weight[:, None] * chebyshev.chebvander(t, 7))
    moments, out = np.zeros_like(expected), np.empty(30)
    polynomial = rng.normal(size=expected.shape)
    # In two pieces, which may begin and end inside a segment.
    for begin, end in ((0, cut), (cut, 30)):
        segment = int(np.searchsorted(places.starts, begin, side="right")) - 1
        accumulate(begin, end, segment, scores, width, weight, places, 0, moments)
        evaluate(begin, end, segment, scores, width, weight, places, polynomial, out)
    np.testing.assert_allclose(moments, expected, atol=1e-13)
    powers = np.polynomial.polynomial.polyvander(t, 7)
    np.testing.assert_allclose(out, weight * (powers * polynomial[cell]).sum(axis=1), atol=1e-12)


@given(seeds)
def test_evaluate_in_listed_cells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weight, polynomial = rng.normal(size=30), rng.random(30), rng.normal(size=(4, 8))
    cell = rng.integers(0, 4, 30).astype(np.int32)
    out = np.empty(30)
    evaluate(0, 30, 0, scores, 0.25, weight, listed(cell), polynomial, out)
    t = place(scores, 0.25)
    expected = [
        w * np.polynomial.polynomial.polyval(x, polynomial[c])
        for w, x, c in zip(weight, t, cell, strict=True)
    ]
    np.testing.assert_allclose(out, expected, atol=1e-12)


@given(seeds)
def test_weights_at_nodes_stand_for_the_items(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t, weight, polynomial = rng.uniform(-1, 1, 20), rng.random(20), rng.normal(size=8)
    moments = weight @ chebyshev.chebvander(t, 7)
    total = weight @ chebyshev.chebval(t, polynomial)
    assert np.isclose(moments @ TO_NODES @ chebyshev.chebval(NODES, polynomial), total, atol=1e-12)


def test_values_at_nodes_become_series_and_powers() -> None:
    polynomial = np.random.default_rng(0).normal(size=8)
    values = chebyshev.chebval(NODES, polynomial)
    np.testing.assert_allclose(values @ TO_SERIES, polynomial, atol=1e-14)
    np.testing.assert_allclose(polynomial @ TO_POWERS, chebyshev.cheb2poly(polynomial), atol=1e-13)
