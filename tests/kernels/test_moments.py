"""Moments and polynomials against numpy's Chebyshev series."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._kernels.moments import (
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


@given(seeds, st.sampled_from([0.125, 0.25, 2.0**-40]), st.integers(0, 5))
def test_accumulate(seed: int, width: float, first: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weight = rng.normal(size=30), rng.normal(size=30)
    cell = rng.integers(first, first + 4, 30).astype(np.int32)
    moments = np.ones((4, 8))
    accumulate(scores, width, weight, cell, first, moments)
    series = weight[:, None] * chebyshev.chebvander(place(scores, width), 7)
    for c in range(4):
        expected = 1.0 + series[cell == first + c].sum(axis=0)
        np.testing.assert_allclose(moments[c], expected, atol=1e-13)


@given(seeds)
def test_evaluate(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weight, polynomial = rng.normal(size=30), rng.random(30), rng.normal(size=(4, 8))
    cell = rng.integers(0, 4, 30).astype(np.int32)
    out = np.empty(30)
    evaluate(scores, 0.25, weight, cell, polynomial, out)
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
