"""Preferences in the order of some scores, and the pairs that this order gets right."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import Codes, FloatArray, Preferences, Table, count_codes
from isonomy._counting.kernels.counting import (
    SideTable,
    concordance,
    positive_rank_sum,
    rank_sums,
    sum_pairs,
)
from isonomy._counting.kernels.sorting import order_by_group, run_ends, unpack_codes
from isonomy._counting.sorting import sort_codes, sort_order
from isonomy._infra import default_threads

# Codes of at most this many patterns ride along in the sort as one byte.
PACKED_PATTERNS = 256
# Up to this many patterns, counting pairs of patterns beats going through the terms.
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
    """

    def __init__(
        self, preferences: Preferences, scores: FloatArray, *, indexed: bool = False
    ) -> None:
        self.preferences = preferences
        self.order: NDArray[np.int64] | None = None
        self.weight: FloatArray | None = None
        self.starts = np.array([0, scores.size])
        indexed = indexed or preferences.weight is not None or self.grouped
        self.packed = not indexed and preferences.n_patterns <= PACKED_PATTERNS
        if self.packed:
            self.width = max(preferences.n_patterns - 1, 1).bit_length()
            codes = np.ascontiguousarray(preferences.codes, dtype=np.uint8)
            self.keys, self.parts = sort_codes(
                scores, codes, self.width, default_threads(scores.size)
            )
            return
        self.order = sort_order(scores)
        if preferences.group is not None:
            self.order, self.starts = order_by_group(
                self.order, preferences.group, preferences.n_groups
            )
        self.runs = (
            preferences.codes[self.order].astype(np.uint32),
            run_ends(scores, self.order, self.starts),
        )
        if preferences.weight is not None:
            self.weight = preferences.weight[self.order]

    def with_terms(self, preferences: Preferences) -> Ranking:
        """The same items in the same order, without a sort, for other terms of their patterns."""
        found = copy(self)
        found.preferences = preferences
        for name in ("sides", "twins"):
            found.__dict__.pop(name, None)
        return found

    @cached_property
    def runs(self) -> tuple[Codes, NDArray[np.bool_]]:
        """The patterns in order, and whether each position ends a run of equal scores."""
        return unpack_codes(self.keys, self.parts, self.width)

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
        return found if self.order is None else found[self.order]

    @property
    def term_slots(self) -> NDArray[np.int64]:
        """The ratio that each term belongs to."""
        if self.preferences.mix.pooled:
            return np.zeros(self.preferences.n_terms, np.int64)
        return np.arange(self.preferences.n_terms)

    def pair_sums(self) -> PairSums:
        """N and D of each ratio: exact counts, or sums rounded once where there are weights."""
        above, below = self.preferences.above, self.preferences.below
        if not self.packed:
            return self.sums_by_item(self.weight)
        if splits_all(above, below):
            right, total = self._sums_by_rank()
        elif self.preferences.n_patterns <= MATRIX_PATTERNS and not sparse.issparse(above):
            right, total = self._sums_by_pattern()
        else:
            return self.sums_by_item(None)
        if self.preferences.mix.pooled:
            right, total = right.sum(keepdims=True), total.sum(keepdims=True)
        return self._weigh_groups(right[None, :], total[None, :])

    def _sums_by_rank(self) -> tuple[FloatArray, FloatArray]:
        """Mann and Whitney: N is the rank sum of the upper side less that of its own ranks."""
        above = np.asarray(self.preferences.above)
        sums, items = self._rank_sums()
        upper = (above > 0).astype(np.int64)
        positives = items @ upper
        negatives = self.preferences.codes.size - positives
        scale = above.max(axis=0) * np.asarray(self.preferences.below).max(axis=0)
        doubled = sums @ upper - positives * (positives + 1)
        return doubled * (0.5 * scale), (positives * negatives) * scale

    def _rank_sums(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Twice the sum of the midranks of each pattern's items, and how many they are."""
        n_patterns, n = self.preferences.n_patterns, self.preferences.codes.size
        if self.width > 1:
            sums = rank_sums(self.keys, self.parts, self.width).sum(axis=0)
            return sums[:n_patterns], self.pattern_counts
        total, ones = map(int, positive_rank_sum(self.keys, self.parts))
        both = np.array([[n * (n + 1) - total, total], [n - ones, ones]])[:, :n_patterns]
        return both[0], both[1]

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


def splits_all(above: Table, below: Table) -> bool:
    """Whether every term puts every pattern on one side or the other, all alike."""
    if sparse.issparse(above) or sparse.issparse(below):
        return False
    up, low = above > 0, below > 0
    even_up = (above == above.max(axis=0)) | ~up
    even_low = (below == below.max(axis=0)) | ~low
    return bool((up ^ low).all() and even_up.all() and even_low.all())
