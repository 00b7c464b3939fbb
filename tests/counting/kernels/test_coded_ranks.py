"""Sums of ranks from sorted words, against midranks by scipy and by counting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from isonomy._counting.kernels import coded_ranks
from isonomy._counting.kernels.coded_ranks import COUNTED, STRETCH, coded_rank_sums
from tests.conftest import UNCOMPILED

# Parts of runs of equal scores of codes.
part_lists = st.lists(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), max_size=5),
    min_size=1,
    max_size=4,
)


def words_of(scores: np.ndarray, codes: np.ndarray, width: int) -> np.ndarray:
    return scores.astype(np.uint64) << np.uint64(width) | codes.astype(np.uint64)


@given(part_lists, st.integers(2, 5), st.integers(0, 3))
def test_every_rank(parts: list[list[list[int]]], width: int, skipped: int) -> None:
    codes, scores, words, starts = [], [], [], [0]
    for number, part in enumerate(parts):
        for key, run in enumerate(part):
            codes += run
            scores += [(number, key)] * len(run)
            # Keys begin anew in each part: those of different parts cannot be compared.
            words += [key << width | code for code in run]
        starts.append(len(codes))
    doubled = [2 * sum(s < x for s in scores) + scores.count(x) + 1 for x in scores]
    first = min(skipped, len(parts))
    here = range(starts[first], len(codes))
    found = coded_rank_sums(np.array(words, np.uint64), np.array(starts[first:]), width, 4)
    for code in range(4):
        mine = [doubled[i] for i in here if codes[i] == code]
        assert found[:, code].tolist() == [sum(mine), len(mine)]


@given(part_lists, st.integers(0, 3))
def test_two_codes_of_later_parts(parts: list[list[list[int]]], skipped: int) -> None:
    """Ranks count from 1 at position 0, whichever part is looked at."""
    codes = [code % 2 for part in parts for run in part for code in run]
    words = [k << 1 | code % 2 for part in parts for k, run in enumerate(part) for code in run]
    starts = np.cumsum([0, *(sum(map(len, part)) for part in parts)])
    scores = [(p, k) for p, part in enumerate(parts) for k, run in enumerate(part) for _ in run]
    doubled = [2 * sum(s < x for s in scores) + scores.count(x) + 1 for x in scores]
    here = starts[min(skipped, len(parts)) :]
    found = coded_rank_sums(np.array(words, np.uint64), here, 1, 2)
    for code in (0, 1):
        mine = [doubled[i] for i in range(here[0], len(codes)) if codes[i] == code]
        assert found[:, code].tolist() == [sum(mine), len(mine)]


@given(part_lists)
def test_counters_are_emptied_now_and_then(parts: list[list[list[int]]]) -> None:
    """Where kernels are compiled they have read how often already: then it is once, at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded_ranks, "COUNTED", 3)
        test_every_rank.hypothesis.inner_test(parts, 3, 0)


@pytest.mark.parametrize("n", [1, 2, STRETCH, STRETCH + 1, 2 * STRETCH + 500])
@pytest.mark.parametrize("tied", ["nowhere", "everywhere", "at the border", "at the end"])
def test_two_codes(n: int, tied: str) -> None:
    scores = np.arange(n)
    if tied == "everywhere":
        scores[:] = 0
    elif tied == "at the border":
        scores[STRETCH - 3 : STRETCH + 2] = STRETCH
    elif tied == "at the end":
        scores[-2:] = n
    codes = (np.random.default_rng(n).random(n) < 0.4).astype(np.uint64)
    found = coded_rank_sums(words_of(scores, codes, 1), np.array([0, n]), 1, 2)
    ranks = (2 * rankdata(scores)).astype(int)
    assert found.tolist() == [
        [ranks[codes == code].sum() for code in (0, 1)],
        [(codes == code).sum() for code in (0, 1)],
    ]


@pytest.mark.skipif(UNCOMPILED, reason="a million steps")
@pytest.mark.parametrize("n_codes", [3, 2000])
@pytest.mark.parametrize("n_scores", [10, 1000, 10**9])
def test_more_positions_than_a_counter_holds(n_codes: int, n_scores: int) -> None:
    rng = np.random.default_rng(n_codes)
    n = 2 * COUNTED + 12_345
    scores = np.sort(rng.integers(0, n_scores, n))
    codes = rng.integers(0, n_codes, n)
    found = coded_rank_sums(words_of(scores, codes, 11), np.array([0, n]), 11, n_codes)
    ranks = (2 * rankdata(scores)).astype(np.int64)
    expected = np.zeros(n_codes, np.int64)
    np.add.at(expected, codes, ranks)
    assert found[0].tolist() == expected.tolist()
    assert found[1].tolist() == np.bincount(codes, minlength=n_codes).tolist()
