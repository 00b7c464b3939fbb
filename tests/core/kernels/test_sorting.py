"""Sorting with a payload against plain sorting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core import sorting
from isonomy._core.kernels.sorting import (
    HIGHEST,
    ZERO,
    group_starts,
    key_extremes,
    key_of,
    number_runs,
    part_counts,
    settle_ties,
    unpack_codes,
)
from isonomy._core.kernels.sorting import key_layout as layout_of_extremes
from isonomy._core.sorting import CodedWords, order_items, sort_order
from tests.strategies import NASTY, nasty_floats

score_lists = st.one_of(
    st.lists(nasty_floats, min_size=1, max_size=40),
    st.lists(st.integers(0, 3).map(float), min_size=1, max_size=40),
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=40),
)


def key_layout(bits: np.ndarray) -> np.ndarray:
    """Of all scores at once, which is that of any parts of them."""
    middle = bits.size // 2
    parts = [key_extremes(bits[:middle]), key_extremes(bits[middle:])]
    layout = layout_of_extremes(np.array([key_extremes(bits)]))
    assert layout_of_extremes(np.array(parts)).tolist() == layout.tolist()
    return layout


@pytest.fixture(params=["numpy", "digits"], autouse=True, scope="module")
def _either_sort(request: pytest.FixtureRequest) -> Iterator[None]:
    """All of this whichever sort runs, also for few words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "numpy_is_faster", lambda: request.param == "numpy")
        patch.setattr(sorting, "WORTH_DIGITS", 0)
        patch.setattr(sorting, "PART", 8)
        yield


def runs(scores: np.ndarray, codes: np.ndarray) -> list[tuple[float, list[int]]]:
    """The codes of each distinct score, in ascending order of score."""
    return [(s, sorted(codes[scores == s].tolist())) for s in sorted(set(scores.tolist()))]


def split_runs(codes: np.ndarray, last: np.ndarray) -> list[list[int]]:
    parts = np.split(codes, np.flatnonzero(last)[:-1] + 1)
    return [sorted(part.tolist()) for part in parts]


@given(score_lists, st.integers(1, 8), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_sort_codes(values: list[float], width: int, threads: int, seed: int) -> None:
    scores = np.array(values)
    codes = np.random.default_rng(seed).integers(0, 2**width, scores.size).astype(np.uint8)
    found, last = CodedWords(scores, codes, width, threads).runs()
    assert last[-1]
    assert split_runs(found, last) == [run for _, run in runs(scores, codes)]


@given(score_lists)
def test_keys_rise_with_scores(values: list[float]) -> None:
    scores = np.array(values)
    bits = scores.view(np.uint64)
    layout = key_layout(bits)
    keys = [int(key_of(b, tuple(layout[:4]))) for b in bits]
    assert max(keys) <= int(layout[HIGHEST])
    for i, key in enumerate(keys):
        for j, other in enumerate(keys):
            assert (key < other) == (scores[i] < scores[j])
            assert (key == other) == (scores[i] == scores[j])


def test_nothing_to_unpack() -> None:
    codes, last = np.array([7], np.uint8), np.array([False])
    unpack_codes(np.empty(0, np.uint64), np.array([0, 0, 0]), 1, codes, last)
    assert (codes.tolist(), last.tolist()) == ([7], [False])


def test_zero_has_one_key() -> None:
    bits = np.array([0.0, -0.0, 1.0, -1.0]).view(np.uint64)
    layout = key_layout(bits)
    assert key_of(bits[0], tuple(layout[:4])) == key_of(bits[1], tuple(layout[:4])) == layout[ZERO]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_many_parts_keep_every_bit_of_both_signs(threads: int) -> None:
    tiny, huge = 5e-324, np.finfo(float).max
    rng = np.random.default_rng(0)
    scores = np.concatenate(
        [
            rng.choice([-1, 1], 200) * np.exp(rng.uniform(-700, 700, 200)),
            [np.inf, -np.inf, np.inf, tiny, -tiny, huge, -huge, 0.0, -0.0, 1.0],
            [np.nextafter(1.0, 2.0), np.nextafter(-1.0, 0.0), -1.0],
        ]
    )
    codes = rng.integers(0, 256, scores.size).astype(np.uint8)
    coded = CodedWords(scores, codes, 8, threads)
    assert coded.starts.size > 500
    found, last = coded.runs()
    assert split_runs(found, last) == [run for _, run in runs(scores, codes)]


@pytest.mark.parametrize("threads", [1, 3])
def test_parts_where_the_keys_are_short(threads: int) -> None:
    scores, codes = np.arange(10.0), np.arange(10, dtype=np.uint8)
    coded = CodedWords(scores, codes, 8, threads)
    assert coded.starts[0] == 0
    assert coded.starts[-1] == 10
    assert coded.starts.size > 2
    assert coded.runs()[0].tolist() == list(range(10))


def test_part_counts() -> None:
    bits = np.array([1.0, 2.0, -1.0, 0.0, np.inf]).view(np.uint64)
    layout = key_layout(bits)
    assert part_counts(bits, layout, 0, 1).tolist() == [5]
    n_parts = (int(layout[HIGHEST]) >> 3) + 1
    keys = [int(key_of(b, tuple(layout[:4]))) >> 3 for b in bits]
    expected = np.bincount(keys, minlength=n_parts).tolist()
    assert part_counts(bits, layout, 3, n_parts).tolist() == expected


@given(score_lists)
def test_sort_order_is_a_sorting_permutation(values: list[float]) -> None:
    scores = np.array(values)
    order = sort_order(scores)
    assert sorted(order.tolist()) == list(range(scores.size))
    assert scores[order].tolist() == sorted(values)


def test_sort_order_does_not_change_the_scores() -> None:
    scores = np.array([3.0, -0.0, np.inf])
    scores.flags.writeable = False
    assert sort_order(scores).tolist() == [1, 0, 2]
    coded = CodedWords(scores, np.array([1, 0, 1], np.uint8), 1, 1)
    assert coded.runs()[0].tolist() == [0, 1, 1]


@pytest.mark.parametrize("longest", [1, 2, 3])
def test_shortened_keys_are_settled_by_the_scores(longest: int) -> None:
    scores = np.array([1.0, 3.0, 2.0, 5.0, 5.0, 5.0, 9.0, 8.0, 8.0])
    # Shortened keys of three different scores, three equal ones, and two different ones.
    order, last = np.arange(9), np.array([0, 0, 1, 0, 0, 1, 0, 0, 1], np.bool_)
    left = settle_ties(scores, order, last, longest)
    assert left.tolist() == [[0, 3], [6, 9]][: 2 if longest < 3 else 0]
    if longest == 3:
        assert scores[order].tolist() == [1, 2, 3, 5, 5, 5, 8, 8, 9]
        assert last.tolist() == [True, True, True, False, False, True, False, True, True]


def test_long_runs_of_neighbours() -> None:
    ladder = 1.0 + np.arange(400) * 2.0**-52
    scores = np.random.default_rng(0).permutation([*ladder, *-ladder, np.inf, -np.inf, 5e-324])
    assert (np.diff(scores[sort_order(scores)]) > 0).all()


def test_one_ulp_neighbours_beyond_the_room_for_indices() -> None:
    # 64 bits of key and 7 of index: the lowest 9 bits of the key are dropped at first.
    ladder = [1.0]
    for _ in range(60):
        ladder.append(float(np.nextafter(ladder[-1], 2.0)))
    rng = np.random.default_rng(0)
    scores = rng.permutation([*ladder, *(-np.array(ladder)), 5e-324, -5e-324, np.inf, -np.inf])
    bits = scores.view(np.uint64)
    assert int(key_layout(bits)[HIGHEST]).bit_length() + 7 > 62
    assert (np.diff(scores[sort_order(scores)]) > 0).all()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), score_lists, st.booleans())
def test_groups_are_sorted_by_themselves(
    groups: list[int], values: list[float], ascending: bool
) -> None:
    n = min(len(groups), len(values))
    group, scores = np.array(groups[:n]), np.array(values[:n])
    if ascending:
        group.sort()
    found, starts, last = order_items(scores, group, 5)
    assert starts.tolist() == [(group < g).sum() for g in range(6)]
    assert starts.tolist() == group_starts(group, 5).tolist()
    for g in range(5):
        part = found[starts[g] : starts[g + 1]].tolist()
        assert sorted(part) == np.flatnonzero(group == g).tolist()
        ordered = scores[part].tolist()
        assert ordered == sorted(ordered)
        ends = [i + 1 == len(part) or ordered[i] < ordered[i + 1] for i in range(len(part))]
        assert last[starts[g] : starts[g + 1]].tolist() == ends


@given(score_lists)
def test_runs_of_equal_scores(values: list[float]) -> None:
    scores = np.array(values)
    order, _, last = order_items(scores)
    ends = [*(scores[order][1:] != scores[order][:-1]).tolist(), True]
    assert last.tolist() == ends
    codes = np.empty(scores.size, np.uint32)
    number_runs(order, last, codes)
    assert codes.tolist() == np.unique(scores, return_inverse=True)[1].tolist()


@pytest.mark.parametrize("n", [50, 5000])
@pytest.mark.parametrize("threads", [1, 2])
def test_flush_to_zero_changes_nothing(n: int, threads: int) -> None:
    torch = pytest.importorskip("torch")
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush denormals")
    try:
        scores = np.random.default_rng(0).permutation(n).astype(float)
        codes = (scores >= n // 2).astype(np.uint8)
        found, _ = CodedWords(scores, codes, 1, threads).runs()
        order = sort_order(scores)
    finally:
        torch.set_flush_denormal(False)
    assert scores[order].tolist() == list(range(n))
    assert found.tolist() == [0] * (n // 2) + [1] * (n - n // 2)
