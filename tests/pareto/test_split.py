"""The three parts of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.pareto._split import Rows, as_split, random_split


@given(st.integers(3, 60), st.floats(0.05, 0.45), st.floats(0.05, 0.45), st.integers(0, 99))
def test_parts_share_no_row_and_leave_none_out(
    n: int, validation: float, test: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n).astype(np.uint8)
    parts = random_split(codes, None, (validation, test), rng)
    assert sorted(np.concatenate(parts)) == list(range(n))
    assert all(part.size for part in parts)
    assert abs(parts[1].size - n * validation) <= 2
    assert abs(parts[2].size - n * test) <= 1


@given(st.integers(3, 15), st.integers(0, 99))
def test_groups_stay_whole(n_groups: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = np.append(np.arange(n_groups), rng.integers(0, n_groups, 80))
    codes = np.zeros(groups.size, np.uint8)
    parts = random_split(codes, groups, (0.2, 0.2), rng)
    assert sorted(np.concatenate(parts)) == list(range(groups.size))
    homes = [set(groups[part]) for part in parts]
    assert all(homes)
    assert sum(map(len, homes)) == n_groups


def test_rare_patterns_reach_every_part() -> None:
    codes = (np.arange(1000) % 100 == 0).astype(np.uint8)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        parts = random_split(codes, None, (0.2, 0.2), rng)
        assert [int(codes[part].sum()) for part in parts] in ([6, 2, 2], [7, 1, 2], [5, 3, 2])


def test_the_split_is_random() -> None:
    codes = np.zeros(100, np.uint8)
    first, second = (
        random_split(codes, None, (0.2, 0.2), np.random.default_rng(seed))[2] for seed in (0, 1)
    )
    assert set(first) != set(second)


def test_own_splits_may_be_masks() -> None:
    masks = np.arange(6) % 3 == np.arange(3)[:, None]
    found = as_split(masks, 6, None)
    assert [part.tolist() for part in found] == [[0, 3], [1, 4], [2, 5]]
    found = as_split([[0], [2, 1], [5]], 6, np.array([0, 1, 1, 2, 2, 2]))
    assert [part.tolist() for part in found] == [[0], [2, 1], [5]]


def test_rows_name_what_is_given() -> None:
    rows = Rows(np.arange(6).reshape(3, 2), np.eye(3), None, np.array([0, 1, 1]))
    taken = rows.take(np.array([2, 0]))
    assert taken.X.tolist() == [[4, 5], [0, 1]]
    assert {name: value.tolist() for name, value in taken.given.items()} == {"groups": [1, 0]}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_rows_of_frames_keep_their_names(library: str) -> None:
    frame = pytest.importorskip(library).DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
    taken = Rows(frame, np.eye(3), None, None).take(np.array([2, 0]))
    assert list(taken.X.columns) == ["a", "b"]
    assert np.asarray(taken.X).tolist() == [[3, 6], [1, 4]]
