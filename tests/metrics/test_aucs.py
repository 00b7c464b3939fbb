"""Exact metrics against every pair, independent libraries, and the paper's numbers."""

from __future__ import annotations

import csv
import math
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

import isonomy as iso
from tests.oracles import (
    OBJECTIVES,
    ONE_SIDED,
    Case,
    conflict_cost,
    cost_table,
    label_cost,
    level_cost,
    linear,
    ratio,
    rows_of,
    steep,
    uniform,
)
from tests.strategies import COMPLETE_FORMS, MISSING_FORMS, SCORE_TYPES, Problem, problems

SMALL_Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]])
SMALL_SCORE = np.array([3, 5, 4, 1, 3, 2, 6, 3])

one_sided = pytest.mark.parametrize("case", ONE_SIDED, ids=lambda case: case.name)
every_objective = pytest.mark.parametrize("case", OBJECTIVES, ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Random problems are often undefined; what is said then has its own tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


def as_float(value: object) -> float:
    return math.nan if value is None else float(value)  # type: ignore[arg-type]


def close(found: object, expected: object, tolerance: float) -> bool:
    return bool(np.allclose(found, expected, rtol=0, atol=tolerance, equal_nan=True))


# Exactness: every metric, over every kind of input.


@given(problems(labels=(1, 4)))
def test_label_aucs(problem: Problem) -> None:
    rows = rows_of(problem.Y)
    expected = [
        as_float(ratio(label_cost(rows, k), problem.scores.tolist(), **problem.oracle_options))
        for k in range(problem.Y.shape[1])
    ]
    found = iso.label_aucs(problem.Y, problem.scores, **problem.options)
    assert close(found, expected, problem.tolerance)


@given(problems(labels=(9, 12), items=(1, 8)))
def test_more_than_eight_labels(problem: Problem) -> None:
    rows = rows_of(problem.Y)
    expected = [
        as_float(ratio(label_cost(rows, k), problem.scores.tolist(), **problem.oracle_options))
        for k in range(problem.Y.shape[1])
    ]
    found = iso.label_aucs(problem.Y, problem.scores, **problem.options)
    assert close(found, expected, problem.tolerance)


@given(problems(labels=(1, 1)))
def test_auc(problem: Problem) -> None:
    cost = label_cost(rows_of(problem.Y), 0)
    expected = as_float(ratio(cost, problem.scores.tolist(), **problem.oracle_options))
    found = iso.auc(problem.Y[:, 0], problem.scores, **problem.options)
    assert close(found, expected, problem.tolerance)


@pytest.mark.parametrize(
    ("costs", "oracle"),
    [
        ("linear", linear),
        ("uniform", uniform),
        (cost_table(5), lambda i, j: cost_table(5)[int(i)][int(j)]),
        (np.array(cost_table(7), dtype=np.int16), lambda i, j: cost_table(7)[int(i)][int(j)]),
        (steep, steep),
    ],
    ids=["linear", "uniform", "array", "larger array", "callable"],
)
@given(problem=problems(labels=(1, 1), levels=5))
def test_multipartite_auc(costs: object, oracle: object, problem: Problem) -> None:
    levels = [row[0] for row in rows_of(problem.Y)]
    cost = level_cost(levels, oracle)  # type: ignore[arg-type]
    expected = as_float(ratio(cost, problem.scores.tolist(), **problem.oracle_options))
    found = iso.multipartite_auc(problem.Y[:, 0], problem.scores, costs=costs, **problem.options)
    assert close(found, expected, problem.tolerance)


@pytest.mark.parametrize("costs", ["linear", "uniform"])
@pytest.mark.parametrize("n_levels", [63, 64, 65, 66, 127, 128, 129, 200, 300])
@pytest.mark.parametrize("options", ["plain", "weights", "groups"])
def test_many_levels(costs: str, n_levels: int, options: str) -> None:
    rng = np.random.default_rng(n_levels)
    levels = np.cumsum(rng.integers(1, 4, n_levels)).astype(float)
    y = rng.permutation(np.concatenate([levels, rng.choice(levels, 40), [np.nan] * 3]))
    scores = rng.integers(0, 50, y.size).astype(float)
    w = rng.choice([0.0, 0.5, 1.0, 3.0], y.size) if options == "weights" else np.ones(y.size)
    group = rng.integers(0, 4, y.size) if options == "groups" else np.zeros(y.size)
    gap = np.nan_to_num(np.maximum(y[:, None] - y, 0))
    pairs = w[:, None] * w * (group[:, None] == group) * (gap if costs == "linear" else gap > 0)
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    found = iso.multipartite_auc(
        y,
        scores,
        costs=costs,
        sample_weight=w if options == "weights" else None,
        groups=group if options == "groups" else None,
    )
    # All terms are small multiples of 1/8: the oracle's sums are exact.
    assert found == pytest.approx((pairs * right).sum() / pairs.sum(), rel=0, abs=1e-15)


def test_real_valued_levels() -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.normal(size=(2, 300))
    gap = np.maximum(y[:, None] - y, 0)
    expected = (gap * (scores[:, None] > scores)).sum() / gap.sum()
    assert iso.multipartite_auc(y, scores) == pytest.approx(expected, rel=0, abs=1e-13)
    uniform_expected = ((gap > 0) * (scores[:, None] > scores)).sum() / (gap > 0).sum()
    found = iso.multipartite_auc(y, scores, costs="uniform")
    assert found == pytest.approx(uniform_expected, rel=0, abs=1e-15)


@given(problems(labels=(1, 3), items=(1, 9)))
def test_objective_auc(problem: Problem) -> None:
    check_objectives(OBJECTIVES, problem)


@given(problems(labels=(1, 3), items=(1, 9), levels=5))
def test_ordinal_objective_auc(problem: Problem) -> None:
    check_objectives([case for case in OBJECTIVES if case.ordinal], problem)


def check_objectives(cases: list[Case], problem: Problem) -> None:
    """All objectives on one problem: making problems takes longer than solving them."""
    for case in cases:
        Y = np.nan_to_num(problem.Y) if case.complete else problem.Y
        expected = case.value(Y, problem.scores.tolist(), **problem.oracle_options)
        objective = case.objective(Y.shape[1])
        found = iso.objective_auc(Y, problem.scores, objective, **problem.options)
        # Levels and weights of labels may be fractions that floats round.
        assert close(found, expected, max(problem.tolerance, 4e-15)), case.name


@given(problems(labels=(2, 4)))
def test_conflict_aucs(problem: Problem) -> None:
    rows, K = rows_of(problem.Y), problem.Y.shape[1]
    found = iso.conflict_aucs(problem.Y, problem.scores, **problem.options)
    for k in range(K):
        for other in range(K):
            cost = conflict_cost(rows, k, other)
            expected = as_float(ratio(cost, problem.scores.tolist(), **problem.oracle_options))
            assert close(found[k, other], expected, max(problem.tolerance, 2.3e-16))
    assert np.isnan(np.diag(found)).all()


# The forms that data come in.


@pytest.mark.parametrize("form", COMPLETE_FORMS)
@pytest.mark.parametrize("K", [1, 2, 8, 9, 13])
def test_forms_of_complete_labels(form: str, K: int) -> None:
    rng = np.random.default_rng(K)
    Y, scores = rng.integers(0, 2, (40, K)), rng.integers(0, 9, 40)
    expected = [roc_auc_score(Y[:, k], scores) for k in range(K)]
    found = iso.label_aucs(COMPLETE_FORMS[form](Y), scores)
    assert found == pytest.approx(expected, rel=0, abs=1e-14)


@pytest.mark.parametrize("form", MISSING_FORMS)
@pytest.mark.parametrize("K", [1, 3, 9])
def test_forms_of_missing_labels(form: str, K: int) -> None:
    rng = np.random.default_rng(K)
    Y, scores = rng.choice([0.0, 1.0, np.nan], (50, K)), rng.integers(0, 9, 50)
    expected = [roc_auc_score(y[~np.isnan(y)], scores[~np.isnan(y)]) for y in Y.T]
    found = iso.label_aucs(MISSING_FORMS[form](Y), scores)
    assert found == pytest.approx(expected, rel=0, abs=1e-14)


@pytest.mark.parametrize("kind", SCORE_TYPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_types_of_scores(kind: str, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    y, scores = rng.integers(0, 2, 30), SCORE_TYPES[kind](rng, 30)
    plain = (
        scores
        if isinstance(scores, list)
        else scores.to_list()
        if hasattr(scores, "to_list")
        else scores.tolist()
    )
    weight = [1.0] * 30 if weighted else None
    expected = float(ratio(label_cost(rows_of(y), 0), plain))  # type: ignore[arg-type]
    assert iso.auc(y, scores, sample_weight=weight) == pytest.approx(expected, rel=0, abs=1e-15)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.float32, np.float64])
def test_ordinal_labels_may_span_their_type(dtype: type) -> None:
    y = np.array([-100, -10, 45, 100, -128, 127, 0]).astype(dtype)
    scores = [1, 3, 2, 4, 6, 0, 5]
    levels = [row[0] for row in rows_of(y)]
    expected = float(ratio(level_cost(levels, linear), scores))  # type: ignore[arg-type]
    assert iso.multipartite_auc(y, scores) == pytest.approx(expected, rel=0, abs=1e-15)
    both = iso.objective_auc(np.stack([y, y], axis=1), scores, iso.LabelAggregation())
    assert both == pytest.approx(expected, rel=0, abs=1e-15)


@pytest.mark.parametrize("extreme", [2**40, 2**62, 2**63 - 1])
def test_ordinal_labels_far_apart(extreme: int) -> None:
    y = np.array([0, extreme, -extreme, 1], dtype=np.int64)
    assert iso.multipartite_auc(y, [2, 4, 1, 3], costs="uniform") == 1.0
    assert iso.multipartite_auc(y, [2, 4, 1, 3]) == 1.0


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-160, 1.0, 1e160, 1e300])
def test_only_ratios_of_weights_matter(scale: float) -> None:
    weight = np.array([1.0, 2.0, 3.0, 0.0]) * scale
    y, scores = [0, 1, 1, 0], [1, 2, 0, 3]
    assert iso.auc(y, scores, sample_weight=weight) == pytest.approx(0.4, rel=1e-12)


def test_weights_of_very_different_size() -> None:
    found = iso.auc([1, 0, 0], [2, 1, 3], sample_weight=[1e130, 1e-18, 3e-18])
    assert found == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize("weight", [[1e200, 1e-200], [1.0, 1e-151], [5e-324, 1e308]])
@pytest.mark.parametrize("metric", [iso.auc, iso.pair_loss])
def test_weights_whose_products_vanish_are_refused(
    weight: list[float], metric: Callable[..., object]
) -> None:
    with pytest.raises(ValueError, match=r"`sample_weight` .* at least 1e-150 times the largest:"):
        metric([1, 0], [0.5, 0.2], sample_weight=weight)
    groups = [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"the largest in its group: .* Give weight 0 to"):
        metric(
            [1, 0, 1, 0],
            [1, 2, 3, 4],
            sample_weight=[1.0, 1.0, *weight],
            groups=groups,
            group_weight="equal",
        )


@pytest.mark.parametrize("scale", [1e-300, 1e-158, 1e158, 1e300])
def test_groups_that_count_the_same_may_have_weights_of_any_size(scale: float) -> None:
    rng = np.random.default_rng(3)
    y, scores, weight = rng.integers(0, 2, 60), rng.normal(size=60), rng.random(60)
    groups = np.arange(60) % 3
    options = {"groups": groups, "group_weight": "equal"}
    apart = np.where(groups == 1, scale, 1.0) * weight
    assert iso.auc(y, scores, sample_weight=apart, **options) == pytest.approx(
        iso.auc(y, scores, sample_weight=weight, **options), rel=1e-12
    )
    plain = iso.pair_loss(y, scores, sample_weight=weight, **options)
    found = iso.pair_loss(y, scores, sample_weight=apart, **options)
    assert found.value == pytest.approx(plain.value, rel=1e-12)
    np.testing.assert_allclose(found.gradient, plain.gradient, atol=1e-15)


# Identities and extremes.


@one_sided
def test_a_perfect_ranking_is_exactly_one(case: Case) -> None:
    rng = np.random.default_rng(0)
    level = rng.integers(0, 4, 60)
    Y = level[:, None] >= np.array([1, 2, 3])  # Nested labels never conflict.
    scores = level + 0.5 * rng.random(60)
    objective = case.objective(3)
    assert iso.objective_auc(Y, scores, objective) == 1.0
    assert iso.objective_auc(Y, scores, objective, groups=rng.integers(0, 5, 60)) == 1.0
    assert iso.objective_auc(Y, scores, objective, sample_weight=rng.random(60)) == 1.0
    assert iso.objective_auc(Y, -scores, objective) == 0.0


@pytest.mark.parametrize("K", range(1, 13))
def test_the_mean_of_perfect_labels_is_exactly_one(K: int) -> None:
    level = np.repeat(np.arange(K + 1), 3)
    Y = level[:, None] >= np.arange(1, K + 1)
    for weights in (None, [0.1] * K, list(range(1, K + 1))):
        assert iso.objective_auc(Y, level, iso.LossAggregation(weights)) == 1.0
        assert iso.objective_auc(Y, np.zeros(level.size), iso.LossAggregation(weights)) == 0.5


@pytest.mark.parametrize("size", range(1, 25))
def test_perfect_groups_of_equal_weight_are_exactly_one(size: int) -> None:
    # In floats 49 * (1 / 49) is below 1.
    y, groups = np.tile([0, 1], 3 * size), np.repeat([0, 1, 2], 2 * size)
    assert iso.auc(y, y, groups=groups, group_weight="equal") == 1.0
    assert iso.auc(y, 0 * y, groups=groups, group_weight="equal") == 0.5


@every_objective
def test_constant_scores_are_exactly_half(case: Case) -> None:
    rng = np.random.default_rng(0)
    Y, groups = rng.integers(0, 2, (60, 3)), rng.integers(0, 5, 60)
    objective = case.objective(3)
    for constant in (0.0, 0.3, np.inf, -np.inf):
        scores = np.full(60, constant)
        assert iso.objective_auc(Y, scores, objective) == 0.5
        assert iso.objective_auc(Y, scores, objective, groups=groups) == 0.5
    found = iso.objective_auc(Y, scores, objective, sample_weight=rng.random(60))
    assert found == pytest.approx(0.5, abs=1e-14)


@given(problems(labels=(2, 3), items=(2, 10), missing=False))
def test_turning_the_scores_round(problem: Problem) -> None:
    for case in OBJECTIVES:
        objective = case.objective(problem.Y.shape[1])
        found = iso.objective_auc(problem.Y, problem.scores, objective, **problem.options)
        turned = iso.objective_auc(problem.Y, -problem.scores, objective, **problem.options)
        if case.name == "worst":  # The best label is the worst one then.
            assert math.isnan(found) or found + turned <= 1 + 1e-12
        else:
            assert close(found + turned, math.nan if math.isnan(found) else 1, 1e-12), case.name


@every_objective
def test_order_of_rows_and_monotone_maps_change_nothing(case: Case) -> None:
    rng = np.random.default_rng(1)
    Y, scores = rng.integers(0, 2, (80, 3)), rng.integers(-20, 20, 80) / 4
    groups, objective = rng.integers(0, 6, 80), case.objective(3)
    p = rng.permutation(80)
    for options in ({}, {"groups": groups}, {"groups": groups, "group_weight": "equal"}):
        found = iso.objective_auc(Y, scores, objective, **options)
        shuffled = {k: v[p] if k == "groups" else v for k, v in options.items()}
        # The sum over groups may round in another order.
        again = iso.objective_auc(Y[p], np.exp(scores[p]), objective, **shuffled)
        assert again == pytest.approx(found, rel=0, abs=1e-15)


@one_sided
def test_integer_weights_repeat_rows(case: Case) -> None:
    rng = np.random.default_rng(2)
    Y, scores = rng.integers(0, 2, (40, 3)), rng.integers(0, 10, 40)
    groups, times = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    objective = case.objective(3)
    for options in ({}, {"group_weight": "pairs"}, {"group_weight": "equal"}):
        group = groups if options else None
        weighted = iso.objective_auc(
            Y, scores, objective, sample_weight=times, groups=group, **options
        )
        repeated = iso.objective_auc(
            np.repeat(Y, times, axis=0),
            np.repeat(scores, times),
            objective,
            groups=None if group is None else np.repeat(group, times),
            **options,
        )
        assert weighted == pytest.approx(repeated, rel=1e-13)


@given(problems(labels=(2, 4), items=(2, 12), missing=False))
def test_conflict_aucs_are_antisymmetric(problem: Problem) -> None:
    found = iso.conflict_aucs(problem.Y, problem.scores, **problem.options)
    off = ~np.eye(len(found), dtype=bool)
    assert close((found + found.T)[off], np.where(np.isnan(found), np.nan, 1.0)[off], 1e-15)


def test_auc_is_a_covariance_with_midranks() -> None:
    rng = np.random.default_rng(4)
    Y, scores = rng.random((200, 3)) < [0.2, 0.5, 0.8], rng.integers(0, 40, 200)
    R = (stats.rankdata(scores) - 0.5) / 200
    prior = Y.mean(axis=0)
    expected = 0.5 + ((Y - prior) * R[:, None]).mean(axis=0) / (prior * (1 - prior))
    aucs = iso.label_aucs(Y, scores)
    assert aucs == pytest.approx(expected, abs=1e-13)

    # Linear-cost label aggregation: a weighted mean of the labels' AUCs.
    alpha = np.array([1.0, 2.5, 0.5])
    level = Y @ alpha
    v = np.maximum(level[:, None] - level, 0).mean()
    laa = iso.objective_auc(Y, scores, iso.LabelAggregation(weights=alpha))
    assert laa - 0.5 == pytest.approx((alpha * prior * (1 - prior) * (aucs - 0.5)).sum() / v)
    assert laa == pytest.approx(0.5 + ((level - level.mean()) * R).mean() / v)


def test_balanced_loss_aggregation_orders_scorers_as_label_aggregation() -> None:
    rng = np.random.default_rng(5)
    Y = rng.random((100, 4)) < [0.1, 0.3, 0.5, 0.9]
    level = Y.sum(axis=1)
    v = np.maximum(level[:, None] - level, 0).sum()
    D = (Y.sum(axis=0) * (~Y).sum(axis=0)).sum()
    for _ in range(10):
        scores = rng.normal(size=100)
        laa = iso.objective_auc(Y, scores, iso.LabelAggregation())
        balanced = iso.objective_auc(Y, scores, iso.LossAggregation("balanced"))
        assert (laa - 0.5) * v == pytest.approx((balanced - 0.5) * D)


def test_mean_and_sum_are_the_same_on_complete_labels() -> None:
    rng = np.random.default_rng(6)
    Y, scores = rng.integers(0, 2, (100, 3)), rng.normal(size=100)
    for costs in ("linear", "uniform", cost_table(4), steep):
        mean, total = (iso.LabelAggregation(how, costs=costs) for how in ("mean", "sum"))
        assert iso.objective_auc(Y, scores, mean) == iso.objective_auc(Y, scores, total)


def test_a_row_without_labels_joins_no_pair() -> None:
    Y = np.array([[1, 1], [0, np.nan], [np.nan, np.nan], [0, 0]])
    for how in ("mean", "product", "any"):
        objective = iso.LabelAggregation(how)
        found = iso.objective_auc(Y, [3, 2, 9, 1], objective)
        assert found == iso.objective_auc(Y[[0, 1, 3]], [3, 2, 1], objective) == 1.0


def test_a_label_of_weight_zero_may_be_missing_or_have_one_class() -> None:
    Y = np.array([[1, np.nan], [0, np.nan], [1, np.nan]])
    one = iso.auc(Y[:, 0], [3, 2, 1])
    assert iso.objective_auc(Y, [3, 2, 1], iso.LossAggregation([1, 0])) == one == 0.5
    for how in ("mean", "sum"):
        found = iso.objective_auc(Y, [3, 2, 1], iso.LabelAggregation(how, weights=[2, 0]))
        assert found == one


def test_weighted_levels_that_differ_by_rounding_are_one_level() -> None:
    Y = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]])  # .1 + .2 is not .3 in floats.
    objective = iso.LabelAggregation(weights=[0.1, 0.2, 0.3], costs="uniform")
    assert iso.objective_auc(Y, [1, 2, 0], objective) == 1.0


def test_a_function_sees_only_rows_that_occur() -> None:
    seen: list[np.ndarray] = []

    def how(rows: np.ndarray) -> np.ndarray:
        seen.append(rows)
        return rows.sum(axis=1)

    Y = np.array([[1, 0], [0, 0], [0, 1]])
    costs = [[0, 0], [1, 0]]  # No item has level 2.
    assert iso.objective_auc(Y, [2, 1, 3], iso.LabelAggregation(how, costs=costs)) == 1.0
    assert sorted(map(tuple, seen[0])) == [(0, 0), (0, 1), (1, 0)]
    assert iso.objective_auc(Y, [2, 1, 3], iso.LabelAggregation(costs=costs)) == 1.0


# Independent implementations.


@pytest.mark.parametrize("seed", range(3))
def test_equals_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, weight = rng.integers(0, 2, 500), rng.random(500)
    for scores in (rng.normal(size=500), rng.integers(0, 10, 500)):
        assert iso.auc(y, scores) == pytest.approx(roc_auc_score(y, scores), abs=1e-14)
        expected = roc_auc_score(y, scores, sample_weight=weight)
        assert iso.auc(y, scores, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", ["normal", "every magnitude", "neighbours", "sigmoid", "float32"])
@pytest.mark.parametrize("K", [1, 3, 8, 9])
def test_many_items_by_every_path(kind: str, K: int) -> None:
    rng = np.random.default_rng(K)
    n = 100_000
    scores = {
        "normal": lambda: rng.normal(size=n),
        "every magnitude": lambda: rng.choice([-1, 1], n) * np.exp(rng.uniform(-740, 709, n)),
        "neighbours": lambda: rng.choice([-1, 1], n) * (1 + rng.integers(0, 3000, n) * 2.0**-52),
        "sigmoid": lambda: 1 / (1 + np.exp(-rng.normal(scale=9, size=n))),
        "float32": lambda: rng.normal(size=n).astype(np.float32),
    }[kind]()
    scores[:7] = [np.inf, -np.inf, 0.0, -0.0, 5e-324, -5e-324, np.inf]
    Y = rng.integers(0, 2, (n, K)).astype(np.uint8)
    doubled = np.rint(2 * stats.rankdata(scores)).astype(np.int64)
    positives = Y.sum(axis=0, dtype=np.int64)
    counts = doubled @ Y.astype(np.int64) - positives * (positives + 1)
    expected = counts / 2 / (positives * (n - positives))
    assert iso.label_aucs(Y, scores).tolist() == expected.tolist()
    unit = iso.label_aucs(Y, scores, sample_weight=np.ones(n))
    assert unit == pytest.approx(expected, rel=0, abs=1e-15)


def test_threads_share_nothing() -> None:
    rng = np.random.default_rng(0)
    Y, scores = rng.integers(0, 2, (2000, 4)), rng.normal(size=(16, 2000))
    alone = [iso.label_aucs(Y, s).tolist() for s in scores]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda s: iso.label_aucs(Y, s).tolist(), scores))
    assert together == alone


def test_arguments_are_not_changed() -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.integers(0, 2, (50, 3)).astype(float), rng.normal(size=50), rng.random(50)]
    before = [array.copy() for array in arrays]
    Y, scores, weight = arrays
    groups = np.arange(50) % 5
    for case in OBJECTIVES:
        iso.objective_auc(Y, scores, case.objective(3), sample_weight=weight, groups=groups)
        iso.objective_auc(Y, scores, case.objective(3))
    for array, copy in zip(arrays, before, strict=True):
        assert np.array_equal(array, copy)


def test_equals_scipy() -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 5, 300), rng.integers(0, 30, 300)
    D = stats.somersd(y, scores).statistic
    found = iso.multipartite_auc(y, scores, costs="uniform")
    assert found == pytest.approx((D + 1) / 2, abs=1e-13)
    U = stats.mannwhitneyu(scores[y > 2], scores[y <= 2]).statistic
    assert iso.auc(y > 2, scores) == U / ((y > 2).sum() * (y <= 2).sum())


def test_bank_equals_scikit_learn(data_folder: Path) -> None:
    with (data_folder / "bank" / "bank-full.csv").open(newline="") as file:
        table = list(csv.DictReader(file, delimiter=";"))
    assert len(table) == 45_211
    Y = np.array(
        [[row["housing"] == "yes", row["loan"] == "yes", row["y"] == "yes"] for row in table]
    )
    job = np.array([row["job"] for row in table])
    for column in ("age", "balance", "duration", "campaign"):
        scores = np.array([int(row[column]) for row in table])
        expected = [roc_auc_score(Y[:, k], scores) for k in range(3)]
        assert iso.label_aucs(Y, scores) == pytest.approx(expected, rel=0, abs=1e-12)
        inside = [roc_auc_score(Y[job == name, 0], scores[job == name]) for name in np.unique(job)]
        grouped = iso.auc(Y[:, 0], scores, groups=job, group_weight="equal")
        assert grouped == pytest.approx(np.mean(inside), abs=1e-12)


# The paper, as corrected in PAPER-NOTES.md.


def test_small_sample() -> None:
    assert iso.label_aucs(SMALL_Y, SMALL_SCORE).tolist() == [0.75, 0.9375]
    expected = {
        iso.LossAggregation(): 0.84375,
        iso.LossAggregation([1, 1]): 0.84375,
        iso.LabelAggregation(): 23 / 24,
        iso.LabelAggregation(costs="uniform"): 0.95,
        iso.LabelAggregation("product"): 11 / 12,
        iso.WorstLabel(): 0.75,
        iso.OneLabel(1): 0.9375,
    }
    for objective, value in expected.items():
        assert iso.objective_auc(SMALL_Y, SMALL_SCORE, objective) == value


@pytest.mark.parametrize(
    ("order", "total"), [("y2 first", 1.9850), ("y1 first", 1.9242), ("tie", 1.9546)]
)
def test_dictatorship_by_counts(order: str, total: float) -> None:
    Y = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [36, 1, 4, 59], axis=0)
    weights = {"y2 first": [1, 2], "y1 first": [2, 1], "tie": [1, 1]}[order]
    scores = Y @ weights
    # The paper's sum of two AUCs; the package gives their mean.
    assert 2 * iso.objective_auc(Y, scores, iso.LossAggregation()) == pytest.approx(total, abs=5e-5)
    # Label aggregation is indifferent, and so is the printed formula (2839 for all three).
    assert iso.objective_auc(Y, scores, iso.LabelAggregation()) == 1.0
    pairs = Y.sum(axis=0) * (1 - Y).sum(axis=0)
    assert iso.label_aucs(Y, scores) @ pairs == pytest.approx(2839)
    conflict = {"y2 first": 0.0, "y1 first": 1.0, "tie": 0.5}[order]
    assert iso.conflict_aucs(Y, scores)[0, 1] == conflict


def test_a_label_and_its_opposite() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50)
    Y = np.stack([y, 1 - y], axis=1)
    for scores in (rng.normal(size=50), rng.integers(0, 3, 50)):
        assert iso.label_aucs(Y, scores).sum() == pytest.approx(1.0, abs=1e-15)
        loa = iso.objective_auc(Y, scores, iso.LossAggregation())
        assert loa == pytest.approx(0.5, abs=1e-15)
        with pytest.warns(UndefinedMetricWarning, match="all are on one level"):
            assert math.isnan(iso.objective_auc(Y, scores, iso.LabelAggregation()))


def test_a_perfect_scorer_has_one_whatever_the_costs() -> None:
    # The printed definition gives 2.0 here.
    assert iso.objective_auc([[1, 1], [0, 0]], [2, 1], iso.LabelAggregation()) == 1.0


def test_conflicting_rows_cannot_be_ranked_by_loss_aggregation() -> None:
    for scores in ([1, 2], [2, 1], [1, 1]):
        assert iso.objective_auc([[1, 0], [0, 1]], scores, iso.LossAggregation()) == 0.5


def test_the_front_of_two_labels() -> None:
    # n1 (1 - AUC_1) + n2 (1 - AUC_2) = n10 n01 for every way to order the conflicts.
    Y = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [3, 2, 4, 5], axis=0)
    pairs = Y.sum(axis=0) * (1 - Y).sum(axis=0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores = np.where(Y.sum(axis=1) == 1, rng.integers(1, 4, len(Y)), 2 * Y.sum(axis=1))
        assert pairs @ (1 - iso.label_aucs(Y, scores)) == pytest.approx(3 * 2)


# Errors of peers.


def test_partitions_do_not_change_the_value() -> None:
    """XGBoost sums worker-local areas: partitions that differ give another value."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    scores = y + rng.normal(size=400) + np.repeat([0.0, 5.0], 200)
    whole = iso.auc(y, scores)
    assert whole == pytest.approx(roc_auc_score(y, scores))
    # Groups are something else and say so by their name: pairs across them do not count.
    parts = iso.auc(y, scores, groups=np.repeat([0, 1], 200))
    assert parts > whole + 0.05


def test_equal_labels_are_no_pairs_inside_groups() -> None:
    """XGBoost's grouped AUC counts equal-label pairs: a perfect ranker scored 0.4."""
    y = [1, 0, 0, 1, 1, 0, 1, 1, 0, 0]
    groups = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
    scores = [3, 1, 2, 3, 2, 1, 5, 4, 2, 1]
    for group_weight in ("pairs", "equal"):
        assert iso.auc(y, scores, groups=groups, group_weight=group_weight) == 1.0


def test_ties_count_half_in_any_order_of_rows() -> None:
    """torchrec and 'fast_auc' give constant scores 1.0 or 0.0 by row order."""
    for y in ([1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1]):
        assert iso.auc(y, [0.5] * 4) == 0.5
        assert iso.auc(y, [0.5] * 4, sample_weight=[1, 1, 1, 1]) == 0.5


def test_no_sigmoid_is_applied_to_raw_scores() -> None:
    """torchmetrics squashes a batch only if values leave [0, 1]; large ones then tie."""
    y, scores = [0, 1, 0, 1], [50.0, 51.0, 0.2, 0.3]
    assert iso.auc(y, scores) == 0.75
    assert iso.auc([0, 1], [100.0, 101.0]) == 1.0


def test_one_class_is_undefined() -> None:
    """torchrec silently gives 0.5."""
    for y in ([0, 0, 0], [1, 1, 1], [np.nan] * 3):
        with pytest.warns(UndefinedMetricWarning, match="'0'"):
            assert math.isnan(iso.auc(y, [1, 2, 3]))


@given(problems(labels=(1, 3), items=(2, 12)))
def test_no_auc_is_above_one(problem: Problem) -> None:
    """A library of intervals gives AUC > 1."""
    found = iso.label_aucs(problem.Y, problem.scores, **problem.options)
    defined = found[~np.isnan(found)]
    assert ((defined >= 0) & (defined <= 1)).all()


def test_batches_do_not_add_up_by_averaging() -> None:
    """torchmetrics averaged batches: the value must come from all pairs at once."""
    y, scores = np.array([1, 0, 1, 0]), np.array([0.9, 0.8, 0.2, 0.1])
    batches = [iso.auc(y[:2], scores[:2]), iso.auc(y[2:], scores[2:])]
    assert batches == [1.0, 1.0]
    assert iso.auc(y, scores) == 0.75


# What users are told.


@pytest.mark.parametrize(
    "call",
    [
        lambda: iso.auc([1, 1], [1, 2]),
        lambda: iso.label_aucs([[1], [1]], [1, 2]),
        lambda: iso.multipartite_auc([3, 3], [1, 2]),
        lambda: iso.objective_auc([1, 1], [1, 2], iso.WorstLabel()),
        lambda: iso.conflict_aucs([[1, 1], [0, 0]], [1, 2]),
    ],
)
def test_warnings_point_at_the_callers_line(call: object) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()  # type: ignore[operator]
    assert [warning.filename for warning in caught] == [__file__]


def test_a_warning_names_the_labels() -> None:
    pd = pytest.importorskip("pandas")
    Y = pd.DataFrame({"click": [0, 1, 0], "buy": [0, 0, 0], "return": [np.nan, 1, np.nan]})
    with pytest.warns(UndefinedMetricWarning, match="'buy', 'return'"):
        found = iso.label_aucs(Y, [1, 2, 3])
    assert found[0] == 0.5
    assert np.isnan(found[1:]).all()


def test_a_defined_value_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert iso.objective_auc([[1, 1], [0, 1]], [2, 1], iso.OneLabel(0)) == 1.0
        assert iso.auc([1, 0, 1], [2, 1, 3], groups=[0, 0, 1]) == 1.0


@given(st.integers(1, 6))
def test_metrics_return_plain_floats(n: int) -> None:
    y = [0, 1] * n
    assert type(iso.auc(y, range(2 * n))) is float
    assert type(iso.objective_auc(y, range(2 * n), iso.LossAggregation())) is float


# Levels and weights of any size.


@pytest.mark.parametrize("costs", ["linear", "uniform"])
@pytest.mark.parametrize(
    "levels",
    [
        [0, 1, 2, 1e13],
        [-1e308, 0, 1e308, 1.7e308],
        [0, 1e-320, 2e-320, 3e-320],
        [1.7e18, 1.7e18 + 1e6, 1.7e18 + 2e6, 1.7e18 + 3e6],
        np.random.default_rng(0).pareto(0.25, 60),
    ],
)
def test_levels_of_any_size(levels: list[float], costs: str) -> None:
    y = [Fraction(x) for x in levels]
    score = np.random.default_rng(1).permutation(len(y))
    right = total = Fraction(0)
    for i, high in enumerate(y):
        for j, low in enumerate(y):
            if high > low:
                cost = high - low if costs == "linear" else Fraction(1)
                total += cost
                right += cost * (int(score[i]) > int(score[j]))
    expected = float(right / total)
    assert iso.multipartite_auc(levels, score, costs=costs) == pytest.approx(expected, rel=1e-12)


def test_weights_of_an_objective_of_any_size() -> None:
    Y, score = [[1, 0], [0, 1], [0, 0]], [3, 1, 2]
    plain = iso.objective_auc(Y, score, iso.LossAggregation())
    assert iso.objective_auc(Y, score, iso.LossAggregation([1e308, 1e308])) == plain
    assert iso.objective_auc(Y, score, iso.LossAggregation([5e-324, 5e-324])) == plain


def test_rounding_makes_no_levels() -> None:
    sums = iso.LabelAggregation("sum", weights=[0.1, 0.2, 0.3], costs="uniform")
    # 0.1 + 0.2 and 0.3 are one level, so these two rows are not compared.
    assert iso.objective_auc([[1, 1, 0], [0, 0, 1], [0, 0, 0]], [1, 2, 0], sums) == 1.0


def test_levels_that_no_item_has_change_nothing() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.random(90) < 0.5, rng.random(90)
    one, two = (
        iso.auc_intervals(y * scale, score, objective=iso.LabelAggregation()) for scale in (1, 2)
    )
    assert one.covariance == two.covariance


@given(problems(labels=(2, 3)), st.data())
def test_counts_are_rows_written_out(problem: Problem, data: st.DataObject) -> None:
    n = len(problem.Y)
    counts = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    assume(any(counts))
    rows = np.repeat(np.arange(n), counts)
    options = problem.options
    per_row = {
        name: None if options.get(name) is None else np.asarray(options[name])[rows]
        for name in ("sample_weight", "groups")
    }
    assume(per_row["sample_weight"] is None or per_row["sample_weight"].any())
    written_out = {**options, **per_row}
    for metric in (iso.label_aucs, iso.conflict_aucs):
        expected = metric(problem.Y[rows], problem.scores[rows], **written_out)
        found = metric(problem.Y, problem.scores, counts=counts, **options)
        assert close(found, expected, 1e-12)
