"""Intervals and paired tests against placement values over all pairs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import isonomy as iso
from isonomy._counting import influence
from tests.oracles import (
    OBJECTIVES,
    Case,
    class_influence,
    conflict_cost,
    cost_matrix,
    delong_paired,
    group_influence,
    label_cost,
    pooled_influence,
    rows_of,
)

# Problems here are small; the warning of that has its own test.
pytestmark = pytest.mark.filterwarnings("ignore:Fewer than 30")


def problem(
    seed: int, *, n: int = 120, missing: bool = False, ties: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels with priors .5, .3 and .7, two scores that predict them, and weights."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, 3)) < [0.5, 0.3, 0.7]).astype(float)
    scores = Y @ [[1, 0.2], [0.5, 1], [0.1, 0.4]] + rng.normal(size=(n, 2))
    if ties:
        scores = np.round(2 * scores) / 2
    if missing:
        Y[rng.random(Y.shape) < 0.2] = np.nan
    return Y, scores.T, rng.choice([0.0, 0.5, 1.0, 2.5], n)


def label_influences(
    Y: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None
) -> np.ndarray:
    return np.stack([class_influence(y, scores, weight) for y in Y.T], axis=1)


# Covariances.


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_covariance_is_that_of_placement_values(missing: bool, weighted: bool, ties: bool) -> None:
    Y, (scores, _), weight = problem(1, missing=missing, ties=ties)
    used = weight if weighted else None
    found = iso.auc_intervals(Y, scores, sample_weight=used)
    psi = label_influences(Y, scores, used)
    assert found.covariance == pytest.approx(psi.T @ psi, rel=1e-12, abs=1e-16)
    assert found.estimate == pytest.approx(iso.label_aucs(Y, scores, sample_weight=used))
    assert found.standard_error == pytest.approx(np.sqrt((psi**2).sum(axis=0)))


def test_variance_is_delongs() -> None:
    Y, (scores, _), _ = problem(2)
    found = iso.auc_intervals(Y, scores)
    for k in range(3):
        y = Y[:, k]
        assert found.covariance[k, k] == pytest.approx(delong_paired(y, [scores])[0, 0], rel=1e-12)


def test_more_than_eight_labels_and_patterns() -> None:
    rng = np.random.default_rng(0)
    Y, scores = rng.integers(0, 2, (400, 11)), rng.normal(size=400)
    found = iso.auc_intervals(Y, scores)
    psi = label_influences(Y, scores)
    assert found.covariance == pytest.approx(psi.T @ psi, rel=1e-12, abs=1e-16)


@pytest.mark.parametrize("group_weight", ["pairs", "equal"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_covariance_clustered_by_group(group_weight: str, weighted: bool, missing: bool) -> None:
    Y, (scores, _), weight = problem(3, n=200, missing=missing)
    groups = np.random.default_rng(0).integers(0, 45, 200)
    groups[:3] = [100, 101, 102]  # Groups of one item have no pairs and do not count.
    used = weight if weighted else None
    found = iso.auc_intervals(
        Y, scores, sample_weight=used, groups=groups, group_weight=group_weight
    )
    rows = rows_of(Y)
    psi = np.stack(
        [
            group_influence(
                cost_matrix(label_cost(rows, k), 200), scores, groups, used, group_weight
            )
            for k in range(3)
        ],
        axis=1,
    )
    assert found.covariance == pytest.approx(psi.T @ psi, rel=1e-11, abs=1e-16)


@pytest.mark.parametrize("case", OBJECTIVES, ids=lambda case: case.name)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_variance_of_every_objective(case: Case, weighted: bool, grouped: bool) -> None:
    Y, (scores, _), weight = problem(4, n=100, missing=not case.complete)
    used = weight if weighted else None
    groups = np.random.default_rng(0).integers(0, 35, 100) if grouped else None
    objective = case.objective(3)
    found = iso.auc_intervals(Y, scores, objective=objective, sample_weight=used, groups=groups)
    expected = iso.objective_auc(Y, scores, objective, sample_weight=used, groups=groups)
    assert found.estimate == expected

    costs = [cost_matrix(cost, 100) for cost in case.costs(rows_of(Y))]
    binary = all(set(np.unique(cost)) <= {0, 1} and _splits(cost) for cost in costs)
    if groups is not None:
        psi = [group_influence(cost, scores, groups, used) for cost in costs]
    elif binary:
        psi = [class_influence(_classes(cost), scores, used) for cost in costs]
    else:
        psi = [pooled_influence(cost, scores, used) for cost in costs]
    slope = iso_slope(case, Y, scores, used, groups)
    mixed = np.stack(psi, axis=1) @ slope
    assert found.covariance.shape == (1, 1)
    assert found.covariance[0, 0] == pytest.approx(mixed @ mixed, rel=1e-11)
    assert 0 < found.low < found.estimate < found.high < 1


def _splits(cost: np.ndarray) -> bool:
    """Whether a 0/1 cost only says which items belong above which others."""
    up, low = cost.any(axis=1), cost.any(axis=0)
    return bool((cost == np.outer(up, low)).all())


def _classes(cost: np.ndarray) -> np.ndarray:
    return np.where(cost.any(axis=1), 1.0, np.where(cost.any(axis=0), 0.0, np.nan))


def iso_slope(
    case: Case, Y: np.ndarray, scores: np.ndarray, weight: Any, groups: Any
) -> np.ndarray:
    """What one unit of each ratio adds to the objective."""
    if case.name in ("loa", "loa-weights"):
        weights = np.ones(3) if case.name == "loa" else np.array([1.0, 1.5, 2.0])
        return weights / weights.sum()
    if case.name == "worst":
        aucs = iso.label_aucs(Y, scores, sample_weight=weight, groups=groups)
        return np.eye(3)[aucs.argmin()]
    return np.ones(1)


@pytest.mark.parametrize("costs", ["linear", "uniform"])
@pytest.mark.parametrize("n_levels", [3, 64, 90, 300])
def test_variance_with_many_levels(costs: str, n_levels: int) -> None:
    rng = np.random.default_rng(n_levels)
    levels = rng.normal(size=n_levels)
    y = rng.permutation(np.concatenate([levels, rng.choice(levels, 200)]))
    scores = np.round(y + rng.normal(size=y.size), 1)
    gap = np.maximum(y[:, None] - y, 0)
    cost = gap if costs == "linear" else (gap > 0).astype(float)
    weight = rng.choice([0.5, 1.0, 2.0], y.size)
    for used in (None, weight):
        found = iso.auc_intervals(
            y, scores, objective=iso.LabelAggregation(costs=costs), sample_weight=used
        )
        psi = pooled_influence(cost, scores, used)
        assert found.covariance[0, 0] == pytest.approx(psi @ psi, rel=1e-10)


@pytest.mark.parametrize(
    "objective", [iso.LabelAggregation(), iso.LossAggregation("balanced"), iso.LossAggregation()]
)
def test_variance_is_near_the_jackknifes(objective: Any) -> None:
    Y, (scores, _), _ = problem(5, n=200)
    without = [
        iso.objective_auc(np.delete(Y, i, axis=0), np.delete(scores, i), objective)
        for i in range(200)
    ]
    jackknife = 199 * np.var(without)
    found = iso.auc_intervals(Y, scores, objective=objective).covariance[0, 0]
    assert found == pytest.approx(jackknife, rel=0.03)


def test_conflict_intervals() -> None:
    Y, (scores, _), weight = problem(6, n=150, missing=True)
    for used in (None, weight):
        found = iso.conflict_intervals(Y, scores, sample_weight=used)
        rows = rows_of(Y)
        costs = [conflict_cost(rows, k, j) for k, j in ((0, 1), (0, 2), (1, 2))]
        psi = np.stack(
            [class_influence(_classes(cost_matrix(cost, 150)), scores, used) for cost in costs],
            axis=1,
        )
        assert found.covariance == pytest.approx(psi.T @ psi, rel=1e-11, abs=1e-16)
        expected = iso.conflict_aucs(Y, scores, sample_weight=used)
        assert np.array_equal(found.estimate, expected, equal_nan=True)
        off = ~np.eye(3, dtype=bool)
        assert (found.low[off] < found.estimate[off]).all()
        assert (found.estimate[off] < found.high[off]).all()
        assert found.low.T[off] == pytest.approx(1 - found.high[off])
        assert np.isnan(np.diag(found.low)).all()


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_chunks_change_nothing(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    Y, (a, b), weight = problem(7, n=100)
    ordinal = iso.LabelAggregation(lambda rows: rows @ [1, 2, 4], costs="linear")
    many = np.random.default_rng(0).normal(size=100)

    def results() -> list[np.ndarray]:
        return [
            iso.auc_intervals(Y, a).covariance,
            iso.auc_intervals(Y, a, sample_weight=weight).covariance,
            iso.auc_intervals(Y, a, objective=ordinal).covariance,
            iso.auc_intervals(many, a, objective=iso.LabelAggregation()).covariance,
            iso.compare_scores(Y, a, b).covariance,
            iso.conflict_intervals(Y, a).covariance,
        ]

    whole = results()
    monkeypatch.setattr(influence, "CHUNK", chunk)
    for before, after in zip(whole, results(), strict=True):
        assert after == pytest.approx(before, rel=1e-12, abs=1e-18)


# Bounds.


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, np.float32(0.99), np.float64(0.8)])
def test_bounds_are_on_the_logit_scale(level: float) -> None:
    Y, (scores, _), _ = problem(8)
    found = iso.auc_intervals(Y, scores, level=level)
    z = stats.norm.ppf((1 + float(level)) / 2)
    logit = np.log(found.estimate / (1 - found.estimate))
    reach = z * found.standard_error / (found.estimate * (1 - found.estimate))
    assert found.low == pytest.approx(1 / (1 + np.exp(reach - logit)), rel=1e-7)
    assert found.high == pytest.approx(1 / (1 + np.exp(-reach - logit)), rel=1e-7)


@pytest.mark.parametrize("method", ["delong", "bootstrap"])
@pytest.mark.parametrize(("positives", "negatives"), [(5, 20), (20, 5), (40, 40)])
def test_a_perfect_score_has_a_one_sided_bound(method: Any, positives: int, negatives: int) -> None:
    y = np.repeat([1, 0], [positives, negatives])
    options: dict[str, Any] = {"method": method, "n_resamples": 20, "random_state": 0}
    m = min(positives, negatives)
    best = iso.auc_intervals(y, y, level=0.9, **options)
    assert best.estimate[0] == best.high[0] == 1
    assert best.low[0] == pytest.approx(0.1 ** (1 / m))
    worst = iso.auc_intervals(y, -y, level=0.9, **options)
    assert worst.estimate[0] == worst.low[0] == 0
    assert worst.high[0] == pytest.approx(1 - 0.1 ** (1 / m))
    for objective in (iso.LossAggregation(), iso.LabelAggregation(), iso.WorstLabel()):
        found = iso.auc_intervals(y, y, objective=objective, level=0.9, **options)
        assert (found.estimate, found.high) == (1.0, 1.0)
        assert found.low == pytest.approx(0.1 ** (1 / m))


def test_one_item_in_a_class_has_no_interval() -> None:
    rng = np.random.default_rng(0)
    y, scores = np.arange(50) == 7, rng.normal(size=50)
    found = iso.auc_intervals(y, scores)
    assert 0 < found.estimate[0] < 1
    assert np.isnan([found.low[0], found.high[0], found.covariance[0, 0]]).all()
    grouped = iso.auc_intervals(rng.integers(0, 2, 50), scores, groups=np.zeros(50))
    assert np.isnan([grouped.low[0], grouped.high[0]]).all()


def test_one_bad_label_leaves_the_others_alone() -> None:
    Y, (scores, _), _ = problem(9)
    Y[:, 1] = 1
    with pytest.warns(UndefinedMetricWarning, match="'1'"):
        found = iso.auc_intervals(Y, scores)
    alone = iso.auc_intervals(Y[:, [0, 2]], scores)
    keep = [0, 2]
    assert found.covariance[np.ix_(keep, keep)] == pytest.approx(alone.covariance, rel=1e-12)
    assert found.low[keep] == pytest.approx(alone.low)
    assert np.isnan([found.estimate[1], found.low[1], found.high[1]]).all()
    with pytest.warns(UndefinedMetricWarning, match="'1'"):
        drawn = iso.auc_intervals(Y, scores, method="bootstrap", n_resamples=200, random_state=0)
    assert np.isfinite(drawn.low[keep]).all()
    assert np.isfinite(drawn.covariance[np.ix_(keep, keep)]).all()
    assert np.isnan([drawn.low[1], drawn.high[1], drawn.covariance[1, 1]]).all()


def test_few_items_are_warned_of_by_name() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    Y = pd.DataFrame({"click": np.arange(100) % 2, "buy": np.arange(100) < 29})
    scores = rng.normal(size=100)
    with pytest.warns(UserWarning, match=r"Fewer than 30 items in a class \(29\) for 'buy':"):
        iso.auc_intervals(Y, scores)
    with pytest.warns(UserWarning, match="Fewer than 30 groups with pairs"):
        iso.auc_intervals(Y["click"], scores, groups=np.arange(100) // 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        iso.auc_intervals(Y["click"], scores)
        iso.auc_intervals(Y, scores, objective=iso.OneLabel("click"))
        iso.auc_intervals(np.arange(100) < 30, scores)
        iso.auc_intervals(Y, scores, objective=iso.LossAggregation([1, 0]))


def test_an_undefined_objective_has_no_interval() -> None:
    with pytest.warns(UndefinedMetricWarning):
        found = iso.auc_intervals(np.ones(50), np.arange(50), objective=iso.LabelAggregation())
    assert np.isnan([found.estimate, found.low, found.high, found.covariance[0, 0]]).all()


# Bootstrap.


@pytest.mark.parametrize("objective", [None, iso.LabelAggregation(), iso.LossAggregation()])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_bootstrap_is_near_delong(objective: Any, grouped: bool, weighted: bool) -> None:
    Y, (scores, _), weight = problem(10, n=400)
    options: dict[str, Any] = {"objective": objective}
    options["groups"] = np.random.default_rng(0).integers(0, 60, 400) if grouped else None
    options["sample_weight"] = weight if weighted else None
    delong = iso.auc_intervals(Y, scores, **options)
    drawn = iso.auc_intervals(
        Y, scores, method="bootstrap", n_resamples=400, random_state=1, **options
    )
    assert drawn.estimate == pytest.approx(delong.estimate, rel=0, abs=0)
    assert drawn.standard_error == pytest.approx(delong.standard_error, rel=0.25)
    assert drawn.low == pytest.approx(delong.low, abs=0.02)
    assert drawn.high == pytest.approx(delong.high, abs=0.02)


def test_bootstrap_depends_on_the_seed_alone() -> None:
    Y, (scores, _), _ = problem(11)
    options: dict[str, Any] = {"method": "bootstrap", "n_resamples": 50}
    first = iso.auc_intervals(Y, scores, random_state=5, **options)
    again = iso.auc_intervals(Y, scores, random_state=5, **options)
    generator = iso.auc_intervals(Y, scores, random_state=np.random.default_rng(5), **options)
    other = iso.auc_intervals(Y, scores, random_state=6, **options)
    assert np.array_equal(first.covariance, again.covariance)
    assert np.array_equal(first.low, generator.low)
    assert not np.array_equal(first.covariance, other.covariance)


# Paired tests.


def test_compare_scores_is_delongs_paired_test() -> None:
    Y, (a, b), _ = problem(12)
    y = Y[:, 0]
    found = iso.compare_scores(y, a, b)
    S = delong_paired(y, [a, b])
    variance = S[0, 0] + S[1, 1] - 2 * S[0, 1]
    difference = iso.auc(y, a) - iso.auc(y, b)
    assert found.difference[0] == pytest.approx(difference)
    assert found.covariance[0, 0] == pytest.approx(variance, rel=1e-11)
    z = abs(difference) / math.sqrt(variance)
    assert found.p_value[0] == pytest.approx(2 * stats.norm.sf(z))
    assert found.joint_p_value == pytest.approx(2 * stats.norm.sf(z))
    reach = stats.norm.ppf(0.975) * math.sqrt(variance)
    assert (found.low[0], found.high[0]) == pytest.approx((difference - reach, difference + reach))


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_compare_scores_jointly(grouped: bool, weighted: bool) -> None:
    Y, (a, b), weight = problem(13, missing=True)
    used = weight if weighted else None
    groups = np.random.default_rng(0).integers(0, 40, 120) if grouped else None
    found = iso.compare_scores(Y, a, b, sample_weight=used, groups=groups)
    if groups is None:
        psi = label_influences(Y, a, used) - label_influences(Y, b, used)
    else:
        rows = rows_of(Y)
        costs = [cost_matrix(label_cost(rows, k), 120) for k in range(3)]
        psi = np.stack(
            [
                group_influence(c, a, groups, used) - group_influence(c, b, groups, used)
                for c in costs
            ],
            axis=1,
        )
    covariance = psi.T @ psi
    assert found.covariance == pytest.approx(covariance, rel=1e-11, abs=1e-16)
    statistic = found.difference @ np.linalg.solve(covariance, found.difference)
    assert found.joint_p_value == pytest.approx(stats.chi2.sf(statistic, 3), rel=1e-8)


@pytest.mark.parametrize("case", OBJECTIVES, ids=lambda case: case.name)
def test_compare_scores_by_every_objective(case: Case) -> None:
    Y, (a, b), _ = problem(14)
    objective = case.objective(3)
    found = iso.compare_scores(Y, a, b, objective=objective)
    expected = iso.objective_auc(Y, a, objective) - iso.objective_auc(Y, b, objective)
    assert found.difference == pytest.approx(expected, abs=1e-15)
    assert found.low < found.difference < found.high
    assert found.p_value == pytest.approx(found.joint_p_value)
    turned = iso.compare_scores(Y, b, a, objective=objective)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert turned.p_value == pytest.approx(found.p_value)


def test_equal_scores_do_not_differ() -> None:
    Y, (a, _), _ = problem(15)
    found = iso.compare_scores(Y, a, np.exp(a))
    assert found.difference.tolist() == [0, 0, 0]
    assert found.p_value.tolist() == [1, 1, 1]
    assert found.joint_p_value == 1
    one = iso.compare_scores(Y, a, 2 * a, objective=iso.LabelAggregation())
    assert (one.difference, one.p_value, one.joint_p_value) == (0, 1, 1)


def test_a_label_twice_is_one_test() -> None:
    Y, (a, b), _ = problem(16)
    once = iso.compare_scores(Y[:, 0], a, b)
    twice = iso.compare_scores(Y[:, [0, 0]], a, b)
    assert twice.joint_p_value == pytest.approx(once.joint_p_value)


def test_an_unknown_spread_has_no_p_value() -> None:
    rng = np.random.default_rng(0)
    found = iso.compare_scores(np.arange(50) == 7, *rng.normal(size=(2, 50)))
    assert np.isnan([found.low[0], found.high[0], found.p_value[0], found.joint_p_value]).all()
    # Perfect against perfectly wrong: without spread there is no test.
    found = iso.compare_scores([0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1])
    assert found.difference[0] == 1
    assert np.isnan([found.p_value[0], found.joint_p_value]).all()


@pytest.mark.parametrize("objective", [None, iso.OneLabel(0), iso.LabelAggregation()])
def test_comparing_what_is_undefined_warns(objective: Any) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 50))
    with pytest.warns(UndefinedMetricWarning):
        found = iso.compare_scores(np.ones(50), a, b, objective=objective)
    assert np.isnan(np.append(found.difference, [found.joint_p_value])).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda Y, s: iso.auc_intervals(Y, s),
        lambda Y, s: iso.auc_intervals(Y, s, objective=iso.LabelAggregation()),
        lambda Y, s: iso.conflict_intervals(Y, s),
    ],
)
def test_warnings_point_at_the_callers_line(call: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(rng.integers(0, 2, (20, 2)), rng.normal(size=20))
    assert [warning.filename for warning in caught] == [__file__]


def test_p_values_are_uniform_where_nothing_differs() -> None:
    rng = np.random.default_rng(0)
    p = []
    for _ in range(300):
        y, noise = np.arange(120) % 2, rng.normal(size=(2, 120))
        p.append(iso.compare_scores(y, *(y + noise)).joint_p_value)
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_small_classes_warn_in_compare_scores_too() -> None:
    with pytest.warns(UserWarning, match=r"Fewer than 30 items in a class \(2\)"):
        iso.compare_scores([0, 0, 0, 1, 1], [1, 2, 3, 4, 5], [2, 1, 3, 5, 4])


@pytest.mark.filterwarnings("ignore:Fewer than 30")
def test_a_single_positive_has_no_p_value() -> None:
    y = np.arange(10) == 9
    found = iso.compare_scores(y, np.arange(10), np.arange(10) * 2)
    assert np.isnan(found.p_value).all()
    assert np.isnan(found.joint_p_value)


@pytest.mark.filterwarnings("ignore:Fewer than 30")
def test_the_joint_test_does_not_pass_over_a_difference_without_spread() -> None:
    rng = np.random.default_rng(0)
    score = np.arange(40.0)
    Y = np.column_stack([score >= 20, rng.random(40) < 0.5])
    found = iso.compare_scores(Y, score, -score)
    assert found.difference[0] == 1
    assert np.isnan(found.joint_p_value)


@pytest.mark.parametrize("seed", [-1, "a", 1.5, True, np.random.RandomState(0)])
def test_bad_seeds(seed: object) -> None:
    with pytest.raises(ValueError, match="`random_state` should be None, a whole number"):
        iso.auc_intervals([0, 1], [0, 1], method="bootstrap", random_state=seed)
