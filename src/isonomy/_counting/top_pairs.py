"""Who wins the pairs that reach the top of their list."""

from __future__ import annotations

import numpy as np

from isonomy._core import Items, Preferences
from isonomy._counting.discounts import WHOLE_LIST, ListValues
from isonomy._counting.kernels.top_pairs import top_pairs
from isonomy._counting.ranking import Ranking


def top_pair_shares(items: Items, preferences: Preferences, k: int) -> ListValues:
    """Of the pairs with an item in the first k ranks, the share in the right order, by group.

    No pattern may stand on both sides of a term. Groups weigh as `preferences` say: by these
    pairs, or each the same.
    """
    ranking = Ranking(preferences, items.scores, indexed=True)
    order = ranking.order
    assert order is not None
    weight = np.ones(order.size) if ranking.weight is None else ranking.weight
    # Rows of no weight take no rank.
    count = (weight > 0) * (1 if items.count is None else items.count[order])
    codes, last = ranking.runs
    right, wrong = top_pairs(
        (codes.astype(np.uint32, copy=False), last, ranking.starts),
        weight,
        count.astype(np.int64),
        ranking.sides,
        preferences.n_terms,
        min(k, WHOLE_LIST),
    )
    total = right + wrong
    some = total > 0
    values = np.divide(right, total, out=np.full_like(total, np.nan), where=some)
    evenly = preferences.group_weight == "equal"
    return ListValues(values, some.astype(np.float64) if evenly else total)
