"""Costs of ranking two levels the wrong way round, as terms between levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core.validation import FloatArray, check_choice

Table: TypeAlias = "NDArray[np.bool_] | FloatArray | sparse.csr_array"

Costs: TypeAlias = (
    "Literal['linear', 'uniform'] | Sequence[Sequence[float]] | Callable[[float, float], float]"
)

# With more levels than this, linear and uniform costs split the levels recursively.
FEW_LEVELS = 64
# Other costs need a table of levels by levels.
MOST_LEVELS = 1024


@dataclass(frozen=True, eq=False)
class LevelCosts:
    """Levels of patterns, and what it costs to rank two of them the wrong way round.

    Attributes
    ----------
    levels : ndarray of shape (L,)
        The level of each pattern; NaN where it joins no pair.
    linear : bool
        Whether the cost is the difference of the levels; else it is 1.
    """

    levels: FloatArray
    linear: bool

    @cached_property
    def ascending(self) -> bool:
        """Whether the levels are distinct, known and in order, so that patterns number them."""
        return bool((np.diff(self.levels) > 0).all()) and self.all_known

    @property
    def all_known(self) -> bool:
        """Whether every pattern has a level."""
        return not np.isnan(self.levels).any()

    @cached_property
    def _numbered(self) -> tuple[FloatArray, NDArray[np.int64]]:
        if self.ascending:
            return self.levels, np.arange(self.levels.size)
        distinct, number = np.unique(self.levels, return_inverse=True)
        known = int(np.count_nonzero(~np.isnan(distinct)))
        return distinct[:known], np.where(number < known, number, -1)

    @property
    def distinct(self) -> FloatArray:
        """The different levels, ascending."""
        return self._numbered[0]

    @property
    def number(self) -> NDArray[np.int64]:
        """Of each pattern's level among the different ones; -1 where it has none."""
        return self._numbered[1]

    def terms(self) -> tuple[Table, Table]:
        """The same as comparisons: what each pattern puts above and below."""
        tables = cost_terms(self.distinct, "linear" if self.linear else "uniform")
        above, below = (_rows(table, self.number) for table in tables)
        return above, below


def _rows(table: Table, number: NDArray[np.int64]) -> Table:
    """Rows by their numbers; empty for -1."""
    if sparse.issparse(table):
        empty = sparse.csr_array((1, table.shape[1]))
        return sparse.vstack([table, empty], format="csr")[number]
    return np.vstack([table, np.zeros((1, table.shape[1]))])[number]


def cost_terms(levels: FloatArray, costs: Costs) -> tuple[Table, Table]:
    """What each level puts above and below, so that term products sum to the costs.

    Parameters
    ----------
    levels : ndarray of shape (L,)
        Distinct levels, ascending.
    costs : {"linear", "uniform"}, array or callable
        As in `LabelAggregation`.

    Returns
    -------
    above, below : dense or sparse arrays of shape (L, R)
        For levels i > j, sum_r above[i, r] below[j, r] is the cost of (i, j); for
        i <= j it is 0.

    Examples
    --------
    >>> import numpy as np
    >>> above, below = cost_terms(np.array([0.0, 1.0, 3.0]), "linear")
    >>> above @ below.T
    array([[0., 0., 0.],
           [1., 0., 0.],
           [3., 2., 0.]])
    """
    if levels.size < 2:
        return np.zeros((levels.size, 1)), np.zeros((levels.size, 1))
    if isinstance(costs, str) and levels.size > FEW_LEVELS:
        return _split_terms(levels, linear=costs == "linear")
    below = np.tri(levels.size, levels.size - 1, k=-1)
    if isinstance(costs, str) and costs == "linear":
        return below * np.diff(levels), 1.0 - below
    table = np.ones((levels.size, levels.size)) if isinstance(costs, str) else _table(levels, costs)
    return np.eye(levels.size)[:, 1:], np.tril(table, -1)[1:].T


def _split_terms(levels: FloatArray, *, linear: bool) -> tuple[Table, Table]:
    """Halve the levels again and again; each pair of levels is parted by one split.

    Level number l goes to the upper half of its split h where bit h of l is set. With c
    the lowest level of the upper half, a linear cost is (y - c) + (c - y'): two terms.
    Each level is in about log2 L splits, so the tables stay sparse.
    """
    index = np.arange(levels.size)
    sides: dict[bool, list[tuple[NDArray[Any], ...]]] = {True: [], False: []}
    n_terms = 0
    for h in range(int(levels.size - 1).bit_length()):
        split = index >> (h + 1)
        pivot = np.minimum((split << (h + 1)) + (1 << h), levels.size - 1)
        distance, one = np.abs(levels - levels[pivot]), np.ones(levels.size)
        for upper, entries in sides.items():
            row = np.flatnonzero((index >> h & 1) == upper)
            if linear:
                first, second = (distance, one) if upper else (one, distance)
                entries.append((row, n_terms + 2 * split[row], first[row]))
                entries.append((row, n_terms + 2 * split[row] + 1, second[row]))
            else:
                entries.append((row, n_terms + split[row], one[row]))
        n_terms += (1 + linear) * (int(split[-1]) + 1)
    shape = (levels.size, n_terms)
    return _sparse(sides[True], shape), _sparse(sides[False], shape)


def _sparse(entries: list[tuple[NDArray[Any], ...]], shape: tuple[int, int]) -> Table:
    rows, terms, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    return sparse.csr_array((values, (rows, terms)), shape=shape)


def as_costs(costs: Any) -> Any:
    """Check costs that do not depend on the levels; arrays become nested tuples."""
    if isinstance(costs, str):
        check_choice("costs", costs, ("linear", "uniform"))
        return costs
    if callable(costs):
        return costs
    if isinstance(costs, np.ma.MaskedArray) and costs.mask.any():
        raise ValueError(
            "Parameter `costs` should have no masked values. Put a number in their place; 0 costs "
            "nothing."
        )
    try:
        table = np.asarray(costs)
    except ValueError as error:
        raise ValueError(
            "Parameter `costs` as an array should be square. Found rows of unequal length."
        ) from error
    if table.dtype.kind not in "biuf" or table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(
            "Parameter `costs` should be 'linear', 'uniform', a callable or a square array of "
            f"numbers. Found shape {table.shape} and dtype {table.dtype}."
        )
    _check_costs(table)
    return tuple(tuple(row) for row in table.tolist())


def _check_costs(table: NDArray[Any]) -> None:
    wrong = table[~(np.isfinite(table) & (table >= 0))]
    if wrong.size:
        raise ValueError(f"Parameter `costs` should give finite costs >= 0. Found {wrong[0]:g}.")
    if not np.tril(table, -1).any():
        raise ValueError(
            "Parameter `costs` should give some pair of levels a positive cost. All are 0; "
            "an array is indexed [high, low], so its costs stand below the diagonal."
        )


def _table(
    levels: FloatArray, costs: Sequence[Sequence[float]] | Callable[[float, float], float]
) -> FloatArray:
    """Entry [i, j], i > j: the cost of ranking level i below level j."""
    if levels.size > MOST_LEVELS:
        raise ValueError(
            f"Parameter `costs` as an array or callable serves up to {MOST_LEVELS} levels. "
            f"Found {levels.size}. Round the levels, or use 'linear' or 'uniform'."
        )
    if not callable(costs):
        return _lookup(levels, np.asarray(costs, dtype=np.float64))
    table = np.zeros((levels.size, levels.size))
    for i in range(levels.size):
        for j in range(i):
            table[i, j] = _cost(costs, float(levels[i]), float(levels[j]))
    _check_costs(table)
    return table


def _cost(costs: Callable[[float, float], float], high: float, low: float) -> float:
    value = costs(high, low)
    if not isinstance(value, Real):
        raise ValueError(
            f"Parameter `costs` should return a number. Found {value!r} for levels {high}, {low}."
        )
    return float(value)


def _lookup(levels: FloatArray, costs: FloatArray) -> FloatArray:
    """The rows and columns of a cost array that belong to the levels."""
    whole = np.rint(levels)
    fraction = np.abs(whole - levels)
    if fraction.max() > 1e-9 or whole[0] < 0:
        odd = levels[fraction.argmax()] if fraction.max() > 1e-9 else levels[0]
        raise ValueError(
            "Parameter `costs` as an array is indexed by integer levels 0, 1, ... "
            f"Found the level {odd:g}. Pass a callable, or use an aggregate with integer levels."
        )
    size = int(whole[-1]) + 1
    if size > len(costs):
        raise ValueError(
            f"Parameter `costs` should be at least {size} x {size}, because levels reach "
            f"{size - 1}. Found shape {costs.shape}."
        )
    rows = whole.astype(np.int64)
    return costs[np.ix_(rows, rows)]
