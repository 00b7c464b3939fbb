"""Goals: one number of AUCs, and what users may ask for."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from isonomy._compare.goals import check_goal, mean_of_defined

NAMES = ("click", "buy", "share")
AUCS = np.array([[0.6, 0.7, 0.8], [0.7, 0.5, 0.9]])


def test_values() -> None:
    assert check_goal("min", None, NAMES).value(AUCS).tolist() == [0.6, 0.5]
    assert check_goal("mean", None, NAMES).value(AUCS) == pytest.approx([0.7, 0.7])
    worth = check_goal({"buy": 3, 0: 1}, None, NAMES)
    assert worth.value(AUCS) == pytest.approx([(0.6 + 2.1) / 4, (0.7 + 1.5) / 4])
    assert worth.objective == iso.LossAggregation([0.25, 0.75, 0.0])
    alone = check_goal({"buy": 3}, None, NAMES)
    assert (alone.alone, alone.objective) == (1, iso.OneLabel(1))


def test_promises() -> None:
    goal = check_goal("min", {"buy": 0.6, 0: 0.65}, NAMES)
    assert goal.floors == ((0, 0.65), (1, 0.6))
    assert goal.value(AUCS).tolist() == [0.8, 0.9]
    assert goal.broken(AUCS) == pytest.approx([0.05, 0.1])
    assert goal.broken(AUCS, 0.01) == pytest.approx([0.06, 0.11])
    assert goal.noun == "AUC of 'share'"
    everything = check_goal("min", {0: 0.6, 1: 0.6, 2: 0.6}, NAMES)
    assert everything.value(AUCS) == pytest.approx([0.7, 0.7])


def test_the_mean_of_splits_is_the_goal_of_the_mean() -> None:
    splits = np.random.default_rng(0).uniform(0.5, 0.9, (4, 6, 3))
    for goal in ("min", "mean", {"buy": 2, "share": 1}):
        found = check_goal(goal, None, NAMES)
        assert found.linear(splits).mean(axis=-1) == pytest.approx(found.value(splits.mean(axis=1)))


def test_means_of_what_is_defined() -> None:
    assert mean_of_defined(np.array([[0.5, np.nan], [0.7, np.nan]])).tolist()[0] == 0.6
    assert np.isnan(mean_of_defined(np.array([[np.nan], [np.nan]]))).all()


@pytest.mark.parametrize(
    ("goal", "at_least", "error", "message"),
    [
        ("most", None, ValueError, "`goal` should be 'min', 'mean'"),
        ({"bye": 1}, None, ValueError, "Found 'bye'"),
        ({"buy": -1}, None, ValueError, "values >= 0"),
        ({"buy": 1, 1: 2}, None, ValueError, "names label 'buy' twice"),
        ({True: 1}, None, ValueError, "Found True"),
        ("min", {"buy": 75}, ValueError, "between 0 and 1"),
        ("min", {"buy": "high"}, TypeError, "should hold numbers"),
        ("min", {}, TypeError, "should be a dict"),
        ("mean", {"buy": 0.7}, ValueError, "should not both be given"),
    ],
)
def test_bad_input(goal: object, at_least: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_goal(goal, at_least, NAMES)
