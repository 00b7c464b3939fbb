"""Means over trials and their standard errors, alone and paired.

Trials of one data set share its rows: a mean over J of them, each training on n_train rows and
testing on n_test others, has the variance (1 / J + n_test / n_train) s^2 (Nadeau and Bengio, 2003).
That share is the `overlap` below. Trials that draw fresh rows are independent: their overlap is 0,
and the error is the plain one, s / sqrt(J).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from isonomy._compare.statistics import Resampling
from paper._results import Row

# One fifth is held out: test rows for each training row.
FIFTH = 0.25
PAIRED = "{} - {}"
# The paper's question, and ours beyond it.
PAIRS = (("LaA", "LoA"), ("worst", "LaA"), ("worst", "LoA"))
LEAD = PAIRED.format(*PAIRS[0])


def standard_error(values: Sequence[float] | np.ndarray, overlap: float) -> float | None:
    """Of the mean; None for one value."""
    found = float(Resampling(overlap, 0.95).errors(np.asarray(values, dtype=np.float64)))
    return None if math.isnan(found) else found


def measures(trial: Row, names: Sequence[str]) -> dict[str, float]:
    """What is averaged: AUCs, their difference, the smaller."""
    aucs = {f"auc_{name}": float(trial[f"auc_{name}"]) for name in names}
    low, high = min(aucs.values()), max(aucs.values())
    return {**aucs, "diff_auc": high - low, "min_auc": low}


def summary(
    trials: Iterable[Row], keys: Sequence[str], names: Sequence[str], *, overlap: float
) -> list[Row]:
    """Means over trials with standard errors, for each combination of the keys."""
    groups: dict[tuple[object, ...], list[dict[str, float]]] = {}
    for trial in trials:
        found = measures(trial, names)
        groups.setdefault(tuple(trial[key] for key in keys), []).append(found)
    return [
        dict(zip(keys, key, strict=True)) | _means(found, overlap) for key, found in groups.items()
    ]


def leads(
    trials: Sequence[Row], keys: Sequence[str], names: Sequence[str], *, overlap: float
) -> list[Row]:
    """Of each of `PAIRS` the first less the second, trial by trial: means with standard errors."""
    others = [key for key in keys if key != "objective"]
    places: dict[tuple[object, ...], dict[tuple[str, int], dict[str, float]]] = {}
    for trial in trials:
        place = places.setdefault(tuple(trial[key] for key in others), {})
        place[trial["objective"], trial["seed"]] = measures(trial, names)
    rows = []
    for key, found in places.items():
        for ours, theirs in PAIRS:
            seeds = [seed for name, seed in found if name == ours and (theirs, seed) in found]
            gaps = [
                {c: value - found[theirs, s][c] for c, value in found[ours, s].items()}
                for s in seeds
            ]
            if gaps:
                row = dict(zip(others, key, strict=True)) | {
                    "objective": PAIRED.format(ours, theirs)
                }
                rows.append(row | _means(gaps, overlap))
    return rows


def pooled(trials: Sequence[Row], keys: Sequence[str], columns: Sequence[str]) -> list[Row]:
    """Means over trials that test on the same rows and have errors of their own, from those rows.

    The variance is the mean of theirs and, of several trials, what these add by their spread: no
    number of seeds makes the rows more.
    """
    groups: dict[tuple[object, ...], list[Row]] = {}
    for trial in trials:
        groups.setdefault(tuple(trial[key] for key in keys), []).append(trial)
    rows = []
    for key, found in groups.items():
        row = dict(zip(keys, key, strict=True))
        for column in columns:
            values = [each[column] for each in found]
            own = float(np.mean([each[f"{column}_se"] ** 2 for each in found]))
            between = standard_error(values, 0.0) or 0.0
            row |= {column: float(np.mean(values)), f"{column}_se": math.sqrt(own + between**2)}
        rows.append(row | {"trials": len(found)})
    return rows


def clearly(row: Row, column: str) -> int:
    """1 where it is above 0 by more than two standard errors, -1 where below, otherwise 0."""
    error = row[f"{column}_se"]
    if error is None or not abs(row[column]) > 2 * error:
        return 0
    return 1 if row[column] > 0 else -1


def _means(found: Sequence[dict[str, float]], overlap: float) -> Row:
    row: Row = {}
    for column in found[0]:
        values = [each[column] for each in found]
        row[column] = float(np.mean(values))
        row[f"{column}_se"] = standard_error(values, overlap)
    return {**row, "trials": len(found)}
