"""K labels of a row in one number that float32 holds exactly, and back.

A row without gaps is the number whose binary digits are a leading 1 and its labels, label 0
the lowest. A row with a missing label is minus the number whose ternary digits are a leading 1
and its labels, 2 for 'missing'. The leading digit says how many labels there are, so that every
row can be read alone: whichever rows a fold or a partition holds, K is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core.codes import number_occurring, number_values
from isonomy._core.labels import Labels
from isonomy._core.validation import FloatArray

# float32 holds all whole numbers up to 2**24.
MOST_LABELS = 23
MOST_WITH_MISSING = 14
_LARGEST = 2**24
_DIGITS = np.array([0.0, 1.0, np.nan])


def pack_labels(Y: ArrayLike) -> NDArray[np.float32]:
    """One number per row that carries all of its labels through an engine.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1, NaN for 'not observed'. K is at most 23, and at most 14 if a label is
        missing; `BoostedRanker` has no such limit.

    Returns
    -------
    ndarray of float32, shape (n,)
        The `label` of a `lightgbm.Dataset` or an `xgboost.DMatrix`, the `y` of `LGBMRegressor`,
        `LGBMRanker` and `XGBRegressor`. `unpack_labels` reads it.

    Examples
    --------
    >>> from isonomy.boosting import pack_labels
    >>> pack_labels([[0, 0], [1, 0], [0, 1], [1, 1]])
    array([4., 5., 6., 7.], dtype=float32)
    """
    shape: tuple[int, ...] = getattr(Y, "shape", ())
    n_labels = shape[1] if len(shape) == 2 else 1
    if n_labels <= MOST_LABELS:
        labels = Labels.from_table(Y)
        labels.require_binary()
        n_labels = labels.n_labels
    if n_labels > MOST_LABELS:
        raise ValueError(
            f"Parameter `Y` should hold at most {MOST_LABELS} labels: more do not fit into the "
            f"one float32 that engines keep per row. Found {n_labels}. Use `BoostedRanker`, which "
            "has no such limit."
        )
    missing = np.isnan(labels.patterns)
    gaps = missing.any(axis=1)
    if n_labels > MOST_WITH_MISSING and (gaps & labels.occurs).any():
        raise ValueError(
            f"Parameter `Y` should hold at most {MOST_WITH_MISSING} labels where some are missing: "
            f"more do not fit into the one float32 that engines keep per row. Found {n_labels}. "
            "Use `BoostedRanker`, which has no such limit."
        )
    place = np.arange(n_labels)
    ones = (labels.patterns == 1).astype(np.int64)
    binary = 2**n_labels + ones @ 2**place
    ternary = -(3**n_labels + (ones + 2 * missing) @ 3**place)
    numbers = np.where(gaps, ternary, binary).astype(np.float32)
    return np.asarray(numbers[labels.codes])


def unpack_labels(packed: ArrayLike) -> FloatArray:
    """The labels that `pack_labels` packed, (n, K), NaN for 'not observed'.

    Examples
    --------
    >>> from isonomy.boosting import pack_labels, unpack_labels
    >>> unpack_labels(pack_labels([[1, 0, 1], [0, 1, float("nan")]]))
    array([[ 1.,  0.,  1.],
           [ 0.,  1., nan]])
    """
    labels = labels_of_packed(packed)
    return np.asarray(labels.patterns[labels.codes])


def labels_of_packed(packed: Any) -> Labels:
    """The labels of a packed column; an error, with the cure, if it is not one."""
    column = np.asarray(packed)
    if column.dtype.kind == "f":
        column = column.astype(np.promote_types(column.dtype, np.float32), copy=False)
    if column.ndim != 1 or column.size == 0 or column.dtype.kind not in "iuf":
        raise ValueError(
            "The label column should be 1-D numbers from `pack_labels`. Found shape "
            f"{column.shape} and dtype {column.dtype}."
        )
    if not np.isfinite(column).all():
        raise _not_packed(column[~np.isfinite(column)][0])
    if column.min() < -_LARGEST or column.max() > _LARGEST:
        raise _not_packed(column.min() if column.min() < -_LARGEST else column.max())
    codes, values = number_values(column)
    codes, occurring = number_occurring(codes, values.size)
    values = values[occurring]
    whole = values.astype(np.int64)
    n_labels, known = _counts(whole)
    known &= whole == values
    if not known.all():
        raise _not_packed(values[~known][0])
    if np.unique(n_labels).size > 1:
        raise ValueError(
            "The label column should carry the same number of labels in every row. Found "
            f"{n_labels.min()} and {n_labels.max()}. Pack all rows by one `pack_labels(Y)`."
        )
    count = int(n_labels[0])
    place = np.arange(count)
    size = np.abs(whole)[:, None]
    digits = np.where(whole[:, None] > 0, size >> place & 1, size // 3**place % 3)
    return Labels(codes, _DIGITS[digits], tuple(map(str, place)), parameter="label")


def _counts(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """How many labels each number carries, and whether it is a number that `pack_labels` makes."""
    size = np.abs(values)
    binary = np.frexp(size.astype(np.float64))[1] - 1
    powers = 3 ** np.arange(MOST_WITH_MISSING + 2)
    ternary = np.searchsorted(powers, size, side="right") - 1
    n_labels = np.where(values > 0, binary, ternary).astype(np.int64)
    leads = powers[np.clip(ternary, 0, None)] * 2 > size
    gaps = (size[:, None] // powers[:-1] % 3 == 2).any(axis=1)
    known = np.where(
        values > 0,
        (n_labels >= 1) & (n_labels <= MOST_LABELS),
        (n_labels >= 1) & (n_labels <= MOST_WITH_MISSING) & leads & gaps,
    )
    return n_labels, known


def _not_packed(value: Any) -> ValueError:
    return ValueError(
        "The label column should come from `isonomy.boosting.pack_labels(Y)`, which carries all "
        f"labels of a row in one number. Found {value:g}, which it never makes. Pack the labels; "
        "train with LGBMRegressor, LGBMRanker or XGBRegressor, because classifiers renumber them."
    )
