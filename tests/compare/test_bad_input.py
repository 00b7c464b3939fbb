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
    given = {"X": X, "Y": Y, "family": "linear", **options}
    return lambda: iso.compare(given.pop("X"), given.pop("Y"), **given)


# What is wrong: the call, the exception, and what its message must say.
ERRORS: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "family": (call(family="liner"), ValueError, "`family` should be 'auto', one.*'linear'"),
    "family, a number": (call(family=5), ValueError, "`family` should be 'auto'.*Found 5"),
    "family, auto and another": (
        call(family=["auto", "linear"]),
        ValueError,
        r"`family` should be a list of 'linear', 'boosted', 'neural'\. Found 'auto'\.$",
    ),
    "methods, a number": (call(methods=5), TypeError, "`methods` should be a list.*Found 5"),
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
    "preprocessor, nearly a name": (call(preprocessor="tabel"), TypeError, "or 'table'. Found"),
    "text, a number": (
        call(X=TEXT, text=5),
        TypeError,
        "`text` should be a list of columns' names. Found 5",
    ),
    "tradeoffs": (call(tradeoffs="no"), ValueError, "`tradeoffs` should be True or False"),
    "folds, more than rows": (call(folds=61), ValueError, "`folds` should be at most 60.*Found 61"),
    "folds": (call(folds=1), ValueError, "`folds` should be a whole number >= 2"),
    "repeats": (call(repeats=0), ValueError, "`repeats` should be a whole number >= 1"),
    "level": (call(level=95), ValueError, "`level` should lie between"),
    "n_jobs": (call(n_jobs=0), ValueError, "`n_jobs` should be a whole number >= 1"),
    "n_jobs, more than none": (call(n_jobs=-2), ValueError, "or -1 for one fit per core. Found -2"),
    "n_jobs, bool": (call(n_jobs=True), ValueError, "`n_jobs` should be"),
    "random_state": (call(random_state=-1), ValueError, "`random_state` should be"),
    "group_weight": (call(group_weight="all"), ValueError, "`group_weight` should be one of"),
    "methods, one label": (
        call(Y=Y[:, 0], methods=["mean"]),
        ValueError,
        "leave something.*With one label.*choose .one-label.",
    ),
    "rows": (call(X=X[:50]), ValueError, "`Y` and `X` should have the same.*60 and 50"),
    "X, no column": (call(X=X[:, :0]), ValueError, r"`X` should have at least one.*\(60, 0\)"),
    "Y, a name": (call(Y="click"), TypeError, r"`Y` should hold one value per row.*table\['click'"),
    "Y, words": (
        call(Y=pd.DataFrame({"buy": ["yes", "no"] * 30})),
        TypeError,
        r"`Y\['buy'\]` should be an array of numbers.*Map its values to numbers first",
    ),
    "groups, a name": (call(groups="q"), TypeError, r"`groups` should hold one.*table\['q'\]"),
    "weights, a name": (
        call(sample_weight="w"),
        TypeError,
        r"`sample_weight` should hold one value per row, such as `table\['w'\]`",
    ),
    "X, 1-D": (call(X=X[:, 0]), TypeError, "`X` should be a table.*one value per row"),
    "X, lazy": (call(X=pl.LazyFrame(X)), TypeError, r"`X` .*LazyFrame; pass `X.collect\(\)`"),
    "X, nothing": (call(X=None), TypeError, "`X` should be a table"),
    "X, text": (
        call(X=TEXT.to_numpy()),
        TypeError,
        "`X` should hold numbers.*data frame.*`preprocessor`",
    ),
    "goal": (call(goal="mn"), ValueError, "`goal` should be 'min', 'mean', or a dict.*Found 'mn'"),
    "goal, label": (call(goal={"click": 1}), ValueError, "`goal` should name labels: '0', '1'"),
    "goal, negative": (call(goal={0: -1, 1: 1}), ValueError, "`goal` should hold values >= 0"),
    "goal, nothing": (call(goal={}), TypeError, "`goal` should be a dict"),
    "goal, text": (call(goal={0: "a"}), TypeError, "`goal` should hold numbers. Found 'a'"),
    "goal, twice": (call(goal={0: 1, "0": 2}), ValueError, "names label '0' twice"),
    "at_least": (call(at_least={0: 75}), ValueError, "between 0 and 1.*Found 75 for label '0'"),
    "at_least, list": (call(at_least=[0.5]), TypeError, "`at_least` should be a dict"),
    "at_least and goal": (
        call(at_least={0: 0.6}, goal="mean"),
        ValueError,
        "should not both be given.*Leave `goal` out",
    ),
    "tune": (call(tune=1), (TypeError, ValueError), "`tune` should be"),
    "times, few": (call(splits=ROWS[:5]), ValueError, "one time for each of the 60 rows"),
    "times, one": (call(splits=ROWS * 0), ValueError, "at least two different times"),
    "times, missing": (
        call(splits=np.where(ROWS < 5, np.nan, ROWS)),
        ValueError,
        "a time for every row. Found 5 missing",
    ),
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
    "groups, no pairs": (call(groups=ROWS), ValueError, "no group with both of label '0'"),
    "splits, a number": (
        call(splits=5),
        ValueError,
        r"`splits` should hold pairs.*Found int\.$",
    ),
    "splits, a name": (call(splits="day"), TypeError, r"`splits` .*table\['day'\].*Found 'day'"),
    "splits, none": (call(splits=[]), ValueError, "at least 1 split:.*Found 0"),
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
