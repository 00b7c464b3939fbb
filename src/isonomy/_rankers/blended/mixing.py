"""How much each kind of classifier has to say of each label."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from isonomy._core import FloatArray, Items
from isonomy._rankers.blended.label_models import EDGE, LabelModels

# A kind with less, of the share of the largest, is not asked.
LEAST_SHARE = 0.02


def mixing_shares(models: LabelModels, items: Items, columns: FloatArray, scale: str) -> FloatArray:
    """Shares (kinds, K) of the kinds in each label's mix, in sum 1: those of the least log loss.

    `columns` (n, kinds x K) are logits or probabilities of rows that the classifiers have not
    seen. The loss of a mix is smooth in the shares and has one minimum, so that few rows of a
    class do not make the choice a gamble, as the best of several AUCs would be.
    """
    kinds = columns.shape[1] // items.labels.n_labels
    said = columns.reshape(len(columns), kinds, -1)
    shares = [_label_shares(models, items, k, said[:, :, k], scale) for k in range(said.shape[2])]
    return np.column_stack(shares)


def _label_shares(
    models: LabelModels, items: Items, k: int, said: FloatArray, scale: str
) -> FloatArray:
    kinds = said.shape[1]
    equal = np.full(kinds, 1.0 / kinds)
    lesson = models.lesson(items, k)
    rows = lesson.training()
    y = lesson.y[rows]
    if kinds == 1 or np.unique(y).size < 2:
        return equal
    weight = np.ones(rows.size) if lesson.weight is None else lesson.weight[rows]
    sign, said = 2.0 * y - 1.0, said[rows]
    loss = _log_loss_of_logits if scale == "logit" else _log_loss_of_probabilities
    found = minimize(
        lambda shares: loss(said, shares, sign, weight / weight.sum()),
        equal,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * kinds,
        constraints={"type": "eq", "fun": lambda shares: shares.sum() - 1.0},
    ).x
    found = np.where(found < LEAST_SHARE * found.max(), 0.0, found)
    return np.asarray(found / found.sum())


def _log_loss_of_logits(
    said: FloatArray, shares: FloatArray, sign: FloatArray, weight: FloatArray
) -> tuple[float, FloatArray]:
    """Mean of log(1 + exp(-sign z)) of the mixed logits z, and its slope in the shares."""
    margin = sign * (said @ shares)
    loss = np.logaddexp(0.0, -margin)
    slope = -np.exp(-margin - loss)  # exp(-m) / (1 + exp(-m))
    return float(weight @ loss), np.asarray((weight * slope * sign) @ said)


def _log_loss_of_probabilities(
    said: FloatArray, shares: FloatArray, sign: FloatArray, weight: FloatArray
) -> tuple[float, FloatArray]:
    """Mean of -log of the mixed probability of what is so, and its slope in the shares."""
    told = np.where(sign[:, None] > 0, said, 1.0 - said)
    right = np.maximum(told @ shares, EDGE)
    return float(weight @ -np.log(right)), np.asarray(-(weight / right) @ told)
