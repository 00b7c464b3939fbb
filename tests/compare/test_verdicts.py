"""Verdicts on pairs of labels, from splits."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._audit import Verdict
from isonomy._compare.statistics import SplitMean
from isonomy._compare.verdicts import conflict_units, severity, verdicts


def test_verdicts_look_from_the_winner() -> None:
    mean = np.array([[np.nan, 0.05, 0.5], [0.95, np.nan, 0.7], [0.5, 0.3, np.nan]])
    conflicts = SplitMean(mean, mean - 0.02, mean + 0.02)
    own = np.array([0.65, 0.65, 0.5])
    aucs = SplitMean(own, own - 0.05, own + 0.05)
    units = np.full((3, 3), 50)
    found = verdicts(conflicts, aucs, units)
    assert found == (
        (None, "dictated", "balanced"),
        ("dictated", None, "not predicted"),
        ("balanced", "not predicted", None),
    )
    # Who is surely ranked backwards is known, and ranked against.
    turned = SplitMean(own, own - 0.2, own - 0.01)
    assert verdicts(conflicts, turned, units)[1][2] == "leaning"
    few = verdicts(conflicts, aucs, np.full((3, 3), 9))
    assert {one for row in few for one in row} == {None, "undecided"}


@pytest.mark.parametrize(
    ("one", "expected"),
    [("balanced", 0), ("undecided", 1), ("leaning", 2), ("dictated", 3), ("not predicted", 3)],
)
def test_severity_is_that_of_the_worst(one: Verdict, expected: int) -> None:
    table: tuple[tuple[Verdict | None, ...], ...] = (
        (None, one, "balanced"),
        (one, None, "balanced"),
        ("balanced", "balanced", None),
    )
    conflicts = np.array([[np.nan, 0.3, 0.4], [0.7, np.nan, 0.5], [0.6, 0.5, np.nan]])
    assert severity(table, conflicts, np.array([True, True, True])) == expected
    # Even conflicts have a verdict as well; where there are none there is nothing to judge.
    pair = np.ix_([0, 1], [0, 1])
    both = ((None, one), (one, None))
    assert severity(both, np.full((2, 2), 0.5), np.array([True, True])) == expected
    assert severity(both, np.full((2, 2), np.nan), np.array([True, True])) == 0
    # What no method predicts makes no method look better than another.
    for predictable in ([True, False], [False, True], [False, False]):
        assert severity(both, conflicts[pair], np.array(predictable)) == 0
    assert severity(((None,),), np.full((1, 1), np.nan), np.array([True])) == 0


def test_units_are_the_smaller_side_or_groups() -> None:
    Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [np.nan, 1]], float)
    assert conflict_units(Y, None).tolist() == [[0, 2], [2, 0]]
    assert conflict_units(Y, np.array([0, 0, 1, 0, 2, 2, 2])).tolist() == [[0, 1], [1, 0]]
