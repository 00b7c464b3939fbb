"""Which segment each row belongs to, and where segments differ beyond chance."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from isonomy._audit.estimate import Estimate
from isonomy._audit.result import SegmentTest
from isonomy._core import FloatArray, is_missing
from isonomy._metrics import FEWEST_MISRANKED, holm

# More different values than this are no segments.
MOST_SEGMENTS = 1000
MISSING = "(missing)"
# Beyond this floats skip whole numbers.
LARGEST_WHOLE = 2.0**53


def split(by: Any, n: int, count: NDArray[np.int64] | None = None) -> dict[str, NDArray[np.int64]]:
    """The rows of each segment by its name, the one with the most items first.

    Rows of count 0 are left out, and segments with no others.
    """
    codes, values = _number(_values(by, n))
    if len(values) > MOST_SEGMENTS:
        raise ValueError(
            f"Parameter `by` should name at most {MOST_SEGMENTS:,} segments. Found {len(values):,} "
            "different values; bin or group them first."
        )
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(codes, minlength=len(values)))[:-1])
    items = np.ones(n, np.int64) if count is None else count
    named = {name: part[items[part] > 0] for name, part in zip(_names(values), parts, strict=True)}
    kept = [(name, part) for name, part in named.items() if part.size]
    return dict(sorted(kept, key=lambda each: -int(items[each[1]].sum())))


def equality_tests(
    segments: list[str],
    quantities: list[tuple[str, ...]],
    estimates: list[list[Estimate]],
    units: FloatArray,
    freedom: FloatArray,
    level: float,
) -> tuple[SegmentTest, ...]:
    """One test per label and per pair of labels that at least two segments can take part in.

    Parameters
    ----------
    segments : list of str
        Names.
    quantities : list of tuple of str
        The label or the two labels of each quantity.
    estimates, units, freedom
        Per segment and quantity: the AUC, how much data it stands on, and the degrees of
        freedom of its error.
    """
    found = []
    for q, labels in enumerate(quantities):
        usable = [
            s
            for s in range(len(segments))
            if _misranked(estimates[s][q], units[s, q]) >= FEWEST_MISRANKED
        ]
        if len(usable) < 2:
            continue
        value, error = np.array(
            [(estimates[s][q].value, estimates[s][q].standard_error) for s in usable]
        ).T
        lowest, highest = (segments[usable[int(pick(value))]] for pick in (np.argmin, np.argmax))
        tested = welch(value, error, freedom[usable, q])
        found.append((labels, len(usable), *tested, lowest, highest))
    adjusted = holm(np.array([p for _, _, _, p, *_ in found]))
    return tuple(
        SegmentTest(labels, size, statistic, p, float(fixed), bool(fixed < 1 - level), low, high)
        for (labels, size, statistic, p, low, high), fixed in zip(found, adjusted, strict=True)
    )


def _misranked(estimate: Estimate, units: float) -> float:
    """How many of the smaller class, about, stand on the wrong side; 0 where nothing tells."""
    if not estimate.standard_error > 0:
        return 0.0
    return units * min(estimate.value, 1 - estimate.value)


def welch(value: FloatArray, error: FloatArray, freedom: FloatArray) -> tuple[float, float]:
    """Welch's test that independent AUCs are equal, on the logit scale: its F and p-value.

    Cochran's Q is the same for errors that are known; these are estimated.
    """
    precision = (value * (1 - value) / error) ** 2
    logit, n = special.logit(value), len(value)
    mean = precision @ logit / precision.sum()
    unsure = float(((1 - precision / precision.sum()) ** 2 / freedom).sum())
    statistic = float(precision @ (logit - mean) ** 2) / (n - 1)
    statistic /= 1 + 2 * (n - 2) / (n**2 - 1) * unsure
    return statistic, float(stats.f.sf(statistic, n - 1, (n**2 - 1) / (3 * unsure)))


def _values(by: Any, n: int) -> Any:
    """A number array, or a list of anything."""
    shape = np.shape(by) if hasattr(by, "shape") else None
    if isinstance(by, str | bytes) or not (hasattr(by, "__len__") and hasattr(by, "__iter__")):
        raise TypeError(
            "Parameter `by` should hold one segment for each row, such as `table['country']`. "
            f"Found {by!r}."
        )
    if isinstance(by, dict) or (shape is not None and len(shape) != 1):
        what = type(by).__name__ if shape is None else f"shape {shape}"
        raise ValueError(
            f"Parameter `by` should be 1-D, one segment per row. Found {what}; pass one column."
        )
    if len(by) != n:
        raise ValueError(
            f"Parameter `by` should hold one segment for each of the {n} rows. Found {len(by)}."
        )
    masked = isinstance(by, np.ma.MaskedArray)
    if isinstance(by, np.ndarray) and by.dtype.kind in "biuf" and not masked:
        return by
    return by.tolist() if hasattr(by, "tolist") else list(by)


def _number(values: Any) -> tuple[NDArray[np.int64], list[Hashable]]:
    """A number from 0 per row, and what each stands for; None for all that is missing."""
    if isinstance(values, np.ndarray):
        distinct, codes = np.unique(values, return_inverse=True)
        found = [None if is_missing(value) else value for value in distinct.tolist()]
        return codes.astype(np.int64), found
    numbers: dict[Hashable, int] = {}
    try:
        codes = np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)
    except TypeError as error:
        raise TypeError(
            f"Parameter `by` should hold values that can be told apart by `==`. Found {error}."
        ) from error
    keys = list(numbers)
    missing = np.array([is_missing(key) for key in keys])
    if not missing.any():
        return codes, keys
    # NaNs are different keys: all that is missing becomes one.
    new = np.where(missing, np.count_nonzero(~missing), np.cumsum(~missing) - 1)
    return new[codes], [*(key for key, gone in zip(keys, missing, strict=True) if not gone), None]


def _names(values: list[Hashable]) -> list[str]:
    """Values as text; with quotes where 1 and '1' would be the same.

    Whole numbers that came as floats, as a column of integers with gaps does, stay whole.
    """
    floats = [value for value in values if isinstance(value, float)]
    if all(value.is_integer() and abs(value) < LARGEST_WHOLE for value in floats):
        values = [int(value) if isinstance(value, float) else value for value in values]
    texts = [MISSING if value is None else str(value) for value in values]
    if len(set(texts)) == len(texts):
        return texts
    return [MISSING if value is None else repr(value) for value in values]
