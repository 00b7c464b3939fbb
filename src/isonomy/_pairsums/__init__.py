"""Smooth sums over all pairs: lay out with `arrange`, then `pair_sums` at given scores."""

from isonomy._pairsums.members import Comparisons, arrange
from isonomy._pairsums.sums import PairSums, pair_sums

__all__ = ["Comparisons", "PairSums", "arrange", "pair_sums"]
