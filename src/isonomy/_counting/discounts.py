"""The top of lists: discounted gains (DCG) of Preferences, and the best that they could be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import (
    AnyArray,
    Codes,
    FloatArray,
    Items,
    Labels,
    Preferences,
    count_codes,
    gram,
    sort_order,
    sum_codes,
)
from isonomy._counting.kernels.discounts import (
    Discounts,
    count_worthy,
    discounted_gains,
    first_discounts,
    gains_in_order,
    order_by_group,
    places,
)
from isonomy._counting.ranking import Ranking
from isonomy._counting.spread import ROUNDING, Spread, effective_size

# Ranks whose discounts are kept in a table: of short lists, and of long ones.
SHORT, LONG = 1 << 12, 1 << 20
WHOLE_LIST = 1 << 62


def discount_tables(n_ranks: int) -> Discounts:
    """What each of the first ranks is worth, and their running sum from 0."""
    return _tables(SHORT if n_ranks <= SHORT else LONG)


@cache
def _tables(size: int) -> Discounts:
    single = 1.0 / np.log2(np.arange(2.0, size + 2.0))
    upto = np.cumsum(np.concatenate([[0.0], single]).astype(np.longdouble)).astype(np.float64)
    return single, upto


@dataclass(frozen=True, eq=False)
class Gains:
    """What items bring to each column (label, or ratio of an objective), by their pattern.

    Attributes
    ----------
    worth : ndarray of shape (patterns, columns)
        Gain of an item.
    listed : ndarray of bool, shape (patterns, columns)
        Whether an item takes a rank.
    """

    worth: FloatArray
    listed: NDArray[np.bool_]

    @classmethod
    def of_labels(cls, labels: Labels) -> Gains:
        """A column per label: a gain of 1 for each positive, a rank for all that is observed."""
        labels.require_binary()
        return cls(labels.positive.astype(np.float64), labels.positive | labels.negative)

    @classmethod
    def of_terms(cls, preferences: Preferences) -> Gains:
        """A column per ratio N / D.

        A pair of a term is worth above * below, so that a term's gain is what it puts above,
        times the most that it puts below; a pooled ratio has the sum over its terms. Items that
        no term of a ratio knows take no rank.
        """
        above, below = (_floats(table) for table in preferences.tables)
        most = below.max(axis=0)
        most = np.asarray(most.toarray() if sparse.issparse(most) else most).ravel()
        if preferences.mix.pooled:
            known = np.asarray((above + below).sum(axis=1)).reshape(-1, 1)
            return cls(np.asarray(above @ most).reshape(-1, 1), known > 0)
        dense = [_dense(table) for table in (above, below)]
        return cls(np.ascontiguousarray(dense[0] * most), dense[0] + dense[1] > 0)


@dataclass(frozen=True, eq=False)
class ListValues:
    """A number per list (group) and estimate, and their mean.

    Attributes
    ----------
    values : ndarray of shape (lists, estimates)
        NaN where a list has none.
    weight : ndarray of shape (lists, estimates)
        What a list counts for; 0 where it has no value.
    """

    values: FloatArray
    weight: FloatArray

    def means(self) -> FloatArray:
        """The means over lists; NaN where no list has a value."""
        total = self.weight.sum(axis=0)
        summed = (self.weight * np.where(self.weight > 0, self.values, 0.0)).sum(axis=0)
        nan = np.full_like(total, np.nan)
        return np.asarray(np.divide(summed, total, out=nan, where=total > 0))

    def spread(self, cluster: NDArray[np.int64] | None = None) -> Spread:
        """Errors of the means: lists, or clusters of lists, vary independently."""
        share = self.weight / np.where(self.weight.sum(axis=0) > 0, self.weight.sum(axis=0), np.nan)
        centred = np.where(self.weight > 0, self.values - self.means(), 0.0)
        psi = share * centred
        if cluster is not None:
            n_clusters = int(cluster.max()) + 1
            share, psi = (
                np.stack([sum_codes(cluster, column, n_clusters) for column in each.T], axis=1)
                for each in (share, psi)
            )
        size = effective_size(share.sum(axis=0), (share**2).sum(axis=0))
        size = np.nan_to_num(size)
        factor = np.divide(size, size - 1, out=np.full_like(size, np.nan), where=size > 1)
        psi = psi * np.sqrt(factor)
        covariance = gram(psi)
        variance = np.diag(covariance).copy()
        # Rounding is no spread.
        variance[variance < (ROUNDING / 10) ** 2] = 0.0
        nothing = np.zeros_like(size)
        return Spread(
            np.stack([nothing, nothing, size]),
            np.stack([nothing, nothing, variance]),
            np.stack([nothing, nothing, (share**2).sum(axis=0)]),
            size,
            covariance,
        )


class DiscountedLists:
    """Items as lists, one per group, ready for the discounted gains of any scores.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        The pattern of each item.
    gains : Gains
        What patterns are worth.
    group : ndarray of int64, shape (n,), or None
        The list of each item; None: one list.
    weight : ndarray of shape (n,) or None
        What an item's gain is multiplied by. Items of weight 0 stand in no list.
    count : ndarray of int64, shape (n,), or None
        How many items, and so how many ranks, a row stands for.
    k : int or None
        The rank after which a list is cut.
    """

    def __init__(
        self,
        codes: Codes,
        gains: Gains,
        *,
        group: NDArray[np.int64] | None,
        weight: FloatArray | None,
        count: NDArray[np.int64] | None,
        k: int | None,
    ) -> None:
        self.codes, self.gains, self.group = codes, gains, group
        self.n_lists = 1 if group is None else int(group.max()) + 1
        self.k = WHOLE_LIST if k is None else min(int(k), WHOLE_LIST)
        self.weight, self.count = weight, count
        listed = gains.listed
        # Where all columns list the same patterns, one column of ranks serves for all.
        alike = bool((listed == listed[:, :1]).all())
        self.column_of_ranks = np.zeros(listed.shape[1], np.int64)
        if not alike:
            self.column_of_ranks = np.arange(listed.shape[1])
        self.discounts = discount_tables(min(self.k, self.codes.size))
        if weight is not None and not weight.all():
            present = (weight > 0).astype(np.int64)
            self.count = present if count is None else present * count

    @classmethod
    def of(cls, items: Items, codes: Codes, gains: Gains, k: int | None) -> DiscountedLists:
        """Those of checked rows."""
        return cls(
            codes,
            gains,
            group=items.group,
            weight=items.gain_weight,
            count=items.count,
            k=k,
        )

    def in_order(
        self, order: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], AnyArray | None, AnyArray | None]:
        """Rows list by list, in this order; where lists start; their counts and weights."""
        starts = np.array([0, order.size])
        if self.group is not None:
            order, starts = order_by_group(order, self.group, self.n_lists)
        count = None if self.count is None else self.count[order]
        return order, starts, count, None if self.weight is None else self.weight[order]

    def dcg(self, ranking: Ranking) -> FloatArray:
        """DCG of each list and ratio, in the order of a ranking of the same rows."""
        codes, last = ranking.runs
        count = weight = None
        if ranking.order is not None:
            codes = self.codes[ranking.order]
            count = None if self.count is None else self.count[ranking.order]
            weight = None if self.weight is None else self.weight[ranking.order]
        return discounted_gains(
            (_narrow(codes), last, ranking.starts),
            count,
            weight,
            self.gains.worth,
            self.gains.listed,
            self.k,
            self.discounts,
        )

    def places(self, ranking: Ranking) -> FloatArray:
        """Where items stand, in the order of a ranking, as the kernel says: (4, items, columns).

        One column for all ratios, or one each: `column_of_ranks` says which is whose.
        """
        assert ranking.order is not None
        used = int(self.column_of_ranks.max()) + 1
        return places(
            (_narrow(self.codes[ranking.order]), ranking.runs[1], ranking.starts),
            None if self.count is None else self.count[ranking.order],
            np.ascontiguousarray(self.gains.listed[:, :used]),
            self.k,
            self.discounts,
        )

    def ideal(self) -> FloatArray:
        """The largest possible DCG of each list and ratio; 0 where nothing is of worth."""
        worth = self.gains.worth
        most = worth.max(axis=0)
        even = ((worth == 0) | (worth == most)).all(axis=0)
        out = np.empty((self.n_lists, worth.shape[1]))
        if even.any():
            out[:, even] = self._ideal_of_even(worth[:, even], most[even])
        for q in np.flatnonzero(~even):
            column = worth[:, q]
            value = column[self.codes]
            if self.weight is not None:
                value = value * self.weight
            out[:, [q]] = self._best(sort_order(value), worth[:, [q]])
        return out

    def _ideal_of_even(self, worth: FloatArray, most: FloatArray) -> FloatArray:
        """Where all that is of worth is worth the same, but for weights."""
        if self.weight is not None:
            return self._best(sort_order(self.weight), worth)
        worthy = (worth > 0).astype(np.int64)
        if self.group is None and self.count is None:
            found = (count_codes(self.codes, len(worthy)) @ worthy)[None]
        else:
            order, starts, count, _ = self.in_order(np.arange(self.codes.size))
            found = count_worthy(_narrow(self.codes[order]), starts, count, worthy)
        return np.asarray(first_discounts(found, self.k, self.discounts) * most)

    def _best(self, order: NDArray[np.int64], worth: FloatArray) -> FloatArray:
        order, starts, count, weight = self.in_order(order)
        codes = _narrow(self.codes[order])
        return gains_in_order(
            (codes, starts), count, weight, np.ascontiguousarray(worth), self.k, self.discounts
        )


def list_values(dcg: FloatArray, ideal: FloatArray, weight: FloatArray | None) -> ListValues:
    """DCG over ideal DCG of lists that have one; `weight` None: each counts the same."""
    some = ideal > 0
    values = np.divide(dcg, ideal, out=np.full_like(dcg, np.nan), where=some)
    return ListValues(values, some.astype(np.float64) if weight is None else some * weight)


def _narrow(codes: Codes) -> Codes:
    """Codes in one of two types, so that kernels are compiled twice and not five times."""
    return codes if codes.dtype == np.uint8 else codes.astype(np.uint32, copy=False)


def _floats(table: Any) -> Any:
    return table.astype(np.float64)


def _dense(table: Any) -> FloatArray:
    return np.asarray(table.toarray() if sparse.issparse(table) else table)
