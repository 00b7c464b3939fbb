"""How much each item, or each group, moves the ratios N / D: the source of their errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import FloatArray, sum_codes
from isonomy._counting.kernels.influence import pooled_influences, term_influences
from isonomy._counting.ranking import Ranking

State: TypeAlias = tuple[FloatArray, FloatArray, NDArray[np.int64]]

# Rows handled at a time: they stay in the cache, and products of so few need no threads.
CHUNK = 1 << 13


class Influence:
    """The influence psi of each unit on each ratio; the ratios' covariance is psi' psi.

    The units are items or, where only pairs inside groups count, groups.

    For a term with upper items P and lower items Q, an item of P that outranks the
    share V of Q has influence (V - A) / |P|, and likewise for Q; this is DeLong's
    method. A pooled ratio adds up its terms' influences: both its N and its D are
    sums over items, so that a random D is accounted for. A group's influence is
    (N_g - A D_g) / D.

    Variances are made unbiased by n / (n - 1): per class for a ratio of one term, over
    all items (or groups) for the others. With weights, n is (sum w)^2 / sum w^2.

    Attributes
    ----------
    ratios : ndarray of shape (ratios,)
        N / D.
    smaller_class : ndarray of shape (ratios,)
        Items in the smaller class; with groups, groups that have pairs.
    independent_pairs : ndarray of shape (ratios,)
        How many pairs without a common item there are (with weights, effectively).
    """

    def __init__(self, ranking: Ranking) -> None:
        self.ranking = ranking
        self.sums = ranking.pair_sums()
        self.ratios = self.sums.ratios()
        if ranking.grouped:
            groups = (self.sums.total > 0).sum(axis=0).astype(np.float64)
            self.smaller_class = self.independent_pairs = groups
        else:
            self._prepare_items()

    def covariance(self) -> FloatArray:
        """Covariance of the ratios, (ratios, ratios); NaN where it is unknown."""
        covariance = np.zeros((self.ratios.size, self.ratios.size))
        for psi in self.chunks():
            covariance += psi.T @ psi
        return covariance

    def rows(self) -> FloatArray:
        """Influences in the order of the rows (or groups), (units, ratios)."""
        psi = np.concatenate(list(self.chunks()))
        if self.ranking.grouped or self.ranking.order is None:
            return psi
        by_row = np.empty_like(psi)
        by_row[self.ranking.order] = psi
        return by_row

    def chunks(self) -> Iterator[FloatArray]:
        """Influences in the order of the ranking, some units at a time."""
        if self.ranking.grouped:
            yield self._group_influences()
            return
        state = (np.zeros_like(self.totals), np.zeros_like(self.totals), np.zeros(2, np.int64))
        n = self.ranking.preferences.codes.size
        for start in range(0, n, CHUNK):
            yield self._item_influences(state, start, min(start + CHUNK, n))

    def _item_influences(self, state: State, start: int, stop: int) -> FloatArray:
        items, weight = self.ranking.runs, self.ranking.weight
        constants = (self.totals, self.factor, self.centre)
        if self.many_terms:
            psi = pooled_influences(
                items, weight, self.ranking.sides, constants, state, start, stop
            )
            return psi[:, None]
        psi = term_influences(items, weight, self.tables, constants, state, start, stop)
        return psi.sum(axis=1, keepdims=True) if self.ranking.preferences.mix.pooled else psi

    def _prepare_items(self) -> None:
        """What the kernels need to know of each side of each term."""
        preferences = self.ranking.preferences
        self.many_terms = preferences.mix.pooled and sparse.issparse(preferences.above)
        share, squares, items = self._side_totals()
        effective = np.divide(share**2, squares, out=np.zeros_like(share), where=squares > 0)
        pairs = effective.min(axis=0)
        if preferences.n_terms == self.ratios.size:
            correction = _unbiased(effective)
            self.smaller_class = items.min(axis=0)
            self.independent_pairs = pairs
        else:
            weight = self.ranking.weight
            n = preferences.codes.size if weight is None else weight.sum() ** 2 / (weight @ weight)
            correction = np.full_like(share, _unbiased(np.array([n], np.float64))[0])
            self.smaller_class = np.array([items.max(axis=1).min()])
            self.independent_pairs = np.array([pairs[pairs > 0].min(initial=np.inf)])
        total = np.where(self.sums.total[0] > 0, self.sums.total[0], np.nan)
        self.totals, self.factor, self.centre = share, correction / total, self.ratios * share[::-1]
        if self.many_terms:
            # By side, as in the compressed rows.
            self.totals, self.factor, self.centre = (
                array.T.ravel() for array in (self.totals, self.factor, self.centre)
            )
        else:
            self.tables = np.stack(list(map(_dense, preferences.tables)), axis=1)

    def _side_totals(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Per side (above, below) and term: its items' shares, their squares, their number."""
        ranking = self.ranking
        n_patterns = ranking.preferences.n_patterns
        if ranking.weight is None:
            weight = squared = items = ranking.pattern_counts.astype(np.float64)
        else:
            items, weight, squared = (
                sum_codes(ranking.runs[0], values, n_patterns)
                for values in (ranking.weight > 0, ranking.weight, ranking.weight**2)
            )
        tables = ranking.preferences.tables
        return (
            np.array([table.T @ weight for table in tables]),
            np.array([(table * table).T @ squared for table in tables]),
            np.array([(table > 0).T @ items for table in tables]),
        )

    def _group_influences(self) -> FloatArray:
        total = self.sums.total.sum(axis=0)
        total = np.where(total > 0, total, np.nan)
        psi = (self.sums.right - self.ratios * self.sums.total) / total
        return np.asarray(psi * _unbiased(self.smaller_class))


def _unbiased(n: FloatArray) -> FloatArray:
    """sqrt(n / (n - 1)); NaN where a class has no second item to tell its spread."""
    return np.sqrt(np.divide(n, n - 1, out=np.full_like(n, np.nan), where=n > 1))


def _dense(table: Any) -> FloatArray:
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)
