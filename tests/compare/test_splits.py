"""Splits: nothing on both sides, rare labels everywhere."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold

from isonomy._compare.splits import first_repeat, fold_splits, given_splits
from isonomy._core.labels import Labels

tables = st.tuples(st.integers(20, 60), st.integers(1, 3), st.integers(0, 2**32 - 1))


def table_of(n: int, K: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, K)) < rng.uniform(0.1, 0.9, K)).astype(float)
    Y[rng.random((n, K)) < 0.1] = np.nan
    return Y


@given(tables, st.integers(2, 6), st.integers(1, 3))
@settings(max_examples=40)
def test_each_row_is_tested_once_a_repeat(
    made: tuple[int, int, int], folds: int, repeats: int
) -> None:
    Y = table_of(*made)
    found = fold_splits(Labels.from_table(Y), None, folds, repeats, np.random.default_rng(made[2]))
    assert len(found) == folds * repeats
    for r in range(repeats):
        tested = np.concatenate([split.test for split in found[r * folds : (r + 1) * folds]])
        assert sorted(tested) == list(range(len(Y)))
    for split in found:
        assert sorted([*split.train, *split.test]) == list(range(len(Y)))
        assert abs(split.test.size - len(Y) / folds) < 1
    kept, fold = first_repeat(found, len(Y))
    assert kept == folds
    assert all((fold[found[s].test] == s).all() for s in range(folds))


@given(tables, st.integers(2, 6))
@settings(max_examples=40)
def test_the_rarest_label_reaches_all_folds(made: tuple[int, int, int], folds: int) -> None:
    Y = table_of(*made)
    counts = [(np.nansum(column == 1), np.nansum(column == 0)) for column in Y.T]
    rarest = int(np.argmin([min(pair) for pair in counts]))
    found = fold_splits(Labels.from_table(Y), None, folds, 1, np.random.default_rng(0))
    for value in (0.0, 1.0):
        sizes = [int((Y[split.test, rarest] == value).sum()) for split in found]
        assert max(sizes) - min(sizes) <= 1


@given(tables, st.integers(2, 5))
@settings(max_examples=40)
def test_groups_stay_whole(made: tuple[int, int, int], folds: int) -> None:
    Y = table_of(*made)
    groups = np.random.default_rng(made[2]).integers(0, 12, len(Y))
    groups = np.unique(groups, return_inverse=True)[1]
    found = fold_splits(Labels.from_table(Y), groups, folds, 2, np.random.default_rng(0))
    for split in found:
        assert split.test.size
        assert not set(groups[split.train]) & set(groups[split.test])
    for one, other in combinations(found[:folds], 2):
        assert not set(one.test) & set(other.test)


def test_groups_with_the_rare_label_are_spread() -> None:
    groups = np.repeat(np.arange(40), 5)
    Y = np.column_stack([np.arange(200) % 2, groups < 10]).astype(float)
    found = fold_splits(Labels.from_table(Y), groups, 5, 1, np.random.default_rng(0))
    assert [int(Y[split.test, 1].sum()) for split in found] == [10] * 5


def test_repeats_differ_and_a_seed_repeats_them() -> None:
    labels = Labels.from_table(table_of(50, 2, 0))
    one, again = (fold_splits(labels, None, 5, 2, np.random.default_rng(3)) for _ in range(2))
    assert all((a.test == b.test).all() for a, b in zip(one, again, strict=True))
    assert not np.array_equal(one[0].test, one[5].test)


def test_splits_of_ones_own() -> None:
    Y = table_of(30, 2, 0)
    found = given_splits(KFold(3), Y, None)
    expected = list(KFold(3).split(Y))
    for split, (train, test) in zip(found, expected, strict=True):
        assert (split.train == train).all()
        assert (split.test == test).all()
    mask = np.arange(30) < 20
    found = given_splits([(mask, ~mask), (np.arange(10, 30), [0, 3, 5])], Y, None)
    assert found[0].test.tolist() == list(range(20, 30))
    kept, fold = first_repeat(found, 30)
    assert kept == 2
    assert (fold[6:20] == -1).all()
    groups = np.arange(30) // 5
    for split in given_splits(GroupKFold(3), Y, groups):
        assert not set(groups[split.train]) & set(groups[split.test])
    assert first_repeat([found[0], found[0]], 30)[0] == 1


@pytest.mark.parametrize("n_groups", [1, 3])
def test_too_few_groups(n_groups: int) -> None:
    labels = Labels.from_table(table_of(30, 2, 0))
    groups = np.arange(30) % n_groups
    with pytest.raises(ValueError, match=f"`groups` should hold at least.*5.*Found {n_groups}"):
        fold_splits(labels, groups, 5, 1, np.random.default_rng(0))
