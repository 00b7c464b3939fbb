"""What an engine has to offer so that all functions of `isonomy.dask` and `isonomy.spark` work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from isonomy._core import AnyArray, FloatArray, Labels, count_missing, suggestion
from isonomy._partial import AUCSketch
from isonomy._rankers.linear import Answer, Partitions, PartRows

A = TypeVar("A", bound=Answer)
# From a partition's columns, by name, to what is asked.
Question = Callable[[dict[str, AnyArray]], A]


class EngineFrame(Protocol):
    """A data frame in partitions, as an engine holds it."""

    @property
    def columns(self) -> list[str]:
        """Names of its columns."""

    def counts(self, names: list[str], check: Callable[[int], None]) -> dict[str, AnyArray]:
        """The distinct rows of some columns, a column each, and last how often each occurs.

        `check` is called with their number before they are brought here, and may raise.
        """

    def ask(self, names: list[str], question: Question[A]) -> A:
        """Ask every partition, and join the answers as a tree."""

    def partitions(self, read: ReadRows, together: str | None) -> Partitions:
        """Rows to be asked again and again; those that share a value of `together` in one place."""

    def scored(self, ranker: Any, name: str) -> Any:
        """The engine's own frame with the ranker's scores as one more column."""


@dataclass(frozen=True)
class ReadRows:
    """Features, labels, weights and groups out of a partition's columns."""

    features: tuple[str, ...]
    labels: tuple[str, ...]
    weight: str | None = None
    groups: str | None = None

    @property
    def names(self) -> list[str]:
        """All the columns."""
        given = [self.weight, self.groups]
        return list(dict.fromkeys([*self.features, *self.labels, *(n for n in given if n)]))

    def __call__(self, columns: dict[str, AnyArray]) -> PartRows:
        n = len(columns[self.features[0]])
        X, Y = (
            np.column_stack([numbers(columns[name], name) for name in names])
            if n
            else np.empty((0, len(names)))
            for names in (self.features, self.labels)
        )
        weight = None if self.weight is None else numbers(columns[self.weight], self.weight)
        group = None if self.groups is None else columns[self.groups]
        if group is not None:
            if missing := count_missing(group):
                raise ValueError(
                    f"Column {self.groups!r} should name a group for every row. Found {missing} "
                    "missing in a partition. Drop those rows or give each a group of its own."
                )
            group = group.astype(str) if group.dtype == object else group
        return PartRows(np.ascontiguousarray(X), Y, weight, group)


@dataclass(frozen=True, eq=False)
class SketchAnswer:
    """A sketch, to be merged with those of other partitions."""

    sketch: AUCSketch

    @classmethod
    def joined(cls, parts: Sequence[SketchAnswer]) -> SketchAnswer:
        """Of all rows."""
        first = parts[0].sketch
        merged = AUCSketch(first.names, max_bytes=first.max_bytes)
        for part in parts:
            merged.merge(part.sketch)
        return cls(merged)


@dataclass(frozen=True)
class MakeSketch:
    """A sketch of a partition's scores and labels."""

    score: str
    labels: tuple[str, ...]
    count: str | None
    max_bytes: int

    @property
    def names(self) -> list[str]:
        """All the columns."""
        return [self.score, *self.labels, *([self.count] if self.count else [])]

    def __call__(self, columns: dict[str, AnyArray]) -> SketchAnswer:
        found = AUCSketch(self.labels, max_bytes=self.max_bytes)
        counts = None if self.count is None else numbers(columns[self.count], self.count)
        if len(columns[self.score]) and (counts is None or counts.any()):
            labels = labels_of(columns, self.labels)
            found.add(labels, scores_in(columns, self.score), counts=counts)
        return SketchAnswer(found)


def numbers(column: AnyArray, name: str) -> FloatArray:
    """A column as float64, NaN where a value is missing."""
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    values = np.asarray(column, dtype=object)
    missing = np.array([value is None or value != value for value in values], np.bool_)
    try:
        out = np.full(values.size, np.nan)
        out[~missing] = values[~missing].astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"Column {name!r} should hold numbers or booleans. Found {values[~missing][0]!r}."
        ) from None
    return out


def labels_of(columns: dict[str, AnyArray], names: tuple[str, ...]) -> Labels:
    """The columns of labels, by their names."""
    table = np.column_stack([numbers(columns[name], name) for name in names])
    return Labels.from_table(table, name="labels").renamed(names)


def scores_in(columns: dict[str, AnyArray], name: str) -> AnyArray:
    """The scores; whole numbers as they are, because floats would tie the largest of them."""
    return columns[name] if columns[name].dtype.kind in "iu" else numbers(columns[name], name)


def check_columns(columns: list[str], **given: Any) -> None:
    """The named columns should be there, each under one of the parameters only."""
    used: dict[str, str] = {}
    for parameter, names in given.items():
        for name in [names] if isinstance(names, str) else names or ():
            if name not in columns:
                listed = ", ".join(columns[:12])
                raise ValueError(
                    f"Parameter `{parameter}` should name columns of the frame. Found {name!r}, "
                    f"which it has not.{suggestion(str(name), columns)} It has: {listed}."
                )
            if name in used:
                raise ValueError(
                    f"Parameters `{used[name]}` and `{parameter}` should name different columns. "
                    f"Found {name!r} twice."
                )
            used[name] = parameter


def as_names(parameter: str, names: Any) -> tuple[str, ...]:
    """Column names: several, or one."""
    found = (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
    if not found:
        raise ValueError(f"Parameter `{parameter}` should name at least one column. Found none.")
    return found
