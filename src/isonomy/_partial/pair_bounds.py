"""Bounds of an objective's AUC from a table of score ranges, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import FloatArray, Labels, Objective, Preferences, check_objective
from isonomy._counting import IntervalTable
from isonomy._partial.bounded import Bounded


def ratio_bounds(
    table: IntervalTable, labels: Labels, objective: Objective
) -> tuple[Preferences, Bounded]:
    """An objective's Preferences among the patterns, and bounds of N / D of each of its ratios.

    `labels` has one row for each pattern of the table.
    """
    check_objective(objective)
    preferences = objective.preferences(labels)
    if preferences.codes.size != len(labels):
        raise ValueError(
            f"Parameter `objective` should give one code for each of the {len(labels)} items. "
            f"Found {preferences.codes.size}; pass `labels.codes` on."
        )
    if preferences.weight is not None or preferences.group is not None:
        raise ValueError(
            "Parameter `objective` should go by the labels alone: a sketch knows neither weights "
            "nor groups of items."
        )
    n_ratios = 1 if preferences.mix.pooled else preferences.n_terms
    sums = [[Fraction(0)] * n_ratios for _ in range(3)]
    for r in range(preferences.n_terms):
        slot = 0 if preferences.mix.pooled else r
        for weight, above, below in _even_sides(preferences, r):
            found = table.pairs(above, below)
            surely = found.right + Fraction(found.tied, 2)
            sums[0][slot] += weight * surely
            sums[1][slot] += weight * (surely + found.doubtful)
            sums[2][slot] += weight * found.total
    low, high = (np.array([*map(_ratio, each, sums[2])]) for each in sums[:2])
    middle = [(a + b) / 2 for a, b in zip(sums[0], sums[1], strict=True)]
    return preferences, Bounded(low, high, np.array([*map(_ratio, middle, sums[2])]))


def mix_bounds(preferences: Preferences, ratios: Bounded) -> Bounded:
    """Bounds of the mix of bounded ratios, none of which lowers it."""
    low, high, value = (np.asarray(each) for each in (ratios.low, ratios.high, ratios.value))
    mix = preferences.mix
    found = mix.value(value)
    if np.isnan(found):
        return Bounded(found, found, found)
    slopes = [np.asarray(mix.slope(each)) for each in (low, high, value)]
    if any((np.nan_to_num(slope) < 0).any() for slope in slopes):
        raise ValueError(
            "Parameter `objective` should mix its terms so that none of them lowers the whole, or "
            f"bounds of the terms say nothing of it. Found {mix!r}."
        )
    ends = mix.value(low), mix.value(high)
    if ends[0] == ends[1] or low.size == 1:
        return Bounded(*ends, found)
    # A mix is computed in floating point; a few steps outwards make up for its rounding.
    outwards = 4 * np.finfo(np.float64).eps
    return Bounded(max(ends[0] - outwards, 0.0), min(ends[1] + outwards, 1.0), found)


def _even_sides(
    preferences: Preferences, term: int
) -> Iterator[tuple[Fraction, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Weight, upper and lower patterns: a term's sides, cut so that all weigh alike in each."""
    above, below = (_column(table, term)[preferences.codes] for table in preferences.tables)
    for up in np.unique(above[above > 0]):
        for low in np.unique(below[below > 0]):
            yield Fraction(float(up)) * Fraction(float(low)), above == up, below == low


def _column(table: object, term: int) -> FloatArray:
    if sparse.issparse(table):
        return np.asarray(table[:, [term]].toarray()[:, 0], dtype=np.float64)  # type: ignore[index]
    return np.asarray(table, dtype=np.float64)[:, term]


def _ratio(part: Fraction, whole: Fraction) -> float:
    """The nearest float, so that what is ordered stays ordered."""
    return float(part / whole) if whole > 0 else float("nan")
