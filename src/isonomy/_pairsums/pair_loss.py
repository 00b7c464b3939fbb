"""The training loss over all pairs: the metric, with the step replaced by a surrogate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    LabelAggregation,
    Objective,
    Preferences,
    check_choice,
    times_power,
    warn_undefined,
)
from isonomy._pairsums.layout import PairLayout, arrange, arrange_words
from isonomy._pairsums.sums import SurrogateSums, surrogate_sums
from isonomy.surrogates import SURROGATES, Surrogate


@dataclass(frozen=True, eq=False)
class PairLossResult:
    """A loss over all pairs and its derivatives by the scores.

    Attributes
    ----------
    value : float
        The loss; NaN where the objective has no pairs.
    gradient : ndarray of shape (n,)
        Its derivative by each score.
    hessian_diagonal : ndarray of shape (n,) or None
        Its second derivative by each score, if asked for.

    Examples
    --------
    >>> import isonomy as iso
    >>> found = iso.pair_loss([1, 0], [0.0, 0.0], surrogate="hinge")
    >>> found.value, found.gradient
    (1.0, array([-1.,  1.]))
    """

    value: float
    gradient: FloatArray
    hessian_diagonal: FloatArray | None = None


def pair_loss(
    Y: ArrayLike | Items,
    y_score: ArrayLike,
    objective: Objective | None = None,
    *,
    surrogate: str = "logistic",
    hessian: bool = False,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> PairLossResult:
    """Loss of some scores over all pairs that an objective compares, in linear time.

    As `objective_auc`, with a surrogate phi of the margin f_i - f_j in place of the step:
    N_r = sum_ij w_i w_j above_ir below_jr phi(f_i - f_j). The loss is -mix(-N / D):
    for `WorstLabel` the largest of the labels' losses, with the gradient of that label.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels, NaN for 'not observed'.
    y_score : array-like of shape (n,)
        Finite scores.
    objective : objective, optional
        `LabelAggregation()` by default.
    surrogate : {"logistic", "sigmoid", "exponential", "square", "hinge", "squared_hinge"}
        phi; see `isonomy.surrogates`.
    hessian : bool
        Whether the Hessian's diagonal is wanted.
    sample_weight, counts, groups, group_weight
        As in `objective_auc`. The derivatives of a row with a count are those by the one
        score of all its items.

    Returns
    -------
    PairLossResult
        NaN, with a warning, where the objective has no pairs.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0]]
    >>> found = iso.pair_loss(Y, [0.5, 1.5, 2.0, 0.0])
    >>> round(found.value, 4), found.gradient.round(3)
    (0.2675, array([-0.033,  0.033, -0.133,  0.133]))
    """
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
    )
    scores = items.scores
    check_finite(items.score_ends)
    preferences = items.preferences(LabelAggregation() if objective is None else objective)
    loss = PreferenceLoss(preferences, find_surrogate(surrogate))
    if not loss.defined:
        warn_undefined(preferences, loss.ratio_pairs, "loss")
        nan = np.full(scores.size, np.nan)
        return PairLossResult(math.nan, nan, nan if hessian else None)
    here = loss.at(scores, items.score_ends)
    return PairLossResult(
        here.value(), here.gradient(), here.hessian_diagonal() if hessian else None
    )


class PreferenceLoss:
    """A loss over the pairs of some Preferences, for many scores in turn.

    Every ratio N / D is linear in the sums of the comparisons (a term inside a group):
    ratio_q = sum over its comparisons of share_c N_c, with shares fixed by the pairs.

    Attributes
    ----------
    ratio_pairs : ndarray of shape (ratios,)
        The weight of the pairs of each ratio; NaN where there are none.
    defined : bool
        Whether the mix of the ratios is a number.
    ratio_weight : ndarray of shape (ratios,)
        What each ratio weighs beside the same ratio of other items in other groups: its pairs,
        or its groups with pairs where each of them counts the same.
    """

    def __init__(self, preferences: Preferences, surrogate: Surrogate) -> None:
        self.mix = preferences.mix
        self.surrogate = surrogate
        self.comparisons = _comparisons(preferences)
        pairs, term = self.comparisons.pairs, self.comparisons.term
        self.ratio = np.zeros_like(term) if self.mix.pooled else term
        self.n_ratios = 1 if self.mix.pooled else preferences.n_terms
        number = np.zeros(self.n_ratios)
        if preferences.group is not None and preferences.group_weight == "equal":
            cell = self.comparisons.group * self.n_ratios + self.ratio
            by_cell = np.bincount(cell, pairs)
            of_cell = np.arange(by_cell.size) % self.n_ratios
            number = np.bincount(of_cell, by_cell > 0, self.n_ratios).astype(np.float64)
            total = by_cell[cell] * number[self.ratio]
        else:
            total = np.bincount(self.ratio, pairs, self.n_ratios)[self.ratio]
        self.share = np.divide(1.0, total, out=np.zeros_like(pairs), where=total > 0)
        weight = np.bincount(self.ratio, pairs, self.n_ratios)
        self.ratio_pairs = np.where(weight > 0, weight, np.nan)
        equal = preferences.group is not None and preferences.group_weight == "equal"
        self.ratio_weight = number if equal else np.ldexp(weight, -2 * _exponent(preferences))
        self.defined = not math.isnan(self.mix.value(0.5 * self.ratio_pairs / self.ratio_pairs))

    def at(self, scores: FloatArray, ends: tuple[float, float] | None = None) -> PreferenceLossAt:
        """The loss at these scores, of which the lowest and the highest may be known."""
        sums = surrogate_sums(self.comparisons, scores, self.surrogate, ends=ends)
        return PreferenceLossAt(self, sums)

    def curved_at(self, scores: FloatArray) -> PreferenceLossAt:
        """The same with the surrogate whose curvature boosting takes in place of this one's."""
        surrogate = self.surrogate.hessian_from or self.surrogate
        return PreferenceLossAt(self, surrogate_sums(self.comparisons, scores, surrogate))


class PreferenceLossAt:
    """A pair loss at given scores: its value first, derivatives when they are wanted.

    Attributes
    ----------
    losses : ndarray of shape (ratios,)
        N / D of each ratio; NaN where it has no pairs.
    """

    def __init__(self, loss: PreferenceLoss, sums: SurrogateSums) -> None:
        self.loss = loss
        self.sums = sums
        losses = np.bincount(loss.ratio, loss.share * sums.values(), loss.n_ratios)
        self.losses = np.where(np.isnan(loss.ratio_pairs), np.nan, losses)

    def value(self) -> float:
        """The loss: -mix(-N / D), which is 1 - mix(1 - N / D) without its rounding."""
        return -self.loss.mix.value(-self.losses)

    def gradient(self, weights: FloatArray | None = None) -> FloatArray:
        """Derivative by each score; of the ratios mixed by `weights`, by default the loss."""
        return self.sums.gradient(self._coefficient(weights))

    def hessian_diagonal(self, weights: FloatArray | None = None) -> FloatArray:
        """Second derivative by each score, with the mix's weights held fixed."""
        return self.sums.hessian_diagonal(self._coefficient(weights))

    def hessian_product(
        self, direction: FloatArray, diagonal: FloatArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Hessian times a direction, given the Hessian's diagonal."""
        return self.sums.hessian_product(self._coefficient(weights), diagonal, direction)

    def _coefficient(self, weights: FloatArray | None) -> FloatArray:
        if weights is None:
            weights = self.loss.mix.slope(-self.losses)
        return np.asarray(weights[self.loss.ratio] * self.loss.share)


def _comparisons(preferences: Preferences) -> PairLayout:
    """The pairs of each term inside each group."""
    weight, group = _shares(preferences), preferences.group
    if preferences.row_terms is not None:
        return arrange_words(preferences.row_terms, weight=weight, group=group)
    return arrange(
        preferences.codes,
        preferences.above,
        preferences.below,
        weight=weight,
        group=group,
        twins=preferences.twins if preferences.two_sided else None,
    )


def _shares(preferences: Preferences) -> FloatArray:
    """Weights scaled by a power of two, which no ratio notices, to a sum of at most 1.

    Then no sum over pairs exceeds the largest phi, however many pairs there are.
    """
    weight, n = preferences.weight, len(preferences)
    exponent = _exponent(preferences)
    if weight is None:
        return np.broadcast_to(math.ldexp(1.0, exponent), n)
    return times_power(weight, exponent)


def _exponent(preferences: Preferences) -> int:
    weight = preferences.weight
    return scaling_exponent(float(len(preferences)) if weight is None else float(weight.sum()))


def scaling_exponent(total: float) -> int:
    """The power of two that brings a sum of weights to at most 1."""
    return -math.frexp(total)[1]


def find_surrogate(name: str) -> Surrogate:
    """The entry of that name."""
    check_choice("surrogate", name, tuple(SURROGATES))
    return SURROGATES[name]


def check_finite(ends: tuple[float, float]) -> None:
    """Raise unless a loss can take scores of which these are the lowest and the highest."""
    if not np.isfinite(ends).all():
        raise ValueError(
            "Parameter `y_score` should hold finite scores: a loss has no value at infinity. "
            "Metrics such as `objective_auc` take infinite scores."
        )
