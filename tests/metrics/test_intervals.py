"""Intervals: estimates, covariances and bounds against placement values over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import isonomy as iso
from isonomy._counting import influence
from tests.metrics.made_data import label_influences, problem
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

# Problems here are small; the warnings of that have their own tests.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Only .* intervals may not hold"),
    pytest.mark.filterwarnings("ignore:.* intervals tend to be too short"),
]


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
            iso.auc_intervals(Y, np.round(a), objective=iso.SoftLabel()).covariance,
            iso.auc_intervals(Y, np.round(a), sample_weight=weight).covariance,
            iso.auc_intervals(many, a, objective=iso.LabelAggregation()).covariance,
            iso.compare_scores(Y, a, b).covariance,
            iso.conflict_intervals(Y, a).covariance,
        ]

    whole = results()
    monkeypatch.setattr(influence, "CHUNK", chunk)
    monkeypatch.setattr(influence, "BLOCK", 3 * chunk)
    monkeypatch.setattr(influence, "WORTH_BLOCKS", 0)
    for before, after in zip(whole, results(), strict=True):
        assert after == pytest.approx(before, rel=1e-12, abs=1e-18)


# Bounds.


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, np.float32(0.99), np.float64(0.8)])
def test_bounds_are_on_the_logit_scale(level: float) -> None:
    Y, (scores, _), _ = problem(8)
    found = iso.auc_intervals(Y, scores, level=level, method="delong-logit")
    z = stats.norm.ppf((1 + float(level)) / 2)
    logit = np.log(found.estimate / (1 - found.estimate))
    reach = z * found.standard_error / (found.estimate * (1 - found.estimate))
    assert found.low == pytest.approx(1 / (1 + np.exp(reach - logit)), rel=1e-7)
    assert found.high == pytest.approx(1 / (1 + np.exp(-reach - logit)), rel=1e-7)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_delongs_interval_is_plain_and_cut(level: float) -> None:
    Y, (scores, _), _ = problem(8, n=30)
    found = iso.auc_intervals(Y, scores, level=level, method="delong")
    reach = stats.norm.ppf((1 + level) / 2) * found.standard_error
    assert found.low == pytest.approx(np.maximum(found.estimate - reach, 0))
    assert found.high == pytest.approx(np.minimum(found.estimate + reach, 1))


@pytest.mark.parametrize("method", ["delong-logit", "bootstrap"])
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


def test_one_item_in_a_class_has_no_spread_but_an_interval() -> None:
    rng = np.random.default_rng(0)
    y, scores = np.arange(50) == 7, rng.normal(size=50)
    found = iso.auc_intervals(y, scores)
    assert 0 < found.estimate[0] < 1
    assert np.isnan(found.covariance[0, 0])
    assert 0 <= found.low[0] < found.estimate[0] < found.high[0] <= 1
    assert found.high[0] - found.low[0] > 0.5
    for method in ("delong", "delong-logit"):
        old = iso.auc_intervals(y, scores, method=method)
        assert np.isnan([old.low[0], old.high[0]]).all()
    # One group is one unit.
    y = rng.integers(0, 2, 50)
    grouped = iso.auc_intervals(y, scores, groups=np.zeros(50))
    assert np.isnan(grouped.covariance[0, 0])
    assert 0 <= grouped.low[0] < grouped.estimate[0] < grouped.high[0] <= 1


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


def test_an_undefined_objective_has_no_interval() -> None:
    with pytest.warns(UndefinedMetricWarning):
        found = iso.auc_intervals(np.ones(50), np.arange(50), objective=iso.LabelAggregation())
    assert np.isnan([found.estimate, found.low, found.high, found.covariance[0, 0]]).all()
    assert (found.covariance.shape, found.freedom.shape) == ((1, 1), (1,))


# Unpaired tests.


@pytest.mark.parametrize("method", ["auto", "delong"])
def test_versus_is_welchs_test(method: Any) -> None:
    Y, (a, _), _ = problem(20, n=150)
    Z, (b, _), _ = problem(21, n=70)
    one, other = (iso.auc_intervals(*each, method=method) for each in ((Y, a), (Z, b)))
    found = one.versus(other, level=0.9)
    variances, freedoms = [], []
    for labels, scores in ((Y, a), (Z, b)):
        psi = label_influences(labels, scores)
        positive = (psi**2 * (labels == 1)).sum(axis=0)
        negative = (psi**2 * (labels == 0)).sum(axis=0)
        variances.append(positive + negative)
        m, n = (labels == 1).sum(axis=0), (labels == 0).sum(axis=0)
        classes = (positive + negative) ** 2 / (positive**2 / (m - 1) + negative**2 / (n - 1))
        freedoms.append(classes if method == "auto" else np.full(3, len(labels) - 1))
    total = sum(variances)
    freedom = total**2 / sum(v**2 / d for v, d in zip(variances, freedoms, strict=True))
    assert found.difference == pytest.approx(one.estimate - other.estimate, abs=1e-15)
    assert np.diag(found.covariance) == pytest.approx(total)
    assert found.freedom == pytest.approx(freedom)
    t = found.difference / np.sqrt(total)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    reach = stats.t.ppf(0.95, freedom) * np.sqrt(total)
    assert found.low == pytest.approx(found.difference - reach)
    assert found.high == pytest.approx(found.difference + reach)
    turned = other.versus(one, level=0.9)
    assert turned.p_value == pytest.approx(found.p_value)
    assert turned.low == pytest.approx(-found.high)


def test_versus_of_an_objective_and_of_conflicts() -> None:
    Y, (a, b), _ = problem(22, n=200)
    one, other = (
        iso.auc_intervals(Y[part], score[part], objective=iso.WorstLabel())
        for part, score in ((slice(100), a), (slice(100, 200), b))
    )
    found = one.versus(other)
    assert isinstance(found.difference, float)
    assert found.difference == one.estimate - other.estimate
    assert found.p_value == pytest.approx(found.joint_p_value)
    left, right = (
        iso.conflict_intervals(Y[part], a[part]) for part in (slice(100), slice(100, 200))
    )
    pairs = left.versus(right)
    upper = np.triu_indices(3, 1)
    assert pairs.difference == pytest.approx((left.estimate - right.estimate)[upper])
    assert pairs.covariance == pytest.approx(left.covariance + right.covariance)


def test_versus_of_few_degrees_of_freedom() -> None:
    one, other = (
        iso.AUCIntervals(np.array([area]), *(np.array([x]) for x in (0.4, 0.9)), cov, freedom)
        for area, cov, freedom in (
            (0.7, np.array([[0.01]]), np.array([1.5])),
            (0.6, np.array([[1e-12]]), np.array([9.0])),
        )
    )
    assert one.versus(other).freedom == pytest.approx([1.5])
    still = iso.AUCIntervals(*one_estimate, np.zeros((1, 1)), np.array([9.0]))
    assert still.versus(still).freedom.tolist() == [1.0]


one_estimate = tuple(np.array([x]) for x in (0.7, 0.6, 0.8))


def test_versus_other_conflicts() -> None:
    Y, (a, _), _ = problem(24)
    two, three = (iso.conflict_intervals(Y[:, :k], a) for k in (2, 3))
    with pytest.raises(ValueError, match=r"hold conflict AUCs of 3 labels .* AUCs of 2 labels"):
        three.versus(two)
    with pytest.raises(ValueError, match=r"hold 3 AUCs with .*Found 0\.5"):
        iso.auc_intervals(Y, a).versus(0.5)  # type: ignore[arg-type]


def test_labels_of_no_weight_have_no_say_in_an_end() -> None:
    """Nine pairs of the first label bound it, not the one pair of the second."""
    y = np.repeat([1, 0], 9)
    Y = np.column_stack([y, np.arange(18) == 0])
    options: dict[str, Any] = {"method": "delong-logit", "objective": iso.LossAggregation([1, 0])}
    assert iso.auc_intervals(Y, y, **options).low == pytest.approx(0.05 ** (1 / 9))


def test_there_is_always_a_degree_of_freedom() -> None:
    for options in ({}, {"groups": [0, 0]}):
        found = iso.auc_intervals([0, 1], [1, 2], method="delong", **options)
        assert found.freedom.tolist() == [1.0]


def test_bootstrap_of_an_objective_is_that_of_its_label() -> None:
    Y, (a, _), _ = problem(26, n=60)
    options: dict[str, Any] = {"method": "bootstrap", "random_state": 0, "n_resamples": 9}
    label = iso.auc_intervals(Y[:, 0], a, **options)
    one = iso.auc_intervals(Y[:, 0], a, objective=iso.OneLabel(0), **options)
    assert [one.low, one.high] == pytest.approx([label.low[0], label.high[0]])
    assert one.covariance == pytest.approx(label.covariance)


def test_bootstrap_draws_as_often_as_asked() -> None:
    """Two draws are the least: the bounds of 50% are then halfway between them."""
    Y, (a, _), _ = problem(25, n=60)
    options: dict[str, Any] = {"method": "bootstrap", "random_state": 0}
    found = iso.auc_intervals(Y[:, 0], a, level=0.5, n_resamples=2, **options)
    # Of two draws x < y: their quartiles, and (y - x)^2 / 2.
    apart = 2 * (found.high[0] - found.low[0])
    assert found.covariance[0, 0] == pytest.approx(apart**2 / 2)
    assert found.covariance[0, 0] > 0
    with pytest.raises(ValueError, match="`n_resamples`"):
        iso.auc_intervals(Y, a, n_resamples=1, **options)
    with pytest.raises(ValueError, match="`method`"):
        iso.conflict_intervals(Y, a, method="bootstrap")  # type: ignore[arg-type]


def test_versus_itself_differs_in_nothing() -> None:
    Y, (a, _), _ = problem(23)
    one = iso.auc_intervals(Y, a)
    found = one.versus(one)
    assert found.difference.tolist() == [0, 0, 0]
    assert found.p_value == pytest.approx([1, 1, 1])
    assert found.joint_p_value == pytest.approx(1)


def test_versus_without_spread_has_no_p_value() -> None:
    y = np.repeat([0, 1], 20)
    perfect, wrong = iso.auc_intervals(y, y), iso.auc_intervals(y, 1 - y)
    found = perfect.versus(wrong)
    assert found.difference[0] == 1
    assert np.isnan([found.p_value[0], found.low[0], found.high[0], found.joint_p_value]).all()


@pytest.mark.parametrize("other", [0.5, None, "two"])
def test_versus_something_else(other: object) -> None:
    Y, (a, _), _ = problem(24)
    one = iso.auc_intervals(Y, a)
    if other == "two":
        other = iso.auc_intervals(Y[:, :2], a)
    with pytest.raises(ValueError, match="`other` should hold 3 AUCs with their intervals"):
        one.versus(other)
    with pytest.raises(ValueError, match="`level`"):
        one.versus(one, level=95)
