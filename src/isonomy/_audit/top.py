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
from isonomy._core import Codes, FloatArray, Items, Labels, sum_codes
from isonomy._counting import Ranking

# How much of the ranking counts as its top.
FRACTIONS = (0.01, 0.05, 0.1, 0.2)
# Rows from 1 - AROUND to 1 + AROUND of the top tell of the cut.
AROUND = 0.25
# Parts of a row below this come from rounding.
ROUNDING = 1e-9

# Where the first row that counts stands; codes, and how much each row counts, from there on.
Counted: TypeAlias = tuple[int, Codes, FloatArray]


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of equal scores, ascending within each group.

    Attributes
    ----------
    labels : Labels
        The labels' patterns.
    ranking : Ranking
        The rows in order of score.
    row_weight : ndarray of shape (n,) or None
        Weights of the rows in that order.
    start, length : ndarray of shape (runs,)
        The first position of each run, and how many it has.
    weight, above, total : ndarray of shape (runs,)
        The run's weight, that of its group's runs with higher scores, and its group's.
    """

    labels: Labels
    ranking: Ranking
    row_weight: FloatArray | None
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    weight: FloatArray
    above: FloatArray
    total: FloatArray

    @classmethod
    def of(cls, items: Items, ranking: Ranking) -> Runs:
        """The runs of a ranking of these rows."""
        row_weight = ranking.weight
        if items.weight is not items.pair_weight:
            # Pairs have weights scaled by group; here rows of all groups are summed.
            row_weight = np.asarray(items.weight)[ranking.order]
        ends = np.flatnonzero(ranking.runs[1]) + 1
        start = np.concatenate([[0], ends[:-1]])
        length = ends - start
        weight = length.astype(np.float64)
        if row_weight is not None:
            weight = np.add.reduceat(row_weight, start)
        upto = np.cumsum(weight)
        group = np.searchsorted(ranking.starts, start, side="right") - 1
        last = np.searchsorted(start, ranking.starts[1:]) - 1
        total = upto[last] - np.concatenate([[0.0], upto[last[:-1]]])
        sums = weight, upto[last][group] - upto, total[group]
        return cls(items.labels, ranking, row_weight, start, length, *sums)

    def parts(self, fraction: float) -> FloatArray:
        """The part of each run that belongs to the top."""
        room = fraction * self.total - self.above
        parts = np.divide(room, self.weight, out=np.zeros_like(room), where=self.weight > 0)
        parts[parts < ROUNDING] = 0.0
        parts[parts > 1 - ROUNDING] = 1.0
        return parts

    def counted(self, parts: FloatArray) -> Counted:
        """The rows from the first of which a part counts."""
        some = int(np.argmax(parts > 0))
        first = int(self.start[some])
        counted = np.repeat(parts[some:], self.length[some:])
        if self.row_weight is not None:
            counted *= self.row_weight[first:]
        return first, self.ranking.runs[0][first:], counted


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


def top(runs: Runs, fraction: float, level: float) -> Top:
    """The top share `fraction` of a ranking."""
    yes, no = runs.labels.positive, runs.labels.negative
    first, codes, counted = rows = runs.counted(runs.parts(fraction))
    mass, squares = (sum_codes(codes, values, len(yes)) for values in (counted, counted**2))
    positives, negatives = mass @ yes, mass @ no
    observed = positives + negatives
    share = np.divide(positives, observed, out=np.full_like(observed, np.nan), where=observed > 0)
    size = sure = _effective(observed, squares @ (yes | no))
    if runs.ranking.grouped:
        spread, sure = _between_groups(runs, rows, share)
    else:
        spread = (1 - share) ** 2 * (squares @ yes) + share**2 * (squares @ no)
        weight = runs.row_weight
        total = float(runs.length.sum() if weight is None else weight @ weight)
        both = counted.sum() if weight is None else weight[first:] @ counted
        cut = fraction**2 * total - 2 * fraction * both + squares.sum()
        spread += _slope_at_cut(runs, fraction, share) ** 2 * cut
    # How many independent rows would tell the share as well; never more than there are.
    with np.errstate(invalid="ignore", divide="ignore"):
        likewise = share * (1 - share) * observed**2 / spread
    size = np.where((share > 0) & (share < 1), np.fmin(likewise, size), sure)
    return Top(wilson(share, size, level), positives, observed)


def _slope_at_cut(runs: Runs, fraction: float, share: FloatArray) -> FloatArray:
    """What a row at the cut adds to the top's positives beyond the share: positives - share.

    The cut is where the scores of this sample put it; in another sample it lies elsewhere,
    and rows there may be less often positive than those above. They are judged by the
    rows around the cut, from 3/4 to 5/4 of the top.
    """
    if fraction >= 1:
        return np.zeros_like(share)
    yes, no = runs.labels.positive, runs.labels.negative
    around = runs.parts(min((1 + AROUND) * fraction, 1.0)) - runs.parts((1 - AROUND) * fraction)
    _, codes, counted = runs.counted(around)
    mass = sum_codes(codes, counted, len(yes))
    excess = (1 - share) * (mass @ yes) - share * (mass @ no)
    return np.asarray(excess / mass.sum() if mass.any() else np.zeros_like(share))


def _effective(total: FloatArray, squares: FloatArray) -> FloatArray:
    return np.divide(total**2, squares, out=np.full_like(total, np.nan), where=squares > 0)


def _between_groups(runs: Runs, rows: Counted, share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Squared errors with whole groups as units, and the effective number of groups."""
    first, codes, counted = rows
    yes, no = runs.labels.positive, runs.labels.negative
    starts = runs.ranking.starts
    n_groups = starts.size - 1
    group = np.repeat(np.arange(n_groups), np.diff(starts))[first:]
    spread, sizes = np.empty_like(share), np.empty_like(share)
    for k in range(share.size):
        hits = sum_codes(group, counted * yes[codes, k], n_groups)
        total = sum_codes(group, counted * (yes | no)[codes, k], n_groups)
        n = np.count_nonzero(total)
        unbiased = n / (n - 1) if n > 1 else np.nan
        spread[k] = ((hits - share[k] * total) ** 2).sum() * unbiased
        sizes[k] = _effective(total.sum(keepdims=True), (total**2).sum(keepdims=True))[0]
    return spread, sizes
