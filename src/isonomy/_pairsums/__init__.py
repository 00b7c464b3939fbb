"""Smooth sums over all pairs: the pair loss, its gradient and its Hessian."""

from __future__ import annotations

from isonomy._pairsums.cell_moments import (
    CellMoments,
    CellPolynomials,
    PooledTerms,
    fitting_width,
    usual_width,
)
from isonomy._pairsums.pair_loss import (
    PairLossResult,
    PreferenceLoss,
    PreferenceLossAt,
    find_surrogate,
    pair_loss,
    scaling_exponent,
)
from isonomy._pairsums.sums import surrogate_sums
from isonomy._pairsums.swaps import TopPairs
