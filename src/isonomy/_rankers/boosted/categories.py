"""Features for boosting: categories become numbers that are remembered, gaps stay gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from isonomy._core import FloatArray, check_features

# For each categorical column its categories, in the order of their numbers.
Categories = dict[str, list[Any]]

_PLAIN = (str, int, float, bool)
# How the names of types of dates and durations begin, in pandas, polars and Arrow.
_TIMES = ("date", "time", "duration", "period")


def find_categories(X: Any) -> Categories:
    """The categories of a data frame's categorical columns; none for anything else.

    Those of pandas keep their order, as do the values of a polars Enum; those of a polars
    Categorical, which have none, are sorted.
    """
    _check_frame(X)
    return {
        str(name): _plain(str(name), _categories(X[name]))
        for name in getattr(X, "columns", ())
        if _is_categorical(X[name])
    }


def categorical_columns(X: Any, categories: Categories) -> list[int]:
    """Where in a data frame the categorical columns stand."""
    return [j for j, name in enumerate(getattr(X, "columns", ())) if str(name) in categories]


def encode(X: Any, categories: Categories) -> Any:
    """The data frame with numbers for categories, NaN for missing and for unknown ones.

    The numbers depend on the categories' names, not on how a frame stores them.
    """
    _check_frame(X)
    if not hasattr(X, "columns"):
        if categories:
            raise TypeError(
                f"Parameter `X` should be a data frame, as in training: {', '.join(categories)} "
                f"held categories. Found {type(X).__name__}."
            )
        return X
    for name in X.columns:
        _check_column(str(name), X[name], str(name) in categories)
    if not categories:
        return X
    codes = {
        name: _codes(X[name], {value: code for code, value in enumerate(categories[str(name)])})
        for name in X.columns
        if str(name) in categories
    }
    if hasattr(X, "with_columns"):
        import polars as pl

        return X.with_columns(pl.Series(name, column) for name, column in codes.items())
    X = X.copy(deep=False)
    for name, column in codes.items():
        X[name] = column
    return X


def _is_categorical(column: Any) -> bool:
    return str(column.dtype) == "category" or _is_polars_category(column)


def _is_polars_category(column: Any) -> bool:
    return str(column.dtype).startswith(("Categorical", "Enum"))


def _categories(column: Any) -> list[Any]:
    if not _is_polars_category(column):
        return list(column.cat.categories.tolist())
    if str(column.dtype).startswith("Enum"):
        return list(column.dtype.categories.to_list())
    return sorted(column.drop_nulls().unique().cast(str).to_list())


def _codes(column: Any, number: dict[Any, int]) -> FloatArray:
    """The number of each value, NaN where there is none."""
    if _is_polars_category(column):
        own = sorted(column.drop_nulls().unique().cast(str).to_list())
        place = column.cast(str).replace_strict(
            {value: float(number.get(value, np.nan)) for value in own} or {"": np.nan}, default=None
        )
        return np.asarray(place.cast(float).fill_null(np.nan).to_numpy())
    # The last entry is for -1, by which pandas says 'missing'.
    known = [float(number.get(value, np.nan)) for value in column.cat.categories.tolist()]
    return np.asarray(np.take([*known, np.nan], column.cat.codes.to_numpy()))


def _plain(name: str, values: list[Any]) -> list[Any]:
    odd = next((value for value in values if not isinstance(value, _PLAIN)), None)
    if odd is not None:
        raise TypeError(
            f"Parameter `X[{name!r}]` should have text or numbers as categories. Found {odd!r} of "
            f"type {type(odd).__name__}. Convert them, such as `.astype(str).astype('category')`."
        )
    return values


def _check_column(name: str, column: Any, expected: bool) -> None:
    """A column should be categorical if it was in training, and only then."""
    if _is_categorical(column):
        if not expected:
            raise TypeError(
                f"Parameter `X[{name!r}]` should hold numbers, as it did in training. "
                "Found categories."
            )
        return
    if expected:
        raise TypeError(
            f"Parameter `X[{name!r}]` should be categorical, as it was in training. Found dtype "
            f"{column.dtype}. Cast it: `.astype('category')`, or `.cast(pl.Categorical)`."
        )
    if str(column.dtype).lower().startswith(_TIMES):
        raise TypeError(
            f"Parameter `X[{name!r}]` should hold numbers or categories. Found times, of dtype "
            f"{column.dtype}. Turn them into numbers, such as the days since some day."
        )
    if str(column.dtype).lower().startswith(("object", "str", "string")) and _holds_text(column):
        raise TypeError(
            f"Parameter `X[{name!r}]` should hold numbers or categories. Found text; cast it: "
            "`.astype('category')` in pandas, `.cast(pl.Categorical)` in polars."
        )


def _check_frame(X: Any) -> None:
    if sparse.issparse(X):
        # Its indices are looked at later, once.
        return
    check_features(X)
    if hasattr(X, "columns") and not hasattr(X, "dtypes"):
        raise TypeError(
            f"Parameter `X` should be an array or a data frame of pandas or polars. Found a "
            f"{type(X).__name__} of {type(X).__module__.partition('.')[0]}; convert it, such as "
            "`X.to_pandas()`."
        )


def _holds_text(column: Any) -> bool:
    return any(isinstance(value, str) for value in column)
