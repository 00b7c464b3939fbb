"""The rule, branch by branch."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._compare.methods import METHODS, Method
from isonomy._compare.recommend import Recommendation, best_method, paired_tests, recommend
from isonomy._compare.statistics import Resampling, SplitMean
from isonomy._compare.verdicts import conflict_units, severity, verdicts


def methods(*kinds: str) -> list[Method]:
    return [Method(f"the {kind}", METHODS[kind], None, None, standardise=False) for kind in kinds]


def decided(
    kinds: list[str], mins: list[float], p: list[float], worst: list[int], n_labels: int = 2
) -> Recommendation:
    named = methods(*kinds)
    mean = np.array(mins)
    return recommend(
        named,
        best_method(mean, named),
        mean,
        np.array(p),
        worst,
        level=0.95,
        n_splits=15,
        n_labels=n_labels,
    )


def test_a_clear_winner() -> None:
    found = decided(["worst", "mean", "loss"], [0.8, 0.7, 0.6], [1, 0.01, 0.001], [2, 0, 0])
    assert (found.index, found.tied) == (0, ())
    assert "'the worst' has the best smallest AUC" in found.reason
    assert "Each of the other 2 methods is surely worse." in found.reason


def test_without_a_p_value_nothing_is_surely_worse() -> None:
    found = decided(["worst", "mean", "loss"], [0.8, 0.7, np.nan], [1, np.nan, np.nan], [0, 0, 0])
    assert (found.index, found.tied) == (1, (0,))
    assert "surely worse" not in found.reason


def test_one_label_alone_is_not_left_out() -> None:
    found = decided(["one-label", "plug-in"], [0.8, 0.79], [1, 0.9], [0, 0], n_labels=1)
    assert (found.index, found.tied) == (0, (1,))
    assert "left out" not in found.reason
    assert "simplest" not in found.reason


def test_loss_aggregation_may_win() -> None:
    found = decided(["loss", "mean"], [0.8, 0.7], [1, 0.01], [2, 0])
    assert found.index == 0


def test_a_tie_goes_to_the_most_balanced() -> None:
    found = decided(["loss", "worst", "mean"], [0.8, 0.79, 0.6], [1, 0.3, 0.001], [2, 0, 0])
    assert (found.index, found.tied) == (1, (0,))
    assert "cannot tell it apart from 'the worst'" in found.reason
    assert (
        "'the worst' treats the labels most evenly where they conflict (balanced)" in found.reason
    )
    assert "0.790, a difference that could be chance" in found.reason


def test_then_to_the_simplest() -> None:
    found = decided(["worst", "loss", "mean"], [0.8, 0.79, 0.78], [1, 0.3, 0.3], [2, 2, 2])
    assert (found.index, found.tied) == (2, (0, 1))
    assert "Of those, 'the mean' is the simplest." in found.reason
    found = decided(["worst", "loss", "mean"], [0.8, 0.79, 0.78], [1, 0.3, 0.3], [0, 0, 2])
    assert found.index == 1
    assert "most evenly where they conflict (balanced), 'the loss' is the simplest" in found.reason


def test_no_label_is_left_out_for_want_of_data() -> None:
    found = decided(["one-label", "worst"], [0.8, 0.79], [1, 0.9], [1, 1])
    assert found.index == 1
    assert "A label is not left out as long as nothing speaks for it." in found.reason
    assert decided(["one-label", "worst"], [0.8, 0.7], [1, 0.01], [1, 1]).index == 0


def test_a_dictator_is_told() -> None:
    found = decided(["one-label", "mean"], [0.8, 0.7], [1, 0.01], [3, 0])
    assert "Beware: 'the one-label' still lets one label dictate to another" in found.reason


def test_failed_methods_are_out() -> None:
    found = decided(["mean", "loss"], [np.nan, 0.6], [np.nan, 1], [0, 0])
    assert (found.index, found.tied) == (1, ())
    assert "No other method could be compared" in found.reason


def test_equals_go_to_the_simplest() -> None:
    assert best_method(np.array([0.7, 0.7, np.nan]), methods("worst", "mean", "loss")) == 1
    assert next(iter(METHODS)) == "mean"
    assert list(METHODS)[-1] == "one-label"


def test_paired_tests_are_antisymmetric() -> None:
    rng = np.random.default_rng(0)
    smallest = rng.uniform(0.6, 0.9, (4, 6))
    smallest[3] = np.nan
    resampling = Resampling(0.25, 0.95)
    found = paired_tests(smallest, resampling, best=1)
    np.testing.assert_allclose(found.difference, -found.difference.T)
    np.testing.assert_allclose(found.low, -found.high.T)
    np.testing.assert_allclose(found.p_adjusted, found.p_adjusted.T)
    assert (found.p_adjusted >= found.p_value)[:3, :3][~np.eye(3, dtype=bool)].all()
    alone = resampling.p_values((smallest[1] - smallest[0])[:, None])[0]
    assert found.p_value[0, 1] == alone
    others = found.p_value[1, [0, 2]]
    assert found.versus_best[[0, 2]].min() == pytest.approx(min(2 * others.min(), 1))
    assert found.versus_best[1] == 1
    assert np.isnan(found.versus_best[3])


def test_verdicts_look_from_the_winner() -> None:
    mean = np.array([[np.nan, 0.05, 0.5], [0.95, np.nan, 0.7], [0.5, 0.3, np.nan]])
    conflicts = SplitMean(mean, mean - 0.02, mean + 0.02)
    lows = np.array([0.6, 0.6, 0.4])
    units = np.full((3, 3), 50)
    found = verdicts(conflicts, lows, units)
    assert found == (
        (None, "dictated", "balanced"),
        ("dictated", None, "not predicted"),
        ("balanced", "not predicted", None),
    )
    few = verdicts(conflicts, lows, np.full((3, 3), 9))
    assert {one for row in few for one in row} == {None, "undecided"}
    everywhere = np.array([True, True, True])
    assert severity(found, mean, everywhere) == 3
    part = np.ix_([1, 2], [1, 2])
    pair = ((None, "not predicted"), ("not predicted", None))
    assert severity(pair, mean[part], np.array([True, True])) == 3
    # What no method predicts makes no method look better than another.
    for one in ("not predicted", "dictated", "undecided", "balanced"):
        pair = ((None, one), (one, None))
        assert severity(pair, mean[part], np.array([True, False])) == 0
        assert severity(pair, mean[part], np.array([False, True])) == 0
    assert severity(((None,),), np.full((1, 1), np.nan), np.array([True])) == 0


def test_units_are_the_smaller_side_or_groups() -> None:
    Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [np.nan, 1]], float)
    assert conflict_units(Y, None).tolist() == [[0, 2], [2, 0]]
    assert conflict_units(Y, np.array([0, 0, 1, 0, 2, 2, 2])).tolist() == [[0, 1], [1, 0]]
