"""What users get wrong with fronts, and what they are told: one table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from isonomy._rankers.linear.ranker import LinearRanker
from isonomy.pareto import Front, dominates, front, hypervolume, trace
from tests.pareto.made_data import made

X, Y = made(0, n=300)
ONE_CLASS = np.column_stack([Y[:, 0], np.zeros(300)])
RARE = np.column_stack([Y[:, 0], np.arange(300) == 7])
THIRD = np.arange(300) % 3
SPLIT = [k == THIRD for k in range(3)]


@cache
def a_front() -> Front:
    return trace(*made(0), n_points=2, random_state=0)


def traced(X: Any = X, Y: Any = Y, **options: Any) -> Any:
    return trace(X, Y, **{"ranker": LinearRanker(), "n_points": 2, "random_state": 0, **options})


ERRORS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    # Points.
    "dominates, unequal": (
        lambda: dominates([0.5, 0.6], [0.5]),
        ValueError,
        "`aucs_f` and `aucs_g` should have the same number of labels. Found 2 and 1",
    ),
    "dominates, 2-D": (
        lambda: dominates([[0.5, 0.6]], [0.5, 0.6]),
        ValueError,
        r"`aucs_f` should hold one number per label. Found shape \(1, 2\)",
    ),
    "dominates, scalar": (lambda: dominates([0.5], 0.5), ValueError, r"`aucs_g` .*shape \(\)"),
    "dominates, none": (lambda: dominates([], []), ValueError, r"`aucs_f` .*shape \(0,\)"),
    "dominates, NaN": (
        lambda: dominates([0.5, 0.6], [0.5, np.nan]),
        ValueError,
        "`aucs_g` should hold finite numbers. Found NaN; a label without pairs has no AUC",
    ),
    "dominates, text": (lambda: dominates(["a"], ["b"]), TypeError, "`aucs_f` .*array of numbers"),
    "front, 1-D": (
        lambda: front([0.5, 0.6]),
        ValueError,
        r"`points` should have shape \(n, K\).*Found shape \(2,\). Pass one point as `\[points\]`",
    ),
    "front, 3-D": (lambda: front(np.ones((2, 2, 2))), ValueError, r"`points` .*\(2, 2, 2\)"),
    "front, no labels": (lambda: front(np.ones((2, 0))), ValueError, r"`points` .*\(2, 0\)"),
    "front, NaN": (lambda: front([[0.5, np.nan]]), ValueError, "`points` .*Found NaN"),
    "front, infinite": (lambda: front([[0.5, np.inf]]), ValueError, "`points` .*Found infinity"),
    "front, ragged": (lambda: front([[0.5], [0.5, 1]]), TypeError, "`points` should be an array"),
    "front, None": (lambda: front([[0.5, None]]), ValueError, "`points` .*Found NaN"),
    "hypervolume, NaN": (lambda: hypervolume([[np.nan]]), ValueError, "`points` .*Found NaN"),
    "hypervolume, 1-D": (lambda: hypervolume([0.7, 0.8]), ValueError, r"`points` .*\(2,\)"),
    "hypervolume, long reference": (
        lambda: hypervolume([[0.7, 0.8]], reference=[0.5, 0.5, 0.5]),
        ValueError,
        "`reference` should be one number, or one for each of the 2 labels. Found 3",
    ),
    "hypervolume, NaN reference": (
        lambda: hypervolume([[0.7, 0.8]], reference=np.nan),
        ValueError,
        "`reference` should hold finite numbers. Found NaN; give the AUC from which on",
    ),
    "hypervolume, 2-D reference": (
        lambda: hypervolume([[0.7, 0.8]], reference=[[0.5, 0.5]]),
        ValueError,
        r"`reference` should hold one number per label. Found shape \(1, 2\)",
    ),
    # What to trace.
    "one label": (lambda: traced(Y=Y[:, 0]), ValueError, "`Y` should hold at least two labels"),
    "labels of 2": (lambda: traced(Y=2 * Y), ValueError, "`Y` should hold binary labels"),
    "too few rows of X": (
        lambda: traced(X=X[:-1]),
        ValueError,
        "`Y` and `X` should have the same number of rows. Found 300 and 299",
    ),
    "no X": (lambda: traced(X=None), TypeError, "`X` should be a table.*Found NoneType"),
    "NaN in X": (lambda: traced(X=np.full_like(X, np.nan)), ValueError, "NaN"),
    "one point": (
        lambda: traced(n_points=1),
        ValueError,
        "`n_points` should be at least 2: each label alone is a point. Found 1",
    ),
    "two points, three labels": (
        lambda: traced(Y=np.column_stack([Y, Y[:, :1]]), n_points=2),
        ValueError,
        "`n_points` should be at least 3",
    ),
    "half a point": (lambda: traced(n_points=2.5), ValueError, "`n_points` should be a whole"),
    "no level": (lambda: traced(level=1.0), ValueError, "`level` should lie between 0 and 1"),
    "group_weight": (lambda: traced(group_weight="row"), ValueError, "`group_weight` .*'pairs'"),
    "weights": (lambda: traced(sample_weight=np.ones(2)), ValueError, "`sample_weight` .*300"),
    "groups": (lambda: traced(groups=np.ones(2)), ValueError, "`groups` .*300 items"),
    "one class": (
        lambda: traced(Y=ONE_CLASS),
        ValueError,
        "`Y` should hold both classes of label '1' in each of.*one class in the training part",
    ),
    "one positive": (lambda: traced(Y=RARE), ValueError, "label '1' .*another `random_state`"),
    "one class in the test part": (
        lambda: traced(Y=np.column_stack([Y[:, 0], Y[:, 1] * (THIRD != 2)]), split=SPLIT),
        ValueError,
        "label '1' .*one class in the test part",
    ),
    "one class in the validation part": (
        lambda: traced(Y=np.column_stack([Y[:, 0], Y[:, 1] * (THIRD != 1)]), split=SPLIT),
        ValueError,
        "label '1' .*one class in the validation part",
    ),
    "no pairs inside groups": (
        lambda: traced(groups=np.arange(300)),
        ValueError,
        "label '0' inside one group in each of",
    ),
    "two groups": (
        lambda: traced(groups=np.arange(300) % 2),
        ValueError,
        "`groups` should hold at least three groups.*Found 2",
    ),
    # How to split.
    "test_size 0": (lambda: traced(test_size=0), ValueError, "`test_size` .*such as 0.1. Found 0"),
    "test_size 5": (lambda: traced(test_size=5), ValueError, "`test_size` should be a share"),
    "validation_size": (lambda: traced(validation_size="0.2"), ValueError, "`validation_size`"),
    "nothing to train on": (
        lambda: traced(validation_size=0.5, test_size=0.5),
        ValueError,
        "`validation_size` and `test_size` should leave rows to train on.*sum to 1",
    ),
    "a number as parts": (lambda: traced(split=5), ValueError, "`split` .*three parts.*Found int"),
    "two parts": (lambda: traced(split=SPLIT[:2]), ValueError, "`split` .*three parts.*Found 2"),
    "shared rows": (
        lambda: traced(split=[[0, 1], [2], [1, 3]]),
        ValueError,
        "`split` should not put a row into two parts.*Found 1 in both the training and the test",
    ),
    "shared groups": (
        lambda: traced(split=SPLIT, groups=np.arange(300) // 2),
        ValueError,
        "`split` should not put a group into two parts",
    ),
    "rows beyond the end": (
        lambda: traced(split=[[0], [1], [300]]),
        ValueError,
        r"`split` should hold row numbers in 0\.\.299. Found 300\.\.300 in the test part",
    ),
    "a row twice": (
        lambda: traced(split=[[0, 0], [1], [2]]),
        ValueError,
        "`split` should hold each row once. Found one twice in the training part",
    ),
    "short mask": (lambda: traced(split=[[True], [1], [2]]), ValueError, "`split` .*mask of all"),
    "empty part": (lambda: traced(split=[[0], [], [2]]), ValueError, "`split` .*the validation"),
    # What to fit.
    "a ranker's class": (
        lambda: traced(ranker=LinearRanker),
        TypeError,
        "`ranker` should be a ranker with a parameter `objective`, such as `LinearRanker()",
    ),
    "no ranker": (lambda: traced(ranker="linear"), TypeError, "`ranker` .*Found 'linear'"),
    # Goals.
    "preference too long": (
        lambda: a_front().preferred([1, 2, 3]),
        ValueError,
        "`vector` should hold one number for each of the 2 labels. Found 3",
    ),
    "preference negative": (
        lambda: a_front().preferred([1, -2]),
        ValueError,
        r"`vector` should hold numbers >= 0, at least one of them positive. Found \[1.0, -2.0\]",
    ),
    "preference zero": (lambda: a_front().preferred([0, 0]), ValueError, "`vector` .*positive"),
    "preference NaN": (lambda: a_front().preferred([1, np.nan]), ValueError, "`vector` .*NaN"),
    "weights too long": (
        lambda: a_front().ranker_at([1, 2, 3]),
        ValueError,
        "`weights` should hold one number for each of the 2 labels. Found 3",
    ),
    "weights zero": (lambda: a_front().ranker_at([0, 0]), ValueError, "`weights` .*positive"),
    "weights negative": (lambda: a_front().ranker_at([1, -1]), ValueError, "`weights` .*>= 0"),
    "no weights": (lambda: a_front().ranker_at(None), ValueError, "`weights` .*2 labels"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_what_is_wrong(name: str) -> None:
    call, error, message = ERRORS[name]
    with pytest.raises(error, match=message):
        call()
