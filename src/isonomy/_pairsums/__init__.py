"""Smooth sums over all pairs: the pair loss, its gradient and its Hessian."""

from __future__ import annotations

from isonomy._pairsums.binned import bin_width
from isonomy._pairsums.layout import Comparisons, Members, arrange
from isonomy._pairsums.pair_loss import (
    PairLoss,
    PairLossAt,
    PairLossResult,
    find_surrogate,
    pair_loss,
)
from isonomy._pairsums.sums import PairSums, pair_sums
from isonomy._pairsums.tables import field_tables, near_table

__all__ = [
    "Comparisons",
    "Members",
    "PairLoss",
    "PairLossAt",
    "PairLossResult",
    "PairSums",
    "arrange",
    "bin_width",
    "field_tables",
    "find_surrogate",
    "near_table",
    "pair_loss",
    "pair_sums",
]
