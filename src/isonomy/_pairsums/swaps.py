"""LambdaRank's weights on the pairs of an objective: what a swap changes at the top of a list."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Preferences
from isonomy._counting import DiscountedLists, Gains, ListValues, Ranking, list_values, side_table
from isonomy._infra import default_threads, run_all, segment_chunks
from isonomy._pairsums.kernels.direct import Curve
from isonomy._pairsums.kernels.swaps import Ranked, Sides, Slopes, swap_derivatives
from isonomy._pairsums.tables import curve_tables
from isonomy.surrogates import Analytic, Surrogate

Coefficients: TypeAlias = NDArray[np.float64]

# Items of lists that a thread takes at a time.
_CHUNK = 1 << 14
# Distance of scores at which a pair weighs half as much as one of equal scores; LightGBM's.
NEAR = 0.01
_NO_CURVE = Curve(1.0, np.zeros((1, 6)), np.zeros((2, 5)))


class TopPairs:
    """The pairs of Preferences inside their groups, weighed by what swapping them would change.

    A pair of a term weighs w_i w_j above_i below_j |d_i - d_j|, d being the discount of an item's
    rank at the present scores; a pair of which no item stands in the first `top` ranks weighs
    nothing. Items of equal scores come in a random order: their pairs weigh what they do on
    average over the orders. So nothing depends on the order of rows, and scores that are all equal
    have pairs too.

    As in LightGBM, that is divided by `NEAR` plus the distance of the two scores, in lists whose
    scores are not all equal: pairs that are decided are left alone, which on few lists keeps the
    trees from memorising them.

    Parameters
    ----------
    preferences : Preferences
        With groups.
    top : int
        Ranks that count.

    Attributes
    ----------
    ideal : ndarray of shape (groups, ratios)
        The largest discounted gain of each group.
    paired : ndarray of bool, shape (groups, ratios)
        Whether a group has pairs.
    """

    def __init__(self, preferences: Preferences, top: int) -> None:
        assert preferences.group is not None
        self.preferences = preferences
        weight = preferences.weight
        self.lists = DiscountedLists(
            preferences.codes,
            Gains.of_terms(preferences),
            group=preferences.group,
            weight=weight,
            count=None,
            k=top,
        )
        self.weight = np.ones(preferences.codes.size) if weight is None else weight
        rows, side, value = side_table(preferences.above, preferences.below)
        terms = np.arange(2 * preferences.n_terms) // 2
        self.n_ratios = 1 if preferences.mix.pooled else preferences.n_terms
        ratio = np.zeros_like(terms) if preferences.mix.pooled else terms
        self.sides = Sides(rows, side, value, ratio, self.lists.column_of_ranks[ratio])
        self.ideal = self.lists.ideal()
        every = Ranking(preferences, np.zeros(self.weight.size)).pair_sums()
        self.paired = (every.total > 0) & (self.ideal > 0)

    def at(self, scores: FloatArray) -> TopPairsAt:
        """The pairs at these scores."""
        return TopPairsAt(self, scores)


class TopPairsAt:
    """Weighed pairs at given scores."""

    def __init__(self, pairs: TopPairs, scores: FloatArray) -> None:
        self.pairs = pairs
        self.ranking = Ranking(pairs.preferences, scores)
        order = self.ranking.order
        assert order is not None
        self.order = order
        self.scores = scores[order]
        place = pairs.lists.places(self.ranking)
        codes, last = self.ranking.runs
        self.items = Ranked(codes, last, self.ranking.starts, pairs.weight[order], place)

    def ndcgs(self) -> FloatArray:
        """nDCG of each ratio: the mean over groups that have something of worth."""
        return self._list_values().means()

    def ndcg_sums(self) -> FloatArray:
        """Sums of the groups' nDCGs, and how many groups have one, (2, ratios)."""
        found = self._list_values()
        return np.stack([np.nansum(found.values, axis=0), found.weight.sum(axis=0)])

    def _list_values(self) -> ListValues:
        return list_values(self.pairs.lists.dcg(self.ranking), self.pairs.ideal, None)

    def derivatives(
        self, coefficient: Coefficients, surrogate: Surrogate
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Gradient and Hessian diagonal of the pairs' losses, and the pairs' weight in each group.

        `coefficient`, (groups, ratios), multiplies the weights, which are held fixed.
        """
        slopes = _slopes(surrogate)
        found = np.zeros((2, self.scores.size))
        totals = np.zeros(self.ranking.starts.size - 1)

        def work(first: int, last: int) -> None:
            swap_derivatives(
                first, last, self.items, self.scores, self.pairs.sides, coefficient, slopes, NEAR,
                (found[0], found[1], totals),
            )  # fmt: skip

        tasks = segment_chunks(self.ranking.starts, _CHUNK)
        run_all(work, tasks, default_threads(self.scores.size))
        by_row = np.empty_like(found)
        by_row[:, self.order] = found
        return by_row[0], by_row[1], totals


def _slopes(surrogate: Surrogate) -> Slopes:
    curved = surrogate if surrogate.hessian_from is None else surrogate.hessian_from
    first, first_power = _curve(surrogate, 1)
    second, second_power = _curve(curved, 2)
    return Slopes(first, second, first_power, second_power)


def _curve(surrogate: Surrogate, order: int) -> tuple[Curve, int]:
    if isinstance(surrogate.shape, Analytic):
        return curve_tables(surrogate, order), 0
    return _NO_CURVE, surrogate.shape.power
