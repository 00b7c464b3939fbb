"""The same fit where rows lie in many places: the solver stays here, questions go to the rows.

Scores are linear in the weights, so that a vector of scores is known by its weights; what is felt
at each score is known by a few polynomials. Neither is ever brought together. A step of the
solver asks two questions of every partition: its moments, and the pull on the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from isonomy._core import FloatArray, Labels, Preferences, Worst, nothing_to_learn
from isonomy._pairsums import (
    CellMoments,
    PooledTerms,
    fitting_width,
    scaling_exponent,
    usual_width,
)
from isonomy._rankers.linear.curvature import MAX_DENSE
from isonomy._rankers.linear.features import check_finite, check_units, power_units, typical
from isonomy._rankers.linear.part_rows import (
    Facts,
    Felt,
    FeltAlong,
    FeltInCells,
    FeltInGroups,
    FirstLook,
    GroupLosses,
    GroupValues,
    Moments,
    Partitions,
    Plan,
    Pull,
    RatioWeights,
    Scatter,
)
from isonomy._rankers.linear.penalised_loss import PenalisedLoss
from isonomy._rankers.linear.ranker import LinearRanker, constant_mix, warm_point
from isonomy.surrogates import SURROGATES, Surrogate

# Tables of patterns and terms up to this size are sent around.
_MOST_SIDES = 1_000_000
# Points whose answers are remembered: a step, and where it started.
_REMEMBERED = 8


@dataclass(frozen=True, eq=False)
class ScoresOf:
    """The scores of all rows, by the weights that make them."""

    features: PartitionedFeatures
    v: FloatArray

    def __add__(self, other: ScoresOf) -> ScoresOf:
        return ScoresOf(self.features, self.v + other.v)

    def __rmul__(self, t: float) -> ScoresOf:
        return ScoresOf(self.features, t * self.v)

    def min(self) -> float:
        """The lowest."""
        return self.features.look(self.v).lowest

    def max(self) -> float:
        """The highest."""
        return self.features.look(self.v).highest


@dataclass(frozen=True, eq=False)
class FeltAt:
    """What is felt at the scores of v; its pull is asked for once."""

    features: PartitionedFeatures
    v: FloatArray
    felt: Felt
    _kept: dict[str, Any] = field(default_factory=dict)

    def __matmul__(self, other: ScoresOf) -> float:
        return float(self.features.pull(self) @ other.v)

    def sum(self) -> float:
        """Over all rows."""
        return float(self.features.moments_of(self)[2][0])


@dataclass(frozen=True, eq=False)
class PartitionedFeatures:
    """Features that only their partitions see, as `Features`."""

    partitions: Partitions
    plan: Plan
    n_rows: int
    look: Callable[[FloatArray], CellMoments | GroupLosses]
    widest: float = 1e100

    @property
    def unit(self) -> FloatArray:
        """Of each column."""
        return self.plan.unit

    @property
    def n_columns(self) -> int:
        """Number of features."""
        return self.plan.unit.size

    @property
    def n_entries(self) -> int:
        """Few, so that what is left is not foreseen: a step more is sure to be the last."""
        return 0

    def scores(self, w: FloatArray) -> ScoresOf:
        """The scores of weights per unit."""
        return ScoresOf(self, w)

    def pull(self, g: FeltAt) -> FloatArray:
        """The pull on the weights per unit."""
        if "pull" not in g._kept:
            pulled, total = self.partitions.ask(Pull(self.plan, g.v, g.felt)).arrays
            g._kept["pull"] = (pulled - self.plan.origin * total[0]) / self.unit
        return np.asarray(g._kept["pull"])

    def pulls(self, several: Sequence[FeltAt]) -> FloatArray:
        """Of several, a column each."""
        return np.stack([self.pull(each) for each in several], axis=1)

    def moments_of(self, h: FeltAt) -> tuple[FloatArray, ...]:
        """Second and first moments of the features with weights h, and their sum."""
        key = f"moments {self.widest}"
        if key not in h._kept:
            dense = self.n_columns <= MAX_DENSE
            question = Scatter(self.plan, h.v, h.felt, self.widest, dense)
            h._kept[key] = self.partitions.ask(question).arrays
        found: tuple[FloatArray, ...] = h._kept[key]
        return found

    def scatter(self, h: FeltAt) -> FloatArray:
        """Scatter of all rows around their mean."""
        second, first, total = self.moments_of(h)
        return np.asarray(second - np.multiply.outer(first, first) / max(total[0], 1e-300))

    def squares(self, h: FeltAt) -> FloatArray:
        """Sums of squares."""
        return np.maximum(self.moments_of(h)[0], 0.0)


class PooledParts:
    """A loss over all pairs, of rows in any partition: as `PreferenceLoss`."""

    def __init__(
        self, partitions: Partitions, plan: Plan, mass: FloatArray, squared: FloatArray
    ) -> None:
        self.partitions, self.plan = partitions, plan
        self.surrogate: Surrogate = SURROGATES[plan.surrogate]
        self._width = usual_width(self.surrogate)
        self._seen: dict[bytes, CellMoments] = {}
        scaled = np.ldexp(mass, plan.exponent)
        self.terms = PooledTerms(
            plan.above,
            plan.below,
            scaled,
            np.ldexp(squared, 2 * plan.exponent),
            plan.mix,
            self.surrogate,
        )

    @property
    def ratio_pairs(self) -> FloatArray:
        """The weight of the pairs of each ratio; NaN where there are none."""
        return self.terms.ratio_pairs

    def look(self, v: FloatArray) -> CellMoments:
        """The moments of all rows at the scores of v."""
        key = v.tobytes()
        if key not in self._seen:
            width = self._width if v.any() else 2.0**-100
            found = self.partitions.ask(Moments(self.plan, v, width))
            fitting = fitting_width(self.surrogate, found.lowest, found.highest)
            if fitting != width:
                found = self.partitions.ask(Moments(self.plan, v, fitting))
            if v.any():
                self._width = fitting
            self._seen = dict([*self._seen.items(), (key, found)][-_REMEMBERED:])
        return self._seen[key]

    def at(self, scores: ScoresOf) -> PooledPartsAt:
        """The loss at these scores."""
        return PooledPartsAt(self, scores)


class PooledPartsAt:
    """Such a loss at given scores, as `PreferenceLossAt`."""

    def __init__(self, loss: PooledParts, scores: ScoresOf) -> None:
        self.loss, self.scores, self.moments = loss, scores, loss.look(scores.v)
        self.losses = loss.terms.losses(self.moments)

    def gradient(self, weights: FloatArray | None = None) -> FeltAt:
        """Derivative by each score."""
        return self._felt(self._cells(self.moments, weights, 1))

    def hessian_diagonal(self, weights: FloatArray | None = None) -> FeltAt:
        """Second derivative by each score."""
        return self._felt(self._cells(self.moments, weights, 2))

    def hessian_product(
        self, direction: ScoresOf, diagonal: FeltAt, weights: FloatArray | None = None
    ) -> FeltAt:
        """Hessian times a direction."""
        question = Moments(self.loss.plan, self.scores.v, self.moments.width, direction.v)
        sources = self.loss.partitions.ask(question)
        others = self._cells(sources, weights, 2)
        return self._felt(FeltAlong(diagonal.felt, direction.v, others.polynomials))

    def _cells(self, sources: CellMoments, weights: FloatArray | None, order: int) -> FeltInCells:
        if weights is None:
            weights = self.loss.plan.mix.slope(-self.losses)
        return FeltInCells(self.loss.terms.felt(sources, weights, order))

    def _felt(self, felt: Felt) -> FeltAt:
        return FeltAt(self.scores.features, self.scores.v, felt)


class GroupedParts:
    """A loss over the pairs inside groups, each of which lies in one partition."""

    def __init__(self, partitions: Partitions, plan: Plan, n_ratios: int) -> None:
        self.partitions, self.plan = partitions, plan
        self.surrogate: Surrogate = SURROGATES[plan.surrogate]
        self.total = partitions.ask(RatioWeights(plan, n_ratios)).arrays[0]
        self.ratio_pairs = np.where(self.total > 0, self.total, np.nan)
        self._seen: dict[bytes, GroupLosses] = {}

    def look(self, v: FloatArray) -> GroupLosses:
        """The losses at the scores of v."""
        key = v.tobytes()
        if key not in self._seen:
            found = self.partitions.ask(GroupValues(self.plan, v, self.total))
            self._seen = dict([*self._seen.items(), (key, found)][-_REMEMBERED:])
        return self._seen[key]

    def at(self, scores: ScoresOf) -> GroupedPartsAt:
        """The loss at these scores."""
        return GroupedPartsAt(self, scores)


class GroupedPartsAt:
    """Such a loss at given scores."""

    def __init__(self, loss: GroupedParts, scores: ScoresOf) -> None:
        self.loss, self.scores = loss, scores
        self.losses = np.where(loss.total > 0, loss.look(scores.v).losses, np.nan)

    def gradient(self, weights: FloatArray | None = None) -> FeltAt:
        """Derivative by each score."""
        return self._felt(weights, 1)

    def hessian_diagonal(self, weights: FloatArray | None = None) -> FeltAt:
        """Second derivative by each score."""
        return self._felt(weights, 2)

    def hessian_product(
        self, direction: ScoresOf, diagonal: FeltAt, weights: FloatArray | None = None
    ) -> FeltAt:
        """Hessian times a direction."""
        return self._felt(weights, 2, direction.v)

    def _felt(
        self, weights: FloatArray | None, order: int, direction: FloatArray | None = None
    ) -> FeltAt:
        if weights is None:
            weights = self.loss.plan.mix.slope(-self.losses)
        felt = FeltInGroups(weights, self.loss.total, order, direction)
        return FeltAt(self.scores.features, self.scores.v, felt)


def first_look(partitions: Partitions) -> Facts:
    """What there is, before anything is learned from it."""
    return partitions.ask(FirstLook())


def check_adds_up(ranker: LinearRanker, *, grouped: bool) -> Surrogate:
    """The surrogate, if its sums over partitions add up; else an error, before any work.

    Of pairs inside groups each partition has its own. Across partitions, pairs around a kink are
    those of rows whose scores are a fixed distance apart, which no moments of bins tell.
    """
    surrogate = ranker._check_parameters()
    if not grouped or surrogate.kinked:
        usual_width(surrogate)
    return surrogate


def fit_partitions(
    ranker: LinearRanker,
    partitions: Partitions,
    facts: Facts,
    features: Sequence[str],
    labels: Sequence[str],
) -> LinearRanker:
    """Fit the ranker to rows in many partitions, equal to the fit to all of them in one place."""
    check_adds_up(ranker, grouped=facts.groups is not None)
    old = getattr(ranker, "coef_", None) if ranker.warm_start else None
    plan, preferences, mass = _plan(ranker, facts, features, labels)
    squared = facts.squared[facts.weight > 0]
    n_ratios = 1 if preferences.mix.pooled else preferences.n_terms
    loss: Any = (
        PooledParts(partitions, plan, mass, squared)
        if facts.groups is None
        else GroupedParts(partitions, plan, n_ratios)
    )
    if np.isnan(preferences.mix.value(0.5 * loss.ratio_pairs / loss.ratio_pairs)):
        raise nothing_to_learn(preferences, loss.ratio_pairs, name="labels")
    worst = isinstance(preferences.mix, Worst)
    mix = np.full(n_ratios, 1.0 / n_ratios) if worst else constant_mix(preferences)
    table = PartitionedFeatures(partitions, plan, facts.n_rows, loss.look)
    problem = PenalisedLoss(table, loss, mix, float(ranker.l2), ranker.positive, worst)
    start = problem.at(np.zeros(table.n_columns)) if old is None else warm_point(problem, old, None)
    ranker.coef_ = ranker._solve(start) / table.unit
    ranker.n_features_in_ = len(features)
    ranker.feature_names_in_ = np.array(list(features), dtype=object)
    return ranker


def _plan(
    ranker: LinearRanker, facts: Facts, features: Sequence[str], labels: Sequence[str]
) -> tuple[Plan, Preferences, FloatArray]:
    """What all partitions have to agree on, the wishes of a row of each pattern, their weight."""
    ends = np.stack([facts.lowest, facts.highest])
    if facts.n_rows < 2:
        raise ValueError(f"The data should have at least two rows. Found {facts.n_rows}.")
    check_finite(ends, features)
    origin, unit = typical(facts.sample)
    odd = unit == 0.0
    origin[odd] = np.clip(origin, *ends)[odd]
    unit[odd] = np.maximum(facts.highest - origin, origin - facts.lowest)[odd]
    unit = power_units(unit)
    check_units(unit, features)
    counted = facts.weight > 0
    patterns, mass = facts.patterns[counted], facts.weight[counted]
    if not mass.size:
        raise ValueError("Parameter `weight` should be > 0 in some row. All are 0.")
    number = np.arange(len(patterns))
    named = Labels(number, patterns, tuple(labels), True, "labels", weight=mass)
    preferences = ranker._objective().preferences(named)
    if preferences.above.shape[1] * len(patterns) > _MOST_SIDES:
        raise ValueError(
            f"Parameter `objective` should have few levels where rows lie in partitions. Found "
            f"{preferences.n_terms:,} terms of {len(patterns):,} label patterns. Round the labels."
        )
    above, below = (_dense(side)[preferences.codes] for side in preferences.tables)
    key = blake2b(b"".join(a.tobytes() for a in (patterns, above, below, unit)), digest_size=8)
    plan = Plan(
        key.hexdigest() + ranker.surrogate + ranker.group_weight,
        patterns,
        above,
        below,
        preferences.mix,
        ranker.surrogate,
        origin,
        unit,
        scaling_exponent(float(mass.sum())),
        ranker.group_weight,
    )
    return plan, preferences, mass


def _dense(table: Any) -> FloatArray:
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)
