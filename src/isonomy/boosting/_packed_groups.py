"""The group of each row inside an XGBoost DMatrix, of which XGBoost itself keeps the sizes only.

A group becomes a whole number below 2**60, whose halves of 30 bits are the bits of two float32.
XGBoost carries these as bounds of the label, which no objective here has another use for.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import AnyArray, count_missing

HALF = np.uint64(30)
LOW = np.uint64((1 << 30) - 1)
_LARGEST = 1 << 60
# Added to the bits, so that every float is a normal one, which nothing rounds to zero.
_NORMAL = np.uint32(1 << 23)


def pack_groups(groups: ArrayLike) -> dict[str, NDArray[np.float32]]:
    """The group (query) of each row, as an `xgboost.DMatrix` can carry it beside weights of rows.

    XGBoost keeps only the sizes of the groups that it is given by ``qid``, and no weights of rows
    beside them. Packed groups need no order of rows, leave weights to the rows, and where several
    processes train together a group that lies in two of them is noticed.

    Parameters
    ----------
    groups : array-like of shape (n,)
        Whole numbers, strings, or ids of any other type; the same on all workers.

    Returns
    -------
    dict
        Two parameters for `xgboost.DMatrix`, `QuantileDMatrix` or `set_info`, which
        `xgboost_objective` and `xgboost_metric` read.

    Notes
    -----
    Whole numbers from 0 to 2**60 - 1 are packed as they are. Other ids are hashed to so many bits:
    among a million groups, two have the same hash with a probability of 4e-7.

    Examples
    --------
    >>> import numpy as np
    >>> import xgboost
    >>> from isonomy.boosting import pack_groups, pack_labels, xgboost_objective
    >>> Y, query = [[1, 1], [1, 0], [0, 0], [0, 1]], ["a", "b", "a", "b"]
    >>> data = xgboost.DMatrix(np.eye(4), pack_labels(Y), weight=[1, 2, 3, 4], **pack_groups(query))
    >>> gradient, _ = xgboost_objective()(np.zeros(4), data)
    >>> gradient.round(2)
    array([-5.,  0.,  5.,  0.])
    """
    numbers = group_numbers(groups)
    halves = {"label_lower_bound": numbers & LOW, "label_upper_bound": numbers >> HALF}
    return {
        name: (half.astype(np.uint32) + _NORMAL).view(np.float32) for name, half in halves.items()
    }


def packed_groups(data: Any) -> NDArray[np.uint64] | None:
    """The number of each row's group that `pack_groups` put into a DMatrix; None without."""
    if not hasattr(data, "get_float_info"):
        return None
    lower, upper = (
        np.ascontiguousarray(data.get_float_info(name), dtype=np.float32).view(np.uint32)
        for name in ("label_lower_bound", "label_upper_bound")
    )
    if not lower.size or not upper.size:
        return None
    # What is below wraps around to beyond.
    halves = [(bits - _NORMAL).astype(np.uint64) for bits in (lower, upper)]
    if max(half.max() for half in halves) > LOW:
        raise ValueError(
            "The label bounds of the DMatrix should be those that `isonomy.boosting.pack_groups` "
            "gives. Found others. Leave them out, or pass `**pack_groups(groups)`."
        )
    return halves[0] | (halves[1] << HALF)


def group_numbers(groups: ArrayLike) -> NDArray[np.uint64]:
    """A whole number below 2**60 for each id, the same on every machine."""
    ids = np.asarray(groups)
    if isinstance(groups, list | tuple) and ids.dtype.kind == "U":
        ids = np.array(groups, dtype=object)
    if ids.ndim != 1:
        raise ValueError(
            f"Parameter `groups` should hold one group for each row. Found shape {ids.shape}."
        )
    if missing := count_missing(ids):
        raise ValueError(
            f"Parameter `groups` should name a group for every row. Found {missing} missing. "
            "Drop those rows or give each a group of its own."
        )
    if ids.dtype.kind == "b":
        ids = ids.astype(np.uint8)
    if ids.dtype.kind in "iu" and ids.size and ids.min() >= 0 and ids.max() < _LARGEST:
        return ids.astype(np.uint64)
    values, place = _distinct(ids)
    return np.array([_number(value) for value in values], np.uint64)[place]


def _distinct(ids: AnyArray) -> tuple[list[Any], NDArray[np.int64]]:
    """The distinct ids, in no order: they need not be comparable."""
    known: dict[Any, int] = {}
    place = [known.setdefault(each, len(known)) for each in ids.tolist()]
    return list(known), np.array(place, np.int64)


def _number(value: Any) -> int:
    whole = isinstance(value, float) and value.is_integer()
    number = int(value) if whole or isinstance(value, int) else None
    if number is not None and 0 <= number < _LARGEST:
        return number
    text = f"{type(value).__name__} {value}" if number is None else f"int {number}"
    hashed = blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(hashed, "little") % _LARGEST
