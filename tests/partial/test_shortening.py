"""Tables that are made to fit: what items weigh, and how full the room is used."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._counting import IntervalTable
from isonomy._partial.shortening import pattern_weights, shortened


def table_of(n: int, counts: list[int] | None = None) -> IntervalTable:
    """So many scores, every third of them of pattern 1."""
    rng = np.random.default_rng(n)
    count = None if counts is None else np.array(counts)
    return IntervalTable.of_scores(rng.normal(size=n), np.arange(n) % 3 % 2, count)


def test_an_item_weighs_its_part_of_each_class_and_of_all() -> None:
    table = IntervalTable.of_scores(np.arange(4.0), np.array([0, 1, 2, 3]), np.array([6, 3, 2, 1]))
    # The second label is not observed in pattern 1; nothing has the last pattern.
    patterns = np.array([[0, 0], [0, 2], [1, 0], [1, 1], [2, 1]], np.uint8)
    expected = [
        1 / 12 + 1 / 9 + 1 / 8,
        1 / 12 + 1 / 9,
        1 / 12 + 1 / 3 + 1 / 8,
        1 / 12 + 1 / 3 + 1,
        1 / 12 + 1,
    ]
    assert pattern_weights(table, patterns) == pytest.approx(expected, rel=1e-15)


def test_a_class_without_items_weighs_as_one_item() -> None:
    table = IntervalTable.of_scores(np.zeros(1), np.zeros(1, np.int64), np.array([4]))
    patterns = np.array([[0], [1]], np.uint8)
    assert pattern_weights(table, patterns).tolist() == [1 / 4 + 1 / 4, 1 / 4 + 1]


class Size:
    """Ten bytes a range, and how often they were asked for."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, table: IntervalTable) -> int:
        self.times += 1
        return 10 * table.first_cell.size


@pytest.mark.parametrize("least", [0.0, 1e-3, 1e9])
@pytest.mark.parametrize("most", [200, 1000, 2400])
def test_the_room_is_used_whatever_the_guess(least: float, most: int) -> None:
    table, size = table_of(300), Size()
    weight = pattern_weights(table, np.array([[0], [1]], np.uint8))
    found, served = shortened(table, weight, size, most, least)
    assert 0.85 * most <= size(found) <= most
    assert found.n_items == 300
    assert served > 0
    assert size.times <= 41
    # What served once serves at once.
    size.times = 0
    again, same = shortened(table, weight, size, most, served)
    if size(again) >= 0.9 * most:
        assert (size.times, same) == (2, served)
        assert size(again) <= most


def test_a_range_weighs_at_most_what_served() -> None:
    table = table_of(200)
    weight = pattern_weights(table, np.array([[0], [1]], np.uint8))
    found, served = shortened(table, weight, Size(), 500, 0.0)
    mass = np.add.reduceat(weight[found.pattern] * found.count, found.first_cell)
    assert mass.max() <= served
    assert mass.max() < 12 * mass.sum() / 50


def test_what_never_fits_is_one_range() -> None:
    table = table_of(50)
    found, served = shortened(table, np.ones(2), lambda _: 101, 100, 0.0)
    assert (found.first_cell.size, found.n_items, served) == (1, 50, 0.0)


def test_few_ranges_that_cannot_fill_the_room_are_the_best_there_is() -> None:
    """Ten of a score each: two ranges would fit, three would not."""
    table = table_of(10, [1] * 10)
    size = Size()
    found, served = shortened(table, np.ones(2), size, 29, 0.0)
    assert found.first_cell.size == 2
    assert served > 0
    assert size.times <= 25, "it sees that there is nothing between"
