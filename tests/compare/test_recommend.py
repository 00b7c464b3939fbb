"""The rule, branch by branch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from isonomy._compare.families import FAMILIES, Family, mixed_family
from isonomy._compare.goals import Goal, check_goal, mean_of_defined
from isonomy._compare.methods import METHODS, Method, chance, goal_entries
from isonomy._compare.recommend import (
    TOLERANCE,
    Recommendation,
    expected_goals,
    how_sure,
    is_dominated,
    paired_tests,
    recommend,
)
from isonomy._compare.statistics import Resampling
from isonomy._core import OneLabel

RESAMPLING = Resampling(0.25, 0.95)
MIN = Goal("min", ("a", "b"))


def method(kind: str, family: str = "linear") -> Method:
    objective = OneLabel(0) if kind == "one-label" else METHODS[kind].objective
    name = "a alone" if kind == "one-label" else f"the {kind}"
    return Method(name, METHODS[kind], objective, None, False, FAMILIES[family])


def made_for(goal: Goal) -> Method:
    """The blend that is made to keep a goal's promises."""
    (entry,) = goal_entries(goal)
    return Method(entry.name, entry, entry.objective, None, False, FAMILIES["linear"])


def splits(*means: Any, spread: float = 0.001, seed: int = 0) -> np.ndarray:
    """AUCs (M, 10, K) with exactly these means and about this spread between splits."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(len(means), 10, np.size(means[0]))) * spread
    return np.array(means)[:, None] + noise - noise.mean(axis=1, keepdims=True)


def decided(
    kinds: list[str], means: list[Any], worst: list[int], goal: Goal = MIN, spread: float = 0.001
) -> Recommendation:
    methods = [chance() if kind == "chance" else method(kind) for kind in kinds]
    return recommend(methods, splits(*means, spread=spread), goal, RESAMPLING, worst)


def test_the_best_goal_wins_whatever_its_verdict() -> None:
    found = decided(["worst", "mean", "loss"], [(0.8, 0.81), (0.7, 0.9), (0.6, 0.9)], [3, 0, 0])
    assert (found.index, found.best, found.near) == (0, 0, ())
    assert found.kept
    assert found.above_chance
    assert found.agreement > 0.99
    assert found.expected_loss < 1e-4


def test_a_difference_that_is_not_significant_is_no_equality() -> None:
    found = decided(["worst", "mean"], [(0.8, 0.8), (0.77, 0.77)], [3, 0], spread=0.2)
    assert found.index == 0
    assert found.agreement < 0.9
    assert found.expected_loss > 0.01


def test_a_milder_one_stands_in_within_the_tolerance_only() -> None:
    near, far = 0.8 - TOLERANCE / 2, 0.8 - 2 * TOLERANCE
    found = decided(["worst", "mean"], [(0.8, 0.9), (near, 0.9)], [2, 0], spread=0.01)
    assert (found.index, found.best, found.near, found.milder) == (1, 0, (0,), True)
    found = decided(["worst", "mean"], [(0.8, 0.9), (far, 0.9)], [2, 0], spread=0.01)
    assert (found.index, found.near) == (0, ())


@pytest.mark.parametrize(("share", "within"), [(1 - 1e-9, True), (1 + 1e-9, False)])
def test_nearly_as_far_behind_as_the_tolerance_is_within_it(share: float, within: bool) -> None:
    aucs = np.array([[(0.7 + 2 * share * TOLERANCE, 0.7)] * 2, [(0.7, 0.7)] * 2])
    goal = check_goal("mean", None, "ab")
    found = recommend([method("worst"), method("mean")], aucs, goal, RESAMPLING, [2, 0])
    assert (found.index, found.near) == ((1, (0,)) if within else (0, ()))
    assert found.agreement == 1.0
    assert found.expected_loss == pytest.approx(TOLERANCE * within)


def test_of_equals_the_best_stands_in() -> None:
    kinds, means = ["worst", "mean", "mean"], [(0.8, 0.9), (0.799, 0.9), (0.7995, 0.9)]
    found = decided(kinds, means, [2, 0, 0], spread=0.01)
    assert (found.index, found.best, found.near) == (2, 0, (0, 1))


def test_then_the_simplest() -> None:
    near = 0.8 - TOLERANCE / 2
    found = decided(["worst", "mean"], [(0.8, 0.9), (near, 0.9)], [1, 1], spread=0.01)
    assert (found.index, found.milder) == (1, False)
    found = decided(["mean", "worst"], [(0.8, 0.9), (near, 0.9)], [1, 1], spread=0.01)
    assert (found.index, found.near) == (0, (1,))


def test_a_dominated_method_does_not_stand_in() -> None:
    """Nearly as good, but surely worse on both labels."""
    near = 0.8 - TOLERANCE / 2
    found = decided(["worst", "mean"], [(0.8, 0.8), (near, near)], [2, 0], spread=1e-5)
    assert found.index == 0
    aucs = splits((0.8, 0.8), (0.79, 0.79), (0.9, 0.7), spread=1e-4)
    assert is_dominated(1, [0, 1, 2], aucs, RESAMPLING)
    assert not is_dominated(0, [0, 1, 2], aucs, RESAMPLING)
    assert not is_dominated(2, [0, 1, 2], aucs, RESAMPLING)


def test_a_linear_one_gives_way_to_a_mix_that_is_ahead_on_every_label() -> None:
    """By however little: linear methods are simpler, mixes safer. To any other it does not."""
    mix = mixed_family([FAMILIES["linear"], FAMILIES["boosted"]])
    blends = [replace(method("blend"), family=each) for each in (FAMILIES["linear"], mix)]
    hair = 0.8 - TOLERANCE / 100

    def taken(linear: tuple[float, float], family: Family = mix) -> int:
        methods = [blends[0], replace(blends[1], family=family)]
        aucs = splits(linear, (0.8, 0.8), spread=0.01)
        return recommend(methods, aucs, MIN, RESAMPLING, [0, 0]).index

    assert taken((hair, hair)) == 1
    assert taken((hair, 0.8)) == taken((hair, 0.8 + 1e-15)) == 0
    assert taken((0.8 - 1e-15, 0.8 - 1e-15)) == 0
    assert taken((hair, hair), FAMILIES["boosted"]) == 0


def test_a_label_alone_is_taken_only_where_the_values_say_so() -> None:
    kinds, means = ["one-label", "mean"], [(0.9, 0.7), (0.8, 0.65)]
    assert decided(kinds, means, [0, 0]).index == 1
    assert decided(kinds, means, [0, 0], check_goal("mean", None, "ab")).index == 1
    assert decided(kinds, means, [0, 0], check_goal({"a": 2}, None, "ab")).index == 0
    assert decided(kinds, means, [0, 0], check_goal({"a": 2, "b": 1}, None, "ab")).index == 1
    assert decided(kinds[:1], means[:1], [0]).index == 0
    # And no other label alone.
    other = replace(method("one-label"), name="b alone", objective=OneLabel(1))
    aucs = splits((0.9, 0.7), (0.92, 0.8))
    goal = check_goal({"a": 2}, None, "ab")
    assert recommend([method("one-label"), other], aucs, goal, RESAMPLING, [0, 0]).index == 0


def test_chance_is_never_taken() -> None:
    found = decided(["chance", "mean"], [(0.5, 0.5), (0.7, 0.3)], [0, 3])
    assert found.index == 1
    assert not found.above_chance


def test_goals() -> None:
    means = [(0.9, 0.6), (0.7, 0.65), (0.62, 0.8)]
    kinds = ["loss", "worst", "mean"]
    assert decided(kinds, means, [0] * 3).index == 1
    assert decided(kinds, means, [0] * 3, check_goal("mean", None, "ab")).index == 0
    assert decided(kinds, means, [0] * 3, check_goal({"a": 1, "b": 9}, None, "ab")).index == 2


def test_promises() -> None:
    means = [(0.9, 0.6), (0.76, 0.7), (0.7, 0.8)]
    kinds = ["loss", "worst", "mean"]
    found = decided(kinds, means, [0] * 3, check_goal("min", {"a": 0.75}, "ab"))
    assert (found.index, found.kept) == (1, True)
    found = decided(kinds, means, [0] * 3, check_goal("min", {"a": 0.95}, "ab"))
    assert (found.index, found.kept) == (0, False)
    # A label alone keeps a promise where nothing else does.
    found = decided(
        ["one-label", "mean"], [(0.9, 0.5), (0.7, 0.7)], [0, 0], check_goal("min", {"a": 0.8}, "ab")
    )
    assert (found.index, found.kept) == (0, True)
    # Elsewhere it does not take part.
    found = decided(
        ["one-label", "mean"], [(0.9, 0.9), (0.9, 0.7)], [0, 0], check_goal("min", {"a": 0.8}, "ab")
    )
    assert (found.index, found.kept) == (1, True)


@pytest.mark.parametrize(
    ("of_promises", "first", "second", "index"),
    [
        (False, 1.2, 9.0, 1),  # 1.4 standard errors are to spare,
        (False, 1.6, 9.0, 0),
        (True, 0.2, 9.0, 0),  # but not by a method that allows for them itself,
        (True, -0.2, 9.0, 1),  # which is to keep the promise all the same.
        (True, -0.2, 0.2, 1),  # Where none has enough, keeping it on these rows counts.
    ],
)
def test_promises_are_kept_with_standard_errors_to_spare(
    of_promises: bool, first: float, second: float, index: int
) -> None:
    goal = check_goal("min", {"a": 0.7}, "ab")
    aucs = splits((0.7, 0.9), (0.7, 0.6), spread=0.02)
    error = RESAMPLING.errors(np.moveaxis(aucs, 1, 0))[:, 0]
    aucs[:, :, 0] += (np.array([first, second]) * error)[:, None]
    methods = [made_for(goal) if of_promises else method("loss"), method("worst")]
    found = recommend(methods, aucs, goal, RESAMPLING, [0, 0])
    assert (found.index, found.kept) == (index, True)


def test_a_label_alone_keeps_what_others_keep_by_chance() -> None:
    goal = check_goal("min", {"a": 0.7}, "ab")
    kinds, means = ["one-label", "mean"], [(0.9, 0.5), (0.701, 0.9)]
    assert decided(kinds, means, [0, 0], goal, spread=0.02).index == 0
    assert decided(kinds, means, [0, 0], goal, spread=0.0001).index == 1


def test_out_of_reach_only_how_near_counts() -> None:
    goal = check_goal("min", {"a": 0.95}, "ab")
    found = decided(["loss", "mean"], [(0.9, 0.6), (0.88, 0.9)], [0, 0], goal)
    assert (found.index, found.kept) == (0, False)
    assert found.agreement > 0.99


def above_chance(aucs: np.ndarray, goal: Goal) -> bool:
    return recommend([method("mean")], aucs[None], goal, RESAMPLING, [0]).above_chance


def test_the_best_of_many_is_in_part_the_luckiest() -> None:
    noise = np.random.default_rng(0).normal(size=(10, 1))
    rows = np.hstack([0.55 + 0.035 * noise, 0.56 + 0.035 * noise])
    alone = recommend([method("mean")], rows[None], MIN, RESAMPLING, [0])
    worse = np.stack([rows, *(rows - 0.02 * k for k in range(1, 20))])
    among = recommend([method("mean")] * 20, worse, MIN, RESAMPLING, [0] * 20)
    assert (alone.above_chance, among.above_chance) == (True, True)
    assert (alone.beyond_luck, among.beyond_luck) == (True, False)


def test_above_chance_is_what_the_interval_says() -> None:
    mean = check_goal("mean", None, "ab")
    # The smallest AUC may be that of a label whose own is hardly known.
    noise = splits((0.0,), spread=1.0)[0]
    vague = np.hstack([0.6 + 0.001 * noise, 0.62 + 0.3 * noise])
    assert not above_chance(vague, MIN)
    assert above_chance(np.hstack([0.6 + 0.001 * noise, 0.62 + 0.002 * noise]), MIN)
    assert above_chance(np.hstack([0.9 + 0.01 * noise, 0.45 + 0.01 * noise]), mean)
    assert not above_chance(np.hstack([0.6 + 0.3 * noise, 0.5 + 0.3 * noise]), mean)
    assert not above_chance(np.full((10, 2), 0.5), MIN)


def test_few_splits_cannot_tell_what_is_above_chance() -> None:
    mean = check_goal("mean", None, "ab")
    wide = np.array([0.2, 1.0, 0.3, 0.95])[:, None] + np.zeros(2)
    for goal in (MIN, mean):
        assert not above_chance(wide, goal)
        assert above_chance(wide[[1, 2, 3]], goal)
        assert not above_chance(wide[[0, 2, 3]], goal)
    # Neither can many that do not measure a label.
    rare = np.full((10, 2), 0.9)
    rare[1:, 1] = np.nan
    assert above_chance(rare, mean)


def test_promises_that_cannot_all_be_kept_are_broken_as_little_as_can_be() -> None:
    """The one that is broken most counts; a method made for promises has no bonus then."""
    goal = check_goal("min", {"a": 0.7, "b": 0.7}, "ab")
    means = [(0.42, 0.68), (0.53, 0.55), (0.75, 0.2)]
    found = decided(["loss", "worst", "mean"], means, [0] * 3, goal)
    assert (found.index, found.kept) == (1, False)
    assert found.agreement > 0.99
    assert found.expected_loss < 1e-4
    assert goal.broken(np.array(means)) == pytest.approx([0.28, 0.17, 0.5])
    # Out of reach is what nothing keeps on these rows, not what nothing keeps for certain.
    found = decided(["loss", "worst"], [(0.71, 0.71), (0.6, 0.9)], [0, 0], goal, spread=0.2)
    assert (found.index, found.kept) == (0, True)


def test_failed_methods_are_out() -> None:
    found = decided(["mean", "loss"], [(np.nan, np.nan), (0.6, 0.6)], [0, 0])
    assert (found.index, found.near) == (1, ())


def test_one_label() -> None:
    goal = Goal("min", ("a",))
    found = decided(["one-label", "plug-in"], [(0.8,), (0.79,)], [0, 0], goal)
    assert found.index == 0
    # No other stands in for the best: there are no conflicts.
    found = decided(["plug-in", "mean"], [(0.8,), (0.799,)], [0, 0], goal, spread=0.01)
    assert (found.index, found.near) == (0, (1,))


def test_how_sure_is_the_share_of_resamples() -> None:
    """Two methods that differ by a tenth of a standard error: about a coin."""
    aucs = splits((0.8, 0.8), (0.801, 0.801), spread=0.03)
    share, loss = how_sure(0, [0, 1], aucs, MIN, RESAMPLING)
    assert 0.3 < share < 0.75
    other, _ = how_sure(1, [0, 1], aucs, MIN, RESAMPLING)
    assert share + other > 1
    assert 0 < loss < 0.02
    apart = aucs[1] - aucs[0]
    drawn = RESAMPLING.draws(aucs, 4000, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.mean(axis=0), aucs.mean(axis=1), atol=2e-3)
    # t with 9 degrees of freedom has 9 / 7 of the variance.
    expected = np.sqrt((1 / 10 + 0.25) * apart.var(axis=0, ddof=1) * 9 / 7)
    np.testing.assert_allclose((drawn[:, 1] - drawn[:, 0]).std(axis=0), expected, rtol=0.1)


def test_expected_goals_allow_for_what_is_not_sure() -> None:
    aucs = splits((0.7, 0.7, 0.7), (0.69, 0.8, 0.8), (np.nan,) * 3, (0.5, 0.5, 0.9), spread=0.05)
    aucs[3] += 4 * (aucs[3] - aucs[3].mean(axis=0))
    found = expected_goals(aucs, Goal("min", tuple("abc")), RESAMPLING)
    # The errors are those of the two that are near the best, on average.
    shared = np.mean([np.cov(each.T) for each in aucs[:2]], axis=0) * (1 / 10 + 0.25)
    errors = np.random.default_rng(3).multivariate_normal(np.zeros(3), shared, 40_000)
    for method in (0, 1, 3):
        oracle = (aucs[method].mean(axis=0) + errors).min(axis=1).mean()
        np.testing.assert_allclose(found[method], oracle, atol=1e-3)
    # Three splits do not tell, and four do.
    for n, told in ((2, False), (3, False), (4, True), (5, True)):
        few = expected_goals(aucs[:, :n], Goal("min", tuple("abc")), RESAMPLING)[0]
        assert (few < aucs[0, :n].mean(axis=0).min() - 1e-3) == told
    # Of two labels, too, one may be worse than it looks; a single one may not.
    assert expected_goals(aucs[:2, :, :2], MIN, RESAMPLING)[0] < 0.7 - 1e-3
    alone = expected_goals(aucs[:2, :, :1], Goal("min", ("a",)), RESAMPLING)
    assert alone.tolist() == mean_of_defined(aucs[:2, :, :1])[:, 0].tolist()
    assert np.isnan(expected_goals(aucs[2:3], Goal("min", tuple("abc")), RESAMPLING)).all()
    # Three labels on one level are likelier to have one that is worse than it looks.
    assert found[1] > found[0]
    assert found[0] < 0.7
    assert np.isnan(found[2])
    mean = check_goal("mean", None, "abc")
    np.testing.assert_allclose(expected_goals(aucs[:2], mean, RESAMPLING), [0.7, 0.7633], atol=1e-4)


def test_equal_scores_are_expected_to_stay_at_one_half() -> None:
    (below,) = splits((0.49, 0.5), spread=0.02)
    alike = np.full((10, 2), 0.5)
    found = expected_goals(np.stack([below, alike, alike]), MIN, RESAMPLING)
    assert found[0] < 0.49
    assert (found[1:] == 0.5).all()
    # How unsure the others are does not depend on how many methods rank by nothing.
    alone = expected_goals(below[None], MIN, RESAMPLING)[0]
    np.testing.assert_allclose(found[0], alone, atol=1e-12)
    assert (expected_goals(np.stack([alike, alike]), MIN, RESAMPLING) == 0.5).all()


def test_the_linear_goal_has_the_goal_of_the_means() -> None:
    rng = np.random.default_rng(0)
    aucs = rng.uniform(0.5, 0.9, (4, 6, 3))
    aucs[0, 2, 1] = np.nan
    for goal in (Goal("min", ("a", "b", "c")), check_goal({"a": 1, "c": 2}, None, "abc")):
        means = goal.linear(aucs[1:]).mean(axis=1)
        np.testing.assert_allclose(means, goal.value(aucs[1:].mean(axis=1)))


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
    # No two AUCs are farther apart than 0 and 1.
    wild = paired_tests(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]), resampling, best=0)
    assert (wild.low[0, 1], wild.high[0, 1]) == (-1, 1)


def test_nobody_stands_in_who_is_behind_on_every_label() -> None:
    """Not surely, but by more than the tolerance on average."""
    rng = np.random.default_rng(0)
    noise = rng.normal(scale=0.01, size=(2, 10, 2))
    noise -= noise.mean(axis=1, keepdims=True)
    best, other = np.array([0.700, 0.75]), np.array([0.699, 0.74])
    aucs = np.stack([best, other])[:, None] + noise
    assert is_dominated(1, [0, 1], aucs, RESAMPLING)
    assert not is_dominated(0, [0, 1], aucs, RESAMPLING)
    close = np.stack([best, best - 0.001])[:, None] + noise
    assert is_dominated(1, [0, 1], close, RESAMPLING) is False
    # Who has the same on one label is not behind on it.
    aucs[1, :, 0] = aucs[0, :, 0]
    assert not is_dominated(1, [0, 1], aucs, RESAMPLING)


@pytest.mark.parametrize(("p_value", "surely"), [(0.07, True), (0.13, False)])
def test_being_behind_on_every_label_is_tested_on_one_side(p_value: float, surely: bool) -> None:
    lead = TOLERANCE / 2
    noise = splits((0.0, 0.0), spread=1.0)[0]
    error = lead / stats.t.isf(p_value / 2, 9)
    difference = lead + noise / RESAMPLING.errors(noise) * error
    assert RESAMPLING.p_values(difference) == pytest.approx([p_value] * 2)
    other = splits((0.7, 0.7))[0]
    aucs = np.stack([other + difference, other])
    assert is_dominated(1, [0, 1], aucs, RESAMPLING) is surely


def test_where_nothing_is_above_chance_the_best_estimate_is_told() -> None:
    """Neither the simplest of those near it, nor one that is hardly above."""
    kinds, means = ["mean", "worst"], [(0.4995, 0.7), (0.5005, 0.6)]
    found = decided(kinds, means, [0, 3], spread=0.01)
    assert (found.index, found.best, found.near) == (1, 1, ())
    assert not found.above_chance
    # Surely above a half, and yet worth nothing; alone, a label may have as little.
    found = decided(kinds, [(0.506, 0.506), (0.502, 0.502)], [0, 0], spread=1e-4)
    assert not found.above_chance
    alone = decided(["one-label"], [(0.506,)], [0], Goal("min", ("a",)), spread=1e-4)
    assert alone.above_chance
    assert decided(kinds, [(0.52, 0.52), (0.5, 0.5)], [0, 0], spread=1e-4).above_chance
