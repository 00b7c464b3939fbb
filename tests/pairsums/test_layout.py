"""Layouts: what is compared with what, and the weight of the pairs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core import SideWords
from isonomy._pairsums.layout import Members, PairLayout, arrange, arrange_words
from isonomy._pairsums.term_blocks import MAX_PATTERNS
from tests.pairsums.cases import Items, items, some_items


@given(some_items(), st.booleans(), st.sampled_from([0, 12, 10**9]))
def test_pairs(drawn: Items, csr: bool, small_below: int) -> None:
    layout = drawn.arrange(small_below=small_below, csr=csr)
    expected = np.zeros(drawn.shape)
    for g in range(drawn.shape[0]):
        w = drawn.weight * (drawn.group == g)
        expected[g] = (w @ drawn.above[drawn.codes]) * (w @ drawn.below[drawn.codes])
    found = np.zeros(drawn.shape)
    found[layout.group, layout.term] = layout.pairs
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    for blocks, small in ((layout.small, True), (layout.large, False)):
        for members in blocks:
            sizes = np.diff(members.starts)
            assert ((sizes < small_below) == small).all()
            assert sizes.sum() == members.code.size == members.weight.size


@given(some_items(), st.booleans())
def test_every_comparison_has_one_place(drawn: Items, csr: bool) -> None:
    layout = drawn.arrange(small_below=12, csr=csr)
    numbers = [n for part in layout.small + layout.large for n in part.comparison.ravel().tolist()]
    assert sorted(numbers) == list(range(layout.pairs.size))


def test_one_group_needs_no_copy_of_the_scores() -> None:
    some = items(3000, 4, 2, 1, seed=0)
    layout = arrange(some.codes, some.above, some.below)
    scores = np.random.default_rng(0).normal(size=3000)
    assert layout.large[0].item is None
    assert layout.large[0].take(scores) is scores


@pytest.mark.parametrize("csr", [False, True])
def test_members_of_a_group_lie_side_by_side(csr: bool) -> None:
    layout = items(50, 3, 2, 4, seed=3).arrange(small_below=10**9, csr=csr)
    group = items(50, 3, 2, 4, seed=3).group
    (small,) = layout.small
    starts, item = small.starts, small.item
    for s, numbers in enumerate(small.comparison):
        inside = group[item[starts[s] : starts[s + 1]]]
        assert set(inside.tolist()) == set(layout.group[numbers].tolist())


@given(some_items(), st.booleans())
def test_small_segments_lie_by_pattern(drawn: Items, csr: bool) -> None:
    layout = drawn.arrange(small_below=10**9, csr=csr)
    assert not layout.large
    for small in layout.small:
        _check_by_pattern(small, drawn, csr)


def _check_by_pattern(small: Members, drawn: Items, csr: bool) -> None:
    for a, b in pairwise(small.starts.tolist()):
        assert (np.diff(small.code[a:b]) >= 0).all()
    if not csr:
        assert small.item is not None
        np.testing.assert_array_equal(small.code, drawn.codes[small.item])
        np.testing.assert_array_equal(small.weight, drawn.weight[small.item])


@given(
    seed=st.integers(0, 2**32),
    n_terms=st.integers(1, 20),
    missing=st.booleans(),
    n_groups=st.sampled_from([1, 5]),
)
def test_many_labels_in_blocks_are_the_same_terms(
    seed: int, n_terms: int, missing: bool, n_groups: int
) -> None:
    """As many patterns as items: blocks of few patterns take their place, term by term."""
    rng = np.random.default_rng(seed)
    n = MAX_PATTERNS + 44
    votes, known = rng.random((n, n_terms)) < 0.5, rng.random((n, n_terms)) > 0.2 * missing
    above, below = votes & known, ~votes & known
    group = np.unique(rng.integers(0, n_groups, n), return_inverse=True)[1]
    layout = arrange(np.arange(n), above, below, group=group, small_below=0)
    check_terms(layout, above, below)


@given(
    n=st.integers(1, 40),
    n_terms=st.integers(1, 140),
    seed=st.integers(0, 2**32 - 1),
    weighted=st.booleans(),
    n_groups=st.sampled_from([1, 3]),
)
def test_words_are_the_terms_of_their_tables(
    n: int, n_terms: int, seed: int, weighted: bool, n_groups: int
) -> None:
    rng = np.random.default_rng(seed)
    # Some labels that all have, that nobody has, and of which nothing is known.
    chance = rng.choice([0.0, 0.5, 1.0], (2, n_terms))
    votes, known = rng.random((n, n_terms)) < chance[0], rng.random((n, n_terms)) < chance[1]
    above, below = votes & known, ~votes & known
    words = SideWords.of_table(np.where(known, votes, np.nan))
    group = np.unique(rng.integers(0, n_groups, n), return_inverse=True)[1]
    weight = rng.random(n) if weighted else None
    found = arrange_words(words, weight=weight, group=group, small_below=0)
    check_terms(found, above, below)
    expected = arrange(np.arange(n), above, below, weight=weight, group=group)
    np.testing.assert_array_equal(found.term, expected.term)
    np.testing.assert_array_equal(found.group, expected.group)
    np.testing.assert_allclose(found.pairs, expected.pairs, rtol=1e-13)


@given(st.integers(3, 6), st.integers(1, 3), st.integers(0, 2**32 - 1), st.booleans())
def test_patterns_on_the_same_sides_are_one(
    n_patterns: int, n_terms: int, seed: int, two_sided: bool
) -> None:
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2, (2, 2, n_terms)) * 0.5
    if not two_sided:
        kinds[1][kinds[0] > 0] = -0.0
    above, below = kinds[:, rng.integers(0, 2, n_patterns)]
    codes = rng.integers(0, n_patterns, 400)
    (members,) = arrange(codes, above, below, small_below=0).large
    assert members.n_patterns <= 2
    upper, lower = members.sides[0], members.sides[-1]
    np.testing.assert_array_equal(np.maximum(upper, 0.0)[members.code], above[codes])
    np.testing.assert_array_equal(np.maximum(-lower, 0.0)[members.code], below[codes])


def check_terms(layout: PairLayout, above: np.ndarray, below: np.ndarray) -> None:
    """Assert that each item has one place in each term, on the side that it stands on."""
    n, n_terms = above.shape
    seen = np.zeros((n, n_terms), bool)
    for members in layout.large:
        assert members.n_patterns <= MAX_PATTERNS
        item = np.arange(n) if members.item is None else members.item
        terms = layout.term[members.comparison[0]]
        expected = above[:, terms].astype(float) - below[:, terms]
        np.testing.assert_array_equal(members.sides[0][members.code], expected[item])
        seen[np.ix_(item, terms)] = True
    assert seen.all()
