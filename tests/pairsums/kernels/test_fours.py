"""Four items at a time: any number of them, in any lane, and nothing beside them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.errors import TypingError

from isonomy._pairsums.kernels.fours import LANES
from isonomy._pairsums.kernels.grid import Places
from isonomy._pairsums.kernels.moments import BATCH, accumulate, evaluate
from tests.conftest import UNCOMPILED

WIDTH = 0.25
NO_CELL = 7.25

seeds = st.integers(0, 2**32)
# Groups of fewer than four at the end, and batches that are just full, or just not.
sizes = st.one_of(
    st.integers(1, 3 * LANES),
    st.sampled_from([k * BATCH + d for k in (1, 2) for d in range(-5, 6)]),
)


def places_of(starts: np.ndarray, cell: np.ndarray) -> Places:
    """Segments whose members' cells are listed."""
    n_segments = starts.size - 1
    return Places(starts, np.zeros(n_segments), np.zeros(n_segments, np.int64), 0, cell)


def with_border(table: np.ndarray, border: float) -> tuple[np.ndarray, np.ndarray]:
    """A copy that lies inside a larger table, and that table."""
    whole = np.full((table.shape[0] + 2 * LANES, *table.shape[1:]), border)
    inside = whole[LANES:-LANES]
    inside[:] = table
    return inside, whole


@given(sizes, st.integers(1, 5), st.integers(1, 7), seeds)
def test_any_number_of_members(n: int, longest: int, n_cells: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weight = rng.normal(size=n), rng.normal(size=n)
    lengths = rng.integers(1, longest + 1, n) if seed % 2 else np.full(1, n)
    starts = np.unique(np.minimum(np.append(0, np.cumsum(lengths)), n))
    first = int(rng.integers(0, 2**31 - n_cells))
    cell = rng.integers(0, n_cells, n)
    t = 2.0 * (scores / WIDTH - np.floor(scores / WIDTH)) - 1.0

    expected = np.zeros((n_cells, 8))
    np.add.at(expected, cell, weight[:, None] * np.polynomial.chebyshev.chebvander(t, 7))
    found, whole = with_border(np.zeros((n_cells, 8)), NO_CELL)
    listed = places_of(starts, (first + cell).astype(np.int32))
    accumulate(0, n, 0, scores, WIDTH, weight, listed, first, found)
    np.testing.assert_allclose(found, expected, atol=1e-14 * (n + 10))
    assert (whole[:LANES] == NO_CELL).all()
    assert (whole[-LANES:] == NO_CELL).all()

    # What stands beside the polynomials is not read into anything.
    polynomial, _ = with_border(rng.normal(size=(n_cells, 8)), np.nan)
    out, whole = with_border(np.zeros(n), NO_CELL)
    evaluate(
        0, n, 0, scores, WIDTH, weight, places_of(starts, cell.astype(np.int32)), polynomial, out
    )
    powers = np.polynomial.polynomial.polyvander(t, 7)
    np.testing.assert_allclose(out, weight * (powers * polynomial[cell]).sum(axis=1), atol=1e-13)
    assert (whole[:LANES] == NO_CELL).all()
    assert (whole[-LANES:] == NO_CELL).all()


@given(sizes, seeds, st.integers(0, 3 * BATCH))
def test_the_same_bits_in_any_lane(n: int, seed: int, cut: int) -> None:
    rng = np.random.default_rng(seed)
    scores, weight, polynomial = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(5, 8))
    places = places_of(np.array([0, n]), rng.integers(0, 5, n).astype(np.int32))
    whole, parts = np.empty(n), np.empty(n)
    evaluate(0, n, 0, scores, WIDTH, weight, places, polynomial, whole)
    for begin, end in ((0, cut % n), (cut % n, n)):
        evaluate(begin, end, 0, scores, WIDTH, weight, places, polynomial, parts)
    np.testing.assert_array_equal(parts, whole)


@pytest.mark.parametrize("size", [np.inf, np.nan])
def test_the_weight_of_one_is_felt_in_its_cell_alone(size: float) -> None:
    """Lanes that hold nobody carry the cells and weights of those before them."""
    n = BATCH + 1
    weight = np.ones(n)
    weight[BATCH - 1] = size
    cell = np.zeros(n, np.int32)
    cell[BATCH - 1] = 1
    moments = np.zeros((2, 8))
    with np.errstate(invalid="ignore"):
        accumulate(
            0, n, 0, np.full(n, 0.1), WIDTH, weight, places_of(np.array([0, n]), cell), 0, moments
        )
    assert np.isfinite(moments[0]).all()


@pytest.mark.skipif(UNCOMPILED, reason="numpy takes any array")
@pytest.mark.parametrize(
    "table",
    [
        lambda: np.zeros((8, 8))[::2],
        lambda: np.zeros((4, 8), order="F"),
        lambda: np.zeros((4, 16))[:, ::2],
        lambda: np.zeros((4, 8), np.float32),
    ],
    ids=["every second row", "Fortran order", "every second column", "float32"],
)
def test_tables_with_other_addresses_are_refused(table: Callable[[], np.ndarray]) -> None:
    n = 6
    scores, places = np.zeros(n), places_of(np.array([0, n]), np.zeros(n, np.int32))
    with pytest.raises(TypingError):
        accumulate(0, n, 0, scores, WIDTH, scores, places, 0, table())
    with pytest.raises(TypingError):
        evaluate(0, n, 0, scores, WIDTH, scores, places, table(), np.zeros(n))


def test_a_table_that_nobody_may_change_is_read() -> None:
    polynomial, out = np.ones((1, 8)), np.empty(3)
    polynomial.flags.writeable = False
    places = places_of(np.array([0, 3]), np.zeros(3, np.int32))
    evaluate(0, 3, 0, np.full(3, WIDTH / 2), WIDTH, np.ones(3), places, polynomial, out)
    np.testing.assert_array_equal(out, 1.0)
