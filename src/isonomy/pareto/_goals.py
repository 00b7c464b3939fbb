"""What one may want of a front, and the search for the weights that give it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import FloatArray
from isonomy._infra import progress
from isonomy._rankers.blended import Floors
from isonomy.pareto._auc_points import as_point
from isonomy.pareto._design import nudges
from isonomy.pareto._weighted_fits import WeightedFit, WeightedFitter

# Halvings of the gap between two neighbours on the line of weights.
BISECTIONS = 12
# Rounds of the search around a point of a simplex, and how far the first one reaches.
ROUNDS = 12
REACH = 0.1
NEAREST = 0.01


class Goal(Protocol):
    """Something that AUCs meet more or less."""

    def loss(self, aucs: FloatArray) -> float:
        """How far from the goal; smaller is better."""

    def lead(self, aucs: FloatArray) -> float:
        """For two labels: above 0 where the first one has more than the goal asks."""


@dataclass(frozen=True)
class EqualAUCs:
    """AUCs that differ as little as can be."""

    def loss(self, aucs: FloatArray) -> float:
        return float(np.ptp(aucs))

    def lead(self, aucs: FloatArray) -> float:
        return float(aucs[0] - aucs[1])


@dataclass(frozen=True)
class LargestMinAUC:
    """The largest smallest AUC."""

    def loss(self, aucs: FloatArray) -> float:
        return -float(aucs.min())

    def lead(self, aucs: FloatArray) -> float:
        return float(aucs[0] - aucs[1])


@dataclass(frozen=True, eq=False)
class NearestToIdeal:
    """The smallest weighted Chebyshev distance from the ideal: max_k p_k (ideal_k - AUC_k)."""

    preference: FloatArray
    ideal: FloatArray

    def loss(self, aucs: FloatArray) -> float:
        return float((self.preference * (self.ideal - aucs)).max())

    def lead(self, aucs: FloatArray) -> float:
        behind = self.preference * (self.ideal - aucs)
        return float(behind[1] - behind[0])


@dataclass(frozen=True, eq=False)
class KeptFloors:
    """The largest mean AUC of the other labels, of what keeps floors with something to spare.

    What breaks a floor is worse than all that keeps them.
    """

    floors: Floors
    spare: FloatArray

    def missing(self, aucs: FloatArray) -> float:
        """How far AUCs fall short; 0 where every floor is kept."""
        return self.floors.missing(aucs, self.spare)

    def loss(self, aucs: FloatArray) -> float:
        missing = self.missing(aucs)
        return 1.0 + missing if missing > 0 else -self.floors.mean_of_others(aucs)

    def lead(self, aucs: FloatArray) -> float:
        slack = [
            (sign, aucs[k] - floor - self.spare[k])
            for k, sign in enumerate((1.0, -1.0))
            if (floor := self.floors.floors.get(k)) is not None
        ]
        return float(sum(sign * each for sign, each in slack))


def as_preference(vector: ArrayLike, n_labels: int) -> FloatArray:
    """One number >= 0 per label, not all 0."""
    preference = as_point(vector, name="vector", cure="give 0 to a label that does not matter")
    if preference.size != n_labels:
        raise ValueError(
            f"Parameter `vector` should hold one number for each of the {n_labels} labels. "
            f"Found {preference.size}."
        )
    if (preference < 0).any() or not preference.any():
        raise ValueError(
            "Parameter `vector` should hold numbers >= 0, at least one of them positive. "
            f"Found {preference.tolist()}."
        )
    return np.asarray(preference / preference.max())


def refine(fitter: WeightedFitter, fits: list[WeightedFit], goal: Goal) -> WeightedFit:
    """The fit that meets a goal best, looking further between the given ones."""
    found = list(fits)
    if len(fitter.names) == 2:
        _bisect(fitter, found, goal)
    else:
        _search_around(fitter, found, goal)
    return best(found, goal)


def best(fits: Iterable[WeightedFit], goal: Goal) -> WeightedFit:
    """The fit that meets a goal best; of equals, the one with the larger sum of AUCs."""
    return min(fits, key=lambda fit: (goal.loss(fit.aucs), -fit.aucs.sum()))


def _bisect(fitter: WeightedFitter, found: list[WeightedFit], goal: Goal) -> None:
    """Halve the gap beside the best fit in which the lead changes sides.

    Without such a gap the best fit stands at an end: more weight would not help.
    """
    line = sorted(found, key=lambda fit: float(fit.position[0]))
    i = line.index(best(line, goal))
    gaps = [
        (low, high)
        for low, high in zip(line[max(i - 1, 0) : i + 1], line[i : i + 2], strict=False)
        if low is not high and goal.lead(low.aucs) < 0 < goal.lead(high.aucs)
    ]
    if not gaps:
        return
    low, high = gaps[0]
    for _ in progress(range(BISECTIONS), BISECTIONS, "Refining the weights"):
        middle = fitter.fit_at((low.position + high.position) / 2, found)
        found.append(middle)
        lead = goal.lead(middle.aucs)
        if lead == 0:
            return
        low, high = (middle, high) if lead < 0 else (low, middle)


def _search_around(fitter: WeightedFitter, found: list[WeightedFit], goal: Goal) -> None:
    """Go to a better neighbour while there is one, else look half as far."""
    here = best(found, goal)
    reach = REACH
    for _ in progress(range(ROUNDS), ROUNDS, "Refining the weights"):
        near = [fitter.fit_at(p, found) for p in nudges(here.position, reach)]
        found.extend(near)
        better = best([here, *near], goal)
        if better is here:
            reach /= 2
            if reach < NEAREST:
                return
        here = better
