"""What is minimised: a convex loss over pairs, plus a penalty, by the weights of the features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from isonomy._core import FloatArray
from isonomy._pairsums import PreferenceLoss, surrogate_sums
from isonomy._rankers.linear.curvature import MAX_DENSE, Curvature
from isonomy._rankers.linear.features import FeatureMap
from isonomy.surrogates import SURROGATES, Surrogate

# Where outliers mislead: entries of the features beyond this many units are cut.
_WIDE = 10.0
# With so many entries of the features steps are dear.
MANY_ENTRIES = 5_000_000
# Scores that a pair loss can take, with room for their differences.
_MAX_SCORE = 1e299


class ScoreLossAt(Protocol):
    """A loss at given scores; see `PreferenceLossAt`."""

    losses: FloatArray

    def gradient(self, weights: FloatArray | None = None) -> Any:
        """Derivative by each score, of the ratios mixed by `weights`."""

    def hessian_diagonal(self, weights: FloatArray | None = None) -> Any:
        """Second derivative by each score."""

    def hessian_product(
        self, direction: Any, diagonal: Any, weights: FloatArray | None = None
    ) -> Any:
        """Hessian times a direction, given the Hessian's diagonal."""


class ScoreLoss(Protocol):
    """A loss of scores; see `PreferenceLoss`."""

    @property
    def surrogate(self) -> Surrogate:
        """What a pair costs by its margin."""

    def at(self, scores: Any) -> ScoreLossAt:
        """The loss at these scores."""


@dataclass(frozen=True, eq=False)
class PenalisedLoss:
    r"""Minimise :math:`\sum_q a_q\, loss_q(X w) + \frac12 \sum_j \lambda_j w_j^2` by w.

    Parameters
    ----------
    features : Features, or another FeatureMap
        Weights are per unit of them.
    loss : PreferenceLoss, or another ScoreLoss
        Its ratios are the :math:`loss_q`.
    mix : (ratios,)
        :math:`a_q`, not negative.
    l2 : float
        Penalty on the weights of the features as given.
    positive : bool
        Whether the weights may not be negative.
    worst : bool
        Whether the largest ratio counts in the end, and the mix is to be found.
    damping : float
        Where > 0 the curvature changes so fast that only the Hessian itself tells it, and may
        vanish: this much is added to it.
    centre : (d,), optional
        Where given, the damping is a penalty on the weights' distance from here.
    rounding : float
        Rounding of the value, relative to it: smaller differences say nothing.
    """

    features: FeatureMap
    loss: ScoreLoss
    mix: FloatArray
    l2: float
    positive: bool = False
    worst: bool = False
    damping: float = 0.0
    rounding: float = 1e-14
    centre: FloatArray | None = None

    @cached_property
    def penalty(self) -> FloatArray:
        r"""Penalty :math:`\lambda` on the weights per unit of the features, (d,)."""
        with np.errstate(over="ignore"):
            return np.minimum(self.l2 / self.features.unit / self.features.unit, 1e300)

    @property
    def by_products(self) -> bool:
        """Whether steps are found by products with the Hessian."""
        return self.damping > 0.0 or self.features.n_columns > MAX_DENSE

    @property
    def is_wide(self) -> bool:
        """Whether there are so many entries, in so many columns, that each step is dear."""
        return self.features.n_columns > MAX_DENSE and self.features.n_entries >= MANY_ENTRIES

    def at(self, w: FloatArray, scores: Any = None) -> Point:
        """The problem at weights w, given their scores where they are known."""
        if scores is None:
            scores = self.features.scores(w)
        return Point(self, w, scores, self.loss.at(scores))

    def allows(self, scores: Any) -> bool:
        """Whether the surrogate has a value at scores so large and so far apart."""
        low, high = float(scores.min()), float(scores.max())
        return -_MAX_SCORE <= low <= high <= _MAX_SCORE and (
            high - low <= self.loss.surrogate.max_range
        )

    @property
    def may_be_endless(self) -> bool:
        """Whether the value can fall for ever, as weights that separate the classes grow."""
        return self.l2 == 0.0 and float(self.loss.surrogate.slope(np.array(100.0))) < 0.0

    def total(self, losses: FloatArray) -> float:
        """What losses of the ratios count for in the end."""
        if self.worst:
            return float(losses.max())
        used = self.mix > 0.0
        return float(losses[used] @ self.mix[used])

    def remix(self, mix: FloatArray) -> PenalisedLoss:
        """The same problem with other weights of the ratios."""
        return replace(self, mix=mix)

    def tamed(self) -> PenalisedLoss:
        """The same problem, with outliers of the features left out of its curvature."""
        return replace(self, features=replace(self.features, widest=_WIDE))  # type: ignore[type-var]


@dataclass(eq=False)
class Point:
    """A problem at given weights; numbers are computed when they are wanted."""

    problem: PenalisedLoss
    w: FloatArray
    scores: Any
    pairs: ScoreLossAt

    @cached_property
    def value(self) -> float:
        """What is minimised."""
        used = self.problem.mix > 0.0
        loss = self.pairs.losses[used] @ self.problem.mix[used]
        pull = 0.5 * float(self.away @ self.away) * self.problem.damping
        return float(loss + 0.5 * ((self.problem.penalty * self.w) @ self.w)) + pull

    @property
    def away(self) -> FloatArray:
        """The way from the centre, if there is one."""
        centre = self.problem.centre
        return np.zeros_like(self.w) if centre is None else self.w - centre

    @property
    def penalty_gradient(self) -> FloatArray:
        """Derivative of the penalties by the weights."""
        return self.problem.penalty * self.w + self.problem.damping * self.away

    @cached_property
    def score_gradient(self) -> Any:
        """Derivative of the loss by the scores."""
        return self.pairs.gradient(self.problem.mix)

    @cached_property
    def gradient(self) -> FloatArray:
        """Derivative by the weights."""
        return self.problem.features.pull(self.score_gradient) + self.penalty_gradient

    @cached_property
    def score_curvature(self) -> Any:
        """Diagonal of the Hessian of the loss by the scores."""
        return self.pairs.hessian_diagonal(self.problem.mix)

    @cached_property
    def curvature(self) -> Curvature:
        """A stand-in for the Hessian by the weights."""
        return Curvature.of(self.problem.features, self.score_curvature, self.problem.penalty)

    def slope(self, direction: FloatArray, moved: Any) -> float:
        """Derivative along a direction that moves the scores by `moved`."""
        return float(self.score_gradient @ moved + self.penalty_gradient @ direction)

    def hessian_product(self, direction: FloatArray) -> FloatArray:
        """Hessian by the weights times a direction."""
        features, mix = self.problem.features, self.problem.mix
        felt = self.pairs.hessian_product(features.scores(direction), self.score_curvature, mix)
        return features.pull(felt) + (self.problem.penalty + self.problem.damping) * direction

    def remix(self, mix: FloatArray) -> Point:
        """The same weights under another mix of the ratios."""
        return Point(self.problem.remix(mix), self.w, self.scores, self.pairs)

    def tamed(self) -> Point:
        """The same weights where outliers do not count for the curvature."""
        return Point(self.problem.tamed(), self.w, self.scores, self.pairs)

    def separates(self) -> bool:
        """Whether the scores put every pair in its order, so that larger weights cost less."""
        loss = self.problem.loss
        if not isinstance(loss, PreferenceLoss):
            return False
        largest = float(np.abs(self.scores).max())
        if largest == 0.0:
            return False
        # A hinge that is as good as a step: zero for every margin above 1e-200 of the largest.
        sums = surrogate_sums(
            loss.comparisons, self.scores * (1e200 / largest), SURROGATES["hinge"]
        )
        return not sums.values().any()
