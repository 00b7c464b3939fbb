"""What an audit refuses, and how it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import isonomy as iso

Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
SCORE = np.array([0.1, 0.4, 0.3, 0.2])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"Y": [[0, 1], [2, 3], [1, 1], [0, 0]]}, ValueError, "binary labels.*Found 2.0"),
        ({"Y": np.zeros((0, 2))}, ValueError, "same number of rows. Found 0 and 4"),
        ({"Y": np.zeros((0, 2)), "y_score": np.zeros(0)}, ValueError, "at least one score"),
        ({"Y": np.zeros((4, 2, 1))}, ValueError, "shape"),
        ({"Y": [["a", "b"]] * 4}, TypeError, "numbers"),
        ({"Y": pl.DataFrame(Y).lazy()}, TypeError, "collect"),
        ({"Y": pd.DataFrame(Y, columns=["a", "a"])}, ValueError, "more than once"),
        ({"y_score": [0.1, np.nan, 0.3, 0.2]}, ValueError, "no NaN"),
        ({"y_score": [0.1, 0.2]}, ValueError, "same number of rows"),
        ({"y_score": np.zeros((4, 2))}, ValueError, "1-D"),
        ({"names": "ab"}, TypeError, "list of names"),
        ({"names": 3}, TypeError, "list of names"),
        ({"names": ["a"]}, ValueError, "each of the 2 labels. Found 1"),
        ({"names": ["a", "a"]}, ValueError, "'a' more than once"),
        ({"names": ["1", 1]}, ValueError, "'1' more than once"),
        ({"level": 1.0}, ValueError, "`level`"),
        ({"level": "0.9"}, ValueError, "`level`"),
        ({"sample_weight": [1, 2]}, ValueError, "`sample_weight`"),
        ({"sample_weight": [1, 2, -1, 0]}, ValueError, "`sample_weight`"),
        ({"groups": [1, 2]}, ValueError, "`groups`"),
        ({"group_weight": "same"}, ValueError, "`group_weight`"),
        ({"by": "country"}, TypeError, "table\\['country'\\]"),
        ({"by": 3}, TypeError, "one segment for each row"),
        ({"by": ["a", "b"]}, ValueError, "each of the 4 rows. Found 2"),
        ({"by": np.zeros((4, 1))}, ValueError, "1-D.*shape \\(4, 1\\)"),
        ({"by": np.array(3)}, ValueError, "1-D"),
        ({"by": pd.DataFrame({"a": [1, 2, 3, 4]})}, ValueError, "pass one column"),
        ({"by": {"a": 1, "b": 2, "c": 3, "d": 4}}, ValueError, "Found dict"),
        ({"by": [[1], [2], [3], [4]]}, TypeError, "told apart"),
    ],
)
def test_bad_input(given: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments = {"Y": Y, "y_score": SCORE, **given}
    with pytest.raises(error, match=message):
        iso.audit(arguments.pop("Y"), arguments.pop("y_score"), **arguments)


def test_too_many_segments() -> None:
    many = np.arange(1001)
    with pytest.raises(ValueError, match=r"at most 1,000 segments. Found 1,001"):
        iso.audit(many % 2, many, by=many)
