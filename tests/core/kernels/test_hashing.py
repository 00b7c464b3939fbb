"""Numbers of words, against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._core.kernels.hashing import number_words

words_lists = st.lists(st.integers(0, 5) | st.integers(0, 2**64 - 1), min_size=1, max_size=60)


def by_hand(words: list[int]) -> tuple[list[int], list[int]]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(word, len(numbers)) for word in words], list(numbers)


@given(words_lists, st.integers(0, 60))
def test_numbers(words: list[int], room: int) -> None:
    numbers, seen = np.empty(len(words), np.uint32), np.empty(room, np.uint64)
    found = number_words(np.array(words, np.uint64), numbers, seen)
    expected, different = by_hand(words)
    if len(different) > room:
        assert found == -1
    elif found >= 0:
        assert found == len(different)
        assert numbers.tolist() == expected
        assert seen[:found].tolist() == different


@pytest.mark.parametrize("step", [1, 2**20, 2**32, 2**52, 2**63 - 1])
def test_words_in_steps_meet_seldom(step: int) -> None:
    values = np.arange(300, dtype=np.uint64) * np.uint64(step)
    words = np.random.default_rng(0).permutation(np.tile(values, 4))
    numbers, seen = np.empty(words.size, np.uint32), np.empty(300, np.uint64)
    found = number_words(words, numbers, seen)
    assert found == len(set(values.tolist()))
    assert seen[numbers].tolist() == words.tolist()


def words_of_products(products: list[int]) -> np.ndarray:
    """Words that, mixed and multiplied by the factor, are these."""
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    mixed = [each * inverse % 2**64 for each in products]
    # word ^ (word >> 32) gives them.
    return np.array([m ^ (m >> 32) for m in mixed], np.uint64)


def test_words_that_all_meet_are_left_to_others() -> None:
    words = words_of_products(list(range(2000)))
    numbers, seen = np.empty(words.size, np.uint32), np.empty(words.size, np.uint64)
    assert number_words(words, numbers, seen) == -1
    # The k-th of them meets k - 1 others; eight looks per word are the most.
    for n, found in ((17, 17), (18, -1)):
        assert number_words(words[:n], numbers, seen) == found


def test_words_that_meet_in_the_last_place_go_on_in_the_first() -> None:
    words = words_of_products([2**64 - 1 - k % 6 for k in range(12)])
    numbers, seen = np.empty(12, np.uint32), np.empty(8, np.uint64)
    assert number_words(words, numbers, seen) == 6
    assert numbers.tolist() == [0, 1, 2, 3, 4, 5] * 2
    assert seen[:6].tolist() == words[:6].tolist()
