"""The rows of one partition, and what is asked of them: each question is small, so is its answer.

A question is a plain object that is sent to where the rows are and called with them. Answers of
several partitions are joined into one, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from isonomy._core import (
    AnyArray,
    Codes,
    FloatArray,
    GroupWeight,
    Labels,
    Mix,
    Preferences,
    sum_codes,
)
from isonomy._pairsums import CellMoments, CellPolynomials, PreferenceLoss
from isonomy.surrogates import SURROGATES

# Rows of each partition from which the columns' origin and unit are taken.
_SAMPLE, _MOST_SAMPLED = 128, 4096


class Answer(Protocol):
    """What a question gives: answers of several partitions become that of all their rows."""

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The answer of all."""


A = TypeVar("A", bound=Answer)


class Partitions(Protocol):
    """Rows in many places, as an engine holds them."""

    def ask(self, question: Callable[[PartRows], A]) -> A:
        """Ask every partition, and join the answers."""


@dataclass(eq=False)
class PartRows:
    """The rows of one partition; there may be none.

    Attributes
    ----------
    X : (n, d) features
    Y : (n, K) labels, NaN for 'not observed'
    weight : (n,) or None
    group : (n,) ids of any type, or None
    """

    X: FloatArray
    Y: FloatArray
    weight: FloatArray | None = None
    group: AnyArray | None = None
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.X)

    def keep(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made of these rows before, or is made now."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}


@dataclass(frozen=True, eq=False)
class Plan:
    """What all partitions have to agree on.

    Attributes
    ----------
    key : str
        Tells one plan from another.
    patterns : (P, K) the label patterns of all partitions
    above, below : (P, R) the sides that they stand on in each term
    mix : Mix
    surrogate : str
    origin, unit : (d,) of the features
    exponent : int
        Weights are multiplied by this power of two.
    group_weight : {"pairs", "equal"}
    """

    key: str
    patterns: FloatArray
    above: FloatArray
    below: FloatArray
    mix: Mix
    surrogate: str
    origin: FloatArray
    unit: FloatArray
    exponent: int
    group_weight: GroupWeight = "pairs"

    def scores(self, rows: PartRows, v: FloatArray) -> FloatArray:
        """Scores at weights v per unit of the features."""
        w = v / self.unit
        return np.asarray(rows.X @ w - self.origin @ w)

    def codes(self, rows: PartRows) -> Codes:
        """Number of each row's pattern; 0 for those that no row of some weight has."""
        return rows.keep((self.key, "codes"), lambda: _codes(rows.Y, self.patterns))  # type: ignore[no-any-return]

    def weight(self, rows: PartRows) -> FloatArray:
        """Scaled weights."""
        if rows.weight is None:
            return np.full(len(rows), np.ldexp(1.0, self.exponent))
        return np.ldexp(rows.weight, self.exponent)

    def loss(self, rows: PartRows) -> PreferenceLoss:
        """The loss over the pairs inside this partition's groups."""

        def make() -> PreferenceLoss:
            assert rows.group is not None
            group = np.unique(rows.group, return_inverse=True)[1].astype(np.int64)
            wishes = Preferences(
                self.codes(rows), self.above, self.below, self.mix, self.weight(rows), group
            ).on(self.weight(rows), group, self.group_weight, None)
            return PreferenceLoss(wishes, SURROGATES[self.surrogate])

        return rows.keep((self.key, "loss"), make)  # type: ignore[no-any-return]


def _codes(Y: FloatArray, patterns: FloatArray) -> Codes:
    if not len(Y):
        return np.empty(0, np.int32)
    labels = Labels.from_table(Y)
    number = {row.tobytes(): code for code, row in enumerate(patterns)}
    known = [number.get(row.tobytes(), 0) for row in plain_patterns(labels.patterns)]
    return np.array(known, np.int32)[labels.codes]


def plain_patterns(patterns: FloatArray) -> FloatArray:
    """With one zero and one NaN, so that the same pattern has the same bytes."""
    return np.ascontiguousarray(np.where(np.isnan(patterns), np.nan, patterns + 0.0))


@dataclass(frozen=True, eq=False)
class Sums:
    """Arrays that are added."""

    arrays: tuple[FloatArray, ...]

    @classmethod
    def joined(cls, parts: Sequence[Sums]) -> Sums:
        """Their sums."""
        columns = zip(*(part.arrays for part in parts), strict=True)
        return cls(tuple(np.sum(np.stack(each), axis=0) for each in columns))


@dataclass(frozen=True, eq=False)
class Facts:
    """What a first look at the rows finds.

    Attributes
    ----------
    n_rows : int
    patterns : (P, K)
    weight, squared : (P,) sums of the weights of each pattern's rows, and of their squares
    sample : (m, d) some rows of the features
    lowest, highest : (d,)
    groups : ids of all groups, or None
    torn : bool
        Whether a group lies in two partitions.
    """

    n_rows: int
    patterns: FloatArray
    weight: FloatArray
    squared: FloatArray
    sample: FloatArray
    lowest: FloatArray
    highest: FloatArray
    groups: AnyArray | None
    torn: bool = False

    @classmethod
    def joined(cls, parts: Sequence[Facts]) -> Facts:
        """Those of all rows."""
        rows: dict[bytes, tuple[FloatArray, float, float]] = {}
        for part in parts:
            for row, weight, squared in zip(part.patterns, part.weight, part.squared, strict=True):
                _, *before = rows.get(row.tobytes(), (row, 0.0, 0.0))
                sums = before[0] + float(weight), before[1] + float(squared)
                rows[row.tobytes()] = (row, *sums)
        # In an order of their own, whichever partition came first.
        found = [rows[key] for key in sorted(rows)]
        sample = np.concatenate([part.sample for part in parts])
        groups = torn = None
        if any(part.groups is not None for part in parts):
            # Where there are no rows, ids may have another type, which would change theirs.
            held = [p.groups for p in parts if p.groups is not None and p.groups.size]
            ids = np.concatenate(held) if held else np.empty(0)
            groups = np.unique(ids)
            torn = groups.size < ids.size or any(part.torn for part in parts)
        return cls(
            sum(part.n_rows for part in parts),
            np.array([row for row, *_ in found]).reshape(len(found), parts[0].patterns.shape[1]),
            np.array([weight for _, weight, _ in found]),
            np.array([squared for *_, squared in found]),
            sample[:: max(1, -(-len(sample) // _MOST_SAMPLED))],
            np.minimum.reduce([part.lowest for part in parts]),
            np.maximum.reduce([part.highest for part in parts]),
            groups,
            bool(torn),
        )


@dataclass(frozen=True)
class FirstLook:
    """What is there?"""

    def __call__(self, rows: PartRows) -> Facts:
        n, (d, k) = len(rows), (rows.X.shape[1], rows.Y.shape[1])
        groups = None if rows.group is None else np.unique(rows.group)
        if n == 0:
            none = np.full(d, np.inf)
            no, sample = np.empty(0), np.empty((0, d))
            return Facts(0, np.empty((0, k)), no, no, sample, none, -none, groups)
        labels = Labels.from_table(rows.Y)
        weight = np.ones(n) if rows.weight is None else rows.weight
        if not (np.isfinite(weight).all() and (weight >= 0).all()):
            raise ValueError("Weights should be finite numbers >= 0.")
        mass, squared = (
            sum_codes(labels.codes, each, len(labels.patterns)) for each in (weight, weight**2)
        )
        occurs = labels.occurs
        with np.errstate(invalid="ignore"):
            lowest, highest = rows.X.min(axis=0), rows.X.max(axis=0)
        return Facts(
            n,
            plain_patterns(labels.patterns[occurs]),
            mass[occurs],
            squared[occurs],
            rows.X[:: max(1, -(-n // _SAMPLE))],
            lowest,
            highest,
            groups,
        )


@dataclass(frozen=True, eq=False)
class Moments:
    """The moments of scores at v; with `direction`, of weights times the scores at that."""

    plan: Plan
    v: FloatArray
    width: float
    direction: FloatArray | None = None

    def __call__(self, rows: PartRows) -> CellMoments:
        plan = self.plan
        weight = plan.weight(rows)
        if self.direction is not None:
            weight = weight * plan.scores(rows, self.direction)
        scores = plan.scores(rows, self.v)
        return CellMoments.of(scores, plan.codes(rows), weight, len(plan.patterns), self.width)


@dataclass(frozen=True, eq=False)
class GroupLosses:
    """The losses of pairs inside groups, and the extent of the scores."""

    losses: FloatArray
    lowest: float
    highest: float

    @classmethod
    def joined(cls, parts: Sequence[GroupLosses]) -> GroupLosses:
        """Those of all groups."""
        losses = np.sum([part.losses for part in parts], axis=0)
        return cls(losses, min(p.lowest for p in parts), max(p.highest for p in parts))


@dataclass(frozen=True, eq=False)
class RatioWeights:
    """How much do the pairs inside this partition's groups weigh?"""

    plan: Plan
    n_ratios: int

    def __call__(self, rows: PartRows) -> Sums:
        return Sums((self.plan.loss(rows).ratio_weight if len(rows) else np.zeros(self.n_ratios),))


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The losses at scores of v, as parts of those of all groups; `total` is what all weigh."""

    plan: Plan
    v: FloatArray
    total: FloatArray

    def __call__(self, rows: PartRows) -> GroupLosses:
        if not len(rows):
            return GroupLosses(np.zeros_like(self.total), np.inf, -np.inf)
        scores = self.plan.scores(rows, self.v)
        share = _share(self.plan, rows, self.total)
        losses = np.nan_to_num(self.plan.loss(rows).at(scores).losses) * share
        return GroupLosses(losses, float(scores.min()), float(scores.max()))


def _share(plan: Plan, rows: PartRows, total: FloatArray) -> FloatArray:
    own = plan.loss(rows).ratio_weight
    return np.divide(own, total, out=np.zeros_like(own), where=total > 0)


class Felt(Protocol):
    """What each row feels: a vector over all rows of which each partition knows its part."""

    def at(self, plan: Plan, rows: PartRows, scores: FloatArray) -> FloatArray:
        """That part."""


@dataclass(frozen=True, eq=False)
class FeltInCells:
    """By one polynomial for each bin and pattern."""

    polynomials: CellPolynomials

    def at(self, plan: Plan, rows: PartRows, scores: FloatArray) -> FloatArray:
        """That part."""
        return self.polynomials.at(scores, plan.codes(rows), plan.weight(rows))


@dataclass(frozen=True, eq=False)
class FeltAlong:
    """A product with the Hessian: its diagonal times the way of the scores, less what others do."""

    diagonal: Felt
    direction: FloatArray
    others: CellPolynomials

    def at(self, plan: Plan, rows: PartRows, scores: FloatArray) -> FloatArray:
        """That part."""
        moved = plan.scores(rows, self.direction)
        others = self.others.at(scores, plan.codes(rows), plan.weight(rows), moved)
        return self.diagonal.at(plan, rows, scores) * moved - others


@dataclass(frozen=True, eq=False)
class FeltInGroups:
    """By the pairs inside groups: a derivative, or with `direction` a product with the Hessian."""

    weights: FloatArray
    total: FloatArray
    order: int
    direction: FloatArray | None = None

    def at(self, plan: Plan, rows: PartRows, scores: FloatArray) -> FloatArray:
        """That part."""
        here = plan.loss(rows).at(scores)
        weights = self.weights * _share(plan, rows, self.total)
        if self.order == 1:
            return here.gradient(weights)
        diagonal = here.hessian_diagonal(weights)
        if self.direction is None:
            return diagonal
        return here.hessian_product(plan.scores(rows, self.direction), diagonal, weights)


@dataclass(frozen=True, eq=False)
class Pull:
    """The pull of what is felt at scores of v on the weights, and its sum."""

    plan: Plan
    v: FloatArray
    felt: Felt

    def __call__(self, rows: PartRows) -> Sums:
        if not len(rows):
            return Sums((np.zeros(rows.X.shape[1]), np.zeros(1)))
        g = self.felt.at(self.plan, rows, self.plan.scores(rows, self.v))
        return Sums((rows.X.T @ g, g.sum(keepdims=True)))


@dataclass(frozen=True, eq=False)
class Scatter:
    """Second and first moments of the features with what is felt as weights, and their sum.

    With `dense` false only the diagonal of the second ones.
    """

    plan: Plan
    v: FloatArray
    felt: Felt
    widest: float
    dense: bool

    def __call__(self, rows: PartRows) -> Sums:
        d = rows.X.shape[1]
        if not len(rows):
            return Sums((np.zeros((d, d) if self.dense else d), np.zeros(d), np.zeros(1)))
        plan = self.plan
        h = np.maximum(self.felt.at(plan, rows, plan.scores(rows, self.v)), 0.0)
        table = np.clip((rows.X - plan.origin) / plan.unit, -self.widest, self.widest)
        weighted = table * h[:, None]
        second = table.T @ weighted if self.dense else (table * weighted).sum(axis=0)
        return Sums((second, weighted.sum(axis=0), h.sum(keepdims=True)))
