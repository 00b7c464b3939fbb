"""AUCs of any number of rows from a few kilobytes, with bounds that are certain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import (
    EXACT,
    ConflictPairs,
    FloatArray,
    Items,
    Labels,
    LossAggregation,
    Objective,
    as_names,
    as_numbers,
    check_count,
    check_level,
    count_codes,
    row_count,
    warn_undefined,
)
from isonomy._counting import IntervalTable
from isonomy._metrics import (
    DEFAULT_LEVEL,
    AUCIntervals,
    auc_intervals,
    conflict_intervals,
    square,
)
from isonomy._partial.bounded import Bounded
from isonomy._partial.pair_bounds import mix_bounds, ratio_bounds
from isonomy._partial.shortening import pattern_weights, shortened
from isonomy._partial.sketch_bytes import (
    MOST_BYTES,
    SketchContent,
    decode,
    encode,
    encoded_size,
    largest_single_range,
)

# Rows made into a table at a time.
_PIECE = 1 << 18
# Labels 0 and 1, and 2 for 'not observed'.
_VALUES = np.array([0.0, 1.0, np.nan])


class AUCSketch:
    """What AUCs need of any number of rows, in at most `max_bytes` bytes.

    Rows come in batches, on any number of machines; sketches are merged in any order. As long
    as the table of distinct scores and label patterns fits, all answers are exact. Beyond, near
    scores become ranges, and answers are bounds between which the exact answer certainly lies.

    Parameters
    ----------
    names : sequence of str
        The labels.
    max_bytes : int
        What `to_bytes` takes at most. With B ranges about 1 / B of the pairs are in doubt; a
        range takes about 11 bytes for one label.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> first = iso.AUCSketch(["click", "buy"]).add(Y[:5], [3, 5, 4, 1, 3])
    >>> second = iso.AUCSketch(["click", "buy"]).add(Y[5:], [2, 6, 3])
    >>> both = first.merge(iso.AUCSketch.from_bytes(second.to_bytes()))
    >>> both.label_aucs().value, both.exact
    (array([0.75  , 0.9375]), True)
    >>> print(both.objective_auc(iso.LabelAggregation()))
    0.958333
    """

    def __init__(self, names: Sequence[str], *, max_bytes: int = 1_000_000) -> None:
        if isinstance(names, str) or not len(names):
            raise ValueError(
                "Parameter `names` should hold a name for each label, such as ['click', 'buy']. "
                f"Found {names!r}."
            )
        check_count("max_bytes", max_bytes)
        if max_bytes > MOST_BYTES:
            raise ValueError(
                f"Parameter `max_bytes` should be at most {MOST_BYTES:,}. Found a larger number."
            )
        self._names = as_names(names, len(names))
        self._max_bytes = int(max_bytes)
        self._patterns: NDArray[np.uint8] = np.empty((0, len(self._names)), np.uint8)
        self._number: dict[bytes, int] = {}
        # The table of what came before, and those that wait to be joined to it.
        self._tables: list[IntervalTable] = []
        self._waiting = 0
        # What is known to fit: a table, with so many patterns.
        self._fitting: tuple[IntervalTable, int] | None = None
        self._least = 0.0
        self._check_room(1)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels' names."""
        return self._names

    @property
    def max_bytes(self) -> int:
        """What `to_bytes` takes at most."""
        return self._max_bytes

    @property
    def n_items(self) -> int:
        """How many items were added, counts included."""
        return sum(table.n_items for table in self._tables)

    @property
    def exact(self) -> bool:
        """Whether all answers are exact."""
        return self._table().exact

    def add(
        self, Y: ArrayLike | Labels, y_score: ArrayLike, *, counts: ArrayLike | None = None
    ) -> AUCSketch:
        """Add some rows.

        Parameters
        ----------
        Y : array-like or data frame of shape (n, K)
            Labels 0 and 1, NaN for 'not observed'. A data frame's columns should be `names`. A
            batch may be empty.
        y_score : array-like of shape (n,)
            Scores; infinite ones rank where they belong.
        counts : array-like of shape (n,), optional
            How many identical items each row stands for; in a batch it may be none for all.

        Returns
        -------
        AUCSketch
            Itself.
        """
        if row_count(Y) == 0 == row_count(y_score):
            # Such as what a filter has left of a batch.
            return self
        if counts is not None and not as_numbers(counts, "counts").any():
            return self
        _refuse_large_integers(y_score)
        items = Items.checked(Y, y_score=y_score, counts=counts)
        labels = items.labels
        labels.require_binary()
        if labels.n_labels != len(self._names) or (labels.named and labels.names != self._names):
            raise ValueError(
                f"Parameter `Y` should have the labels {', '.join(self._names)}, a column each. "
                f"Found {', '.join(labels.names)}."
            )
        if self.n_items + _total(items) >= 2**62:
            raise ValueError("Parameter `counts` should sum to less than 2**62, all batches taken.")
        counted = labels.codes if items.count is None else labels.codes[items.count > 0]
        own = np.flatnonzero(count_codes(counted, len(labels.patterns)))
        number = np.zeros(len(labels.patterns), np.int64)
        number[own] = self._numbers(_digits(labels.patterns[own]))
        for start in range(0, len(items), _PIECE):
            rows = slice(start, start + _PIECE)
            count = None if items.count is None else items.count[rows]
            self._take(
                IntervalTable.of_scores(items.scores[rows], number[labels.codes[rows]], count)
            )
        return self

    def merge(self, other: AUCSketch) -> AUCSketch:
        """Add the rows of another sketch of the same labels, which stays as it is.

        Returns
        -------
        AUCSketch
            Itself.
        """
        if not isinstance(other, AUCSketch):
            raise TypeError(f"Parameter `other` should be an AUCSketch. Found {other!r}.")
        if other._names != self._names:
            raise ValueError(
                f"Parameter `other` should be a sketch of {', '.join(self._names)}. "
                f"Found one of {', '.join(other._names)}."
            )
        if self.n_items + other.n_items >= 2**62:
            raise ValueError("Parameter `other` should leave less than 2**62 items in all.")
        number = self._numbers(other._patterns)
        for table in list(other._tables):
            self._take(table.renumbered(number))
        return self

    def to_bytes(self) -> bytes:
        """All of it in at most `max_bytes` bytes, the same on every machine.

        While it is exact, the bytes do not depend on the order in which rows came.
        """
        return encode(self._content(self._table()))

    @classmethod
    def from_bytes(cls, data: bytes) -> AUCSketch:
        """The sketch that `to_bytes` wrote; ValueError for any other bytes.

        Parameters
        ----------
        data : bytes
            They are checked, and run no code.
        """
        content = decode(data)
        found = cls(content.names, max_bytes=content.max_bytes)
        found._numbers(content.patterns)
        found._tables = [content.table] if len(content.table) else []
        return found

    def label_aucs(self, *, warn: bool = True) -> Bounded:
        """AUC of the score against each label, (K,).

        Parameters
        ----------
        warn : bool
            Whether to warn of labels of one class, whose AUC is NaN.
        """
        preferences, found = ratio_bounds(self._table(), self._labels(), LossAggregation())
        if warn:
            warn_undefined(preferences, np.asarray(found.value))
        return found

    def objective_auc(self, objective: Objective) -> Bounded:
        """How well the score serves an objective, in [0, 1].

        Parameters
        ----------
        objective : LossAggregation, LabelAggregation, SoftLabel, OneLabel, WorstLabel, or your own
            One of your own should mix its terms so that none of them lowers the whole.
        """
        preferences, ratios = ratio_bounds(self._table(), self._labels(), objective)
        found = mix_bounds(preferences, ratios)
        if np.isnan(found.value):
            warn_undefined(preferences, np.asarray(ratios.value))
        return found

    def conflict_aucs(self, *, warn: bool = True) -> Bounded:
        """Who wins where two labels disagree, (K, K), as `isonomy.conflict_aucs`.

        Parameters
        ----------
        warn : bool
            Whether to warn of labels that never conflict, whose conflict AUC is NaN.
        """
        preferences, found = ratio_bounds(self._table(), self._labels(), ConflictPairs())
        if warn:
            warn_undefined(preferences, np.asarray(found.value))
        low, high, value = (np.asarray(each) for each in (found.low, found.high, found.value))
        k = len(self._names)
        return Bounded(
            square(low, 1.0 - high, k), square(high, 1.0 - low, k), square(value, 1.0 - value, k)
        )

    def auc_intervals(
        self, *, objective: Objective | None = None, level: float = DEFAULT_LEVEL
    ) -> AUCIntervals:
        """Confidence intervals of the AUCs, with the bounds added at both ends.

        Parameters
        ----------
        objective : objective, optional
            None: one AUC per label. Otherwise that objective's AUC.
        level : float
            Confidence level.
        """
        check_level(level)
        found = auc_intervals(*self._rows(), objective=objective, level=level)
        bounds = self.label_aucs() if objective is None else self.objective_auc(objective)
        return _widened(found, bounds)

    def conflict_intervals(self, *, level: float = DEFAULT_LEVEL) -> AUCIntervals:
        """Confidence intervals of the conflict AUCs, with the bounds added at both ends."""
        check_level(level)
        return _widened(conflict_intervals(*self._rows(), level=level), self.conflict_aucs())

    def items(self) -> Items:
        """A row for each range and label pattern, with its count, and a score of that range."""
        table, labels = self._table(), self._labels()
        if not len(table):
            raise ValueError("The sketch should hold rows. Found none; `add` some first.")
        return Items(
            Labels(table.pattern, labels.patterns, labels.names, named=True),
            count=table.count,
            scores=table.middle_scores,
        )

    def _rows(self) -> tuple[Items, FloatArray]:
        items = self.items()
        return items, items.scores

    def table(self) -> IntervalTable:
        """Items by score range and label pattern."""
        return self._table()

    def _labels(self) -> Labels:
        """A row for each pattern, which weighs as many items as have it."""
        table, n = self._table(), len(self._patterns)
        items = np.bincount(table.pattern, table.count, n).astype(np.float64)
        return Labels(np.arange(n), _VALUES[self._patterns], self._names, True, weight=items)

    def _numbers(self, patterns: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The number of each pattern here; new ones get the next."""
        keys = [row.tobytes() for row in patterns]
        fresh = [k for k, key in enumerate(keys) if key not in self._number]
        if fresh:
            self._check_room(len(self._number) + len(fresh))
            for k in fresh:
                self._number[keys[k]] = len(self._number)
            self._patterns = np.concatenate([self._patterns, patterns[fresh]])
        return np.array([self._number[key] for key in keys], np.int64)

    def _check_room(self, n_patterns: int) -> None:
        least = largest_single_range(self._names, self._max_bytes, n_patterns)
        if least > self._max_bytes:
            raise ValueError(
                f"Parameter `max_bytes` should be at least {least:,} for {len(self._names)} labels "
                f"in {n_patterns:,} combinations. Found {self._max_bytes:,}."
            )

    def _take(self, table: IntervalTable) -> None:
        if self._tables:
            self._waiting += len(table)
        self._tables.append(table)
        # Many small ones are joined at once, so that a sum over all tables stays short.
        while len(self._tables) > 2 and len(self._tables[-2]) <= 2 * len(self._tables[-1]):
            self._tables[-2:] = [IntervalTable.joined(self._tables[-2:])]
        if self._waiting > max(self._max_bytes // 4, 1 << 12):
            self._table()

    def _table(self) -> IntervalTable:
        """All tables as one that fits."""
        if not self._tables:
            return IntervalTable.empty()
        joined = IntervalTable.joined(self._tables)
        if not self._fits(joined):
            joined = self._shortened(joined)
        self._tables, self._waiting = [joined], 0
        self._fitting = joined, len(self._patterns)
        return joined

    def _fits(self, table: IntervalTable) -> bool:
        if self._fitting is not None and self._fitting[0] is table:
            return self._fitting[1] == len(self._patterns) or self._size(table) <= self._max_bytes
        # No cell takes more than this, which is quick to know.
        return len(table) * 40 < self._max_bytes // 2 or self._size(table) <= self._max_bytes

    def _size(self, table: IntervalTable) -> int:
        return encoded_size(SketchContent(self._names, self._max_bytes, self._patterns, table))

    def _content(self, table: IntervalTable) -> SketchContent:
        """With the patterns in an order of their own, whatever came first."""
        order = np.lexsort(self._patterns.T[::-1])
        number = np.empty(order.size, np.int64)
        number[order] = np.arange(order.size)
        return SketchContent(
            self._names, self._max_bytes, self._patterns[order], table.renumbered(number)
        )

    def _shortened(self, table: IntervalTable) -> IntervalTable:
        """The table with ranges as short as fit."""
        found, self._least = shortened(
            table, pattern_weights(table, self._patterns), self._size, self._max_bytes, self._least
        )
        return found

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return AUCSketch.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"{self._table().first_cell.size:,} score ranges"
        return f"<AUCSketch of {', '.join(self._names)}: {self.n_items:,} items, {how}>"


def _digits(patterns: FloatArray) -> NDArray[np.uint8]:
    return np.where(np.isnan(patterns), 2, patterns).astype(np.uint8)


def _total(items: Items) -> int:
    return len(items) if items.count is None else sum(map(int, items.count))


def _refuse_large_integers(y_score: Any) -> None:
    """Elsewhere they become ranks among each other, which another batch would not know."""
    dtype = str(getattr(y_score, "dtype", "")).lower()
    if "int" in dtype and len(y_score):
        ends = int(y_score.min()), int(y_score.max())
        if max(abs(ends[0]), abs(ends[1])) > EXACT:
            raise ValueError(
                "Parameter `y_score` should hold whole numbers up to 2**53 in size, which float64 "
                f"can tell apart. Found {ends[0]} to {ends[1]}. Subtract a number from all."
            )


def _widened(found: AUCIntervals, bounds: Bounded) -> AUCIntervals:
    """The interval around each bound, as far as it goes around the estimate."""
    below = np.asarray(found.estimate) - found.low
    above = np.asarray(found.high) - found.estimate
    low, high = np.maximum(bounds.low - below, 0.0), np.minimum(bounds.high + above, 1.0)
    if bounds.exact:
        # Without rounding.
        low, high = np.asarray(found.low), np.asarray(found.high)
    if np.ndim(bounds.value) == 0:
        return AUCIntervals(
            float(bounds.value), float(low), float(high), found.covariance, found.freedom
        )
    return AUCIntervals(bounds.value, low, high, found.covariance, found.freedom)
