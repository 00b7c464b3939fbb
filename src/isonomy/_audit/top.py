"""How the top of a ranking serves each label.

The top is the share p of all rows, by weight, with the highest scores; with groups, of each
group. It need not be a whole number of rows. A run of equal scores that the border cuts is
taken evenly: each of its rows counts for the same part. Without weights that is what a
random order of the run gives on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._audit.estimate import Estimate, wilson
from isonomy._audit.rows import Rows, sums
from isonomy._core import Codes, FloatArray
from isonomy._counting import Ranking

# How much of the ranking counts as its top.
FRACTIONS = (0.01, 0.05, 0.1, 0.2)
# Rows from 1 - AROUND to 1 + AROUND of the top tell of the cut.
AROUND = 0.25
# Parts of a row below this come from rounding.
ROUNDING = 1e-9

Items: TypeAlias = tuple[int, Codes, FloatArray]


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of equal scores, ascending within each group.

    Attributes
    ----------
    start, length : ndarray of shape (runs,)
        The first position of each run, and how many it has.
    weight, above, total : ndarray of shape (runs,)
        The run's weight, that of its group's runs with higher scores, and its group's.
    """

    start: NDArray[np.int64]
    length: NDArray[np.int64]
    weight: FloatArray
    above: FloatArray
    total: FloatArray

    @classmethod
    def of(cls, ranking: Ranking) -> Runs:
        """The runs of a ranking."""
        ends = np.flatnonzero(ranking.runs[1]) + 1
        start = np.concatenate([[0], ends[:-1]])
        length = ends - start
        weight = length.astype(np.float64)
        if ranking.weight is not None:
            weight = np.add.reduceat(ranking.weight, start)
        upto = np.cumsum(weight)
        group = np.searchsorted(ranking.starts, start, side="right") - 1
        last = np.searchsorted(start, ranking.starts[1:]) - 1
        total = upto[last] - np.concatenate([[0.0], upto[last[:-1]]])
        return cls(start, length, weight, upto[last][group] - upto, total[group])

    def parts(self, fraction: float) -> FloatArray:
        """The part of each run that belongs to the top."""
        room = fraction * self.total - self.above
        parts = np.divide(room, self.weight, out=np.zeros_like(room), where=self.weight > 0)
        parts[parts < ROUNDING] = 0.0
        parts[parts > 1 - ROUNDING] = 1.0
        return parts


@dataclass(frozen=True, eq=False)
class Top:
    """The top of a ranking, per label.

    Attributes
    ----------
    share : list of Estimate
        Of the top rows whose label is observed, the share of positives.
    positives, observed : ndarray of shape (K,)
        Their weight.
    """

    share: list[Estimate]
    positives: FloatArray
    observed: FloatArray


def top(rows: Rows, ranking: Ranking, runs: Runs, fraction: float, level: float) -> Top:
    """The top share `fraction` of a ranking."""
    first, codes, counted = items = _counted(ranking, runs, runs.parts(fraction))
    mass, squares = (sums(codes, values, len(rows.patterns)) for values in (counted, counted**2))
    positives, negatives = mass @ rows.yes, mass @ rows.no
    observed = positives + negatives
    share = np.divide(positives, observed, out=np.full_like(observed, np.nan), where=observed > 0)
    size = sure = _effective(observed, squares @ (rows.yes | rows.no))
    if ranking.grouped:
        spread, sure = _between_groups(rows, ranking, items, share)
    else:
        spread = (1 - share) ** 2 * (squares @ rows.yes) + share**2 * (squares @ rows.no)
        weight = np.ones(1) if ranking.weight is None else ranking.weight
        total = float(ranking.runs[0].size) if ranking.weight is None else float(weight @ weight)
        both = counted.sum() if ranking.weight is None else weight[first:] @ counted
        cut = fraction**2 * total - 2 * fraction * both + squares.sum()
        spread += _slope_at_cut(rows, ranking, runs, fraction, share) ** 2 * cut
    # How many independent rows would tell the share as well; never more than there are.
    with np.errstate(invalid="ignore", divide="ignore"):
        likewise = share * (1 - share) * observed**2 / spread
    size = np.where((share > 0) & (share < 1), np.fmin(likewise, size), sure)
    return Top(wilson(share, size, level), positives, observed)


def _counted(ranking: Ranking, runs: Runs, parts: FloatArray) -> Items:
    """The rows from the first that counts: where it stands, codes, and how much each counts."""
    some = int(np.argmax(parts > 0))
    first = int(runs.start[some])
    counted = np.repeat(parts[some:], runs.length[some:])
    if ranking.weight is not None:
        counted *= ranking.weight[first:]
    return first, ranking.runs[0][first:], counted


def _slope_at_cut(
    rows: Rows, ranking: Ranking, runs: Runs, fraction: float, share: FloatArray
) -> FloatArray:
    """What a row at the cut adds to the top's positives beyond the share: positives - share.

    The cut is where the scores of this sample put it; in another sample it lies elsewhere,
    and rows there may be less often positive than those above. They are judged by the
    rows around the cut, from 3/4 to 5/4 of the top.
    """
    if fraction >= 1:
        return np.zeros_like(share)
    around = runs.parts(min((1 + AROUND) * fraction, 1.0)) - runs.parts((1 - AROUND) * fraction)
    _, codes, counted = _counted(ranking, runs, around)
    mass = sums(codes, counted, len(rows.patterns))
    excess = (1 - share) * (mass @ rows.yes) - share * (mass @ rows.no)
    return np.asarray(excess / mass.sum() if mass.any() else np.zeros_like(share))


def _effective(total: FloatArray, squares: FloatArray) -> FloatArray:
    return np.divide(total**2, squares, out=np.full_like(total, np.nan), where=squares > 0)


def _between_groups(
    rows: Rows,
    ranking: Ranking,
    items: Items,
    share: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Squared errors with whole groups as units, and the effective number of groups."""
    first, codes, counted = items
    n_groups = ranking.starts.size - 1
    group = np.repeat(np.arange(n_groups), np.diff(ranking.starts))[first:]
    spread, sizes = np.empty_like(share), np.empty_like(share)
    for k in range(rows.n_labels):
        seen = counted * (rows.yes | rows.no)[codes, k]
        hits = sums(group, counted * rows.yes[codes, k], n_groups)
        total = sums(group, seen, n_groups)
        n = np.count_nonzero(total)
        unbiased = n / (n - 1) if n > 1 else np.nan
        spread[k] = ((hits - share[k] * total) ** 2).sum() * unbiased
        sizes[k] = _effective(total.sum(keepdims=True), (total**2).sum(keepdims=True))[0]
    return spread, sizes
