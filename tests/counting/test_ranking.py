"""The ways to count pairs, against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isonomy import Mean, Pooled, Preferences
from isonomy._counting.ranking import Ranking, side_table
from tests.strategies import score_arrays


@st.composite
def wishes(draw: st.DrawFn) -> tuple[Preferences, np.ndarray]:
    """Preferences with small whole shares, and scores."""
    n, L, R = draw(st.integers(1, 12)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    side = rng.integers(-2, 3, (L, R))
    mix = draw(st.sampled_from([Pooled(), Mean((1.0,) * R)]))
    codes = rng.integers(0, L, n)
    return Preferences(codes, np.maximum(side, 0), np.maximum(-side, 0), mix), draw(score_arrays(n))


def by_hand(preferences: Preferences, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    up = np.asarray(preferences.above, float)[preferences.codes]
    low = np.asarray(preferences.below, float)[preferences.codes]
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    N = np.einsum("ir,ij,jr->r", up, right, low)
    D = up.sum(axis=0) * low.sum(axis=0)
    if preferences.mix.pooled:
        N, D = N.sum(keepdims=True), D.sum(keepdims=True)
    return N, D


@given(wishes())
def test_every_way_gives_the_same_sums(wish: tuple[Preferences, np.ndarray]) -> None:
    preferences, scores = wish
    N, D = by_hand(preferences, scores)
    packed, indexed = Ranking(preferences, scores), Ranking(preferences, scores, indexed=True)
    assert packed.coded is not None
    assert indexed.coded is None
    by_pattern = packed._sums_by_pattern()
    if preferences.mix.pooled:
        by_pattern = tuple(part.sum(keepdims=True) for part in by_pattern)
    ways = [
        (packed.pair_sums().right[0], packed.pair_sums().total[0]),
        (indexed.pair_sums().right[0], indexed.pair_sums().total[0]),
        (packed.sums_by_item(None).right[0], packed.sums_by_item(None).total[0]),
        by_pattern,
    ]
    for right, total in ways:
        assert right.tolist() == N.tolist()
        assert total.tolist() == D.tolist()


@pytest.mark.parametrize("n_patterns", [2, 3, 64, 65, 256, 257, 300])
@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("as_sparse", [True, False])
def test_every_number_of_patterns(n_patterns: int, complete: bool, as_sparse: bool) -> None:
    rng = np.random.default_rng(n_patterns)
    above = rng.random((n_patterns, 2)) < 0.4
    below = ~above if complete else ~above & (rng.random((n_patterns, 2)) < 0.7)
    codes, scores = rng.integers(0, n_patterns, 500), rng.integers(0, 60, 500).astype(float)
    tables = [sparse.csr_array(t.astype(float)) if as_sparse else t for t in (above, below)]
    preferences = Preferences(codes, *tables, mix=Mean((1.0, 1.0)))
    N, D = by_hand(Preferences(codes, above, below, Mean((1.0, 1.0))), scores)
    sums = Ranking(preferences, scores).pair_sums()
    assert sums.right[0].tolist() == N.tolist()
    assert sums.total[0].tolist() == D.tolist()


def test_order_and_runs() -> None:
    wish = Preferences([0, 1, 0, 1], above=[1, 0], below=[0, 1], mix=Pooled())
    scores = np.array([2.0, 1.0, 2.0, -np.inf])
    ranking = Ranking(wish, scores, indexed=True)
    assert ranking.order is not None
    assert ranking.order.tolist() in ([3, 1, 0, 2], [3, 1, 2, 0])
    packed = Ranking(wish, scores)
    assert packed.order is None
    for codes, last in (ranking.runs, packed.runs):
        assert last.tolist() == [True, True, False, True]
        assert codes.tolist() == [1, 1, 0, 0]


def test_resampled_sums_are_sums_with_weights() -> None:
    rng = np.random.default_rng(0)
    wish = Preferences(rng.integers(0, 2, 30), above=[1, 0], below=[0, 1], mix=Pooled())
    scores, times = rng.integers(0, 8, 30).astype(float), rng.integers(0, 3, 30).astype(float)
    ranking = Ranking(wish, scores, indexed=True)
    assert ranking.order is not None
    weighted = Preferences(wish.codes, wish.above, wish.below, wish.mix, weight=times)
    expected = Ranking(weighted, scores).pair_sums()
    found = ranking.sums_by_item(times[ranking.order])
    assert found.right.tolist() == expected.right.tolist()
    assert found.total.tolist() == expected.total.tolist()


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint16", "uint64"])
@pytest.mark.parametrize("step", [1, 2])
def test_codes_of_every_type(dtype: str, step: int) -> None:
    codes = np.repeat(np.array([0, 1, 0, 1, 1], dtype), step)[::step]
    scores = np.array([2.0, 1.0, 0.0, 1.5, -1.0])
    for n_patterns in (2, 300):
        up, low = np.eye(n_patterns)[:2]
        wish = Preferences(codes, up, low, Pooled())
        for indexed in (False, True):
            sums = Ranking(wish, scores, indexed=indexed).pair_sums()
            assert (sums.right[0, 0], sums.total[0, 0]) == (4, 6)


def test_side_table() -> None:
    rows, sides, values = side_table(np.array([[1.0, 0], [0, 0]]), np.array([[0, 2.0], [3.0, 0]]))
    assert rows.tolist() == [0, 2, 3]
    assert sides.tolist() == [0, 3, 1]
    assert values.tolist() == [1, 2, 3]


@pytest.mark.parametrize(("scale_up", "scale_low"), [(2.0, 3.0), (0.5, 1.0)])
def test_shares_scale_the_sums(scale_up: float, scale_low: float) -> None:
    wish = Preferences([0, 1, 0, 1], [scale_up, 0], [0, scale_low], Pooled())
    sums = Ranking(wish, np.array([2.0, 1.0, 0.0, 1.5])).pair_sums()
    assert sums.right[0, 0] == 2 * scale_up * scale_low
    assert sums.total[0, 0] == 4 * scale_up * scale_low


@given(wishes(), st.booleans())
def test_other_terms_in_the_same_order(
    given: tuple[Preferences, np.ndarray], indexed: bool
) -> None:
    preferences, scores = given
    ranking = Ranking(preferences, scores, indexed=indexed)
    ranking.sums_by_item(None)
    turned = replace(preferences, above=preferences.below, below=preferences.above)
    found = ranking.with_terms(turned).sums_by_item(None)
    expected = Ranking(turned, scores, indexed=indexed).sums_by_item(None)
    assert np.array_equal(found.right, expected.right)
    assert np.array_equal(found.total, expected.total)
    assert ranking.preferences is preferences
