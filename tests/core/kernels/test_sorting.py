"""Sorting with a payload against plain sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isonomy._counting.kernels.sorting import (
    HIGHEST,
    ZERO,
    key_layout,
    key_of,
    order_by_group,
    pack_indices,
    part_counts,
    run_ends,
    settle_ties,
    unpack_codes,
)
from isonomy._counting.sorting import sort_codes, sort_order

from tests.strategies import NASTY, nasty_floats

score_lists = st.one_of(
    st.lists(nasty_floats, min_size=1, max_size=40),
    st.lists(st.integers(0, 3).map(float), min_size=1, max_size=40),
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=40),
)


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
    found, last = unpack_codes(*sort_codes(scores, codes, width, threads), width)
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
    codes, last = unpack_codes(np.empty(0, np.uint64), np.array([0, 0]), 1)
    assert codes.size == last.size == 0


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
    packed, starts = sort_codes(scores, codes, 8, threads)
    assert starts.size > 500
    found, last = unpack_codes(packed, starts, 8)
    assert split_runs(found, last) == [run for _, run in runs(scores, codes)]


@pytest.mark.parametrize("threads", [1, 3])
def test_parts_where_the_keys_are_short(threads: int) -> None:
    scores, codes = np.arange(10.0), np.arange(10, dtype=np.uint8)
    packed, starts = sort_codes(scores, codes, 8, threads)
    assert starts[0] == 0
    assert starts[-1] == 10
    assert (starts.size == 2) == (threads == 1)
    assert unpack_codes(packed, starts, 8)[0].tolist() == list(range(10))


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
    packed = sort_codes(scores, np.array([1, 0, 1], np.uint8), 1, 1)
    assert unpack_codes(*packed, 1)[0].tolist() == [0, 1, 1]


@pytest.mark.parametrize("drop", [0, 1, 20, 50, 63])
def test_shortened_keys_are_settled_by_the_scores(drop: int) -> None:
    rng = np.random.default_rng(drop)
    scores = rng.choice([1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0), 1.5, -2.0], 50)
    bits = scores.view(np.uint64)
    packed = np.sort(pack_indices(bits, key_layout(bits), drop, 6))
    assert settle_ties(scores, packed, 6, 64).size == 0
    order = (packed & np.uint64(63)).astype(int)
    assert sorted(order.tolist()) == list(range(50))
    assert (np.diff(scores[order]) >= 0).all()


def test_long_runs_are_left_to_the_caller() -> None:
    scores = np.array([1.0, 3.0, 2.0, 5.0, 5.0, 5.0, 9.0, 8.0])
    # Shortened keys 0 (three different), 1 (three equal) and 2 (two different).
    keys = np.array([0, 0, 0, 1, 1, 1, 2, 2], np.uint64)
    packed = keys << np.uint64(3) | np.arange(8, dtype=np.uint64)
    left = settle_ties(scores, packed, 3, 2)
    assert left.tolist() == [[0, 3]]
    assert (packed & np.uint64(7)).tolist() == [0, 1, 2, 3, 4, 5, 7, 6]
    assert settle_ties(scores, packed, 3, 3).size == 0
    assert (packed & np.uint64(7)).tolist() == [0, 2, 1, 3, 4, 5, 7, 6]


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


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
def test_groups_are_gathered_in_order(groups: list[int], seed: int) -> None:
    group = np.array(groups)
    scores = np.random.default_rng(seed).integers(0, 4, group.size).astype(float)
    order, starts = order_by_group(np.argsort(scores, kind="stable"), group, 5)
    assert starts.tolist() == [sum(g < limit for g in groups) for limit in range(6)]
    last = run_ends(scores, order, starts)
    for g in range(5):
        part = order[starts[g] : starts[g + 1]]
        assert part.tolist() == sorted(np.flatnonzero(group == g), key=lambda i: (scores[i], i))
        ends = [
            i == part.size - 1 or scores[part[i]] < scores[part[i + 1]] for i in range(part.size)
        ]
        assert last[starts[g] : starts[g + 1]].tolist() == ends


@pytest.mark.parametrize("n", [50, 5000])
@pytest.mark.parametrize("threads", [1, 2])
def test_flush_to_zero_changes_nothing(n: int, threads: int) -> None:
    torch = pytest.importorskip("torch")
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush denormals")
    try:
        scores = np.random.default_rng(0).permutation(n).astype(float)
        codes = (scores >= n // 2).astype(np.uint8)
        found, _ = unpack_codes(*sort_codes(scores, codes, 1, threads), 1)
        order = sort_order(scores)
    finally:
        torch.set_flush_denormal(False)
    assert scores[order].tolist() == list(range(n))
    assert found.tolist() == [0] * (n // 2) + [1] * (n - n // 2)
