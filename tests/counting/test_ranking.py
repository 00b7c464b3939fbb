"""The ways to count pairs, against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isonomy import LabelAggregation, Labels, Mean, Pooled, Preferences
from isonomy._core import SideWords
from isonomy._counting import blocks
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


def slow_sums(wish: Preferences, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """N and D inside each group, from every pair of items, each as often as it is there."""
    count = np.ones(scores.size, int) if wish.count is None else wish.count
    row = np.repeat(np.arange(scores.size), count)
    weight = np.ones(row.size) if wish.weight is None else (wish.weight / np.maximum(count, 1))[row]
    group = np.zeros(row.size, int) if wish.group is None else wish.group[row]
    up, low = (
        (t.toarray() if sparse.issparse(t) else np.asarray(t, float))[wish.codes[row]]
        * weight[:, None]
        for t in (wish.above, wish.below)
    )
    right = (scores[row, None] > scores[row]) + 0.5 * (scores[row, None] == scores[row])
    N, D = [], []
    for g in range(wish.n_groups):
        pairs = (group == g)[:, None] & (group == g) & ~np.eye(row.size, dtype=bool)
        N.append(np.einsum("ir,ij,jr->r", up, right * pairs, low))
        D.append(np.einsum("ir,ij,jr->r", up, pairs.astype(float), low))
    sums = np.array(N), np.array(D)
    if wish.mix.pooled:
        sums = tuple(each.sum(axis=1, keepdims=True) for each in sums)
    if wish.group is not None and wish.group_weight == "equal":
        whole = np.where(sums[1] > 0, sums[1], 1)
        sums = np.where(sums[1] > 0, sums[0] / whole, 0), (sums[1] > 0).astype(float)
    return sums


@given(
    st.sampled_from([1, 2, 8, 64, 65, 130]),
    st.sampled_from(["bool", "even", "shares", "sparse", "two-sided"]),
    st.sets(st.sampled_from(["weight", "count", "group", "equal", "pooled", "indexed", "tiny"])),
    st.integers(0, 2**32 - 1),
)
def test_sums_are_those_of_every_pair(
    n_terms: int, kind: str, options: set[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    n = 14
    side = rng.integers(-1, 2, (5, n_terms))
    above, below = (side > 0), (side < 0)
    if kind != "bool":
        most = rng.choice([0.5, 1.0, 3.0], (2, n_terms if kind == "even" else 1, n_terms))[:, 0]
        shares = rng.choice([1.0, 2.0], (2, 5, n_terms)) if kind != "even" else np.ones((2, 1, 1))
        above, below = above * most[0] * shares[0], below * most[1] * shares[1]
    if kind == "two-sided":
        above[0], below[0] = 0.5, 0.25
    tables = [sparse.csr_array(t) if kind == "sparse" else t for t in (above, below)]
    count = rng.integers(0, 4, n) if "count" in options else None
    weight = rng.integers(0, 5, n) / 4 if "weight" in options else None
    if count is not None:
        weight = count * (1.0 if weight is None else weight)
    if weight is not None and "tiny" in options:
        weight = weight / 1024
    group = rng.permutation(np.arange(n) % 4) if "group" in options else None
    equal = "equal" if "equal" in options else "pairs"
    mix = Pooled() if "pooled" in options else Mean((1.0,) * n_terms)
    wish = Preferences(
        rng.integers(0, 5, n),
        *tables,
        mix,
        weight=weight,
        group=group,
        group_weight=equal,
        count=count,
    )
    scores = rng.integers(0, 6, n).astype(float)
    N, D = slow_sums(wish, scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 4)
        found = Ranking(wish, scores, indexed="indexed" in options).pair_sums()
        ratios = found.ratios()
    assert found.right.shape == found.total.shape == N.shape
    assert found.right == pytest.approx(N, rel=1e-12, abs=1e-18)
    assert found.total == pytest.approx(D, rel=1e-12, abs=1e-18)
    total = D.sum(axis=0)
    assert np.array_equal(np.isnan(ratios), total == 0)
    assert ratios[total > 0] == pytest.approx(N.sum(axis=0)[total > 0] / total[total > 0])


@pytest.mark.parametrize("costs", ["linear", "uniform"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_levels_have_one_ratio(costs: str, weighted: bool, grouped: bool) -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.permutation(np.arange(80.0) // 1.05 // 1), rng.integers(0, 30, 80).astype(float)
    wish = LabelAggregation(costs=costs).preferences(Labels.from_table(y))
    wish = wish.on(
        rng.integers(1, 4, 80) / 2 if weighted else None,
        np.arange(80) % 3 if grouped else None,
        "pairs",
        None,
    )
    N, D = slow_sums(wish, scores)
    found = Ranking(wish, scores).pair_sums()
    assert found.right.shape == found.total.shape == (3 if grouped else 1, 1)
    assert found.right / found.total == pytest.approx(N / D, rel=1e-12)


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
    assert Ranking(wish, scores).last.tolist() == [True, True, False, True]
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


def test_other_words_of_the_same_rows() -> None:
    """Words number their patterns themselves: nothing that was made of those is kept."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 9, 40).astype(float)
    first, second = (
        Preferences.of_words(
            SideWords.of_table(rng.integers(0, 2, (40, n)).astype(float)), Mean((1.0,) * n), None
        )
        for n in (2, 3)
    )
    ranking = Ranking(first, scores)
    assert ranking.rank_sums[0].size == ranking.pattern_counts.size == 4
    ranking.sums_by_item(None)
    found, expected = ranking.with_terms(second), Ranking(second, scores)
    for each, other in zip(found.runs, expected.runs, strict=True):
        assert each.tolist() == other.tolist()
    assert found.pattern_counts.tolist() == expected.pattern_counts.tolist()
    assert [each.tolist() for each in found.rank_sums] == [
        each.tolist() for each in expected.rank_sums
    ]
    assert found.pair_sums().right.tolist() == expected.pair_sums().right.tolist()
