"""Labels as patterns: the distinct rows of a label table, and which row each item has."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core.codes import (
    SMALL_SPAN,
    Codes,
    count_codes,
    narrow,
    number_occurring,
    number_values,
    sum_codes,
)
from isonomy._core.kernels.packing import pack_rows, pack_words
from isonomy._core.rows import check_row_counts
from isonomy._core.side_words import SideWords
from isonomy._core.validation import (
    AnyArray,
    FloatArray,
    as_label_table,
    as_names,
    check_finite_labels,
)
from isonomy._infra import chunks, default_threads, run_all

# Up to so many binary labels have a small number of patterns.
FEW_LABELS = 10
# Labels that are not 0 or 1 mostly show it in the first rows.
HEAD = 64
# Rows that one thread packs at a time.
CHUNK = 1 << 17
# Stands for what is found when it is asked for.
_LATER: Any = None


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of n items, as a few patterns.

    Attributes
    ----------
    codes : ndarray of unsigned int, shape (n,)
        The pattern of each item.
    patterns : ndarray of shape (L, K)
        The label values of each pattern, NaN where not observed. Some patterns may
        belong to no item.
    names : tuple of str
        The labels' names; "0", "1", ... where they have none.
    named : bool
        Whether the names came with the data.
    parameter : str
        What the table is called in messages.
    weight : ndarray of shape (n,) or None
        How much each item counts, for objectives that ask how common a label is; None: 1 each.
    words : SideWords or None
        More labels than fit into a code, as words of bits; codes and patterns are then found
        when they are asked for.

    Examples
    --------
    >>> from isonomy import Labels
    >>> labels = Labels.from_table([[1, 0], [1, 1], [1, 0]])
    >>> labels.codes
    array([1, 3, 1], dtype=uint8)
    >>> labels.patterns[1]
    array([1., 0.])
    """

    codes: Codes
    patterns: FloatArray
    names: tuple[str, ...]
    named: bool = False
    parameter: str = "Y"
    weight: FloatArray | None = None
    words: SideWords | None = None

    def __post_init__(self) -> None:
        if self.codes is _LATER:
            del self.__dict__["codes"], self.__dict__["patterns"]
        else:
            object.__setattr__(self, "words", None)

    def __getattr__(self, name: str) -> Any:
        """Codes and patterns that were left for later."""
        words: SideWords | None = self.__dict__.get("words")
        if words is None or name not in ("codes", "patterns"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        codes, patterns = words.numbered
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "patterns", patterns)
        return self.__dict__[name]

    @classmethod
    def from_table(
        cls, Y: Any, *, name: str = "Y", beside: Mapping[str, Any] | None = None
    ) -> Labels:
        """Check a label table (array or data frame) and find its patterns.

        What stands `beside` it, by name, should have as many rows.
        """
        if isinstance(Y, Labels):
            check_row_counts(**{Y.parameter: Y}, **(beside or {}))
            return Y
        check_row_counts(**{name: Y}, **(beside or {}))
        table, names = as_label_table(Y, name=name)
        default = tuple(map(str, range(table.shape[1])))
        found = _packed(table)
        words = SideWords.of_table(table) if found is None else None
        if words is not None and table.shape[1] > FEW_LABELS:
            named = names is not None
            return cls(_LATER, _LATER, names or default, named, name, words=words)
        if words is not None:
            found = words.few_patterns()
        elif found is None:
            check_finite_labels(table, name=name)
            found = _numbered(table)
        return cls(*found, names or default, names is not None, name)

    def with_(self, **changes: Any) -> Labels:
        """The same but for some fields, without looking for patterns."""
        found = copy(self)
        for name, value in changes.items():
            object.__setattr__(found, name, value)
        return found

    def __len__(self) -> int:
        return int(self.codes.size) if self.words is None else len(self.words)

    @property
    def occurs(self) -> NDArray[np.bool_]:
        """Which patterns some item has."""
        n_patterns = len(self.patterns)
        found = count_codes(self.codes[:CHUNK], n_patterns) > 0
        # Mostly the first rows have them all.
        return found if found.all() else count_codes(self.codes, n_patterns) > 0

    @property
    def n_labels(self) -> int:
        """Number of labels K."""
        return len(self.names)

    @property
    def table(self) -> FloatArray:
        """The labels as numbers, (n, K), NaN where not observed."""
        return self.patterns[self.codes] if self.words is None else self.words.table

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Which patterns have each label, (L, K)."""
        return np.asarray(self.patterns == 1)

    @cached_property
    def negative(self) -> NDArray[np.bool_]:
        """Which patterns are known not to have each label, (L, K)."""
        return np.asarray(self.patterns == 0)

    @property
    def class_weights(self) -> tuple[FloatArray, FloatArray]:
        """The weight of each label's positives and that of its negatives, (K,) each."""
        n_patterns = len(self.patterns)
        if self.weight is None:
            mass = count_codes(self.codes, n_patterns).astype(np.float64)
        else:
            mass = sum_codes(self.codes, self.weight, n_patterns)
        return mass @ self.positive, mass @ self.negative

    def take(self, rows: NDArray[np.integer[Any]]) -> Labels:
        """The labels of some rows, by their numbers."""
        weight = None if self.weight is None else self.weight[rows]
        if self.words is None or "codes" in self.__dict__:
            return replace(self, codes=self.codes[rows], weight=weight)
        return self.with_(words=self.words.take(rows), weight=weight)

    def one(self, k: int) -> Labels:
        """Label number k alone."""
        names = (self.names[k],)
        if self.words is None:
            return replace(self, patterns=self.patterns[:, [k]], names=names)
        codes, values = self.words.column(k), np.array([[0.0], [1.0], [np.nan]])
        return replace(self.with_(codes=codes, patterns=values), names=names)

    def tallied(self) -> Labels:
        """Labels of which only matters how many a row has, and how many it is known not to have.

        Rows get those of another row with the same counts, where patterns would be many.
        """
        if self.words is None:
            return self
        codes, patterns = self.words.tallies()
        return self.with_(codes=codes, patterns=patterns, words=None)

    def renamed(self, names: Any) -> Labels:
        """The same labels under other names, one each, all different; None keeps theirs."""
        return self if names is None else self.with_(names=as_names(names, self.n_labels))

    def require_one(self, cure: str) -> None:
        """Raise unless there is a single label."""
        if self.n_labels != 1:
            raise ValueError(
                f"Parameter `{self.parameter}` should hold one label. "
                f"Found {self.n_labels} columns; {cure}."
            )

    def require_binary(self) -> None:
        """Raise unless all labels are 0, 1 or NaN."""
        if self.words is None and not _binary(self.patterns).all():
            patterns = self.patterns[self.occurs]
            row, column = np.argwhere(~_binary(patterns))[0]
            raise ValueError(
                f"Parameter `{self.parameter}` should hold binary labels: 0, 1, or NaN for 'not "
                f"observed'. Found {float(patterns[row, column])!r} in label "
                f"{self.names[column]!r}. Make it binary, such as `{self.parameter} >= 3`, or use "
                "`LabelAggregation` or `multipartite_auc`, which take ordinal labels."
            )


def _binary(patterns: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(np.isnan(patterns) | (patterns == 0) | (patterns == 1))


def _packed(table: AnyArray) -> tuple[Codes, FloatArray] | None:
    """Up to eight complete binary labels: the pattern is the byte of their bits."""
    n, n_labels = table.shape
    codes = np.empty(n, np.uint8)
    if n_labels > 8 or not pack_rows(table[:HEAD], codes[:HEAD]):
        return None
    one_byte = table.dtype.itemsize == 1 and table.flags.c_contiguous
    words = table.reshape(-1).view(np.uint64) if one_byte and n_labels == 8 else None

    def work(start: int, stop: int) -> bool:
        here = codes[start:stop]
        if words is not None:
            return pack_words(words[start:stop], here)
        if one_byte and n_labels == 1:
            here[:] = table[start:stop, 0].view(np.uint8)
            return int(here.max()) <= 1
        return pack_rows(table[start:stop], here)

    binary = all(run_all(work, chunks(n, CHUNK), default_threads(n)))
    if not binary:
        return None
    bits = np.arange(2**n_labels)[:, None] >> np.arange(n_labels) & 1
    return codes, bits.astype(np.float64)


def _numbered(table: AnyArray) -> tuple[Codes, FloatArray]:
    """Any other labels: number each column's values, then their combinations."""
    codes, values = _digits(table[:, 0])
    codes, old = _occurring(codes, values.size)
    patterns = values[old][:, None]
    for column in table.T[1:]:
        digits, values = _digits(column)
        codes = codes.astype(np.int64) * values.size + digits
        codes, old = _occurring(codes, len(patterns) * values.size)
        patterns = np.column_stack([patterns[old // values.size], values[old % values.size]])
    return codes, patterns


def _occurring(codes: Codes, n_codes: int) -> tuple[Codes, NDArray[np.int64]]:
    """New codes, and the old code of each: those that occur, or all where they are few."""
    if n_codes <= SMALL_SPAN:
        return narrow(codes, n_codes), np.arange(n_codes)
    return number_occurring(codes, n_codes)


def _digits(column: AnyArray) -> tuple[Codes, FloatArray]:
    """A number from 0 for each value of a column, and the values; NaN is the last."""
    missing = np.isnan(column) if column.dtype.kind == "f" else np.zeros(1, np.bool_)
    if not missing.any():
        codes, values = number_values(column)
        return codes, _as_levels(values)
    observed, values = number_values(column[~missing])
    codes = np.full(column.size, values.size, np.int64)
    codes[~missing] = observed
    return narrow(codes, values.size + 1), np.append(_as_levels(values), np.nan)


def _as_levels(values: AnyArray) -> FloatArray:
    levels = values.astype(np.float64)
    if (levels[1:] == levels[:-1]).any():
        raise ValueError(
            "Labels should hold levels that float64 can tell apart. Found neighbours beyond 2**53, "
            f"up to {values[-1]}. Subtract the smallest level, or pass ranks."
        )
    return levels
