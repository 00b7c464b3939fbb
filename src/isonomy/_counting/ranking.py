"""Preferences in the order of some scores, and the pairs that this order gets right."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import (
    CodedWords,
    Codes,
    FloatArray,
    LevelCosts,
    Preferences,
    Table,
    count_codes,
    gathered,
    order_items,
)
from isonomy._counting.kernels.counting import SideTable, concordance, sum_pairs
from isonomy._counting.kernels.words import Ranked
from isonomy._counting.levels import level_pairs, linear_pairs
from isonomy._counting.midranks import coded_midranks, midrank_sums
from isonomy._counting.term_words import TermWords
from isonomy._infra import default_threads

# Codes of at most this many patterns ride along in the sort.
PACKED_PATTERNS = 1 << 16
# Up to this many levels are terms in one word.
FEW_LEVELS = 64
# Sums of ranks of so many patterns are made part by part, as the sort goes on.
CODED_RANKS = 1 << 12
# Up to this many patterns, counting pairs of patterns beats going through shares of terms.
MATRIX_PATTERNS = 64


@dataclass(frozen=True, eq=False)
class PairSums:
    """N and D of each ratio (one per term, or one for all when the mix is pooled).

    Attributes
    ----------
    right, total : ndarray of shape (groups, ratios)
        N and D inside each group; one row where there are no groups.
    """

    right: FloatArray
    total: FloatArray

    def ratios(self) -> FloatArray:
        """N / D of each ratio over all groups; NaN where there are no pairs."""
        right, total = self.right.sum(axis=0), self.total.sum(axis=0)
        nan = np.full_like(right, np.nan)
        return np.asarray(np.divide(right, total, out=nan, where=total > 0))


class Ranking:
    """Preferences with their items in ascending order of score, group by group.

    Attributes
    ----------
    starts : ndarray of shape (groups + 1,)
        Where each group starts.
    weight : ndarray of shape (n,) or None
        Weights in that order.
    order : ndarray of shape (n,) or None
        The items' indices in that order; None where they were not needed.
    coded : CodedWords or None
        The patterns' codes beside the scores, where nothing else is needed.
    """

    def __init__(
        self, preferences: Preferences, scores: FloatArray, *, indexed: bool = False
    ) -> None:
        self.preferences = preferences
        self.order: NDArray[np.int64] | None = None
        self.weight: FloatArray | None = None
        self.starts = np.array([0, scores.size])
        indexed = indexed or preferences.weight is not None or self.grouped
        indexed = indexed or preferences.row_terms is not None
        self.coded: CodedWords | None = None
        if not indexed and preferences.n_patterns <= PACKED_PATTERNS:
            width = max(preferences.n_patterns - 1, 1).bit_length()
            codes = np.ascontiguousarray(preferences.codes, np.uint8 if width <= 8 else np.uint16)
            threads = default_threads(scores.size)
            self.coded = CodedWords(scores, codes, width, threads)
            return
        ordered = order_items(scores, preferences.group, preferences.n_groups)
        self.order, self.starts, self.last = ordered
        if preferences.weight is not None:
            self.weight = gathered(preferences.weight, self.order)

    def with_terms(self, preferences: Preferences) -> Ranking:
        """The same items in the same order, without a sort, for other terms of their patterns."""
        found = copy(self)
        found.preferences = preferences
        # Terms in words number their patterns themselves.
        again = () if preferences.row_terms is None else ("runs", "pattern_counts", "rank_sums")
        for name in ("sides", "twins", "words", *again):
            found.__dict__.pop(name, None)
        return found

    @cached_property
    def runs(self) -> tuple[Codes, NDArray[np.bool_]]:
        """The patterns in order, and whether each position ends a run of equal scores."""
        if self.coded is not None:
            return self.coded.runs()
        assert self.order is not None
        return gathered(self.preferences.codes, self.order).astype(np.uint32), self.last

    @cached_property
    def last(self) -> NDArray[np.bool_]:
        """Whether each position ends a run of equal scores."""
        return self.runs[1]

    @cached_property
    def rank_sums(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Twice the sum of the midranks of each pattern's items, and how many these are."""
        n_patterns = self.preferences.n_patterns
        if self.coded is not None and n_patterns <= CODED_RANKS:
            return coded_midranks(self.coded, n_patterns)
        return midrank_sums(self.runs, n_patterns)

    @property
    def grouped(self) -> bool:
        """Whether only pairs inside groups count."""
        return self.preferences.group is not None

    @cached_property
    def pattern_counts(self) -> NDArray[np.int64]:
        """How many items each pattern has."""
        return count_codes(self.preferences.codes, self.preferences.n_patterns)

    @cached_property
    def sides(self) -> SideTable:
        """Compressed rows of `above` (even columns) and `below` (odd columns)."""
        return side_table(self.preferences.above, self.preferences.below)

    @cached_property
    def twins(self) -> FloatArray | None:
        """`Preferences.twins` in this order, where the terms ask for them."""
        found = self.preferences.twins
        if found is None or not self.preferences.two_sided:
            return None
        return found if self.order is None else gathered(found, self.order)

    @property
    def term_slots(self) -> NDArray[np.int64]:
        """The ratio that each term belongs to."""
        if self.preferences.mix.pooled:
            return np.zeros(self.preferences.n_terms, np.int64)
        return np.arange(self.preferences.n_terms)

    @cached_property
    def words(self) -> TermWords | None:
        """The terms as bits, where that is all there is to them."""
        return TermWords.of(self.preferences)

    @property
    def numbered(self) -> Ranked:
        """The numbers of the items' words in order: those of their patterns, or rows."""
        if self.preferences.row_terms is None or self.order is None:
            return self.runs
        return self.order, self.last

    def pair_sums(self) -> PairSums:
        """N and D of each ratio: exact counts, or sums rounded once where there are weights."""
        preferences = self.preferences
        if preferences.levels is not None and self._by_level(self.weight):
            return self.sums_by_item(self.weight)
        few = self.coded is not None and preferences.n_patterns <= MATRIX_PATTERNS
        if self.words is None and few and not sparse.issparse(preferences.above):
            right, total = self._sums_by_pattern()
            return self._sums_of_ratios(right[None, :], total[None, :])
        return self.sums_by_item(self.weight)

    def _by_level(self, weight: FloatArray | None) -> bool:
        """Whether levels are compared as such: a few of them are faster as terms in words."""
        costs = self.preferences.levels
        assert costs is not None
        plain = costs.linear and weight is None and not self.grouped
        return plain or costs.distinct.size > FEW_LEVELS

    def _sums_of_ratios(self, right: FloatArray, total: FloatArray) -> PairSums:
        """From those of the terms."""
        if self.preferences.mix.pooled:
            right, total = right.sum(axis=1, keepdims=True), total.sum(axis=1, keepdims=True)
        return self._weigh_groups(right, total)

    def _sums_by_pattern(self) -> tuple[FloatArray, FloatArray]:
        counts = concordance(*self.runs, self.preferences.n_patterns)
        above = np.asarray(self.preferences.above, dtype=np.float64)
        below = np.asarray(self.preferences.below, dtype=np.float64)
        pairs = 2 * np.outer(self.pattern_counts, self.pattern_counts)
        # Of two items of one pattern one is above, and no item meets itself.
        inside = self.pattern_counts * (self.pattern_counts - 1)
        np.fill_diagonal(counts, inside)
        np.fill_diagonal(pairs, 2 * inside)
        right = np.einsum("cr,cd,dr->r", above, counts.astype(np.float64), below)
        total = np.einsum("cr,cd,dr->r", above, pairs.astype(np.float64), below)
        return 0.5 * right, 0.5 * total

    def sums_by_item(self, weight: FloatArray | None) -> PairSums:
        """The sums with these weights for the items in this order."""
        costs = self.preferences.levels
        if costs is not None and self._by_level(weight):
            return self._weigh_groups(*self._level_sums(costs, weight))
        if self.words is not None:
            if weight is not None:
                return self._sums_of_ratios(*self.words.sum(self.numbered, weight, self.starts))
            if self.words.ranked and self.preferences.row_terms is None and not self.grouped:
                return self._sums_of_ratios(*self.words.count_by_ranks(*self.rank_sums))
            return self._sums_of_ratios(*self.words.count(self.numbered, self.starts))
        codes, last = self.runs
        slots = (2 * self.term_slots[:, None] + np.arange(2)).ravel()
        sums = sum_pairs(
            codes.astype(np.uint32, copy=False),
            last,
            self.starts,
            weight,
            self.twins,
            self.sides,
            slots,
            slots.max() + 1,
            self.preferences.two_sided,
        )
        right, wrong = sums[:, 0::2], sums[:, 1::2]
        return self._weigh_groups(right, right + wrong)

    def _level_sums(
        self, costs: LevelCosts, weight: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        # Items without a level would have ranks among the others.
        if costs.linear and weight is None and not self.grouped and costs.all_known:
            return linear_pairs(*self.rank_sums, costs)
        return level_pairs(self.runs, costs, weight, self.starts)

    def _weigh_groups(self, right: FloatArray, total: FloatArray) -> PairSums:
        if self.grouped and self.preferences.group_weight == "equal":
            right = np.divide(right, total, out=np.zeros_like(right), where=total > 0)
            total = (total > 0).astype(np.float64)
        return PairSums(right, total)


def side_table(above: Table, below: Table) -> SideTable:
    """Compressed rows with column 2r for `above` and 2r + 1 for `below` of term r."""
    upper, lower = sparse.csr_array(above), sparse.csr_array(below)
    table = sparse.hstack([upper, lower], format="csr")
    n_terms = above.shape[1]
    columns = table.indices.astype(np.int64)
    sides = np.where(columns < n_terms, 2 * columns, 2 * (columns - n_terms) + 1)
    return table.indptr.astype(np.int64), sides, table.data.astype(np.float64)
