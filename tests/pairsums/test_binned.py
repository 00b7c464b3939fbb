"""Bins: anchored wherever the scores lie, never more than members."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums import surrogate_sums
from isonomy._pairsums.binned import BinnedSum, bin_width
from isonomy._pairsums.layout import arrange
from isonomy.surrogates import SURROGATES
from tests.pairsums.cases import items, some_scores

LOGISTIC = SURROGATES["logistic"]


def binned(codes: np.ndarray, scores: np.ndarray, n_patterns: int = 3) -> BinnedSum:
    some = items(1, n_patterns, 2, 1, seed=13)
    layout = arrange(codes, some.above, some.below, small_below=0)
    (part,) = surrogate_sums(layout, scores, LOGISTIC).parts
    assert isinstance(part, BinnedSum)
    return part


def moments_by_cell(part: BinnedSum) -> dict[tuple[float, int], np.ndarray]:
    cells = part.cells
    keys = zip(cells.bins[cells.row].tolist(), cells.pattern.tolist(), strict=True)
    found: dict[tuple[float, int], np.ndarray] = {}
    for key, moments in zip(keys, part.moments, strict=True):
        found[key] = found.get(key, 0.0) + moments
    return found


@given(st.integers(2, 198), st.sampled_from([1.0, 30.0, 1e5]), st.sampled_from([3, 150]))
def test_moments_of_parts_add_up(cut: int, spread: float, n_patterns: int) -> None:
    rng = np.random.default_rng(12)
    codes = rng.integers(0, n_patterns, 200)
    scores = rng.normal(size=200) * spread
    scores[[0, cut - 1, cut, 199]] = [-spread, spread, -spread, spread]  # wide parts

    whole, left, right = (
        moments_by_cell(binned(codes[part], scores[part], n_patterns))
        for part in (slice(None), slice(cut), slice(cut, None))
    )
    zero = np.zeros(8)
    occupied = {key for key, moments in whole.items() if moments.any()}
    assert occupied == {
        key for part in (left, right) for key, moments in part.items() if moments.any()
    }
    for key in occupied:
        found = left.get(key, zero) + right.get(key, zero)
        np.testing.assert_allclose(found, whole[key], rtol=0.0, atol=1e-13 * (1 + whole[key][0]))


@given(st.data(), st.integers(1, 300), st.sampled_from([2, 50, 1000]))
def test_memory_is_bounded_by_the_members(data: st.DataObject, n: int, n_patterns: int) -> None:
    scores = data.draw(some_scores(n))
    part = binned(np.arange(n) % n_patterns, scores, n_patterns)
    assert part.cells.row.size <= max(n, 128 * n_patterns)
    assert part.cells.bins.size <= max(n, 128)
    assert (np.diff(part.cells.bins) >= 1.0).all()


@pytest.mark.parametrize(
    ("spread", "largest", "width"),
    [
        (10.0, 5.0, 0.25),
        (1.3, 1.0, 0.25),
        (0.6, 1.0, 0.125),
        (1e-6, 1.0, 2.0**-22),
        (0.0, 1.0, 2.0**-50),
        (0.0, 0.0, 2.0**-100),
        (5e-324, 5e-324, 2.0**-100),
        (0.0, 1e300, 0.25),
    ],
)
def test_bin_width(spread: float, largest: float, width: float) -> None:
    found = bin_width(0.25, spread, largest)
    assert found == width
    assert spread / found <= 5.0 or found == 0.25


def test_more_far_bins_than_the_first_table_has_room_for() -> None:
    """Bins thousands apart, each with two members: as if each pair of them were alone."""
    scores = np.repeat(1e6 * np.arange(3_000.0), 2)
    part = binned(np.tile([0, 1], 3_000), scores)
    assert part.cells.bins.size == 3_000
    np.testing.assert_array_equal(part.cells.bins, np.floor(scores[::2] / part.width))
    found = part.cells.bins[part.cells.row[part.places.code]]
    np.testing.assert_array_equal(found, np.floor(scores / part.width))
