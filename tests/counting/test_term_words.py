"""Terms as words of bits: which terms can be words, and their sums beside plain ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isonomy import Mean, Preferences
from isonomy._core import SideWords
from isonomy._counting import blocks
from isonomy._counting.ranking import Ranking
from isonomy._counting.term_words import TermWords


def wish(n_terms: int, *, complete: bool, scaled: bool, **options: object) -> Preferences:
    rng = np.random.default_rng(n_terms)
    above = rng.random((9, n_terms)) < 0.5
    below = ~above if complete else ~above & (rng.random((9, n_terms)) < 0.6)
    if scaled:
        above, below = above * rng.choice([0.5, 2.0], n_terms), below * rng.choice([1.0, 4.0])
    codes = rng.integers(0, 9, 60)
    return Preferences(codes, above, below, Mean((1.0,) * n_terms), **options)


def slow(wish: Preferences, scores: np.ndarray, weight: np.ndarray, group: np.ndarray) -> list:
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    up, low = (
        np.asarray(table, float)[wish.codes] * weight[:, None] for table in (wish.above, wish.below)
    )
    sums = []
    for g in range(group.max() + 1):
        pairs = np.outer(group == g, group == g)
        sums.append(
            [np.einsum("ir,ij,jr->r", up, each * pairs, low) for each in (right, right * 0 + 1)]
        )
    return np.array(sums).swapaxes(0, 1).tolist()


@pytest.mark.parametrize("n_terms", [1, 8, 64, 65, 128])
@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("options", [(), ("group",), ("weight",), ("group", "weight")])
def test_sums_beside_those_of_all_pairs(
    n_terms: int,
    complete: bool,
    scaled: bool,
    options: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 16)
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 20, 60).astype(float)
    # In quarters, so that every sum is exact.
    weight = rng.integers(0, 9, 60) / 4 if "weight" in options else np.ones(60)
    group = np.arange(60) % 3 if "group" in options else np.zeros(60, int)
    given = {name: {"weight": weight, "group": group}[name] for name in options}
    preferences = wish(n_terms, complete=complete, scaled=scaled, **given)
    found = TermWords.of(preferences)
    assert found is not None
    assert found.ranked == complete
    right, total = slow(preferences, scores, weight, group)
    for indexed in (False, True):
        sums = Ranking(preferences, scores, indexed=indexed).sums_by_item(
            None if "weight" not in options else Ranking(preferences, scores).weight
        )
        assert sums.right.tolist() == right
        assert sums.total.tolist() == total


def test_terms_that_are_no_words() -> None:
    yes = np.array([[1.0], [0.0], [0.0]])
    assert TermWords.of(Preferences([0, 1], yes, yes[::-1], Mean((1.0,)))) is not None
    shares = np.array([[1.0], [0.5], [0.0]])
    assert TermWords.of(Preferences([0, 1], shares, yes[::-1], Mean((1.0,)))) is None
    assert TermWords.of(Preferences([0, 1], yes[::-1], shares, Mean((1.0,)))) is None
    both = np.array([[1.0], [1.0], [0.0]])
    assert TermWords.of(Preferences([0, 1], both, both[::-1], Mean((1.0,)))) is None
    tables = sparse.csr_array(yes), sparse.csr_array(yes[::-1])
    assert TermWords.of(Preferences([0, 1], *tables, Mean((1.0,)))) is None


def test_words_of_rows_are_taken_as_they_are() -> None:
    words = SideWords.of_table(np.array([[1.0, 0.0], [0.0, np.nan], [1.0, 1.0]]))
    found = TermWords.of(Preferences.of_words(words, Mean((1.0, 1.0)), None))
    assert found is not None
    assert found.n_patterns == 3
    assert found.scale.tolist() == [1.0, 1.0]
    assert not found.ranked
