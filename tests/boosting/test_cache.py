"""What was made ready is found again, and only for the same rows."""

from __future__ import annotations

import copy
import pickle

import numpy as np

from isonomy.boosting._cache import ROOM, Memory


def count(memory: Memory[int], rows: tuple[np.ndarray | None, ...], made: list[int]) -> int:
    def make() -> int:
        made.append(len(made))
        return made[-1]

    return memory.recall(rows, make)


def test_the_same_values_are_found_again() -> None:
    memory, made = Memory[int](), []
    label, weight = np.arange(5.0), np.ones(5)
    assert count(memory, (label, None), made) == 0
    assert count(memory, (label.copy(), None), made) == 0
    assert count(memory, (label, weight), made) == 1
    assert count(memory, (label, 2 * weight), made) == 2
    assert count(memory, (label[:4], None), made) == 3
    assert count(memory, (label, None), made) == 0
    assert len(made) == 4


def test_values_changed_in_place_are_new_values() -> None:
    memory, made = Memory[int](), []
    label = np.arange(5.0)
    count(memory, (label,), made)
    label[0] = 7.0
    assert count(memory, (label,), made) == 1


def test_the_longest_unused_is_forgotten() -> None:
    memory, made = Memory[int](), []
    for k in range(ROOM):
        count(memory, (np.array([k]),), made)
    assert count(memory, (np.array([0]),), made) == 0
    count(memory, (np.array([ROOM]),), made)
    assert count(memory, (np.array([0]),), made) == 0
    assert count(memory, (np.array([1]),), made) == ROOM + 1


def test_copies_are_empty() -> None:
    memory, made = Memory[int](), []
    count(memory, (np.arange(3),), made)
    for other in (copy.copy(memory), copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))):
        assert other._kept == ()
