"""A pair loss as engines want it: a gradient, and a Hessian diagonal that is not negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from isonomy._core import FloatArray, Mix, Preferences, Worst, nothing_to_learn
from isonomy._pairsums import PreferenceLoss, TopPairs, find_surrogate
from isonomy.surrogates import Surrogate

# How far a label's loss may be below the largest, as a share of the loss of equal scores,
# for its weight to be 1/e of that label's.
SMOOTHING = 0.05


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Loss, gradient and Hessian diagonal at some scores; the latter two times the weights' sum."""

    loss: float
    gradient: FloatArray
    hessian: FloatArray


class BoostingLoss:
    """The pair loss of one data set, at the scores of each round in turn.

    The gradient and the Hessian diagonal are those of `pair_loss` times the sum of the sample
    weights: as large as those of a loss per row, for which an engine's defaults are made.

    For the worst label, the labels' losses are mixed by weights that grow exponentially with the
    loss and depend on the scores alone.

    Parameters
    ----------
    preferences : Preferences
    surrogate : str
    sample_weight : array of shape (n,), optional
    name : str
        What the labels are called in the error that is raised where there are no pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import Pooled, Preferences
    >>> wish = Preferences([0, 1, 1], above=[1, 0], below=[0, 1], mix=Pooled())
    >>> found = BoostingLoss(wish, "logistic").at(np.zeros(3))
    >>> found.gradient, found.hessian
    (array([-1.5 ,  0.75,  0.75]), array([0.75 , 0.375, 0.375]))
    """

    def __init__(
        self,
        preferences: Preferences,
        surrogate: str,
        sample_weight: ArrayLike | None = None,
        *,
        name: str = "label",
    ) -> None:
        self.loss = PreferenceLoss(preferences, find_surrogate(surrogate))
        if not self.loss.defined:
            raise nothing_to_learn(preferences, self.loss.ratio_pairs, name=name)
        self.total = float(
            preferences.codes.size
            if sample_weight is None
            else np.sum(sample_weight, dtype=np.float64)
        )

    def at(self, scores: FloatArray) -> Derivatives:
        """What an engine needs for the next round."""
        here = self.loss.at(scores)
        weights = mix_weights(self.loss.mix, self.loss.surrogate, here.losses) * self.total
        curved = here if self.loss.surrogate.hessian_from is None else self.loss.curved_at(scores)
        gradient, hessian = here.gradient(weights), curved.hessian_diagonal(weights)
        # Zero where rounding, or a surrogate that is not convex, makes it negative.
        np.maximum(hessian, 0.0, out=hessian)
        return Derivatives(here.value(), gradient, hessian)


def mix_weights(mix: Mix, surrogate: Surrogate, losses: FloatArray) -> FloatArray:
    """How the derivatives of the ratios add up: for the worst label by a softmax of the losses."""
    if not isinstance(mix, Worst):
        return mix.slope(-losses)
    equal = float(surrogate.value(np.zeros(1))[0])
    return np.asarray(special.softmax(losses / (SMOOTHING * equal)))


class TopLoss:
    """The pair loss of the top of lists, at the scores of each round in turn.

    Every pair of the objective is weighed by the change of discounted gain that swapping it would
    make (LambdaRank), as a share of the largest gain of its list, and the more the closer its
    scores are (`TopPairs`). The weights depend on the scores alone; derivatives are taken with them
    held fixed. How the ratios are mixed goes by their nDCGs; for the worst label by a softmax of
    how much they lack.

    As in `BoostingLoss`, gradient and Hessian are as large as those of a loss per row.

    Parameters
    ----------
    preferences : Preferences
        With groups. `group_weight` "equal" makes all lists weigh the same; "pairs" by the logarithm
        of what their pairs may change, as LightGBM's lambdarank does.
    surrogate : str
    top : int
        Ranks that count.
    sample_weight, name
        As in `BoostingLoss`.
    everybodys : callable, optional
        From an array of this process to the sum of those of all processes that train together;
        each has whole lists. None: there are no others.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import Pooled, Preferences
    >>> wish = Preferences(
    ...     [0, 1, 1], above=[1, 0], below=[0, 1], mix=Pooled(), group=np.zeros(3, int)
    ... )
    >>> found = TopLoss(wish, "logistic", 1).at(np.array([0.0, 2.0, 1.0]))
    >>> found.loss, found.gradient.round(2)
    (1.0, array([-2.64,  2.64,  0.  ]))
    """

    def __init__(
        self,
        preferences: Preferences,
        surrogate: str,
        top: int,
        sample_weight: ArrayLike | None = None,
        *,
        name: str = "label",
        everybodys: Callable[[FloatArray], FloatArray] | None = None,
    ) -> None:
        self.everybodys = everybodys or np.asarray
        require_lists(preferences.group is not None)
        self.mix, self.surrogate = preferences.mix, find_surrogate(surrogate)
        self.smoothed = isinstance(preferences.mix, Worst)
        self.evenly = preferences.group_weight == "equal"
        self.pairs = TopPairs(preferences, top)
        n_lists = self.everybodys(self.pairs.paired.sum(axis=0).astype(np.float64))
        self.n_lists = np.where(n_lists > 0, n_lists, np.nan)
        if np.isnan(self.mix.value(self.n_lists)):
            raise nothing_to_learn(preferences, self.n_lists, name=name)
        n = preferences.codes.size
        weight = np.ones(n) if preferences.weight is None else preferences.weight
        total = n if sample_weight is None else np.sum(sample_weight)
        sums = np.array([total, weight.sum(), np.count_nonzero(weight)], dtype=np.float64)
        self.total, weights, n_weighted = self.everybodys(sums).tolist()
        self.mean_weight = weights / n_weighted

    def at(self, scores: FloatArray) -> Derivatives:
        """What an engine needs for the next round; the loss is 1 less the objective's nDCG."""
        here = self.pairs.at(scores)
        ideal, paired = self.pairs.ideal, self.pairs.paired
        ndcgs = mean_of_sums(self.everybodys(here.ndcg_sums()))
        share = self._mix(ndcgs) / self.n_lists
        share = np.divide(share, ideal, out=np.zeros_like(ideal), where=paired)
        gradient, hessian, totals = here.derivatives(share, self.surrogate)
        np.maximum(hessian, 0.0, out=hessian)
        scale = self._list_scale(totals)
        scale *= self.total / self.everybodys(np.array([scale @ totals]))[0]
        by_row = scale[self.pairs.preferences.group]
        return Derivatives(1.0 - self.mix.value(ndcgs), gradient * by_row, hessian * by_row)

    def _list_scale(self, totals: FloatArray) -> FloatArray:
        """What lists, whose pairs have these weights, are multiplied by."""
        some = totals > 0
        # In units of the mean weight of items, so that a factor of all weights changes nothing.
        weight = totals * np.nanmax(self.n_lists) / self.mean_weight
        # As in LightGBM: otherwise the lists with most to change would rule.
        wanted = some if self.evenly else np.log2(1.0 + weight)
        return np.asarray(np.divide(wanted, weight, out=np.zeros_like(totals), where=some))

    def _mix(self, ndcgs: FloatArray) -> FloatArray:
        """How the derivatives of the ratios add up."""
        if not self.smoothed:
            return self.mix.slope(ndcgs)
        return np.asarray(special.softmax((1.0 - ndcgs) / SMOOTHING))


def mean_of_sums(sums: FloatArray) -> FloatArray:
    """Sums over how many were added, (2, ratios); NaN where there were none."""
    nan = np.full_like(sums[0], np.nan)
    return np.asarray(np.divide(sums[0], sums[1], out=nan, where=sums[1] > 0))


def require_lists(grouped: bool) -> None:
    """The top of a list is nothing without lists."""
    if not grouped:
        raise ValueError(
            "Parameter `top` needs groups: it is about the first ranks of each list (query). Found "
            "none. Pass `groups` to `fit` (an engine's data set: `group`), or leave `top` out."
        )


def prepared_loss(
    preferences: Preferences,
    surrogate: str,
    sample_weight: ArrayLike | None,
    top: int | None,
    *,
    name: str = "label",
) -> BoostingLoss | TopLoss:
    """The loss over all pairs or, with `top`, over those that matter there."""
    if top is None:
        return BoostingLoss(preferences, surrogate, sample_weight, name=name)
    return TopLoss(preferences, surrogate, int(top), sample_weight, name=name)
