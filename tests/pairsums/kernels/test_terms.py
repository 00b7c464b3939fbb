"""Sums and pulls of terms, from moments, against every pair of items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums.kernels import terms
from isonomy._pairsums.kernels.grid import Cells, Places
from isonomy._pairsums.kernels.moments import accumulate, evaluate
from isonomy._pairsums.tables import field_tables
from isonomy.surrogates import SURROGATES
from tests.conftest import UNCOMPILED

LOGISTIC = SURROGATES["logistic"]
WIDTH = LOGISTIC.shape.width
N_PATTERNS = 3


@pytest.fixture(autouse=True)
def _few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several batches of terms; compiled kernels would keep the number for good."""
    if UNCOMPILED:
        monkeypatch.setattr(terms, "_AT_ONCE", 16)


def cells_of(scores: np.ndarray, code: np.ndarray, starts: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Cells of occupied bins and patterns, and the cell of each item."""
    segment = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    key = np.c_[segment, np.floor(scores / WIDTH)]
    rows, row = np.unique(key, axis=0, return_inverse=True)
    row_starts = np.searchsorted(rows[:, 0], np.arange(starts.size))
    of_row, pattern = np.divmod(np.arange(len(rows) * N_PATTERNS, dtype=np.int32), N_PATTERNS)
    cells = Cells(row_starts, rows[:, 1].copy(), row_starts * N_PATTERNS, of_row, pattern)
    return cells, (row.ravel() * N_PATTERNS + code).astype(np.int32)


@given(st.integers(0, 2**32), st.sampled_from([0.5, 5.0]), st.integers(1, 3), st.integers(1, 4))
def test_sums_and_pulls(seed: int, spread: float, n_segments: int, n_terms: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6 * n_segments
    scores, weight = spread * rng.normal(size=n), rng.random(n)
    code = rng.integers(0, N_PATTERNS, n).astype(np.int32)
    starts = 6 * np.arange(n_segments + 1)
    table = rng.integers(-1, 2, (N_PATTERNS, n_terms)) * rng.uniform(0.5, 2, (N_PATTERNS, n_terms))
    # Patterns on one side, or on both: there they meet themselves.
    shape = (N_PATTERNS, n_terms)
    lower = table if seed % 2 else rng.integers(-1, 1, shape) * rng.uniform(0.5, 2, shape)
    sides = (table,) if seed % 2 else (np.maximum(table, 0.0), np.minimum(lower, 0.0))
    coefficient = rng.integers(0, 2, (n_segments, n_terms)) * rng.random((n_segments, n_terms))
    cells, cell = cells_of(scores, code, starts)
    moments = np.zeros((cells.row.size, 8))
    places = Places(np.array([0, n]), np.zeros(1), np.zeros(1, np.int64), 0, cell)
    accumulate(0, n, 0, scores, WIDTH, weight, places, 0, moments)

    found = np.full((n_segments, n_terms), np.nan)
    phi = field_tables(LOGISTIC, WIDTH, 0, False)
    terms.term_sums(0, n_segments, cells, moments, sides, phi, found)
    polynomial = np.full_like(moments, np.nan)
    below, above = (field_tables(LOGISTIC, WIDTH, 1, mirrored) for mirrored in (False, True))
    terms.cell_polynomials(
        0, n_segments, cells, moments, sides, below, above, coefficient, polynomial
    )
    felt = np.empty(n)
    evaluate(0, n, 0, scores, WIDTH, weight, places, polynomial, felt)

    margin = scores[:, None] - scores
    pull = np.zeros((n, n))
    for s in range(n_segments):
        inside = np.zeros(n)
        inside[starts[s] : starts[s + 1]] = weight[starts[s] : starts[s + 1]]
        for r in range(n_terms):
            up, low = (each[code, r] * inside for each in (sides[0], sides[-1]))
            pairs = np.outer(np.maximum(up, 0.0), np.maximum(-low, 0.0))
            assert np.isclose(found[s, r], (pairs * LOGISTIC.value(margin)).sum(), rtol=1e-12)
            pull += coefficient[s, r] * pairs * LOGISTIC.slope(margin)
    expected = pull.sum(1) - pull.sum(0)
    np.testing.assert_allclose(felt, expected, atol=1e-12 * max(np.abs(expected).max(), 1e-3))
