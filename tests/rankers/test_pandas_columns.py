"""Columns of pandas are read as those of polars."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from isonomy._rankers import TableEncoder

DAYS = pd.Series(pd.date_range("1960-01-01", periods=4))
GAP = [False, True, False, False]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pd.Series(["b", None, "a", "b"], dtype="string"), ["b", None, "a", "b"]),
        (pd.Series(["b", None, "a", "b"], dtype="string[pyarrow]"), ["b", None, "a", "b"]),
        (pd.Series(["b", pd.NA, "a", "b"], dtype=object), ["b", None, "a", "b"]),
        (pd.Series([True, None, False, True], dtype="boolean"), [True, None, False, True]),
        (pd.Series([True, None, False, True], dtype="bool[pyarrow]"), [True, None, False, True]),
        (pd.Series([1, None, 3, 1], dtype="Int64"), [1, None, 3, 1]),
        (pd.Series([1, "a", None, 1], dtype=object), ["1", "a", None, "1"]),
        (pd.Series([1.5, 2.5, 3.5, 4.5], dtype=np.longdouble), [1.5, 2.5, 3.5, 4.5]),
        (pd.Series([1.0, np.nan, 3.0, 1.0]).astype("Sparse[float]"), [1.0, None, 3.0, 1.0]),
        (DAYS.astype("datetime64[s]"), DAYS.to_list()),
        (DAYS.mask(GAP).dt.tz_localize("UTC"), DAYS.mask(GAP).dt.to_pydatetime().tolist()),
        (DAYS.dt.tz_localize("Asia/Tokyo"), (DAYS - pd.Timedelta(hours=9)).to_list()),
        (DAYS.dt.date.astype("date32[pyarrow]"), DAYS.dt.date.to_list()),
        (DAYS.astype("timestamp[us][pyarrow]"), DAYS.to_list()),
    ],
    ids=lambda given: str(given.dtype) if isinstance(given, pd.Series) else "",
)
def test_every_type_of_pandas(column: pd.Series, expected: list[object]) -> None:
    expected = [None if value is pd.NaT else value for value in expected]
    frames = pd.DataFrame({"c": column}), pl.DataFrame({"c": expected})
    found, same = (TableEncoder().fit(frame) for frame in frames)
    assert found.get_feature_names_out().tolist() == same.get_feature_names_out().tolist()
    assert np.array_equal(found.transform(frames[0]), same.transform(frames[1]))


def test_arrays_in_cells_are_left_out() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "embedding": [np.ones(2), None, np.zeros(2)]})
    assert "List" in TableEncoder().fit(frame).dropped_["embedding"]


@pytest.mark.parametrize("cells", [[1, 2**200], [pd.Timestamp("2000"), 2.5], ["a", "\ud800"]])
def test_cells_of_no_common_type_are_refused(cells: list[object]) -> None:
    frame = pd.DataFrame({"odd": pd.Series(cells, dtype=object)})
    with pytest.raises(ValueError, match=r"Column 'odd' should hold values of one type.*astype"):
        TableEncoder().fit(frame)
