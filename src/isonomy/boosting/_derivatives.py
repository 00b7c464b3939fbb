"""A pair loss as engines want it: a gradient, and a Hessian diagonal that is not negative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from isonomy._core import FloatArray, Mix, Preferences, Worst, nothing_to_learn
from isonomy._pairsums import PreferenceLoss, find_surrogate
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
