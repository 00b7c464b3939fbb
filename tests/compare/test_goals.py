"""Goals: one number of AUCs, and what users may ask for."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from isonomy._compare.goals import check_goal, joined, mean_of_defined

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
    assert worth.alone is None
    assert check_goal("min", None, NAMES).objective == iso.WorstLabel()
    assert check_goal("mean", None, NAMES).objective == iso.LossAggregation([1 / 3] * 3)
    assert check_goal("mean", None, NAMES[:1]).alone is None


def test_promises() -> None:
    goal = check_goal("min", {"buy": 0.6, 0: 0.65}, NAMES)
    assert goal.floors == ((0, 0.65), (1, 0.6))
    assert goal.value(AUCS).tolist() == [0.8, 0.9]
    assert goal.broken(AUCS) == pytest.approx([0.05, 0.1])
    assert goal.broken(AUCS, 0.01) == pytest.approx([0.06, 0.11])
    assert goal.noun == "AUC of 'share'"
    assert goal.objective == iso.OneLabel(2)
    assert goal.promise == "'click' at 0.65 and 'buy' at 0.6"
    # Each has its own to spare; what is kept is broken by nothing.
    assert goal.broken(AUCS, np.array([[0.1, 0.0, 9.0], [0.0, 0.0, 9.0]])) == pytest.approx(
        [0.15, 0.1]
    )
    assert goal.broken(np.array([0.65, 0.6, 0.0])) == 0
    assert check_goal("min", None, NAMES).broken(AUCS).tolist() == [0, 0]
    everything = check_goal("min", {0: 0.6, 1: 0.6, 2: 0.6}, NAMES)
    assert everything.value(AUCS) == pytest.approx([0.7, 0.7])
    assert everything.objective == iso.LossAggregation([1 / 3] * 3)


@pytest.mark.parametrize(
    ("goal", "at_least", "heading", "noun"),
    [
        ("min", None, "Min", "smallest AUC"),
        ("mean", None, "Mean", "mean AUC"),
        ({"buy": 30, 0: 0.5}, None, "Value", "AUC by your values (click 0.5, buy 30)"),
        ("min", {"buy": 0.6}, "Others", "mean AUC of the other labels"),
        ("min", {"buy": 0.6, "share": 0.6}, "Others", "AUC of 'click'"),
        ("min", {"click": 0.7, "buy": 0.6, "share": 0.6}, "Others", "mean AUC"),
    ],
)
def test_what_goals_are_called(goal: object, at_least: object, heading: str, noun: str) -> None:
    found = check_goal(goal, at_least, NAMES)
    assert (found.heading, found.noun) == (heading, noun)


def test_one_label_is_called_by_its_auc() -> None:
    for goal in ("min", "mean", {0: 1}):
        assert check_goal(goal, None, ["a"]).noun == "AUC"
    assert check_goal("min", None, ["a", "b"]).noun == "smallest AUC"


def test_parts_of_a_sentence() -> None:
    assert [joined("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


def test_the_mean_of_splits_is_the_goal_of_the_mean() -> None:
    splits = np.random.default_rng(0).uniform(0.5, 0.9, (4, 6, 3))
    for goal in ("min", "mean", {"buy": 2, "share": 1}):
        found = check_goal(goal, None, NAMES)
        assert found.linear(splits).mean(axis=-1) == pytest.approx(found.value(splits.mean(axis=1)))
        assert found.linear(splits[0]).tolist() == found.linear(splits)[0].tolist()
    smallest = check_goal("min", None, NAMES)
    splits[0, :, 1] = np.nan
    splits[1, :5, 0] = np.nan
    splits[1, 5, 0] = 0.1
    # A label that no split measures is not the worst; one that some measure may be.
    assert smallest.linear(splits)[0].mean() == np.nanmin(splits[0].mean(axis=0))
    assert np.array_equal(smallest.linear(splits)[1], splits[1, :, 0], equal_nan=True)


def test_means_of_what_is_defined() -> None:
    assert mean_of_defined(np.array([[0.5, np.nan], [0.7, np.nan]])).tolist()[0] == 0.6
    assert np.isnan(mean_of_defined(np.array([[np.nan], [np.nan]]))).all()
    splits = np.random.default_rng(0).uniform(size=(4, 6, 3))
    splits[splits < 0.2] = np.nan
    assert mean_of_defined(splits) == pytest.approx(np.nanmean(splits, axis=1))
    assert mean_of_defined(splits[0]) == pytest.approx(np.nanmean(splits[0], axis=0))


@pytest.mark.parametrize(
    ("goal", "at_least", "error", "message"),
    [
        ("most", None, ValueError, "`goal` should be 'min', 'mean'"),
        ({"bye": 1}, None, ValueError, "Found 'bye'"),
        ("maen", None, ValueError, "Found 'maen'. Did you mean 'mean'?"),
        (0.5, None, ValueError, r"Found 0.5\.$"),
        (None, None, ValueError, r"Found None\.$"),
        ({"buy": -1}, None, ValueError, "values >= 0"),
        ({"buy": -1, "click": 2}, None, ValueError, "values >= 0"),
        ({"buy": 0}, None, ValueError, "at least one of them positive"),
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
