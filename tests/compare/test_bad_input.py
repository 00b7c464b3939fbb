"""What users get wrong, and what they are told: one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import isonomy as iso
from tests.compare.made_data import made

X, Y = made(0, n=60)
HOLED = np.where(np.arange(240).reshape(60, 4) == 7, np.nan, X)
TEXT = pd.DataFrame(X).assign(site="x")
ROWS = np.arange(60)
ORDINAL = Y + 1


def call(**options: Any) -> Callable[[], Any]:
    given = {"X": X, "Y": Y, **options}
    return lambda: iso.compare(given.pop("X"), given.pop("Y"), **given)


# What is wrong: the call, the exception, and what its message must say.
ERRORS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "family": (call(family="liner"), ValueError, "`family` should be one.*'linear'"),
    "methods, one string": (call(methods="mean"), TypeError, "`methods` should be a list"),
    "methods, unknown": (call(methods=["los"]), ValueError, "Found 'los'. Did you mean 'loss'"),
    "methods, none": (call(methods=[]), ValueError, "`methods` and `rankers` should leave"),
    "rankers, one": (call(rankers=iso.LinearRanker()), TypeError, "`rankers` should be a dict"),
    "rankers, a class": (call(rankers=[iso.LinearRanker]), TypeError, "`rankers` should hold"),
    "rankers, no fit": (call(rankers={"a": 3}), TypeError, "Found 3 as 'a'"),
    "rankers, names": (call(rankers={3: iso.LinearRanker()}), TypeError, "named by strings"),
    "rankers, taken": (
        call(rankers={"plug-in": iso.LinearRanker()}),
        ValueError,
        "Found 'plug-in', which is also another",
    ),
    "preprocessor": (call(preprocessor="x"), TypeError, "`preprocessor` should be a transformer"),
    "folds": (call(folds=1), ValueError, "`folds` should be a whole number >= 2"),
    "repeats": (call(repeats=0), ValueError, "`repeats` should be a whole number >= 1"),
    "level": (call(level=95), ValueError, "`level` should lie between"),
    "n_jobs": (call(n_jobs=0), ValueError, "`n_jobs` should be a whole number >= 1"),
    "n_jobs, bool": (call(n_jobs=True), ValueError, "`n_jobs` should be"),
    "random_state": (call(random_state=-1), ValueError, "`random_state` should be"),
    "group_weight": (call(group_weight="all"), ValueError, "`group_weight` should be one of"),
    "rows": (call(X=X[:50]), ValueError, "`Y` and `X` should have the same.*60 and 50"),
    "X, 1-D": (call(X=X[:, 0]), TypeError, r"`X` should be a table.*\(60,\)"),
    "X, lazy": (call(X=pl.LazyFrame(X)), TypeError, "`X` should be a table.*LazyFrame"),
    "X, nothing": (call(X=None), TypeError, "`X` should be a table"),
    "X, text": (call(X=TEXT), TypeError, "`X` should hold numbers.*`preprocessor`"),
    "X, NaN": (call(X=HOLED), ValueError, "`X` should hold finite.*`SimpleImputer"),
    "Y, ordinal": (call(Y=ORDINAL), ValueError, "should hold binary labels.*2.0"),
    "Y, few rows": (call(X=X[:19], Y=Y[:19]), ValueError, "at least 20 rows.*Found 19"),
    "Y, one class": (call(Y=Y * [1, 0]), ValueError, "Found 0 and 60 of label '1'"),
    "Y, one positive": (call(Y=np.eye(60)[:, :1]), ValueError, "Found 1 and 59 of label '0'"),
    "weights, too few rows count": (
        call(sample_weight=ROWS < 10),
        ValueError,
        "at least 20 rows.*Found 10",
    ),
    "weights": (call(sample_weight=ROWS - 5), ValueError, "`sample_weight` should hold weights"),
    "groups": (call(groups=ROWS[:5]), ValueError, "`groups` should hold one group for each"),
    "groups, few": (
        call(groups=ROWS % 3),
        ValueError,
        "as many groups as there are folds.*folds=3",
    ),
    "groups, no pairs": (call(groups=ROWS), ValueError, "No method could be trained|inside"),
    "splits, a number": (call(splits=5), ValueError, "`splits` should hold pairs.*int"),
    "splits, one": (call(splits=[(ROWS[:50], ROWS[50:])]), ValueError, "at least 2 splits"),
    "splits, leak": (
        call(splits=[(ROWS[:50], ROWS[50:]), (ROWS, ROWS[:5])]),
        ValueError,
        "put a row into two parts.*Found 5 in both the training and the test part of split 1",
    ),
    "splits, groups leak": (
        call(splits=[(ROWS[:50], ROWS[50:]), (ROWS[5:], ROWS[:5])], groups=ROWS % 6),
        ValueError,
        "put a group into two parts",
    ),
    "splits, outside": (
        call(splits=[(ROWS[:50], ROWS[50:] + 1)] * 2),
        ValueError,
        r"row numbers in 0\.\.59. Found 51\.\.60",
    ),
    "splits, twice": (
        call(splits=[(ROWS[:50], np.full(5, 55))] * 2),
        ValueError,
        "each row once",
    ),
    "splits, floats": (
        call(splits=[(ROWS[:50] * 1.0, ROWS[50:])] * 2),
        ValueError,
        "row numbers, or a mask.*float64",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_name_the_cure(case: str) -> None:
    make, kind, message = ERRORS[case]
    with pytest.raises(kind, match=f"(?s){message}"):
        make()
