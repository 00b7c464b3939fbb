"""Tables of score ranges: keys in order, counts kept, pairs counted as their ends say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._counting.interval_table import IntervalTable, key_scores, range_mask, score_keys
from tests.strategies import NASTY, nasty_floats


@given(st.lists(nasty_floats, min_size=1, max_size=30))
def test_keys_are_in_the_order_of_scores(scores: list[float]) -> None:
    array = np.array(scores)
    keys = score_keys(array)
    assert np.array_equal(keys[:, None] < keys, array[:, None] < array)
    assert np.array_equal(key_scores(keys), array)


def test_a_range_of_a_level_has_so_many_keys() -> None:
    levels = np.array([0, 1, 2, 62, 63, 64], np.uint64)
    assert range_mask(levels).tolist() == [2 ** int(level) - 1 for level in levels]


def tables(rng: np.random.Generator, n: int) -> IntervalTable:
    scores, pattern = rng.choice([*NASTY, *rng.normal(size=9)], n), rng.integers(0, 3, n)
    return IntervalTable.of_scores(scores, pattern, rng.integers(0, 3, n))


@given(st.integers(0, 2**32), st.integers(1, 40), st.floats(0.1, 20.0))
def test_collapsing_keeps_counts_and_covers_scores(seed: int, n: int, least: float) -> None:
    rng = np.random.default_rng(seed)
    exact = tables(rng, n)
    short = exact.collapsed(np.ones(3), least) if len(exact) else exact
    short = IntervalTable.joined([short, tables(rng, n)])
    short = short.collapsed(np.ones(3), least) if len(short) else short
    again = short.collapsed(np.ones(3), least) if len(short) else short
    assert short.n_items >= exact.n_items
    assert len(again) <= len(short)
    # In order, each range with its patterns rising, none twice.
    rows = list(zip(short.start, 64 - short.level.astype(int), short.pattern, strict=True))
    assert rows == sorted(set(rows))
    # Any two ranges are apart, or one holds the other.
    start, end = short.start, short.start | range_mask(short.level)
    apart = (end[:, None] < start) | (end < start[:, None])
    holds = (start[:, None] <= start) & (end[:, None] >= end)
    assert (apart | holds | holds.T).all()


@given(st.integers(0, 2**32), st.integers(1, 30), st.floats(0.1, 20.0))
def test_pairs_are_those_of_all_pairs_of_cells(seed: int, n: int, least: float) -> None:
    rng = np.random.default_rng(seed)
    table = IntervalTable.joined([tables(rng, n), tables(rng, n)])
    if len(table):
        table = IntervalTable.joined([table.collapsed(np.ones(3), least), tables(rng, n)])
    above, below = np.array([True, False, False]), np.array([False, True, False])
    right = tied = total = wrong = 0
    end = table.start | range_mask(table.level)
    for i in range(len(table)):
        for j in range(len(table)):
            if above[table.pattern[i]] and below[table.pattern[j]]:
                pairs = int(table.count[i]) * int(table.count[j])
                total += pairs
                right += pairs * bool(end[j] < table.start[i])
                wrong += pairs * bool(end[i] < table.start[j])
                tied += pairs * bool(table.start[i] == end[i] == table.start[j] == end[j])
    found = table.pairs(above, below)
    assert found == (right, tied, total - right - wrong - tied, total)


def test_pairs_beyond_64_bits() -> None:
    table = IntervalTable.of_scores(
        np.array([0.0, 1.0]), np.array([1, 0]), np.array([2**40, 2**41])
    )
    found = table.pairs(np.array([True, False]), np.array([False, True]))
    assert found == (2**81, 0, 0, 2**81)


def test_patterns_get_other_numbers() -> None:
    """Also larger ones than there are patterns: a sketch that knows more of them has those."""
    table = tables(np.random.default_rng(0), 200)
    number = np.array([70, 90, 3])
    found = table.renumbered(number)
    cells, others = (
        sorted(zip(t.start.tolist(), p.tolist(), t.count.tolist(), strict=True))
        for t, p in ((found, found.pattern), (table, number[table.pattern]))
    )
    assert cells == others
    rows = list(zip(found.start.tolist(), found.pattern.tolist(), strict=True))
    assert rows == sorted(rows)
