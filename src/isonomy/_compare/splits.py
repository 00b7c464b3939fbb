"""Training and test rows: folds that spread rare labels and keep groups whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Labels

Index: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers to train on and to test on."""

    train: Index
    test: Index


def fold_splits(
    labels: Labels,
    groups: NDArray[np.int64] | None,
    folds: int,
    repeats: int,
    rng: np.random.Generator,
) -> list[Split]:
    """Each row is tested once per repeat; no group stands on both sides."""
    if groups is not None and (n_groups := int(groups.max()) + 1) < folds:
        raise ValueError(
            f"Parameter `groups` should hold at least as many groups as there are folds, {folds}. "
            f"Found {n_groups}. Pass folds={max(n_groups, 2)}"
            + (", or more groups." if n_groups > 1 else " and at least two groups.")
        )
    splits = []
    for _ in range(repeats):
        fold = _dealt_rows(labels, folds, rng)
        if groups is not None:
            fold = _dealt_groups(labels, groups, folds, rng)[groups]
        splits += [
            Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(folds)
        ]
    return splits


def given_splits(splits: Any, Y: FloatArray, groups: NDArray[np.int64] | None) -> list[Split]:
    """A user's own splits, or those of a scikit-learn splitter, checked."""
    n = len(Y)
    pairs = splits.split(np.zeros((n, 1)), Y, groups) if hasattr(splits, "split") else splits
    try:
        found = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
    except (TypeError, ValueError) as error:
        raise ValueError(
            "Parameter `splits` should hold pairs (training rows, test rows), or be a splitter of "
            f"scikit-learn. Found {type(splits).__name__}: {error}."
        ) from error
    if len(found) < 2:
        raise ValueError(
            "Parameter `splits` should hold at least two splits: the spread between them gives "
            f"the intervals. Found {len(found)}."
        )
    return [Split(*_apart(i, pair, n, groups)) for i, pair in enumerate(found)]


def first_repeat(splits: list[Split], n: int) -> tuple[int, Index]:
    """How many splits from the first on test no row twice, and each row's split there (or -1)."""
    fold = np.full(n, -1, np.int64)
    for i, split in enumerate(splits):
        if (fold[split.test] >= 0).any():
            return i, fold
        fold[split.test] = i
    return len(splits), fold


def _dealt_rows(labels: Labels, folds: int, rng: np.random.Generator) -> Index:
    """A fold for each row: rows shuffled, sorted by their labels and dealt out in turn."""
    table = _by_rarity(labels)
    place = np.empty(len(table), np.int64)
    place[np.lexsort(table.T[::-1])] = np.arange(len(table))
    shuffled = rng.permutation(len(labels))
    order = shuffled[np.argsort(place[labels.codes[shuffled]], kind="stable")]
    fold = np.empty(len(labels), np.int64)
    fold[order] = np.arange(len(labels)) % folds
    return fold


def _dealt_groups(
    labels: Labels, groups: NDArray[np.int64], folds: int, rng: np.random.Generator
) -> Index:
    """A fold for each group: sorted by positives of the rarest label, then by size."""
    table = _by_rarity(labels)[labels.codes]
    n_groups = int(groups.max()) + 1
    counts = [np.bincount(groups, column == 1, n_groups) for column in table.T]
    shuffled = rng.permutation(n_groups)
    keys = [np.bincount(groups, minlength=n_groups), *counts[::-1]]
    order = shuffled[np.lexsort([-key[shuffled] for key in keys])]
    # In rounds of their own order, so that no fold gets the largest group of every round.
    rounds = [rng.permutation(folds) for _ in range(-(-n_groups // folds))]
    fold = np.empty(n_groups, np.int64)
    # The last round may be short: its folds are taken as they come.
    fold[order] = np.concatenate(rounds)[:n_groups]
    return fold


def _by_rarity(labels: Labels) -> FloatArray:
    """The label patterns, the label with the smallest class first; 2 where not observed."""
    counts = np.bincount(labels.codes, minlength=len(labels.patterns))
    smaller = [
        min(counts[column == 1].sum(), counts[column == 0].sum()) for column in labels.patterns.T
    ]
    return np.nan_to_num(labels.patterns[:, np.argsort(smaller, kind="stable")], nan=2.0)


def _apart(
    number: int, pair: tuple[Any, Any], n: int, groups: NDArray[np.int64] | None
) -> tuple[Index, Index]:
    train, test = _as_rows(pair[0], n, "training"), _as_rows(pair[1], n, "test")
    what, both = "row", np.intersect1d(train, test)
    if groups is not None and both.size == 0:
        what, both = "group", np.intersect1d(groups[train], groups[test])
    if both.size:
        raise ValueError(
            f"Parameter `splits` should not put a {what} on both sides: the AUCs would be too "
            f"high. Found {both.size} in split {number}."
        )
    return train, test


def _as_rows(rows: NDArray[Any], n: int, side: str) -> Index:
    if rows.dtype == np.bool_ and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"Parameter `splits` should hold row numbers, or a mask of all {n} rows, for the "
            f"{side} side. Found shape {rows.shape} and dtype {rows.dtype}."
        )
    if rows.min() < 0 or rows.max() >= n:
        raise ValueError(
            f"Parameter `splits` should hold row numbers in 0..{n - 1}. "
            f"Found {rows.min()}..{rows.max()} on the {side} side."
        )
    if np.unique(rows).size < rows.size:
        raise ValueError(
            f"Parameter `splits` should hold each row once. Found one twice on the {side} side; "
            "use `sample_weight` to count rows more than once."
        )
    return np.sort(rows).astype(np.int64)
