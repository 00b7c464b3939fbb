"""Which label, if any, decides the best ranking alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import FloatArray, Objective
from isonomy.theory._bayes_scores import merge_close_scores, scores_on
from isonomy.theory._effective_weights import space_alphas
from isonomy.theory._space import Space


@dataclass(frozen=True)
class Dictatorship:
    """Who dictates the best ranking of a space.

    Attributes
    ----------
    label : int or None
        The label that wins every conflict here: wherever its probability is higher the
        best ranking is too, and some other label would have it otherwise. Where several
        labels do, the one `by_weight`, else that of the largest alpha; None where the
        largest alphas tie, or there are none.
    by_weight : int or None
        The label j with alpha_j > sum_{k != j} alpha_k: it dictates *every* space whose
        labels are certain given x. With two labels it is the one of larger alpha.
    shares : tuple of float or None
        alpha_k / sum_j alpha_j; None where the best ranking is no weighted sum.
    deterministic : bool
        Whether the labels are certain given x.

    Examples
    --------
    >>> from isonomy.theory import Dictatorship
    >>> Dictatorship(label=1, by_weight=1, shares=(0.04, 0.96), deterministic=True).label
    1
    """

    label: int | None
    by_weight: int | None
    shares: tuple[float, ...] | None
    deterministic: bool


def dictator(
    eta: ArrayLike | None,
    objective: Objective,
    *,
    mu: ArrayLike | None = None,
    patterns: ArrayLike | None = None,
) -> Dictatorship:
    """Which label, if any, dictates the best ranking.

    Label j dictates if eta_j(x) > eta_j(x') implies that the best ranking puts x above
    x', whatever the other labels say. Where labels are certain given x, that is sure if

        alpha_j > sum_{k != j} alpha_k,   alpha_k = a_k / (pi_k (1 - pi_k))

    and with two labels the larger alpha is enough. With more than two, the largest alpha
    alone is not: (2, 1.5, 1.5) has no dictator. Where labels are uncertain a dictator by
    weight may still lose a conflict, because another label's probability differs more.

    Parameters
    ----------
    eta, mu, patterns
        As in `bayes_scores`. A table of complete labels 0 and 1 is a space of certain
        labels, so it may be passed as it is.
    objective : Objective
        An objective that `bayes_scores` serves on this space.

    Returns
    -------
    Dictatorship

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 0], [0, 0], [1, 0], [0, 0], [0, 0], [1, 0]]
    >>> iso.theory.dictator(Y, iso.LossAggregation()).label
    1
    >>> iso.theory.dictator(Y, iso.LabelAggregation()).label is None
    True
    """
    space = Space.from_input(eta, mu=mu, patterns=patterns)
    scores = scores_on(space, objective)
    alpha = space_alphas(space, objective)
    used = space.mu > 0
    eta = np.apply_along_axis(merge_close_scores, 0, space.eta[used])
    winners = [j for j in range(space.n_labels) if _dictates(eta, scores[used], j)]
    return Dictatorship(
        label=_strongest(winners, alpha),
        by_weight=None if alpha is None else _majority(alpha),
        shares=None if alpha is None else tuple((alpha / alpha.sum()).tolist()),
        deterministic=bool(np.isin(eta, (0.0, 1.0)).all()),
    )


def _majority(alpha: FloatArray) -> int | None:
    """The label that outweighs all others together; none where it is alone."""
    j = int(alpha.argmax())
    others = np.delete(alpha, j).sum()
    return j if alpha.size > 1 and alpha[j] > others * (1.0 + 1e-12) else None


def _strongest(winners: list[int], alpha: FloatArray | None) -> int | None:
    """The winner of strictly largest alpha, which a majority has; none where they tie."""
    if len(winners) < 2:
        return winners[0] if winners else None
    if alpha is None:
        return None
    second, first = sorted(winners, key=lambda j: float(alpha[j]))[-2:]
    return first if alpha[first] > alpha[second] * (1.0 + 1e-12) else None


def _dictates(eta: FloatArray, scores: FloatArray, j: int) -> bool:
    """Whether the scores follow label j everywhere, against another label somewhere."""
    order = np.argsort(eta[:, j], kind="stable")
    ascending = eta[order, j]
    starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
    lowest = np.minimum.reduceat(scores[order], starts)
    highest = np.maximum.accumulate(np.maximum.reduceat(scores[order], starts))
    follows = (highest[:-1] < lowest[1:]).all()
    least = np.minimum.reduceat(eta[order], starts, axis=0)
    most = np.maximum.accumulate(np.maximum.reduceat(eta[order], starts, axis=0), axis=0)
    return bool(follows and (most[:-1] > least[1:]).any())
