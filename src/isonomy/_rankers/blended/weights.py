"""The weights of a blend: found by a smooth loss, then improved by the AUCs themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isonomy._core import FloatArray, Items, LossAggregation, Objective, Worst
from isonomy._counting import Influence
from isonomy._infra import collected_warnings
from isonomy._metrics import ratios_of
from isonomy._rankers.linear import LinearRanker

# Rows that the search looks at, whose AUCs are then right to about .002, and those that say where
# it begins.
MOST_ROWS, START_ROWS = 50_000, 10_000
# Factors by which the search changes one weight after the other, coarse ones first.
STEPS = (4.0, 2.0, 1.4, 1.15, 1.05, 1.015)
# Rounds of every step, at most.
ROUNDS = 4
# The smooth loss only says where to begin: about its minimum will do.
START: dict[str, Any] = {"positive": True, "tol": 1e-4, "max_iter": 20}
# Weights that share so many digits are the same.
KEY_DIGITS = 9
# Improvements below this are none.
LEAST_GAIN = 1e-5
# A floor is to hold on new rows too: by this many standard errors on these. 1.28 would do in nine
# draws of ten if errors were known and nothing had been chosen (`python -m benchmarks promises`).
SAFETY = 1.4
# How far the AUCs of new rows may be off, by which the smallest of them is expected: so many draws,
# and as many the other way.
N_DRAWS = 128
# The error of an AUC of which the rows do not tell one, such as that of a label with one positive.
NOT_KNOWN = 0.25
# What a point of AUC below a floor costs, in points of AUC of the other labels.
PENALTY = 20.0
# What a point below another floor than the one that is missed most costs of that.
AFTER_THE_LARGEST = 0.1


@dataclass(frozen=True)
class Floors:
    """AUCs that some labels should keep, while the others get as much as they can.

    Attributes
    ----------
    floors : dict of int to float
        The least AUC of each label that has been promised one.
    """

    floors: dict[int, float] = field(default_factory=dict)

    def check(self, n_labels: int) -> None:
        """Raise where a promise is made to a label that there is not, or is no AUC."""
        for k, floor in self.floors.items():
            if not isinstance(k, int) or isinstance(k, bool) or not 0 <= k < n_labels:
                raise ValueError(
                    f"Parameter `at_least` should name labels by their numbers, 0 to "
                    f"{n_labels - 1}. Found {k!r}."
                )
            if not isinstance(floor, int | float) or not 0 <= floor <= 1:
                raise ValueError(
                    f"Parameter `at_least` should hold AUCs from 0 to 1. Found {floor!r}."
                )

    def others(self, n_labels: int) -> list[int]:
        """Labels without a floor; all where every label has one."""
        found = [k for k in range(n_labels) if k not in self.floors]
        return found or list(range(n_labels))

    def missing(self, aucs: FloatArray, spare: FloatArray | float = 0.0) -> float:
        """How far AUCs fall short of the floor that is missed most; 0: all are kept.

        Not of all floors together: where two labels pull apart, that would not mind which of them
        pays for both.
        """
        return max(self._short(aucs, spare))

    def _short(self, aucs: FloatArray, spare: FloatArray | float) -> list[float]:
        spare = np.broadcast_to(spare, aucs.shape)
        return [max(floor + spare[k] - aucs[k], 0.0) for k, floor in self.floors.items()]

    def mean_of_others(self, aucs: FloatArray) -> float:
        """The mean AUC of the labels without a floor."""
        return float(aucs[self.others(aucs.size)].mean())

    def utility(self, aucs: FloatArray, spare: FloatArray | float = 0.0) -> float:
        """The mean AUC of the other labels, less what broken floors cost."""
        short = self._short(aucs, spare)
        # A little of the rest, so that a search from afar sees them come nearer.
        missing = max(short) + AFTER_THE_LARGEST * (sum(short) - max(short))
        return self.mean_of_others(aucs) - PENALTY * float(missing)


def blend_weights(
    columns: FloatArray, items: Items, objective: Objective, floors: Floors | None = None
) -> tuple[FloatArray, float]:
    """Weights >= 0 of what the labels' classifiers say, a column each, and how good they are.

    From equal weights, or of more than two from those of about the objective's least logistic loss,
    whichever are better, one weight after the other is changed as long as the objective's AUC of
    these rows grows (with floors: the mean AUC of the labels that have none, as long as the floors
    are kept). For the label that is served worst it is the smallest AUC to be expected on new rows:
    the AUC of a rare label is hardly known, and where a little of another label's buys much of
    it, it is better to have some in reserve than to make all equal on these rows.
    """
    columns, items = _some(columns, items, MOST_ROWS)
    unit = columns.std(axis=0)
    unit[unit == 0] = 1.0
    scaled = columns / unit
    starts = [np.ones(scaled.shape[1])]
    # Of two weights one is free, and the search finds it from anywhere.
    if len(starts[0]) > 2:
        smooth = objective if floors is None else LossAggregation()
        starts.insert(0, _smooth_weights(scaled, items, smooth))
    if floors is None:
        found, value = _climb(starts, _objective_auc(scaled, items, objective))
        if isinstance(items.preferences(objective).mix, Worst):
            expected = _expected_smallest(scaled, items, objective, found)
            found, value = _climb([*starts, found], expected)
    else:
        starts += [np.eye(scaled.shape[1])[k] + 0.05 for k in floors.floors]
        found, value = _keep_floors(scaled, items, floors, starts)
    return np.asarray(found / unit), value


def _some(columns: FloatArray, items: Items, most: int) -> tuple[FloatArray, Items]:
    """Rows all along the table where it has more than so many."""
    if len(items) <= most:
        return columns, items
    rows = np.linspace(0, len(items) - 1, most).astype(np.int64)
    return columns[rows], items.take(rows)


def _smooth_weights(scaled: FloatArray, items: Items, objective: Objective) -> FloatArray:
    """Those of about the least logistic loss of some rows."""
    ranker = LinearRanker(objective, **START)
    with collected_warnings():
        # That all weights are 0, or not at the minimum, is no news.
        for columns, rows in (_some(scaled, items, START_ROWS), (scaled, items)):
            try:
                return ranker.fit(columns, rows).coef_
            except ValueError:  # They lack a class of a rare label.
                continue
    return np.ones(scaled.shape[1])


def _objective_auc(
    scaled: FloatArray, items: Items, objective: Objective
) -> Callable[[FloatArray], float]:
    def utility(weights: FloatArray) -> float:
        preferences, ratios = ratios_of(items.scored(scaled @ weights), objective)
        return float(preferences.mix.value(ratios))

    return utility


def _expected_smallest(
    scaled: FloatArray, items: Items, objective: Objective, near: FloatArray
) -> Callable[[FloatArray], float]:
    """The smallest of an objective's AUCs to be expected on new rows.

    With the errors that they have near these weights.
    """
    error = np.nan_to_num(_errors(scaled, items, objective, near), nan=NOT_KNOWN)
    drawn = np.random.default_rng(0).standard_normal((N_DRAWS, error.size))
    errors = np.concatenate([drawn, -drawn]) * error

    def utility(weights: FloatArray) -> float:
        _, aucs = ratios_of(items.scored(scaled @ weights), objective)
        return float((aucs + errors).min(axis=1).mean())

    return utility


def _errors(
    scaled: FloatArray, items: Items, objective: Objective, weights: FloatArray
) -> FloatArray:
    """Standard errors of an objective's AUCs; NaN where the rows do not tell them."""
    scored = items.scored(scaled @ weights)
    return Influence.of(scored, scored.preferences(objective)).spread().error


def _keep_floors(
    scaled: FloatArray, items: Items, floors: Floors, starts: list[FloatArray]
) -> tuple[FloatArray, float]:
    """Twice: the second time with the errors that the AUCs of the first have."""
    found, _ = _climb(starts, lambda w: floors.utility(_aucs(scaled, items, w)))
    spare = SAFETY * np.nan_to_num(_errors(scaled, items, LossAggregation(), found))
    return _climb([*starts, found], lambda w: floors.utility(_aucs(scaled, items, w), spare))


def _aucs(scaled: FloatArray, items: Items, weights: FloatArray) -> FloatArray:
    return ratios_of(items.scored(scaled @ weights), LossAggregation())[1]


def _climb(
    starts: list[FloatArray], utility: Callable[[FloatArray], float]
) -> tuple[FloatArray, float]:
    """Change one weight after the other while that helps, from the best start."""
    known: dict[tuple[float, ...], float] = {}

    def value_of(weights: FloatArray) -> float:
        # Most steps lead back to where another one came from.
        key = tuple(weights.round(KEY_DIGITS).tolist())
        if key not in known:
            known[key] = utility(weights)
        return known[key]

    here = max((start / max(start.max(), 1e-12) for start in starts), key=value_of)
    best = value_of(here)
    for step in STEPS:
        for _ in range(ROUNDS):
            before = best
            for k in range(here.size):
                for factor in (step, 1.0 / step):
                    there = here.copy()
                    # A label without weight must be able to get some.
                    there[k] = max(there[k], 0.01) * factor
                    value = value_of(there / there.max())
                    if value > best + LEAST_GAIN:
                        here, best = there / there.max(), value
            if best <= before + LEAST_GAIN:
                break
    return np.asarray(here), best
