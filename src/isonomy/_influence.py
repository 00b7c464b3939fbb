"""How much each item, or each group, moves the ratios N / D: the source of their errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isonomy._kernels.influence import influences, side_totals
from isonomy._preferences import FloatArray
from isonomy._ranking import Ranking

# Rows handled at a time, so that memory stays small beside the scores.
CHUNK = 1 << 16


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
        n_ratios = self.ratios.size
        covariance = np.zeros((n_ratios, n_ratios))
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
        ranking = self.ranking
        if ranking.grouped:
            yield self._group_influences()
            return
        codes = ranking.codes.astype(np.uint32)
        n_sides = self.factor.size
        seen, tied, run = np.zeros(n_sides), np.zeros(n_sides), np.zeros(2, np.int64)
        for start in range(0, codes.size, CHUNK):
            yield influences(
                codes,
                ranking.last,
                ranking.weight,
                ranking.sides,
                ranking.term_slots,
                self.totals,
                self.factor,
                self.centre,
                seen,
                tied,
                run,
                start,
                min(start + CHUNK, codes.size),
            )

    def _prepare_items(self) -> None:
        """What the kernel needs to know of each side of each term."""
        ranking = self.ranking
        n_terms = ranking.preferences.n_terms
        share, squares, items = side_totals(
            ranking.codes.astype(np.uint32), ranking.weight, ranking.sides, 2 * n_terms
        )
        effective = np.divide(share**2, squares, out=np.zeros_like(share), where=squares > 0)
        pairs = np.minimum(effective[0::2], effective[1::2])
        if n_terms == self.ratios.size:
            correction = _unbiased(effective)
            self.smaller_class = np.minimum(items[0::2], items[1::2])
            self.independent_pairs = pairs
        else:
            weight = np.ones(1) if ranking.weight is None else ranking.weight
            rows = weight.sum() ** 2 / (weight**2).sum() if weight.size > 1 else ranking.codes.size
            correction = np.broadcast_to(_unbiased(np.array([rows], float)), share.shape)
            self.smaller_class = np.array([min(items[0::2].max(), items[1::2].max())])
            self.independent_pairs = np.array([pairs[pairs > 0].min(initial=np.inf)])
        slot = np.repeat(ranking.term_slots, 2)
        total = np.where(self.sums.total[0] > 0, self.sums.total[0], np.nan)
        self.totals = share
        self.factor = correction / total[slot]
        self.centre = self.ratios[slot] * share[np.arange(2 * n_terms) ^ 1]

    def _group_influences(self) -> FloatArray:
        total = self.sums.total.sum(axis=0)
        total = np.where(total > 0, total, np.nan)
        psi = (self.sums.right - self.ratios * self.sums.total) / total
        return np.asarray(psi * _unbiased(self.smaller_class))


def _unbiased(n: FloatArray) -> FloatArray:
    """sqrt(n / (n - 1)); NaN where a class has no second item to tell its spread."""
    return np.sqrt(np.divide(n, n - 1, out=np.full_like(n, np.nan), where=n > 1))
