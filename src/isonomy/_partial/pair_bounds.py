"""Bounds of an objective's AUC from a table of score ranges, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import FloatArray, Labels, Objective, Preferences, check_objective
from isonomy._counting import IntervalTable
from isonomy._partial.bounded import Bounded

Side: TypeAlias = tuple[Fraction, NDArray[np.bool_], NDArray[np.bool_]]


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
        for k, each in enumerate(_term_sums(table, preferences, r)):
            sums[k][slot] += each
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


def _term_sums(
    table: IntervalTable, preferences: Preferences, term: int
) -> tuple[Fraction, Fraction, Fraction]:
    """Bounds of N of a term, and D."""
    sides = [_column(side, term)[preferences.codes] for side in preferences.tables]
    ties, cut = _shared_pairs(table, *sides) if preferences.two_sided else (0, _even_sides(*sides))
    low = high = whole = Fraction(0)
    for weight, above, below in cut:
        found = table.pairs(above, below)
        surely = found.right + Fraction(found.tied, 2)
        low += weight * surely
        high += weight * (surely + found.doubtful)
        whole += weight * found.total
    return low + ties, high + ties, whole + 2 * ties


def _even_sides(above: FloatArray, below: FloatArray) -> Iterator[Side]:
    """Weight, upper and lower patterns: a term's sides, cut so that all weigh alike in each."""
    for up in np.unique(above[above > 0]):
        for low in np.unique(below[below > 0]):
            yield Fraction(float(up)) * Fraction(float(low)), above == up, below == low


def _shared_pairs(
    table: IntervalTable, above: FloatArray, below: FloatArray
) -> tuple[Fraction, list[Side]]:
    """Where patterns stand on both sides: what pairs bring whatever their order, and the rest.

    Of two items one is above the other, or they tie. So what both orders weigh in common counts
    once of twice, and only the difference of the two depends on the scores.
    """
    kinds, kind = np.unique(np.stack([above, below], axis=1), axis=0, return_inverse=True)
    kind = kind.reshape(-1)  # numpy 2.0 gives it another axis.
    of_kind = [kind == k for k in range(len(kinds))]
    n_items = [int(table.range_counts(each).sum()) for each in of_kind]
    weights = [tuple(map(Fraction, map(float, each))) for each in kinds]
    common, rest = Fraction(0), []
    for k, (up, low) in enumerate(weights):
        common += up * low * (n_items[k] * (n_items[k] - 1) // 2)
        for j in range(k):
            here, there = up * weights[j][1], weights[j][0] * low
            common += min(here, there) * n_items[k] * n_items[j]
            upper, lower = (k, j) if here > there else (j, k)
            if here != there:
                rest.append((abs(here - there), of_kind[upper], of_kind[lower]))
    return common, rest


def _column(table: object, term: int) -> FloatArray:
    if sparse.issparse(table):
        return np.asarray(table[:, [term]].toarray()[:, 0], dtype=np.float64)  # type: ignore[index]
    return np.asarray(table, dtype=np.float64)[:, term]


def _ratio(part: Fraction, whole: Fraction) -> float:
    """The nearest float, so that what is ordered stays ordered."""
    return float(part / whole) if whole > 0 else float("nan")
