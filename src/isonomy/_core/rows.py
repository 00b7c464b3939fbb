"""Rows of what a user passed: as many everywhere, and the same ones, before any of it is read."""

from __future__ import annotations

import sys
from collections.abc import Sized
from typing import Any


def row_count(data: Any) -> int | None:
    """How many rows it has, by its shape or length alone; None where these tell of no table.

    Examples
    --------
    >>> row_count([[1, 0], [0, 1], [1, 1]])
    3
    """
    shape = getattr(data, "shape", None)
    if isinstance(shape, tuple):
        return int(shape[0]) if 1 <= len(shape) <= 2 else None
    # The letters of a name are no rows.
    return len(data) if isinstance(data, Sized) and not isinstance(data, str) else None


def check_row_counts(**tables: Any) -> None:
    """The named tables should have as many rows as the first of them; None is passed over.

    Their columns are not looked at, so that a table on its side, with a million of them, is told
    at once.
    """
    counts = {name: row_count(table) for name, table in tables.items()}
    known = [(name, count) for name, count in counts.items() if count is not None]
    for name, count in known[1:]:
        if count != known[0][1]:
            raise ValueError(
                f"Parameters `{known[0][0]}` and `{name}` should have the same number of rows. "
                f"Found {known[0][1]} and {count}.{_on_its_side(tables, known[0][0], count)}"
            )


def check_same_index(**tables: Any) -> None:
    """Those of the named tables that are pandas' should have one index: rows go by position."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    kinds = (pandas.DataFrame, pandas.Series)
    indexed = {name: table.index for name, table in tables.items() if isinstance(table, kinds)}
    if len(indexed) < 2:
        return
    (first, index), *others = indexed.items()
    for name, other in others:
        if other is index or index.equals(other) or len(other) != len(index):
            continue
        labels = list(zip(index.tolist(), other.tolist(), strict=True))
        row = next((i for i, (a, b) in enumerate(labels) if bool(a != b)), 0)
        unique = index.is_unique and other.is_unique
        same = unique and set(index.tolist()) == set(other.tolist())
        found = "the same labels in another order" if same else "other labels"
        cure = f"Pass `{name}.loc[{first}.index]`" if same else "Pass the rows that belong together"
        raise ValueError(
            f"Parameters `{first}` and `{name}` should have the same pandas index, because rows "
            f"are matched by position. Found {found}, first in row {row}: {labels[row][0]!r} and "
            f"{labels[row][1]!r}. {cure}; or, where the rows stand side by side as they should, "
            f"`{name}.reset_index(drop=True)` and `{first}.reset_index(drop=True)`."
        )


def _on_its_side(tables: dict[str, Any], name: str, count: int) -> str:
    """The cure for a table whose columns are its rows."""
    shape: tuple[int, ...] = getattr(tables[name], "shape", ())
    sideways = len(shape) == 2 and shape[1] == count
    return f" `{name}` lies on its side: pass `{name}.T`." if sideways else ""
