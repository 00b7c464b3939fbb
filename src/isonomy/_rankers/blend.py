"""The blend of scores that a team already has."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from scipy import sparse

from isonomy._core import (
    GroupWeight,
    Items,
    Objective,
    check_row_counts,
    check_same_index,
    check_score_table,
)
from isonomy._rankers.linear import LinearRanker


def blend(
    scores: Any,
    Y: ArrayLike | Items,
    objective: Objective | None = None,
    *,
    surrogate: str = "logistic",
    l2: float = 1e-6,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> LinearRanker:
    r"""The best non-negative combination of existing scores.

    .. math:: \min_{w \ge 0}\; loss(S w) + \frac{l_2}{2} |w|^2

    where the columns of S are the scores of one model each. The blend never falls when a
    score rises.

    Parameters
    ----------
    scores : array-like or data frame of shape (n, m)
        One column per model; names of a data frame's columns are kept.
    Y : array-like or data frame of shape (n, K)
        Labels, NaN for 'not observed'.
    objective : objective, optional
        `LabelAggregation()` by default.
    surrogate, l2, sample_weight, groups, group_weight
        As in `LinearRanker`.

    Returns
    -------
    LinearRanker
        Fitted, with positive=True: `predict` blends new scores, `coef_` are the weights.

    Examples
    --------
    The first score says more about the labels than the second:

    >>> from isonomy import blend
    >>> scores = [[0.1, 0.5], [0.4, 0.3], [0.3, 0.9], [0.9, 0.2], [0.6, 0.4], [0.5, 0.1]]
    >>> Y = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 1], [0, 0]]
    >>> blend(scores, Y, l2=0.01).coef_.round(2)
    array([4.27, 1.83])
    """
    check_same_index(scores=scores, Y=Y)
    if not sparse.issparse(scores):
        check_score_table(scores, name="scores")
    check_row_counts(Y=Y, scores=scores)
    items = Items.checked(Y, sample_weight=sample_weight, groups=groups, group_weight=group_weight)
    ranker = LinearRanker(
        objective, surrogate=surrogate, l2=l2, positive=True, group_weight=group_weight
    )
    return ranker.fit(scores, items)
