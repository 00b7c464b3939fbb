"""Rows to train on and rows to stop by."""

from __future__ import annotations

from numbers import Real
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._codes import Codes

Index: TypeAlias = NDArray[np.int64]


def split_rows(
    codes: Codes,
    groups: NDArray[np.int64] | None,
    share: float,
    rng: np.random.Generator,
    *,
    cure: str = "",
) -> tuple[Index, Index]:
    """Training and validation rows, the latter about `share` of all.

    Whole groups where there are groups; where there is only one, the error ends with the `cure`.
    Otherwise each label pattern is spread over both parts, so that rare labels reach both.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> train, validation = split_rows(np.array([0, 0, 1, 1]), None, 0.5, rng)
    >>> train.size, validation.size
    (2, 2)
    """
    if groups is None:
        shuffled = rng.permutation(codes.size)
        order = shuffled[np.argsort(codes[shuffled], kind="stable")]
        held_out = order[_every(order.size, share)]
        mask = np.zeros(codes.size, np.bool_)
        mask[held_out] = True
    else:
        order = rng.permutation(int(groups.max()) + 1)
        if order.size < 2:
            raise ValueError(
                "Parameter `groups` should hold at least two groups, one to train on and one to "
                f"validate on. Found one. {cure}".rstrip()
            )
        mask = np.isin(groups, order[_every(order.size, share)])
    return np.flatnonzero(~mask), np.flatnonzero(mask)


def check_share(name: str, share: object) -> None:
    """A share lies strictly between 0 and 1."""
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) < 1:
        raise ValueError(
            f"Parameter `{name}` should be a share of the rows between 0 and 1, such as 0.1. "
            f"Found {share!r}."
        )


def _every(n: int, share: float) -> NDArray[np.bool_]:
    """Every so many-th of n, about n times `share` in all, but neither none nor all."""
    count = min(max(round(n * share), 1), n - 1)
    return np.asarray(np.diff(np.arange(n + 1) * count // n) > 0)
