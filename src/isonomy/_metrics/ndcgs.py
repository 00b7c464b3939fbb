"""nDCG of one score against each of several labels: how well the top of the list serves them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    LossAggregation,
    as_generator,
    check_choice,
    check_count,
    check_level,
)
from isonomy._counting import DiscountedLists, Gains, ListValues, Ranking, list_values
from isonomy._infra import warn_user
from isonomy._metrics.intervals import AUCIntervals
from isonomy._metrics.list_intervals import list_intervals
from isonomy._metrics.p_values import DEFAULT_LEVEL

ListIntervalMethod: TypeAlias = Literal["auto", "bootstrap"]


def label_ndcgs(
    Y: ArrayLike | Items,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "equal",
) -> FloatArray:
    """nDCG of one score against each of K labels, from one sort.

    The gain of a positive item at rank r is discounted by 1 / log2(1 + r); nDCG is the sum of
    these over the first k ranks, divided by the largest that it could be. Items of equal scores
    come in a random order, and the expected value over these orders is given, exactly: each has
    the mean discount of the ranks that they share. A constant score gets what chance would.

    Parameters
    ----------
    Y : array-like or data frame of shape (n, K)
        Labels 0 and 1. Where a label is not observed (NaN), the item stands not in that label's
        list and takes no rank in it.
    y_score : array-like of shape (n,)
        Scores; higher ranks first. Infinite scores rank where they belong.
    k : int, optional
        Ranks that count. None, or more than a list has: the whole list.
    sample_weight : array-like of shape (n,), optional
        What the gain of each item is multiplied by, as if labels were graded. An item takes one
        rank whatever its weight, but for weight 0, which leaves it out.
    counts : array-like of shape (n,), optional
        How many identical items each row stands for: it takes as many ranks.
    groups : array-like of shape (n,), optional
        List (query) of each item. Then nDCG is the mean over the lists that have a positive.
    group_weight : {"equal", "pairs"}
        Whether such lists count the same, as is usual, or by their pairs of a positive and a
        negative.

    Returns
    -------
    ndarray of shape (K,)
        In [0, 1]; NaN, with a warning, for a label without positives; where groups weigh by
        their pairs, also for one without pairs.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> score = [3, 5, 4, 1, 3, 2, 6, 3]
    >>> iso.label_ndcgs(Y, score).round(4)
    array([0.891 , 0.9846])
    >>> iso.label_ndcgs(Y, score, k=2).round(4)
    array([0.6131, 1.    ])

    Two searches, each a list of its own:

    >>> iso.label_ndcgs(Y, score, k=2, groups=[1, 1, 1, 1, 2, 2, 2, 2]).round(4)
    array([0.5967, 0.9033])
    """
    check_top("k", k)
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
    )
    means = ndcgs_of(items, k, group_weight).means()
    warn_undefined_ndcgs(items, means, group_weight)
    return means


def ndcg_intervals(
    Y: ArrayLike | Items,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    level: float = DEFAULT_LEVEL,
    method: ListIntervalMethod = "auto",
    n_resamples: int = 2000,
    random_state: int | np.random.Generator | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "equal",
    clusters: ArrayLike | None = None,
) -> AUCIntervals:
    """nDCGs of one score with confidence intervals, for all labels jointly.

    What varies are the lists (queries): the interval says where the mean over all lists like
    these may lie.

    Parameters
    ----------
    Y, y_score, k, sample_weight, counts, group_weight
        As in `label_ndcgs`.
    level : float
        Confidence level.
    method : {"auto", "bootstrap"}
        "auto": Wilson's interval with the observations that the spread between lists is worth
        (the delta method). "bootstrap": percentiles over resampled lists; too short for few.
    n_resamples : int
        Number of bootstrap samples.
    random_state : int or numpy Generator, optional
        Seed of the bootstrap.
    groups : array-like of shape (n,)
        List (query) of each item. They are needed: one list does not tell how others differ.
    clusters : array-like of shape (n,), optional
        User, ... whose lists vary together; whole lists each.

    Returns
    -------
    AUCIntervals
        Of nDCGs in place of AUCs: estimate, low, high, and their covariance.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((500, 2)) < [0.4, 0.2]
    >>> score = Y @ [1.0, 0.5] + rng.normal(size=500)
    >>> found = iso.ndcg_intervals(Y, score, k=5, groups=np.arange(500) // 10)
    >>> bool((found.low < found.estimate).all() and (found.estimate < found.high).all())
    True
    """
    check_top("k", k)
    check_level(level)
    check_choice("method", method, ("auto", "bootstrap"))
    check_count("n_resamples", n_resamples, least=2)
    rng = as_generator(random_state)
    items = Items.checked(
        Y,
        y_score=y_score,
        sample_weight=sample_weight,
        counts=counts,
        groups=groups,
        group_weight=group_weight,
        clusters=clusters,
    )
    if items.group is None:
        raise ValueError(
            "Parameter `groups` should say to which list (query) each item belongs. Found None: "
            "one list does not tell how others differ. For one list, `label_ndcgs` gives its nDCG "
            "and `auc_intervals` an interval of its AUC."
        )
    lists = ndcgs_of(items, k, group_weight)
    warn_undefined_ndcgs(items, lists.means(), group_weight)
    draws = (n_resamples, rng) if method == "bootstrap" else None
    return AUCIntervals(*list_intervals(items, lists, level, draws))


def ndcgs_of(items: Items, k: int | None, group_weight: GroupWeight = "equal") -> ListValues:
    """nDCG of each list and label of scored rows."""
    items = replace(items, group_weight=group_weight)
    preferences = items.preferences(LossAggregation())
    ranking = Ranking(preferences, items.scores)
    lists = DiscountedLists.of(items, items.labels.codes, Gains.of_labels(items.labels), k)
    weight = None
    if items.group is not None and group_weight == "pairs":
        weight = ranking.pair_sums().total
    return list_values(lists.dcg(ranking), lists.ideal(), weight)


def check_top(name: str, k: object) -> None:
    """A number of ranks, or None for all."""
    if k is not None:
        check_count(name, k)


def warn_undefined_ndcgs(items: Items, means: FloatArray, group_weight: GroupWeight) -> None:
    """Warn of labels without a positive (without a pair, where pairs are weights), by name."""
    missing = [items.labels.names[q] for q in np.flatnonzero(np.isnan(means))]
    if missing:
        from sklearn.exceptions import UndefinedMetricWarning  # takes longer than any metric

        listed = ", ".join(map(repr, missing))
        found = f"No positive item to rank for {listed}."
        if items.group is not None and group_weight == "pairs":
            found = (
                f"No group has a positive and a negative item of {listed}, so that none weighs "
                "anything by its pairs."
            )
        warn_user(f"{found} The nDCG is undefined (NaN).", UndefinedMetricWarning)
