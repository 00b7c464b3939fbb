"""What was made ready is found again, and only for the same rows."""

from __future__ import annotations

import copy
import pickle

import numpy as np

from isonomy.boosting._content_cache import MOST_KEPT, ContentCache


def count(cache: ContentCache[int], rows: tuple[np.ndarray | None, ...], made: list[int]) -> int:
    def make() -> int:
        made.append(len(made))
        return made[-1]

    return cache.recall(rows, make)


def test_the_same_values_are_found_again() -> None:
    cache, made = ContentCache[int](), []
    label, weight = np.arange(5.0), np.ones(5)
    assert count(cache, (label, None), made) == 0
    assert count(cache, (label.copy(), None), made) == 0
    assert count(cache, (label, weight), made) == 1
    assert count(cache, (label, 2 * weight), made) == 2
    assert count(cache, (label[:4], None), made) == 3
    assert count(cache, (label, None), made) == 0
    assert len(made) == 4


def test_values_changed_in_place_are_new_values() -> None:
    cache, made = ContentCache[int](), []
    label = np.arange(5.0)
    count(cache, (label,), made)
    label[0] = 7.0
    assert count(cache, (label,), made) == 1


def test_the_longest_unused_is_forgotten() -> None:
    cache, made = ContentCache[int](), []
    for k in range(MOST_KEPT):
        count(cache, (np.array([k]),), made)
    assert count(cache, (np.array([0]),), made) == 0
    count(cache, (np.array([MOST_KEPT]),), made)
    assert count(cache, (np.array([0]),), made) == 0
    assert count(cache, (np.array([1]),), made) == MOST_KEPT + 1


def test_copies_are_empty() -> None:
    cache, made = ContentCache[int](), []
    count(cache, (np.arange(3),), made)
    for other in (copy.copy(cache), copy.deepcopy(cache), pickle.loads(pickle.dumps(cache))):
        assert other._kept == ()
