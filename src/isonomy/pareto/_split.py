"""Three parts of the rows: to train on, to choose weights by, and to report on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import AnyArray, Codes, FloatArray

Index: TypeAlias = NDArray[np.int64]

PARTS = ("training", "validation", "test")


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of the data."""

    X: Any
    Y: AnyArray
    sample_weight: FloatArray | None
    groups: NDArray[np.int64] | None

    @property
    def given(self) -> dict[str, Any]:
        """The weights and groups that there are, by name."""
        named = {"sample_weight": self.sample_weight, "groups": self.groups}
        return {name: values for name, values in named.items() if values is not None}

    def take(self, index: Index) -> Rows:
        """The rows of these numbers."""
        from sklearn.utils import _safe_indexing

        weight, groups = self.sample_weight, self.groups
        return Rows(
            _safe_indexing(self.X, index),
            self.Y[index],
            None if weight is None else weight[index],
            None if groups is None else groups[index],
        )


def random_split(
    codes: Codes,
    groups: NDArray[np.int64] | None,
    sizes: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[Index, Index, Index]:
    """Training, validation and test rows; `sizes` are the shares of the last two.

    Whole groups where there are groups. Otherwise each label pattern is spread over the
    parts, so that rare labels reach all of them.
    """
    if groups is None:
        shuffled = rng.permutation(codes.size)
        order = shuffled[np.argsort(codes[shuffled], kind="stable")]
        return _dealt(order, sizes)
    order = rng.permutation(int(groups.max()) + 1)
    if order.size < len(PARTS):
        raise ValueError(
            "Parameter `groups` should hold at least three groups, one for each of the training, "
            f"validation and test parts. Found {order.size}."
        )
    train, validation, test = (np.isin(groups, part) for part in _dealt(order, sizes))
    return np.flatnonzero(train), np.flatnonzero(validation), np.flatnonzero(test)


def _dealt(order: Index, sizes: tuple[float, float]) -> tuple[Index, Index, Index]:
    """Deal what stands in order to the three parts, evenly all along it."""
    validation, test = sizes
    in_test = _every(order.size, test)
    rest = order[~in_test]
    in_validation = _every(rest.size, validation / (1 - test))
    return (
        np.sort(rest[~in_validation]),
        np.sort(rest[in_validation]),
        np.sort(order[in_test]),
    )


def _every(n: int, share: float) -> NDArray[np.bool_]:
    """Every so many-th of n, about n times `share` in all, but neither none nor all."""
    count = min(max(round(n * share), 1), n - 1)
    return np.asarray(np.diff(np.arange(n + 1) * count // n) > 0)


def check_sizes(validation_size: float, test_size: float) -> tuple[float, float]:
    """Two shares of the rows that leave something to train on."""
    for name, size in (("validation_size", validation_size), ("test_size", test_size)):
        if isinstance(size, bool) or not isinstance(size, Real) or not 0 < size < 1:
            raise ValueError(
                f"Parameter `{name}` should be a share of the rows between 0 and 1, such as 0.2. "
                f"Found {size!r}."
            )
    if validation_size + test_size >= 1:
        raise ValueError(
            "Parameters `validation_size` and `test_size` should leave rows to train on. Found "
            f"{validation_size:g} and {test_size:g}, which sum to {validation_size + test_size:g}."
        )
    return float(validation_size), float(test_size)


def as_split(
    split: Sequence[ArrayLike], n: int, groups: NDArray[np.int64] | None
) -> tuple[Index, Index, Index]:
    """A user's own three parts, checked."""
    if isinstance(split, str) or len(split) != len(PARTS):
        raise ValueError(
            "Parameter `split` should hold the row numbers of three parts: training, validation "
            f"and test. Found {len(split)}."
        )
    train, validation, test = (
        _as_rows(part, n, name) for part, name in zip(split, PARTS, strict=True)
    )
    _refuse_overlap([train, validation, test], "row")
    if groups is not None:
        _refuse_overlap([groups[train], groups[validation], groups[test]], "group")
    return train, validation, test


def _as_rows(part: ArrayLike, n: int, name: str) -> Index:
    rows = np.asarray(part)
    if rows.dtype == np.bool_ and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"Parameter `split` should hold row numbers, or a mask of all {n} rows, for the {name} "
            f"part. Found shape {rows.shape} and dtype {rows.dtype}."
        )
    if rows.min() < 0 or rows.max() >= n:
        raise ValueError(
            f"Parameter `split` should hold row numbers in 0..{n - 1}. Found "
            f"{rows.min()}..{rows.max()} in the {name} part."
        )
    return rows.astype(np.int64)


def _refuse_overlap(parts: list[Index], what: str) -> None:
    parts = [np.unique(part) for part in parts]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        shared = np.intersect1d(parts[i], parts[j])
        if shared.size:
            raise ValueError(
                f"Parameter `split` should not put a {what} into two parts: the AUCs would be too "
                f"high. Found {shared.size} in both the {PARTS[i]} and the {PARTS[j]} part."
            )
