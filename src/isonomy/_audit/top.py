"""How the top of a ranking serves each label.

The top is the share p of all rows, by weight, with the highest scores; with groups, of each
group. It need not be a whole number of rows. A run of equal scores that the border cuts is
taken evenly: each of its rows counts for the same part. Without weights that is what a
random order of the run gives on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._audit.estimate import Estimate, share_estimates
from isonomy._audit.even_rows import ROUNDING, EvenRows, PatternSums
from isonomy._core import Codes, FloatArray, Items, Labels, gathered, sum_codes
from isonomy._counting import Ranking

# How much of the ranking counts as its top.
FRACTIONS = (0.01, 0.05, 0.1, 0.2)
# Rows from 1 - AROUND to 1 + AROUND of the top tell of the cut.
AROUND = 0.25


class Counted(NamedTuple):
    """Where the first row that counts stands; codes, parts and weights from there on."""

    first: int
    codes: Codes
    part: FloatArray
    weighted: FloatArray


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of equal scores, ascending within each group.

    Attributes
    ----------
    labels : Labels
        The labels' patterns.
    ranking : Ranking
        The rows in order of score.
    codes : ndarray of int, shape (n,)
        The rows' label patterns in that order.
    row_weight, row_squares : ndarray of shape (n,) or None
        Weights of the rows in that order, and the sums of the squared weights of the items
        that they stand for.
    unit : ndarray of int64, shape (n,), or None
        The group or cluster that each row, in that order, varies with.
    whole : float
        The weight of all rows.
    start, length : ndarray of shape (runs,)
        The first position of each run, and how many it has.
    weight, above, total : ndarray of shape (runs,)
        The run's weight, that of its group's runs with higher scores, and its group's.
    """

    labels: Labels
    ranking: Ranking
    codes: Codes
    row_weight: FloatArray | None
    row_squares: FloatArray | None
    unit: NDArray[np.int64] | None
    whole: float
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    weight: FloatArray
    above: FloatArray
    total: FloatArray

    @classmethod
    def of(cls, items: Items, ranking: Ranking) -> Runs:
        """The runs of a ranking of these rows."""
        row_weight = row_squares = None
        if items.weight is not None and items.squared_weight is not None:
            # Not those of pairs, which are scaled by group: here rows of all groups are summed.
            row_weight = items.weight[ranking.order]
            row_squares = items.squared_weight[ranking.order]
        unit = items.group if items.cluster is None else items.cluster
        unit = None if unit is None else unit[ranking.order]
        codes = ranked_codes(items, ranking)
        ends = np.flatnonzero(ranking.last) + 1
        start = np.concatenate([[0], ends[:-1]])
        length = ends - start
        weight = length.astype(np.float64)
        if row_weight is not None:
            weight = np.add.reduceat(row_weight, start)
        upto = np.cumsum(weight)
        sums = weight, upto[-1] - upto, np.broadcast_to(upto[-1], upto.shape)
        if ranking.grouped:
            group = np.searchsorted(ranking.starts, start, side="right") - 1
            last = np.searchsorted(start, ranking.starts[1:]) - 1
            total = upto[last] - np.concatenate([[0.0], upto[last[:-1]]])
            sums = weight, upto[last][group] - upto, total[group]
        whole = float(upto[-1])
        return cls(
            items.labels, ranking, codes, row_weight, row_squares, unit, whole, start, length, *sums
        )

    @property
    def all_squares(self) -> float:
        """The sum of the squared weights of all rows."""
        return float(self.codes.size if self.row_squares is None else self.row_squares.sum())

    def sums(self, fraction: float) -> PatternSums:
        """The rows of the top."""
        rows, n_patterns = self.counted(fraction), len(self.labels.patterns)
        squares = 1.0 if self.row_squares is None else self.row_squares[rows.first :]
        return PatternSums(
            sum_codes(rows.codes, rows.weighted, n_patterns),
            sum_codes(rows.codes, rows.part**2 * squares, n_patterns),
            float((rows.part * squares).sum()),
        )

    def mass_between(self, most: float, least: float) -> FloatArray:
        """The weight by pattern of the rows in the top `most` that are not in the top `least`."""
        rows = self.counted(most, beyond=least)
        return sum_codes(rows.codes, rows.weighted, len(self.labels.patterns))

    def parts(self, fraction: float, first: int) -> FloatArray:
        """The part of each run, from the first that is looked at, that belongs to the top."""
        weight = self.weight[first:]
        room = fraction * self.total[first:] - self.above[first:]
        parts = np.divide(room, weight, out=np.zeros_like(room), where=weight > 0)
        parts[parts < ROUNDING] = 0.0
        parts[parts > 1 - ROUNDING] = 1.0
        return parts

    def counted(self, fraction: float, *, beyond: float = 0.0) -> Counted:
        """The rows from the first of which a part counts: in the top, and not `beyond` it."""
        if fraction >= 1 and not beyond:
            part = np.ones(self.codes.size)
            return Counted(
                0, self.codes, part, part if self.row_weight is None else self.row_weight
            )
        some = 0
        if not self.ranking.grouped:
            # What stands above grows from the last run on.
            some = int(np.searchsorted(-self.above, -fraction * self.total[0]))
            some = min(some, self.start.size - 1)
        parts = self.parts(fraction, some)
        if beyond:
            parts -= self.parts(beyond, some)
        more = int(np.argmax(parts > 0))
        parts, some = parts[more:], some + more
        first = int(self.start[some])
        part = parts
        if parts.size < self.codes.size - first:
            part = np.repeat(parts, self.length[some:])
        weighted = part if self.row_weight is None else part * self.row_weight[first:]
        return Counted(first, self.codes[first:], part, weighted)


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


def ranked_rows(items: Items, ranking: Ranking) -> EvenRows | Runs:
    """These rows in the order of a ranking of them."""
    if items.weight is None and items.group is None and items.cluster is None:
        return EvenRows(items.labels, ranked_codes(items, ranking), ranking.last)
    return Runs.of(items, ranking)


def ranked_codes(items: Items, ranking: Ranking) -> Codes:
    """Label patterns in the order of a ranking."""
    if ranking.order is None:
        return ranking.runs[0]
    return gathered(items.labels.codes, ranking.order)


def top(rows: EvenRows | Runs, fraction: float, level: float) -> Top:
    """The top share `fraction` of a ranking."""
    yes, no = rows.labels.positive, rows.labels.negative
    mass, squares, single = rows.sums(fraction)
    positives, negatives = mass @ yes, mass @ no
    observed = positives + negatives
    share = np.divide(positives, observed, out=np.full_like(observed, np.nan), where=observed > 0)
    size = sure = _effective(observed, squares @ (yes | no))
    freedom = np.full_like(share, np.inf)
    slope = _slope_at_cut(rows, fraction, share)
    if isinstance(rows, Runs) and rows.unit is not None:
        spread, sure = _between_units(rows, rows.unit, share, fraction, slope)
        freedom = np.fmax(sure - 1, 1.0)
    else:
        spread = (1 - share) ** 2 * (squares @ yes) + share**2 * (squares @ no)
        beyond = fraction**2 * rows.all_squares - 2 * fraction * single + squares.sum()
        spread += slope**2 * beyond
    # How many independent rows would tell the share as well; never more than there are.
    with np.errstate(invalid="ignore", divide="ignore"):
        likewise = share * (1 - share) * observed**2 / spread
    size = np.where((share > 0) & (share < 1), np.fmin(likewise, size), sure)
    return Top(share_estimates(share, size, freedom, level), positives, observed)


def _slope_at_cut(rows: EvenRows | Runs, fraction: float, share: FloatArray) -> FloatArray:
    """What a row at the cut adds to the top's positives beyond the share: positives - share.

    The cut is where the scores of this sample put it; in another sample it lies elsewhere,
    and rows there may be less often positive than those above. They are judged by the
    rows around the cut, from 3/4 to 5/4 of the top.
    """
    if fraction >= 1 or (isinstance(rows, Runs) and rows.ranking.grouped):
        return np.zeros_like(share)
    yes, no = rows.labels.positive, rows.labels.negative
    mass = rows.mass_between(min((1 + AROUND) * fraction, 1.0), (1 - AROUND) * fraction)
    excess = (1 - share) * (mass @ yes) - share * (mass @ no)
    return np.asarray(excess / mass.sum() if mass.any() else np.zeros_like(share))


def _effective(total: FloatArray, squares: FloatArray) -> FloatArray:
    return np.divide(total**2, squares, out=np.full_like(total, np.nan), where=squares > 0)


def _between_units(
    runs: Runs, every_unit: NDArray[np.int64], share: FloatArray, fraction: float, slope: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Squared errors with whole groups or clusters as units, and the effective number of them."""
    rows = runs.counted(fraction)
    yes, no = runs.labels.positive, runs.labels.negative
    n_units = int(every_unit.max()) + 1
    unit = every_unit[rows.first :]
    everything = np.ones(every_unit.size) if runs.row_weight is None else runs.row_weight
    beyond = sum_codes(unit, rows.weighted, n_units)
    beyond = beyond - fraction * sum_codes(every_unit, everything, n_units)
    spread, sizes = np.empty_like(share), np.empty_like(share)
    for k in range(share.size):
        hits = sum_codes(unit, rows.weighted * yes[rows.codes, k], n_units)
        total = sum_codes(unit, rows.weighted * (yes | no)[rows.codes, k], n_units)
        n = np.count_nonzero(total)
        unbiased = n / (n - 1) if n > 1 else np.nan
        spread[k] = ((hits - share[k] * total - slope[k] * beyond) ** 2).sum() * unbiased
        sizes[k] = _effective(total.sum(keepdims=True), (total**2).sum(keepdims=True))[0]
    return spread, sizes
