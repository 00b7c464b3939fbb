"""The training loss of every objective against all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import isonomy as iso
from isonomy._core.items import Items
from isonomy._pairsums.pair_loss import PreferenceLoss, find_surrogate
from isonomy.surrogates import SURROGATES, Analytic, Surrogate, Tail
from tests.oracles import OBJECTIVES, ONE_SIDED, Case, cost_matrix, ramp, rows_of
from tests.pairsums import oracle
from tests.pairsums.cases import each_surrogate, some_scores
from tests.strategies import COMPLETE_FORMS, MISSING_FORMS, Problem, problems

each_objective = pytest.mark.parametrize("case", OBJECTIVES, ids=lambda case: case.name)


def ratio_losses(
    case: Case, problem: Problem, scores: np.ndarray, surrogate: Surrogate
) -> list[oracle.Loss | None]:
    """The loss of each ratio pair by pair; None where it has no pairs."""
    n = scores.size
    weight = np.ones(n) if problem.sample_weight is None else problem.sample_weight
    group = np.zeros(n) if problem.groups is None else problem.groups
    equal = problem.groups is not None and problem.group_weight == "equal"
    return [
        oracle.ratio_loss(cost_matrix(cost, n), scores, surrogate, weight, group, equal=equal)
        for cost in case.costs(rows_of(problem.Y))
    ]


def mixed(case: Case, parts: list[oracle.Loss]) -> oracle.Loss:
    """The mean of the ratios, or the largest."""
    if case.name == "worst":
        return max(parts, key=lambda part: part.value)
    a = ramp(len(parts)) if case.name == "loa-weights" else [1.0] * len(parts)

    def mean(name: str) -> Any:
        return sum(x * getattr(part, name) for x, part in zip(a, parts, strict=True)) / sum(a)

    return oracle.Loss(mean("value"), mean("gradient"), mean("hessian_diagonal"))


def check(case: Case, problem: Problem, scores: np.ndarray, surrogate: Surrogate) -> None:
    def call() -> iso.PairLossResult:
        return iso.pair_loss(
            problem.Y,
            scores,
            case.objective(problem.Y.shape[1]),
            surrogate=surrogate.name,
            hessian=True,
            **problem.options,
        )

    parts = ratio_losses(case, problem, scores, surrogate)
    if None in parts:
        with pytest.warns(UndefinedMetricWarning, match="The loss is undefined"):
            found = call()
        assert math.isnan(found.value)
        assert np.isnan(found.gradient).all()
        assert np.isnan(found.hessian_diagonal).all()
        return
    found, expected = call(), mixed(case, parts)
    oracle.assert_close(found.value, expected.value, 1e-12, 1.0)
    losses = sorted(part.value for part in parts)
    if case.name == "worst" and len(parts) > 1 and losses[-1] - losses[-2] <= 1e-9 * losses[-1]:
        return  # Which of two worst labels gives the gradient is a matter of rounding.
    oracle.assert_close(found.gradient, expected.gradient, 1e-12, 1.0)
    oracle.assert_close(found.hessian_diagonal, expected.hessian_diagonal, 1e-11, 1.0)


@each_objective
@given(data=st.data(), surrogate=st.sampled_from(list(SURROGATES.values())))
def test_small_problems(case: Case, data: st.DataObject, surrogate: Surrogate) -> None:
    problem = data.draw(problems(missing=not case.complete, levels=3 if case.ordinal else 2))
    scores = data.draw(some_scores(problem.Y.shape[0], surrogate.max_range))
    check(case, problem, scores, surrogate)


def problem_of(n: int, *, seed: int, missing: bool, grouped: str | None = None) -> Problem:
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, 3)) < [0.5, 0.2, 0.7]).astype(float)
    if missing:
        Y[rng.random(Y.shape) < 0.2] = np.nan
    groups = None if grouped is None else rng.integers(0, 2, n)
    return Problem(Y, rng.normal(size=n), rng.random(n), groups, grouped or "pairs")


@each_objective
@pytest.mark.parametrize("grouped", [None, "pairs", "equal"])
def test_larger_problems(case: Case, grouped: str | None) -> None:
    problem = problem_of(170, seed=1, missing=not case.complete, grouped=grouped)
    for name in ("logistic", "squared_hinge"):
        check(case, problem, problem.scores, SURROGATES[name])


@each_surrogate
@pytest.mark.parametrize("costs", ["linear", "uniform"])
def test_real_valued_aggregates(surrogate: Surrogate, costs: str) -> None:
    rng = np.random.default_rng(2)
    Y, scores, weight = rng.random((250, 2)), rng.normal(size=250), rng.random(250)
    levels = Y[:, 0] + Y[:, 1] ** 2
    objective = iso.LabelAggregation(lambda Y: Y[:, 0] + Y[:, 1] ** 2, costs=costs)
    gap = np.maximum(levels[:, None] - levels, 0.0)
    table = gap if costs == "linear" else np.sign(gap)
    for groups in (None, np.arange(250) % 3):
        group = np.zeros(250) if groups is None else groups
        for how in ("pairs", "equal"):
            found = iso.pair_loss(
                Y,
                scores,
                objective,
                surrogate=surrogate.name,
                hessian=True,
                sample_weight=weight,
                groups=groups,
                group_weight=how,
            )
            equal = groups is not None and how == "equal"
            expected = oracle.ratio_loss(table, scores, surrogate, weight, group, equal=equal)
            oracle.assert_close(found.value, expected.value, 1e-12, 1.0)
            oracle.assert_close(found.gradient, expected.gradient, 1e-12, 1.0)
            oracle.assert_close(found.hessian_diagonal, expected.hessian_diagonal, 1e-11, 1.0)


@each_surrogate
@each_objective
def test_the_gradient_is_the_slope_of_the_value(case: Case, surrogate: Surrogate) -> None:
    problem = problem_of(200, seed=3, missing=False)
    direction = np.random.default_rng(4).normal(size=200)

    def at(t: float) -> iso.PairLossResult:
        return iso.pair_loss(
            problem.Y,
            problem.scores + t * direction,
            case.objective(3),
            surrogate=surrogate.name,
            **problem.options,
        )

    step = 1e-6
    slope = (at(step).value - at(-step).value) / (2.0 * step)
    assert at(0.0).gradient @ direction == pytest.approx(slope, rel=1e-4, abs=1e-7)


# Relation to the metrics.


@pytest.fixture
def step(monkeypatch: pytest.MonkeyPatch) -> str:
    """At whole margins 1 for a wrongly ordered pair, 1/2 for a tie: summed pair by pair only."""
    entry = Surrogate(
        "step",
        value=lambda z: np.clip(0.5 - z, 0.0, 1.0),
        slope=np.zeros_like,
        curvature=np.zeros_like,
        shape=Analytic(right=Tail(), left=Tail((1.0, 0.0, 0.0))),
    )
    monkeypatch.setitem(SURROGATES, "step", entry)
    return "step"


@each_objective
def test_with_a_step_the_loss_is_one_minus_the_auc(case: Case, step: str) -> None:
    rng = np.random.default_rng(5)
    for seed in range(10):
        problem = problem_of(60, seed=seed, missing=not case.complete)
        scores = rng.integers(0, 20, 60).astype(float)
        objective = case.objective(3)
        for options in ({}, problem.options, {"groups": np.arange(60) % 4}):
            found = iso.pair_loss(problem.Y, scores, objective, surrogate=step, **options)
            auc = iso.objective_auc(problem.Y, scores, objective, **options)
            assert found.value == pytest.approx(1.0 - auc, abs=1e-13)


@each_objective
@pytest.mark.parametrize("n", [70, 3000])
def test_a_steep_sigmoid_is_a_step(case: Case, n: int) -> None:
    problem = problem_of(n, seed=6, missing=not case.complete)
    scores = np.random.default_rng(7).integers(0, 500, n).astype(float)
    objective = case.objective(3)
    found = iso.pair_loss(
        problem.Y, 1e3 * scores, objective, surrogate="sigmoid", **problem.options
    )
    auc = iso.objective_auc(problem.Y, scores, objective, **problem.options)
    assert found.value == pytest.approx(1.0 - auc, abs=1e-12)


@each_surrogate
@given(data=st.data())
def test_label_and_loss_aggregation_differ_on_conflicts(
    surrogate: Surrogate, data: st.DataObject
) -> None:
    """For K = 2 the count-weighted LoA loss exceeds the LaA loss by l(z) + l(-z) on conflicts."""
    n = data.draw(st.integers(4, 100))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    Y = rng.integers(0, 2, (n, 2))
    Y[:4] = [[1, 0], [0, 1], [1, 1], [0, 0]]
    scores = rng.normal(size=n)
    pairs_of_labels = sum(y.sum() * (1 - y).sum() for y in Y.T)
    levels = Y.sum(axis=1)
    pairs_of_levels = np.maximum(levels[:, None] - levels, 0).sum()
    loa = iso.pair_loss(Y, scores, iso.LossAggregation("balanced"), surrogate=surrogate.name)
    laa = iso.pair_loss(Y, scores, iso.LabelAggregation(), surrogate=surrogate.name)
    z = np.subtract.outer(scores[(Y == [1, 0]).all(1)], scores[(Y == [0, 1]).all(1)])
    excess = (surrogate.value(z) + surrogate.value(-z)).sum()
    difference = loa.value * pairs_of_labels - laa.value * pairs_of_levels
    assert difference == pytest.approx(excess, rel=1e-10)


@each_surrogate
def test_balanced_and_label_aggregation_agree_without_conflicts(surrogate: Surrogate) -> None:
    rng = np.random.default_rng(8)
    levels = rng.integers(0, 3, 300)
    Y = np.c_[levels > 0, levels > 1].astype(int)
    scores = rng.normal(size=300)
    one = iso.pair_loss(Y, scores, iso.LossAggregation("balanced"), surrogate=surrogate.name)
    other = iso.pair_loss(Y, scores, surrogate=surrogate.name)
    assert one.value == pytest.approx(other.value, rel=1e-13)
    np.testing.assert_allclose(one.gradient, other.gradient, rtol=1e-11, atol=1e-16)


@each_surrogate
def test_worst_label_is_the_largest_of_the_labels_losses(surrogate: Surrogate) -> None:
    problem = problem_of(300, seed=9, missing=True, grouped="equal")
    options = {"surrogate": surrogate.name, "hessian": True, **problem.options}
    each = [iso.pair_loss(problem.Y, problem.scores, iso.OneLabel(k), **options) for k in range(3)]
    worst = iso.pair_loss(problem.Y, problem.scores, iso.WorstLabel(), **options)
    largest = max(each, key=lambda found: found.value)
    assert worst.value == pytest.approx(largest.value, rel=1e-14)
    np.testing.assert_allclose(worst.gradient, largest.gradient, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(
        worst.hessian_diagonal, largest.hessian_diagonal, rtol=1e-9, atol=1e-14
    )


@each_surrogate
@each_objective
def test_convex_along_lines(case: Case, surrogate: Surrogate) -> None:
    if surrogate.name == "sigmoid":
        return
    problem = problem_of(150, seed=10, missing=not case.complete)
    rng = np.random.default_rng(11)
    options = {"surrogate": surrogate.name, **problem.options}

    def at(scores: np.ndarray) -> iso.PairLossResult:
        return iso.pair_loss(problem.Y, scores, case.objective(3), **options)

    for _ in range(3):
        f, g = rng.normal(size=(2, 150)) * 3.0
        here, there = at(f), at(g)
        assert at(0.3 * f + 0.7 * g).value <= 0.3 * here.value + 0.7 * there.value + 1e-12
        # A subgradient never overestimates.
        assert there.value >= here.value + here.gradient @ (g - f) - 1e-12


# Invariances.


@each_objective
def test_scores_may_be_shifted_and_items_reordered(case: Case) -> None:
    problem = problem_of(300, seed=12, missing=not case.complete)
    objective = case.objective(3)
    plain = iso.pair_loss(problem.Y, problem.scores, objective, hessian=True)
    assert plain.gradient.sum() == pytest.approx(0.0, abs=1e-13)
    moved = iso.pair_loss(problem.Y, problem.scores + 1.7, objective, hessian=True)
    order = np.random.default_rng(0).permutation(300)
    mixed = iso.pair_loss(problem.Y[order], problem.scores[order], objective, hessian=True)
    for other, back in ((moved, slice(None)), (mixed, np.argsort(order))):
        assert other.value == pytest.approx(plain.value, rel=1e-12)
        np.testing.assert_allclose(other.gradient[back], plain.gradient, atol=1e-13)
        np.testing.assert_allclose(other.hessian_diagonal[back], plain.hessian_diagonal, atol=1e-13)


@pytest.mark.parametrize("case", ONE_SIDED, ids=lambda case: case.name)
def test_whole_weights_are_copies(case: Case) -> None:
    problem = problem_of(120, seed=13, missing=not case.complete)
    times = np.random.default_rng(1).integers(0, 4, 120)
    objective = case.objective(3)
    weighted = iso.pair_loss(problem.Y, problem.scores, objective, sample_weight=times)
    copies = np.repeat(np.arange(120), times)
    copied = iso.pair_loss(problem.Y[copies], problem.scores[copies], objective)
    assert weighted.value == pytest.approx(copied.value, rel=1e-13)
    by_item = np.bincount(copies, copied.gradient, 120)
    np.testing.assert_allclose(weighted.gradient, by_item, atol=1e-14)


@each_objective
def test_counts_are_copies(case: Case) -> None:
    problem = problem_of(120, seed=14, missing=not case.complete)
    rng = np.random.default_rng(1)
    times, weight = rng.integers(0, 4, 120), rng.random(120)
    copies = np.repeat(np.arange(120), times)
    Y, scores, objective = problem.Y, problem.scores, case.objective(3)
    short = {"counts": times, "sample_weight": weight, "hessian": True}
    counted = iso.pair_loss(Y, scores, objective, **short)
    copied = iso.pair_loss(
        Y[copies], scores[copies], objective, sample_weight=weight[copies], hessian=True
    )
    assert counted.value == pytest.approx(copied.value, rel=1e-13)
    # The margin of two copies bends the loss by either score, not by the one of both.
    for name in ("gradient",) if case.two_sided else ("gradient", "hessian_diagonal"):
        by_row = np.bincount(copies, getattr(copied, name), 120)
        np.testing.assert_allclose(getattr(counted, name), by_row, atol=1e-13)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
@pytest.mark.parametrize("n", [60, 500])
def test_the_size_of_weights_does_not_matter(scale: float, n: int) -> None:
    problem = problem_of(n, seed=14, missing=True)
    for objective in (iso.LossAggregation(), iso.LabelAggregation(), iso.WorstLabel()):
        plain = iso.pair_loss(
            problem.Y, problem.scores, objective, sample_weight=problem.sample_weight
        )
        scaled = iso.pair_loss(
            problem.Y, problem.scores, objective, sample_weight=scale * problem.sample_weight
        )
        assert scaled.value == pytest.approx(plain.value, rel=1e-13)
        np.testing.assert_allclose(scaled.gradient, plain.gradient, atol=1e-15)


@pytest.mark.parametrize("n", [60, 5000])
def test_no_overflow_of_many_large_losses(n: int) -> None:
    y = np.arange(n) % 2
    scores = np.where(y == 1, -349.0, 349.0)
    found = iso.pair_loss(y, scores, surrogate="exponential", hessian=True)
    assert found.value == pytest.approx(math.exp(698.0), rel=1e-12)
    assert np.isfinite(found.gradient).all()
    assert np.isfinite(found.hessian_diagonal).all()
    huge = iso.pair_loss(y, np.where(y == 1, -1e299, 1e299), surrogate="hinge")
    assert huge.value == pytest.approx(2e299, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_size_of_levels_does_not_matter(scale: float) -> None:
    rng = np.random.default_rng(15)
    for n in (50, 90, 400):
        levels, scores = rng.random(n), rng.normal(size=n)
        plain = iso.pair_loss(levels, scores)
        scaled = iso.pair_loss(scale * levels, scores)
        assert scaled.value == pytest.approx(plain.value, rel=1e-12)
        np.testing.assert_allclose(scaled.gradient, plain.gradient, atol=1e-14)


@pytest.mark.parametrize("n", [60, 600])
def test_tiny_losses_keep_their_digits(n: int) -> None:
    y = np.arange(n) % 2
    scores = 60.0 * y
    for objective in (iso.LossAggregation(), iso.LabelAggregation(), iso.WorstLabel()):
        found = iso.pair_loss(y, scores, objective)
        assert found.value == pytest.approx(math.exp(-60.0), rel=1e-10, abs=0.0)


# Forms of input.


@pytest.mark.parametrize("form", COMPLETE_FORMS)
def test_forms_of_labels(form: str) -> None:
    rng = np.random.default_rng(16)
    Y, scores = rng.integers(0, 2, (100, 2)), rng.normal(size=100)
    assert iso.pair_loss(COMPLETE_FORMS[form](Y), scores).value == iso.pair_loss(Y, scores).value


@pytest.mark.parametrize("form", MISSING_FORMS)
def test_forms_of_missing_labels(form: str) -> None:
    rng = np.random.default_rng(17)
    Y, scores = rng.choice([0.0, 1.0, np.nan], (100, 2)), rng.normal(size=100)
    assert iso.pair_loss(MISSING_FORMS[form](Y), scores).value == iso.pair_loss(Y, scores).value


def test_forms_of_scores() -> None:
    y, whole = [0, 1, 1, 0], np.array([3, 1, 2, 0])
    expected = iso.pair_loss(y, whole.astype(float)).value
    for scores in (whole, whole.tolist(), whole.astype(np.float32), pd.Series(whole), whole[::1]):
        assert iso.pair_loss(y, scores).value == expected
    read_only = whole.astype(float)
    read_only.flags.writeable = False
    assert iso.pair_loss(y, read_only).value == expected


def test_scores_are_left_alone() -> None:
    scores = np.array([-0.0, 2.0, 1.0, 0.5])
    before = scores.copy()
    for name in SURROGATES:
        iso.pair_loss([0, 1, 1, 0], scores, surrogate=name, hessian=True)
    np.testing.assert_array_equal(scores, before)


def test_the_hessian_is_made_when_asked_for() -> None:
    assert iso.pair_loss([0, 1], [0.0, 1.0]).hessian_diagonal is None
    assert iso.pair_loss([0, 1], [0.0, 1.0], hessian=True).hessian_diagonal is not None
    with pytest.warns(UndefinedMetricWarning):
        assert iso.pair_loss([1, 1], [0.0, 1.0]).hessian_diagonal is None


def test_a_label_of_weight_zero_may_have_one_class() -> None:
    Y = np.array([[1, 1], [0, 1], [1, 1], [0, 1]])
    scores = [0.1, 0.2, 0.3, 0.4]
    found = iso.pair_loss(Y, scores, iso.LossAggregation([1, 0]), hessian=True)
    alone = iso.pair_loss(Y[:, 0], scores, iso.OneLabel(0), hessian=True)
    assert found.value == pytest.approx(alone.value, rel=1e-14)
    np.testing.assert_allclose(found.gradient, alone.gradient, atol=1e-15)
    np.testing.assert_allclose(found.hessian_diagonal, alone.hessian_diagonal, atol=1e-15)


# The object that serves many scores in turn.


@pytest.mark.parametrize("grouped", [None, "pairs", "equal"])
def test_ratios_mixed_by_weights_of_ones_own(grouped: str | None) -> None:
    problem = problem_of(200, seed=18, missing=True, grouped=grouped)
    wish = Items.checked(problem.Y, **problem.options).preferences(iso.WorstLabel())
    here = PreferenceLoss(wish, find_surrogate("logistic")).at(problem.scores)
    weights = np.array([0.2, 0.5, 0.3])
    mean = iso.LossAggregation(weights.tolist())
    found = iso.pair_loss(problem.Y, problem.scores, mean, hessian=True, **problem.options)
    assert weights @ here.losses == pytest.approx(found.value, rel=1e-14)
    np.testing.assert_allclose(here.gradient(weights), found.gradient, atol=1e-15)
    diagonal = here.hessian_diagonal(weights)
    np.testing.assert_allclose(diagonal, found.hessian_diagonal, atol=1e-15)
    direction = np.random.default_rng(0).normal(size=200)
    step = 1e-6

    def gradient(t: float) -> np.ndarray:
        moved = PreferenceLoss(wish, find_surrogate("logistic")).at(problem.scores + t * direction)
        return moved.gradient(weights)

    change = (gradient(step) - gradient(-step)) / (2 * step)
    product = here.hessian_product(direction, diagonal, weights)
    np.testing.assert_allclose(product, change, atol=1e-8 * np.abs(change).max() + 1e-11)


def test_losses_of_labels_without_pairs_are_nan() -> None:
    Y = np.array([[1, 1], [0, 1], [1, 1]])
    wish = Items.checked(Y).preferences(iso.WorstLabel())
    loss = PreferenceLoss(wish, find_surrogate("logistic"))
    assert not loss.defined
    assert np.isnan(loss.at(np.zeros(3)).losses).tolist() == [False, True]


# Adding a surrogate is one entry.


def soft(z: np.ndarray) -> np.ndarray:
    """A logistic loss twice as steep."""
    return 0.5 * np.logaddexp(0.0, -2.0 * z)


def test_a_surrogate_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = range(1, 14)  # exp(-2 * 1.5 * 13) is below rounding.
    rates = tuple(2.0 * k for k in orders)
    coefficients = tuple(0.5 * (-1.0) ** (k + 1) / k for k in orders)
    entry = Surrogate(
        "steeper",
        value=soft,
        slope=lambda z: -1.0 / (1.0 + np.exp(2.0 * z)),
        curvature=lambda z: 0.5 / np.cosh(z) ** 2,
        shape=Analytic(
            right=Tail(rates=rates, coefficients=coefficients),
            left=Tail((0.0, 1.0, 0.0), rates=rates, coefficients=coefficients),
            width=0.125,
        ),
    )
    monkeypatch.setitem(SURROGATES, "steeper", entry)
    rng = np.random.default_rng(19)
    for n in (50, 800):
        Y, scores = rng.integers(0, 2, (n, 2)), 3.0 * rng.normal(size=n)
        for objective in (None, iso.LossAggregation(), iso.WorstLabel()):
            found = iso.pair_loss(Y, scores, objective, surrogate="steeper", hessian=True)
            same = iso.pair_loss(Y, 2.0 * scores, objective, hessian=True)
            assert found.value == pytest.approx(0.5 * same.value, rel=1e-12)
            scale = np.abs(same.gradient).max()
            np.testing.assert_allclose(found.gradient, same.gradient, atol=1e-12 * scale)
            scale = np.abs(same.hessian_diagonal).max()
            np.testing.assert_allclose(
                found.hessian_diagonal, 2.0 * same.hessian_diagonal, atol=1e-11 * scale
            )


# What users get wrong.

y = np.array([1, 0, 1, 0])
s = np.array([0.4, 0.3, 0.2, 0.1])
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])

ERRORS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "score infinite": (
        lambda: iso.pair_loss(y, [0.0, np.inf, 1.0, 2.0]),
        ValueError,
        "`y_score` should hold finite scores: a loss has no value at infinity. Metrics such as",
    ),
    "score minus infinity": (
        lambda: iso.pair_loss(y, [0.0, -np.inf, 1.0, 2.0]),
        ValueError,
        "`y_score` should hold finite scores",
    ),
    "score NaN": (lambda: iso.pair_loss(y, [0, np.nan, 1, 2]), ValueError, "should hold no NaN"),
    "scores 2-D": (lambda: iso.pair_loss(y, np.c_[s, s]), ValueError, "`y_score` should be 1-D"),
    "scores too few": (
        lambda: iso.pair_loss(Y, s[:3]),
        ValueError,
        "`Y` and `y_score` should have the same number of rows. Found 4 and 3",
    ),
    "scores too large": (
        lambda: iso.pair_loss(y, [0.0, 1.0, 2.0, 1e301]),
        ValueError,
        r"finite and at most 1e\+300 in size. Found scores from 0 to 1e\+301",
    ),
    "range of the exponential": (
        lambda: iso.pair_loss(y, [0.0, 1.0, 2.0, 701.0], surrogate="exponential"),
        ValueError,
        "exponential surrogate overflows for scores that differ by more than 700. Found .* 701.",
    ),
    "range of the square": (
        lambda: iso.pair_loss(y, [0.0, 1.0, 2.0, 1e151], surrogate="square"),
        ValueError,
        r"square surrogate overflows for scores that differ by more than 1e\+150",
    ),
    "unknown surrogate": (
        lambda: iso.pair_loss(y, s, surrogate="logistics"),
        ValueError,
        "`surrogate` should be one of 'logistic', .* Found 'logistics'. Did you mean 'logistic'",
    ),
    "surrogate None": (
        lambda: iso.pair_loss(y, s, surrogate=None),
        ValueError,
        "`surrogate` should be one of .* Found None",
    ),
    "weights too few": (
        lambda: iso.pair_loss(y, s, sample_weight=[1, 2]),
        ValueError,
        "`sample_weight` should hold one weight for each of the 4 items",
    ),
    "weights all zero": (
        lambda: iso.pair_loss(y, s, sample_weight=[0] * 4),
        ValueError,
        "`sample_weight` should hold a positive weight",
    ),
    "weight negative": (
        lambda: iso.pair_loss(y, s, sample_weight=[1, 1, 1, -1]),
        ValueError,
        "`sample_weight` should hold weights >= 0",
    ),
    "groups too few": (
        lambda: iso.pair_loss(y, s, groups=[1, 2]),
        ValueError,
        "`groups` should hold one group for each of the 4 items",
    ),
    "group weight unknown": (
        lambda: iso.pair_loss(y, s, groups=y, group_weight="even"),
        ValueError,
        "`group_weight` should be one of 'pairs', 'equal'",
    ),
    "levels for a label's loss": (
        lambda: iso.pair_loss([0, 1, 2, 1], s, iso.WorstLabel()),
        ValueError,
        "0, 1",
    ),
    "missing for a sum": (
        lambda: iso.pair_loss([0, 1, np.nan, 1], s, iso.LabelAggregation("sum")),
        ValueError,
        "`how` = 'sum' needs every label",
    ),
    "weights for other labels": (
        lambda: iso.pair_loss(Y, s, iso.LossAggregation([1, 2, 3])),
        ValueError,
        "`weights` should hold one number for each of the 2 labels",
    ),
    "no such label": (lambda: iso.pair_loss(Y, s, iso.OneLabel(2)), ValueError, "0..1. Found 2"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name: str) -> None:
    call, error, message = ERRORS[name]
    with pytest.raises(error, match=message):
        call()


UNDEFINED: dict[str, tuple[Callable[[], iso.PairLossResult], str]] = {
    "one class": (lambda: iso.pair_loss([1, 1], [1.0, 2.0], iso.OneLabel(0)), "for '0': one class"),
    "one class of several": (
        lambda: iso.pair_loss([[1, 0], [1, 1]], [1.0, 2.0], iso.LossAggregation()),
        "for '0': one class",
    ),
    "one class of the worst": (
        lambda: iso.pair_loss([[1, 0], [1, 1]], [1.0, 2.0], iso.WorstLabel()),
        "for '0': one class",
    ),
    "labels that exclude each other": (
        lambda: iso.pair_loss([[1, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0]),
        "all are on one level",
    ),
    "nothing observed": (
        lambda: iso.pair_loss(np.full((3, 2), np.nan), [1.0, 2.0, 3.0]),
        "all are on one level",
    ),
    "one item": (lambda: iso.pair_loss([1], [1.0]), "no pair of items"),
    "groups of one item": (
        lambda: iso.pair_loss([0, 1, 0], [1.0, 2.0, 3.0], groups=[0, 1, 2]),
        "no pair of items to compare inside a group",
    ),
    "a class of weight 0": (
        lambda: iso.pair_loss(y, s, iso.OneLabel(0), sample_weight=[0, 1, 0, 1]),
        "for '0': one class",
    ),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_undefined(name: str) -> None:
    call, message = UNDEFINED[name]
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        found = call()
    assert "The loss is undefined (NaN)" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert math.isnan(found.value)
    assert np.isnan(found.gradient).all()


@pytest.mark.parametrize("surrogate", sorted(SURROGATES))
@pytest.mark.parametrize("apart", [2.0, 4.0, 7.9])
def test_small_groups_without_a_mistake(surrogate: str, apart: float) -> None:
    """All margins lie at the end where the surrogate is smallest."""
    rng = np.random.default_rng(0)
    Y, group = np.arange(240) % 2, np.arange(240) // 120
    scores = np.where(Y == 1, apart, -apart) + rng.uniform(-0.05, 0.05, 240)
    found = iso.pair_loss(Y[:, None], scores, surrogate=surrogate, groups=group)
    phi, value, slope = SURROGATES[surrogate], [], np.zeros(240)
    for g in range(2):
        above, below = (np.flatnonzero((group == g) & (y == Y)) for y in (1, 0))
        margin = scores[above][:, None] - scores[below]
        value.append(phi.value(margin))
        slope[above] += phi.slope(margin).sum(axis=1)
        slope[below] -= phi.slope(margin).sum(axis=0)
    assert found.value == pytest.approx(np.mean(value), rel=1e-12, abs=1e-14)
    assert found.gradient == pytest.approx(slope / np.size(value), rel=1e-11, abs=1e-14)
