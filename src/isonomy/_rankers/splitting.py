"""Rows in parts: two, three or folds; whole groups, or every label pattern in every part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Items, refuse_name

Index: TypeAlias = NDArray[np.int64]
Shuffler: TypeAlias = np.random.Generator | np.random.RandomState


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers to train on and to test on."""

    train: Index
    test: Index


def held_out(items: Items, share: float, rng: np.random.Generator, *, cure: str = "") -> Split:
    """About `share` of the rows to stop by, the others to train on.

    Where there is only one group, which cannot be parted, the error ends with the `cure`.

    Examples
    --------
    >>> from isonomy._core import Items
    >>> items = Items.checked([0, 0, 1, 1])
    >>> split = held_out(items, 0.5, np.random.default_rng(0))
    >>> split.train.size, split.test.size
    (2, 2)
    """
    units, order = _shuffled(items, rng)
    if order.size < 2 and items.group is not None:
        raise ValueError(
            "Parameter `groups` should hold at least two groups, one to train on and one to "
            f"validate on. Found one. {cure}".rstrip()
        )
    return Split(*_rows(units, _dealt(order, [share])))


def three_parts(
    items: Items, validation_share: float, test_share: float, rng: np.random.Generator
) -> tuple[Index, Index, Index]:
    """Rows to train on, to choose by and to report on."""
    units, order = _shuffled(items, rng)
    if order.size < 3 and items.group is not None:
        raise ValueError(
            "Parameter `groups` should hold at least three groups, one for each of the training, "
            f"validation and test parts. Found {order.size}."
        )
    train, test, validation = _dealt(order, [test_share, validation_share / (1 - test_share)])
    found = _rows(units, [train, validation, test])
    return found[0], found[1], found[2]


def folds(items: Items, n_folds: int, n_repeats: int, rng: np.random.Generator) -> list[Split]:
    """Each row is tested once per repeat; rare labels reach every fold."""
    if items.group is not None and items.n_groups < n_folds:
        raise ValueError(
            f"Parameter `groups` should hold at least as many groups as there are folds, "
            f"{n_folds}. Found {items.n_groups}. Pass folds={max(items.n_groups, 2)}"
            + (", or more groups." if items.n_groups > 1 else " and at least two groups.")
        )
    splits = []
    for _ in range(n_repeats):
        fold = row_folds(items, n_folds, rng)
        splits += [
            Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_folds)
        ]
    return splits


def time_splits(items: Items, times: Any, n_splits: int, *, parameter: str) -> list[Split]:
    """Train on what came before, test on what came next: `n_splits` test parts in the later rows.

    Rows of one time stay together, and so do groups, which count by their latest row.

    Examples
    --------
    >>> from isonomy._core import Items
    >>> items = Items.checked([0, 1, 0, 1, 0, 1])
    >>> [split.test.tolist() for split in time_splits(items, [1, 2, 3, 4, 5, 6], 2, parameter="t")]
    [[2, 3], [4, 5]]
    """
    refuse_name(times, parameter)
    values = np.asarray(times)
    if values.shape != (len(items),):
        raise ValueError(
            f"Parameter `{parameter}` should hold one time for each of the {len(items)} rows. "
            f"Found shape {values.shape}."
        )
    try:
        missing = int((values != values).sum())
        place = np.unique(values, return_inverse=True)[1]
    except TypeError as error:
        raise TypeError(
            f"Parameter `{parameter}` should hold times of one type. Found a mixture."
        ) from error
    if missing:
        raise ValueError(
            f"Parameter `{parameter}` should hold a time for every row. Found {missing} missing. "
            "Drop those rows."
        )
    if items.group is not None:
        latest = np.zeros(items.n_groups, np.int64)
        np.maximum.at(latest, items.group, place)
        place = latest[items.group]
    # The part that each time begins in, by the share of the rows before it.
    counts = np.bincount(place)
    before = (np.cumsum(counts) - counts) / len(items)
    part = np.floor(before * (n_splits + 1) + 1e-9).astype(np.int64)[place]
    found = [
        Split(np.flatnonzero(part < number), np.flatnonzero(part == number))
        for number in range(1, n_splits + 1)
    ]
    found = [split for split in found if split.train.size and split.test.size]
    last = place == place.max()
    if not found and not last.all():
        # The last time alone has so many rows that it begins in the first part.
        found = [Split(np.flatnonzero(~last), np.flatnonzero(last))]
    if not found:
        raise ValueError(
            f"Parameter `{parameter}` should hold at least two different times, to train on one "
            "and test on the next. Found one."
        )
    return found


def row_folds(items: Items, n_folds: int, rng: Shuffler | None) -> Index:
    """A fold for each row: whole groups, or rows of one label pattern after the other.

    Without a generator rows are dealt in the order in which they stand.
    """
    patterns = _rarest_first(items)
    place = np.empty(len(patterns), np.int64)
    place[np.lexsort(patterns.T[::-1])] = np.arange(len(patterns))
    shuffled = np.arange(len(items)) if rng is None else rng.permutation(len(items))
    if items.group is not None:
        return _group_folds(items, patterns, n_folds, rng)[items.group]
    order = shuffled[np.argsort(place[items.labels.codes[shuffled]], kind="stable")]
    fold = np.empty(len(items), np.int64)
    fold[order] = np.arange(len(items)) % n_folds
    return fold


def _group_folds(items: Items, patterns: FloatArray, n_folds: int, rng: Shuffler | None) -> Index:
    """A fold for each group: sorted by positives of the rarest label, then by size."""
    assert items.group is not None
    n_groups = items.n_groups
    table = patterns[items.labels.codes]
    counts = [np.bincount(items.group, column == 1, n_groups) for column in table.T]
    shuffled = np.arange(n_groups) if rng is None else rng.permutation(n_groups)
    keys = [np.bincount(items.group, minlength=n_groups), *counts[::-1]]
    order = shuffled[np.lexsort([-key[shuffled] for key in keys])]
    # In rounds of their own order, so that no fold gets the largest group of every round.
    plain = np.arange(n_folds)
    rounds = [
        plain if rng is None else rng.permutation(n_folds) for _ in range(-(-n_groups // n_folds))
    ]
    fold = np.empty(n_groups, np.int64)
    # The last round may be short: its folds are taken as they come.
    fold[order] = np.concatenate(rounds)[:n_groups]
    return fold


def _rarest_first(items: Items) -> FloatArray:
    """The label patterns, the label with the smallest class first; 2 where not observed."""
    labels = items.labels
    counts = np.bincount(labels.codes, minlength=len(labels.patterns))
    smaller = [
        min(counts[column == 1].sum(), counts[column == 0].sum()) for column in labels.patterns.T
    ]
    return np.nan_to_num(labels.patterns[:, np.argsort(smaller, kind="stable")], nan=2.0)


def _shuffled(items: Items, rng: np.random.Generator) -> tuple[Index, Index]:
    """The unit of each row (itself, or its group), and all units in an order to deal them in."""
    if items.group is not None:
        return items.group, rng.permutation(items.n_groups)
    shuffled = rng.permutation(len(items))
    order = shuffled[np.argsort(items.labels.codes[shuffled], kind="stable")]
    return np.arange(len(items)), order


def _dealt(order: Index, shares: Sequence[float]) -> list[Index]:
    """What is left, then a part for each share of what was left before it, evenly along it."""
    parts = []
    for share in shares:
        n = order.size
        # Every so many-th, but neither none nor all.
        count = min(max(round(n * share), 1), n - 1)
        taken = np.diff(np.arange(n + 1) * count // n) > 0
        parts.append(order[taken])
        order = order[~taken]
    return [order, *parts]


def _rows(units: Index, parts: Sequence[Index]) -> list[Index]:
    """The rows, ascending, whose unit is in each part."""
    part_of = np.empty(int(units.max()) + 1, np.int64)
    for number, part in enumerate(parts):
        part_of[part] = number
    return [np.flatnonzero(part_of[units] == number) for number in range(len(parts))]


def given_parts(
    parts: Sequence[Any],
    names: Sequence[str],
    items: Items,
    *,
    parameter: str,
    where: str = "",
    whole_groups: bool = True,
) -> list[Index]:
    """A user's own parts: row numbers, or masks, that share no row and no group.

    Parameters
    ----------
    parts : sequence of array-like
        Row numbers of each part, or a mask of all rows.
    names : sequence of str
        What each part is called.
    parameter : str
        The parameter that they came by, for messages.
    where : str
        Which of several splits this is, for messages, such as " in split 2".
    whole_groups : bool
        Whether a group in two parts is refused.
    """
    found = [
        _as_rows(part, len(items), f"the {name} part{where}", parameter)
        for part, name in zip(parts, names, strict=True)
    ]
    group = items.group if whole_groups else None
    for i, j in combinations(range(len(found)), 2):
        what, shared = "row", np.intersect1d(found[i], found[j])
        if group is not None and shared.size == 0:
            what, shared = "group", np.intersect1d(group[found[i]], group[found[j]])
        if shared.size:
            raise ValueError(
                f"Parameter `{parameter}` should not put a {what} into two parts: the AUCs would "
                f"be too high. Found {shared.size} in both the {names[i]} and the {names[j]} "
                f"part{where}."
            )
    return found


def given_splits(
    splits: Any, items: Items, *, parameter: str, least: int = 1, whole_groups: bool = True
) -> list[Split]:
    """A user's pairs (training rows, test rows), or those of a scikit-learn splitter, checked."""
    splitter = hasattr(splits, "split")
    try:
        pairs = splits
        if splitter:
            X = np.zeros((len(items), 1))
            pairs = splits.split(X, items.labels.table, items.group)
        pairs = [(train, test) for train, test in pairs]
    except (TypeError, ValueError) as error:
        # Of what is no splitter, Python's own words would be a riddle.
        why = f": {str(error).rstrip('.')}" if splitter else ""
        raise ValueError(
            f"Parameter `{parameter}` should hold pairs (training rows, test rows), or be a "
            f"splitter of scikit-learn. Found {type(splits).__name__}{why}."
        ) from error
    if len(pairs) < least:
        raise ValueError(
            f"Parameter `{parameter}` should hold at least {least} split{'s' * (least > 1)}: the "
            f"spread between them gives the intervals. Found {len(pairs)}."
        )
    return [
        Split(
            *given_parts(
                pair,
                ("training", "test"),
                items,
                parameter=parameter,
                where=f" of split {number}",
                whole_groups=whole_groups,
            )
        )
        for number, pair in enumerate(pairs)
    ]


def _as_rows(part: Any, n: int, what: str, parameter: str) -> Index:
    rows = np.asarray(part)
    if rows.dtype == np.bool_ and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"Parameter `{parameter}` should hold row numbers, or a mask of all {n} rows, for "
            f"{what}. Found shape {rows.shape} and dtype {rows.dtype}."
        )
    if rows.min() < 0 or rows.max() >= n:
        raise ValueError(
            f"Parameter `{parameter}` should hold row numbers in 0..{n - 1}. Found "
            f"{rows.min()}..{rows.max()} in {what}."
        )
    if np.unique(rows).size < rows.size:
        raise ValueError(
            f"Parameter `{parameter}` should hold each row once. Found one twice in {what}; use "
            "`sample_weight` to count rows more than once."
        )
    return np.sort(rows).astype(np.int64)


def check_share(name: str, share: object) -> None:
    """A share lies strictly between 0 and 1."""
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) < 1:
        raise ValueError(
            f"Parameter `{name}` should be a share of the rows between 0 and 1, such as 0.1. "
            f"Found {share!r}."
        )
