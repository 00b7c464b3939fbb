"""Features of a user's table, made alike in Python and on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from isonomy._compare.families import Family
from isonomy._compare.sentences import say
from isonomy._core import is_missing
from isonomy._infra import listed
from isonomy._rankers import MANY_VALUED, TableEncoder, as_features

# Columns that a sentence names.
MOST_NAMED = 6


def as_table_or_texts(X: Any, *, texts: bool) -> Any:
    """A table of which rows can be taken; or, if `texts` will do, one text per row."""
    shape = getattr(X, "shape", None)
    one = len(shape) == 1 if shape is not None else isinstance(X, list | tuple) and _holds_text(X)
    if not one:
        table = as_features(X)
        if table.shape[1] == 0:
            raise ValueError(
                f"Parameter `X` should have at least one column. Found shape {table.shape}."
            )
        return table
    if not texts:
        raise TypeError(
            f"Parameter `X` should be a table (n, d). Found {type(X).__name__} of one value per "
            "row. For texts pass a `preprocessor` that makes features of them, such as "
            "scikit-learn's `TfidfVectorizer()`."
        )
    found = np.empty(len(X), dtype=object)
    found[:] = X.to_list() if hasattr(X, "to_list") else list(X)
    missing = [row for row, value in enumerate(found) if is_missing(value)]
    if missing:
        raise ValueError(
            f"Parameter `X` should hold a text in every row. Found {len(missing):,} missing, the "
            f"first in row {missing[0]}. Drop those rows, or fill them: `X.fillna('')` in pandas, "
            "`X.fill_null('')` in polars."
        )
    return found


def family_encoder(family: Family, text: Sequence[str] = ()) -> TableEncoder:
    """What turns a raw table into features for a family."""
    # What is no list of names is for the encoder to refuse.
    several = isinstance(text, Iterable) and not isinstance(text, str)
    columns = tuple(text) if several else text
    return TableEncoder(impute=not family.takes_gaps, text=columns)


def needs_encoder(X: Any, family: Family) -> bool:
    """Whether a data frame has columns of which the family's rankers cannot learn as they are.

    Texts, categories, dates; and numbers with gaps, where the family takes none.
    """
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return False
    return any(not _plain(X[name], family.takes_gaps) for name in X.columns)


def unused_columns(encoder: TableEncoder, use: Callable[[str], str]) -> list[str]:
    """What to say of the columns that a fitted encoder leaves out; `use` says how to have one."""
    texts: list[str] = []
    others: dict[str, list[str]] = {}
    for name, why in encoder.dropped_.items():
        if why.startswith(MANY_VALUED.partition("{")[0]):
            texts.append(name)
        else:
            others.setdefault(why, []).append(name)
    said = []
    for why, names in others.items():
        said.append(
            say("unused columns" if len(names) > 1 else "unused", names=_named(names), why=why)
        )
    if texts:
        key = "unused texts" if len(texts) > 1 else "unused text"
        why = encoder.dropped_[texts[0]]
        said.append(say(key, names=_named(texts), why=why, use=use(texts[0])))
    return said


def _named(names: Sequence[str]) -> str:
    return listed([repr(name) for name in names], MOST_NAMED)


def _plain(column: Any, takes_gaps: bool) -> bool:
    """Whether a column holds numbers, none of them missing unless gaps are taken."""
    dtype = column.dtype
    if hasattr(column, "null_count"):
        numeric = dtype.is_numeric() or str(dtype) == "Boolean"
        gaps = numeric and (column.null_count() > 0 or bool(column.cast(float).is_nan().any()))
    else:
        # One of pandas' sparse columns makes a sparse matrix of all, which cannot be centred.
        numeric = getattr(dtype, "kind", "O") in "biuf" and not hasattr(dtype, "subtype")
        gaps = numeric and bool(column.isna().any())
    return numeric and (takes_gaps or not gaps)


def _holds_text(rows: Sequence[Any]) -> bool:
    return any(isinstance(row, str) for row in rows[:1])
