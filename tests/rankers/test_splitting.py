"""Parts of the rows: nothing in two of them, rare labels in all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold

from isonomy._core import Items, Labels
from isonomy._rankers.splitting import (
    Split,
    check_share,
    folds,
    given_parts,
    given_splits,
    held_out,
    row_folds,
    three_parts,
    time_splits,
)

tables = st.tuples(st.integers(20, 60), st.integers(1, 3), st.integers(0, 2**32 - 1))
SEEDS = st.integers(0, 99)


def rng_of(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def table_of(n: int, K: int, seed: int) -> np.ndarray:
    rng = rng_of(seed)
    Y = (rng.random((n, K)) < rng.uniform(0.1, 0.9, K)).astype(float)
    Y[rng.random((n, K)) < 0.1] = np.nan
    return Y


def grouped(n_groups: int, seed: int, n: int = 80) -> Items:
    """Items in groups of any size, and a label."""
    rng = rng_of(seed)
    groups = np.append(np.arange(n_groups), rng.integers(0, n_groups, n))
    return Items.checked(rng.integers(0, 2, groups.size), groups=groups)


def by_pattern(codes: np.ndarray) -> Items:
    patterns = np.arange(codes.max() + 1.0)[:, None]
    return Items(Labels(codes.astype(np.uint8), patterns, ("a",)))


# Every way to part rows at random, with the shares that the parts after the first should have.
PARTINGS: dict[str, tuple[Any, list[float]]] = {
    "two": (lambda items, rng: _both(held_out(items, 0.25, rng)), [0.25]),
    "three": (lambda items, rng: three_parts(items, 0.2, 0.3, rng), [0.2, 0.3]),
    "folds": (
        lambda items, rng: [split.test for split in folds(items, 3, 1, rng)],
        [1 / 3, 1 / 3],
    ),
}


def _both(split: Split) -> list[np.ndarray]:
    return [split.train, split.test]


@pytest.mark.parametrize("parting", PARTINGS)
@given(st.integers(6, 60), SEEDS)
@settings(max_examples=30)
def test_parts_share_no_row_and_leave_none_out(parting: str, n: int, seed: int) -> None:
    make, shares = PARTINGS[parting]
    parts = make(by_pattern(rng_of(seed).integers(0, 3, n)), rng_of(seed))
    assert sorted(np.concatenate(parts)) == list(range(n))
    assert all((np.diff(part) > 0).all() and part.size for part in parts)
    for part, share in zip(parts[1:], shares, strict=True):
        assert abs(part.size - n * share) <= 1.5


@pytest.mark.parametrize("parting", PARTINGS)
@given(st.integers(3, 15), SEEDS)
@settings(max_examples=30)
def test_no_group_is_in_two_parts(parting: str, n_groups: int, seed: int) -> None:
    items = grouped(n_groups, seed)
    assert items.group is not None
    parts = PARTINGS[parting][0](items, rng_of(seed))
    assert sorted(np.concatenate(parts)) == list(range(len(items)))
    homes = [set(items.group[part]) for part in parts]
    assert all(homes)
    assert sum(map(len, homes)) == n_groups


@pytest.mark.parametrize("parting", PARTINGS)
def test_rare_patterns_reach_every_part(parting: str) -> None:
    make, shares = PARTINGS[parting]
    codes = (np.arange(1000) % 100 == 0).astype(np.int64)
    for seed in range(20):
        parts = make(by_pattern(codes), rng_of(seed))
        expected = [10 * (1 - sum(shares)), *(10 * share for share in shares)]
        found = [int(codes[part].sum()) for part in parts]
        np.testing.assert_allclose(found, expected, atol=1.01)


def test_each_pattern_gives_its_share() -> None:
    levels = np.repeat([0, 1, 2], [960, 20, 20])
    split = held_out(Items.checked(levels), 0.2, rng_of(0))
    assert np.bincount(levels[split.test]).tolist() == [192, 4, 4]
    # Neither part is ever empty.
    assert held_out(Items.checked(levels[:2]), 0.01, rng_of(0)).test.size == 1


@pytest.mark.parametrize("parting", PARTINGS)
def test_a_seed_repeats_the_parts_and_another_one_does_not(parting: str) -> None:
    make, _ = PARTINGS[parting]
    for items in (by_pattern(np.zeros(100, np.int64)), grouped(30, 0)):
        first, again, other = (make(items, rng_of(seed)) for seed in (0, 0, 1))
        assert all((a == b).all() for a, b in zip(first, again, strict=True))
        assert set(first[-1]) != set(other[-1])


@given(tables, st.integers(2, 6), st.integers(1, 3))
@settings(max_examples=40)
def test_each_row_is_tested_once_a_repeat(
    made: tuple[int, int, int], n_folds: int, repeats: int
) -> None:
    Y = table_of(*made)
    found = folds(Items.checked(Y), n_folds, repeats, rng_of(made[2]))
    assert len(found) == n_folds * repeats
    for r in range(repeats):
        tested = np.concatenate([split.test for split in found[r * n_folds : (r + 1) * n_folds]])
        assert sorted(tested) == list(range(len(Y)))
    for split in found:
        assert sorted([*split.train, *split.test]) == list(range(len(Y)))
        assert abs(split.test.size - len(Y) / n_folds) < 1


@given(tables, st.integers(2, 6))
@settings(max_examples=40)
def test_the_rarest_label_reaches_all_folds(made: tuple[int, int, int], n_folds: int) -> None:
    Y = table_of(*made)
    counts = [(np.nansum(column == 1), np.nansum(column == 0)) for column in Y.T]
    rarest = int(np.argmin([min(pair) for pair in counts]))
    for found in (folds(Items.checked(Y), n_folds, 1, rng_of(0)), _unshuffled(Y, n_folds)):
        for value in (0.0, 1.0):
            sizes = [int((Y[split.test, rarest] == value).sum()) for split in found]
            assert max(sizes) - min(sizes) <= 1


def _unshuffled(Y: np.ndarray, n_folds: int) -> list[Split]:
    fold = row_folds(Items.checked(Y), n_folds, None)
    return [Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_folds)]


def test_without_a_generator_rows_are_dealt_as_they_stand() -> None:
    items = Items.checked([0, 0, 0, 1, 1, 1, 0, 1])
    assert row_folds(items, 2, None).tolist() == [0, 1, 0, 0, 1, 0, 1, 1]
    groups = np.repeat(np.arange(6), 4)
    fold = row_folds(Items.checked(np.arange(24) % 2, groups=groups), 3, None)
    assert (fold == fold.reshape(6, 4)[:, :1].repeat(4, axis=1).ravel()).all()
    assert np.bincount(fold).tolist() == [8, 8, 8]


def test_repeats_differ() -> None:
    found = folds(Items.checked(table_of(50, 2, 0)), 5, 2, rng_of(3))
    assert not np.array_equal(found[0].test, found[5].test)


def test_groups_with_the_rare_label_are_spread() -> None:
    groups = np.repeat(np.arange(40), 5)
    Y = np.column_stack([np.arange(200) % 2, groups < 10]).astype(float)
    found = folds(Items.checked(Y, groups=groups), 5, 1, rng_of(0))
    assert [int(Y[split.test, 1].sum()) for split in found] == [10] * 5


@pytest.mark.parametrize("n_groups", [1, 3])
def test_too_few_groups_for_folds(n_groups: int) -> None:
    items = Items.checked(table_of(30, 2, 0), groups=np.arange(30) % n_groups)
    with pytest.raises(ValueError, match=f"`groups` should hold at least.*5.*Found {n_groups}"):
        folds(items, 5, 1, rng_of(0))


def test_too_few_groups_for_parts() -> None:
    one, two = (Items.checked(np.arange(8) % 2, groups=np.arange(8) % n) for n in (1, 2))
    with pytest.raises(ValueError, match=r"at least two groups.*Found one\. Pass more\.$"):
        held_out(one, 0.5, rng_of(0), cure="Pass more.")
    with pytest.raises(ValueError, match=r"Found one\.$"):
        held_out(one, 0.5, rng_of(0))
    with pytest.raises(ValueError, match=r"at least three groups.*Found 2"):
        three_parts(two, 0.2, 0.2, rng_of(0))
    assert all(part.size for part in _both(held_out(two, 0.01, rng_of(0))))


PARTS = ("training", "validation", "test")
ITEMS = Items.checked(np.arange(6) % 2)
IN_GROUPS = Items.checked(np.arange(6) % 2, groups=[0, 1, 1, 2, 2, 2])


def own_parts(parts: Any, items: Items = ITEMS) -> list[list[int]]:
    return [part.tolist() for part in given_parts(parts, PARTS, items, parameter="split")]


def test_own_parts_may_be_masks_or_numbers_in_any_order() -> None:
    masks = np.arange(6) % 3 == np.arange(3)[:, None]
    assert own_parts(masks) == [[0, 3], [1, 4], [2, 5]]
    assert own_parts([[0], [2, 1], [5]], IN_GROUPS) == [[0], [1, 2], [5]]
    # A mask is one of all rows; numbers may be of any size.
    assert own_parts([np.uint8([3]), [True, True, False, False, False, True], [2]]) == [
        *([3], [0, 1, 5], [2])
    ]


def test_own_splits_may_be_pairs_or_a_splitter() -> None:
    Y = table_of(30, 2, 0)
    items = Items.checked(Y)
    found = given_splits(KFold(3), items, parameter="splits")
    for split, (train, test) in zip(found, KFold(3).split(Y), strict=True):
        assert (split.train == train).all()
        assert (split.test == test).all()
    mask = np.arange(30) < 20
    found = given_splits([(mask, ~mask), (np.arange(10, 30), [5, 0, 3])], items, parameter="cv")
    assert found[0].test.tolist() == list(range(20, 30))
    assert found[1].test.tolist() == [0, 3, 5]
    groups = np.arange(30) // 5
    for split in given_splits(
        GroupKFold(3), Items.checked(Y, groups=groups), parameter="splits", least=3
    ):
        assert not set(groups[split.train]) & set(groups[split.test])


ROWS = np.arange(6)
BAD_PARTS: dict[str, tuple[Any, str]] = {
    "a row twice": ([[0, 0], [1], [2]], "each row once. Found one twice in the training part"),
    "a row in two parts": (
        [[0, 1], [2], [3, 1]],
        "not put a row into two parts.*Found 1 in both the training and the test part",
    ),
    "a group in two parts": (
        [[0], [1], [2]],
        "not put a group into two parts.*in both the validation and the test part",
    ),
    "beyond the end": ([[0], [1], [6]], r"row numbers in 0\.\.5. Found 6\.\.6 in the test part"),
    "below zero": ([[0], [-1], [5]], r"row numbers in 0\.\.5. Found -1\.\.-1"),
    "empty": ([[0], [], [2]], "for the validation part"),
    "floats": ([[0.0], [1], [2]], "row numbers, or a mask of all 6 rows.*float64"),
    "a short mask": ([[True], [1], [2]], "mask of all 6 rows"),
    "a table": ([[[0]], [1], [2]], r"Found shape \(1, 1\)"),
}


@pytest.mark.parametrize("case", BAD_PARTS)
def test_bad_parts_are_refused(case: str) -> None:
    parts, message = BAD_PARTS[case]
    items = IN_GROUPS if "group" in case else ITEMS
    with pytest.raises(ValueError, match=f"`split` should .*{message}"):
        own_parts(parts, items)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (([0, 0], [5]), "each row once. Found one twice in the training part of split 1"),
        (([0], [5, 5]), "each row once. Found one twice in the test part of split 1"),
        (([0, 5], [5]), "not put a row into two parts"),
        (([1], [2]), "not put a group into two parts"),
    ],
)
def test_bad_splits_are_refused(pair: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"`splits` should .*{message}"):
        given_splits([(ROWS[:1], ROWS[5:]), pair], IN_GROUPS, parameter="splits")


def test_splits_are_pairs_and_enough() -> None:
    with pytest.raises(ValueError, match=r"`splits` should hold pairs.*splitter.*Found int"):
        given_splits(5, ITEMS, parameter="splits")
    with pytest.raises(ValueError, match=r"`splits` should hold pairs"):
        given_splits([(ROWS, ROWS, ROWS)], ITEMS, parameter="splits")
    with pytest.raises(ValueError, match=r"at least 2 splits.*Found 1"):
        given_splits([(ROWS[:3], ROWS[3:])], ITEMS, parameter="splits", least=2)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, "0.2", True, None, np.nan])
def test_shares_lie_between_0_and_1(share: Any) -> None:
    with pytest.raises(ValueError, match=r"`part` should be a share.*Found"):
        check_share("part", share)
    check_share("part", 0.5)
    check_share("part", np.float32(0.1))


def test_an_error_of_a_splitter_names_the_splitter() -> None:
    items = Items.checked(np.arange(8) % 2)
    with pytest.raises(ValueError, match=r"Found GroupKFold: .* should not be None\.$"):
        given_splits(GroupKFold(2), items, parameter="splits")


def test_groups_may_be_cut_where_that_does_no_harm() -> None:
    items = Items.checked(np.arange(8) % 2, groups=[0, 0, 0, 0, 1, 1, 1, 1])
    halves = [(np.arange(0, 8, 2), np.arange(1, 8, 2))]
    with pytest.raises(ValueError, match="a group into two parts"):
        given_splits(halves, items, parameter="cv")
    assert given_splits(halves, items, parameter="cv", whole_groups=False)[0].train.size == 4


@given(st.integers(4, 40), st.integers(1, 4), SEEDS)
def test_time_splits_train_on_what_came_before(n: int, n_splits: int, seed: int) -> None:
    times = rng_of(seed).permutation(np.append(rng_of(seed).integers(0, 9, n - 2), [0, 10]))
    groups = rng_of(seed).integers(0, n, n)
    plain, whole = Items.checked(np.arange(n) % 2), Items.checked(np.arange(n) % 2, groups=groups)
    found = time_splits(plain, times, n_splits, parameter="t")
    assert all(times[split.train].max() < times[split.test].min() for split in found)
    tested = np.concatenate([split.test for split in found])
    assert np.unique(tested).size == tested.size
    latest = np.array([times[groups == group].max() for group in groups])
    if np.unique(latest).size > 1:
        for split in time_splits(whole, times, n_splits, parameter="t"):
            assert latest[split.train].max() < latest[split.test].min()


@pytest.mark.parametrize(
    ("times", "error", "message"),
    [
        ([1, 2], ValueError, "one time for each of the 4 rows"),
        ([1.0, 2.0, np.nan, 3.0], ValueError, "Found 1 missing"),
        ([1, 1, 1, 1], ValueError, "two different times"),
    ],
)
def test_bad_times(times: list[float], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        time_splits(Items.checked([0, 1, 0, 1]), times, 2, parameter="t")
