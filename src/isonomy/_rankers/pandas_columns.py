"""Columns of pandas, which has types, units, zones and missing values that polars has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isonomy._infra import LazyModule, listed

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars", "cli", "`TableEncoder`")


def pandas_column(column: Any) -> Any:
    """The values of a column of pandas, of any type, as polars takes them; None if missing."""
    if str(column.dtype).startswith("datetime64"):
        # The units and zones of pandas are not all polars'.
        return column.dt.as_unit("us").to_numpy(dtype="datetime64[us]")
    if column.dtype.kind in "iuf" or column.dtype == bool:
        values = column.to_numpy()
        return values.astype(np.float64) if values.dtype.itemsize > 8 else values
    values = column.astype(object).to_numpy(copy=True)
    values[column.isna().to_numpy(dtype=bool)] = None
    known = values.tolist()
    kinds = set(map(type, known)) - {type(None)}
    if np.ndarray in kinds:
        known = [value.tolist() if isinstance(value, np.ndarray) else value for value in known]
    if str in kinds and len(kinds) > 1:
        known = [None if value is None else str(value) for value in known]
    try:
        return pl.Series(known)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        raise ValueError(
            f"Column {str(column.name)!r} should hold values of one type. Found "
            f"{listed(sorted(kind.__name__ for kind in kinds))}. Convert it, such as "
            "`.astype(float)` or `.astype(str)`."
        ) from error
