"""Ranges that become one, beside a recursion over all dyadic ranges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._counting.kernels.dyadic import collapse, restore_starts

Range = tuple[int, int]


def collapsed(ranges: list[Range], weights: list[float], least: float) -> list[Range]:
    start = np.array([s for s, _ in ranges], np.uint64)
    level = np.array([size for _, size in ranges], np.uint64)
    upto = np.concatenate([[0.0], np.cumsum(weights)])
    group = np.empty(start.size, np.int64)
    new_start, new_level = np.empty_like(start), np.empty_like(level)
    made = collapse(start, level, upto, least, group, new_start, new_level)
    assert group.tolist() == sorted(group.tolist())
    assert sorted(set(group.tolist())) == list(range(made))
    return [(int(new_start[g]), int(new_level[g])) for g in group]


def inside(inner: Range, outer: Range) -> bool:
    return inner[1] <= outer[1] and inner[0] >> outer[1] == outer[0] >> outer[1]


def slow(ranges: list[Range], weights: list[float], least: float) -> list[Range]:
    """Each range in the longest dyadic one whose contents weigh little, cut to what it holds."""
    out = []
    for own in ranges:
        best = own
        for level in range(own[1], 65):
            node = (own[0] >> level << level, level)
            held = [k for k, other in enumerate(ranges) if inside(other, node)]
            if sum(weights[k] for k in held) <= least and len(held) > 1:
                best = smallest_around([ranges[k] for k in held])
        out.append(best)
    return out


def smallest_around(ranges: list[Range]) -> Range:
    for level in range(65):
        node = (ranges[0][0] >> level << level, level)
        if all(inside(each, node) for each in ranges):
            return node
    raise AssertionError


@given(st.data())
def test_as_the_slow_version(data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from([3, 6, 64]))
    top = 2**bits - 1
    drawn = data.draw(
        st.lists(st.tuples(st.integers(0, top), st.integers(0, bits)), min_size=1, max_size=12)
    )
    levels = [(s >> size << size, size) for s, size in drawn]
    ranges = sorted(set(levels), key=lambda each: (each[0], -each[1]))
    weights = [float(data.draw(st.integers(1, 3))) for _ in ranges]
    least = float(data.draw(st.integers(0, 20)))
    found, expected = collapsed(ranges, weights, least), slow(ranges, weights, least)
    for own, mine, theirs in zip(ranges, found, expected, strict=True):
        assert inside(own, mine)
        # A range that holds others and stays apart may be met by what is left inside it.
        assert mine == theirs or mine in ranges


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 64)), max_size=12))
def test_steps_lead_back_to_starts(drawn: list[Range]) -> None:
    ranges = sorted({(s >> size << size, size) for s, size in drawn})
    before, steps = 0, []
    for s, size in ranges:
        steps.append((s >> size) - (before >> size) if size < 64 else 0)
        before = s
    level = np.array([size for _, size in ranges], np.uint64)
    start = np.empty(level.size, np.uint64)
    assert restore_starts(level, np.array(steps, np.uint64), start)
    assert start.tolist() == [s for s, _ in ranges]


def test_steps_beyond_the_last_key_are_refused() -> None:
    out = np.empty(2, np.uint64)
    last = np.uint64(2**64 - 1)
    assert restore_starts(np.zeros(2, np.uint64), np.array([last, 0], np.uint64), out)
    assert not restore_starts(np.zeros(2, np.uint64), np.array([last, 1], np.uint64), out)
    assert not restore_starts(np.full(2, 64, np.uint64), np.array([1, 0], np.uint64), out)


def test_without_ranges_there_is_nothing_to_make() -> None:
    keys, numbers = np.empty(0, np.uint64), np.empty(0, np.int64)
    assert collapse(keys, keys, np.zeros(1), 1.0, numbers, keys.copy(), keys.copy()) == 0
