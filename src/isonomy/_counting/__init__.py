"""Exact pairs: items in order of score, what that order gets right, and each item's influence."""

from __future__ import annotations

from isonomy._counting.discounts import DiscountedLists, Gains, ListValues, list_values
from isonomy._counting.influence import Influence
from isonomy._counting.interval_table import IntervalTable, PairCounts, range_mask
from isonomy._counting.kernels.cells import packed_size
from isonomy._counting.kernels.dyadic import restore_starts
from isonomy._counting.label_pairs import label_pairs, pattern_weights
from isonomy._counting.partial_areas import partial_areas
from isonomy._counting.ranking import PairSums, Ranking, side_table
from isonomy._counting.spread import Spread, effective_size
from isonomy._counting.top_pairs import top_pair_shares
