"""Paired tests of two scores, against placement values over all pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import isonomy as iso
from tests.metrics.made_data import label_influences, problem
from tests.oracles import (
    OBJECTIVES,
    Case,
    cost_matrix,
    delong_paired,
    group_influence,
    label_cost,
    rows_of,
)

# Problems here are small; the warnings of that have their own tests.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Only .* intervals may not hold"),
    pytest.mark.filterwarnings("ignore:.* intervals tend to be too short"),
]


def satterthwaite(psi: np.ndarray, parts: list[np.ndarray]) -> float:
    """Degrees of freedom of a sum of variances, each of as many units as there are in a part."""
    variances = [float((psi[part] ** 2).sum()) for part in parts]
    squares = sum(v**2 / (len(psi[part]) - 1) for v, part in zip(variances, parts, strict=True))
    return sum(variances) ** 2 / squares


def hotelling(difference: np.ndarray, covariance: np.ndarray, freedom: float) -> float:
    """p-value of T^2 = d' S^-1 d, by the F distribution."""
    k = difference.size
    statistic = difference @ np.linalg.solve(covariance, difference)
    left = freedom - k + 1
    return float(stats.f.sf(statistic * left / (freedom * k), k, left))


def test_compare_scores_is_delongs_paired_test() -> None:
    Y, (a, b), _ = problem(12)
    y = Y[:, 0]
    found = iso.compare_scores(y, a, b, method="delong")
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
    assert found.freedom.tolist() == [math.inf]


def test_a_test_has_the_freedom_of_the_differences_of_placements() -> None:
    Y, (a, b), _ = problem(12)
    Y = np.column_stack([Y, np.arange(120) < 9])
    found = iso.compare_scores(Y, a, b, level=0.9)
    psi = label_influences(Y, a) - label_influences(Y, b)
    freedom = [satterthwaite(psi[:, k], [y == 1, y == 0]) for k, y in enumerate(Y.T)]
    assert found.freedom == pytest.approx(freedom)
    # A rare class has hardly more to tell than its own items.
    assert freedom[3] < 12
    error = np.sqrt((psi**2).sum(axis=0))
    t = found.difference / error
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    reach = stats.t.ppf(0.95, freedom) * error
    assert found.low == pytest.approx(found.difference - reach)
    assert found.high == pytest.approx(found.difference + reach)
    z_test = iso.compare_scores(Y, a, b, method="delong")
    assert (found.p_value > z_test.p_value).all()
    assert found.joint_p_value > z_test.joint_p_value


def test_groups_and_clusters_have_one_less_than_there_are() -> None:
    """Of equal size, with as many pairs each."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 0, 1, 1], 12)
    a, b = y + rng.normal(size=(2, 48))
    groups = np.arange(48) // 4
    assert iso.compare_scores(y, a, b, groups=groups).freedom == pytest.approx([11])
    assert iso.compare_scores(y, a, b, clusters=groups).freedom == pytest.approx([11])
    pairs = iso.compare_scores(y, a, b, groups=groups, clusters=groups // 2)
    assert pairs.freedom == pytest.approx([5])


@pytest.mark.parametrize("kind", ["groups", "clusters"])
def test_unequal_units_have_fewer(kind: str) -> None:
    """Effectively (sum w)^2 / sum w^2, w being the pairs of a group or cluster."""
    rng = np.random.default_rng(1)
    Y = rng.integers(0, 2, (80, 1)).astype(float)
    a, b = Y[:, 0] + rng.normal(size=(2, 80))
    number = np.sort(rng.integers(0, 12, 80))
    found = iso.compare_scores(Y, a, b, **{kind: number})
    y = Y[:, 0]
    parts = [number == g for g in np.unique(number)]
    if kind == "groups":
        share = np.array([(y[p] == 1).sum() * (y[p] == 0).sum() for p in parts], float)
    else:
        share = np.array(
            [(y[p] == 1).sum() / (y == 1).sum() + (y[p] == 0).sum() / (y == 0).sum() for p in parts]
        )
    size = share.sum() ** 2 / (share**2).sum()
    assert found.freedom[0] == pytest.approx(size - 1)
    assert size < 12


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
    expected = hotelling(found.difference, covariance, found.freedom.min())
    assert found.joint_p_value == pytest.approx(expected, rel=1e-8)
    wald = iso.compare_scores(Y, a, b, method="delong", sample_weight=used, groups=groups)
    statistic = found.difference @ np.linalg.solve(covariance, found.difference)
    assert wald.joint_p_value == pytest.approx(stats.chi2.sf(statistic, 3), rel=1e-8)


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


@pytest.mark.parametrize("objective", [None, iso.OneLabel(0), iso.LabelAggregation()])
def test_comparing_what_is_undefined_warns(objective: Any) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 50))
    with pytest.warns(UndefinedMetricWarning):
        found = iso.compare_scores(np.ones(50), a, b, objective=objective)
    assert np.isnan(np.append(found.difference, [found.joint_p_value])).all()


def test_p_values_are_uniform_where_nothing_differs() -> None:
    rng = np.random.default_rng(0)
    p = []
    for _ in range(300):
        y, noise = np.arange(120) % 2, rng.normal(size=(2, 120))
        p.append(iso.compare_scores(y, *(y + noise)).joint_p_value)
    assert stats.kstest(p, "uniform").pvalue > 0.001


def test_a_single_positive_has_no_p_value() -> None:
    y = np.arange(10) == 9
    found = iso.compare_scores(y, np.arange(10), np.arange(10) * 2)
    assert np.isnan(found.p_value).all()
    assert np.isnan(found.joint_p_value)


def test_the_joint_test_does_not_pass_over_a_difference_without_spread() -> None:
    rng = np.random.default_rng(0)
    score = np.arange(40.0)
    Y = np.column_stack([score >= 20, rng.random(40) < 0.5])
    found = iso.compare_scores(Y, score, -score)
    assert found.difference[0] == 1
    assert np.isnan(found.joint_p_value)


def test_an_unknown_spread_has_no_p_value() -> None:
    rng = np.random.default_rng(0)
    found = iso.compare_scores(np.arange(50) == 7, *rng.normal(size=(2, 50)))
    assert np.isnan([found.low[0], found.high[0], found.p_value[0], found.joint_p_value]).all()
    # Perfect against perfectly wrong: without spread there is no test.
    found = iso.compare_scores([0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1])
    assert found.difference[0] == 1
    assert np.isnan([found.p_value[0], found.joint_p_value]).all()


@pytest.mark.parametrize("kind", ["plain", "groups", "clusters"])
def test_which_score_comes_first_does_not_matter(kind: str) -> None:
    """Also where each score has its own worst label, of rows that the other does not see."""
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (120, 2)).astype(float)
    Y[:50, 0] = np.nan
    Y[70:, 1] = np.nan
    a, b = np.nan_to_num(Y).T + rng.normal(size=(2, 120))
    assert iso.label_aucs(Y, a).argmin() != iso.label_aucs(Y, b).argmin()
    options = {} if kind == "plain" else {kind: np.arange(120) // 5}
    found = iso.compare_scores(Y, a, b, objective=iso.WorstLabel(), **options)
    turned = iso.compare_scores(Y, b, a, objective=iso.WorstLabel(), **options)
    assert turned.freedom == pytest.approx(found.freedom)
    assert turned.p_value == pytest.approx(found.p_value)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


@pytest.mark.parametrize("positives", [5, 10])
def test_the_size_with_a_rare_class(positives: int) -> None:
    """At most 6% at 5%, within three standard errors of 600 runs; the z-test has 8 to 12%."""
    rng = np.random.default_rng(0)
    y = np.arange(200) < positives
    rejected = [0, 0]
    for _ in range(600):
        common, *own = rng.normal(size=(3, 200))
        a, b = (0.36 * y + 0.5 * common + 0.5 * each for each in own)
        for i, method in enumerate(("auto", "delong")):
            rejected[i] += iso.compare_scores(y, a, b, method=method).p_value[0] < 0.05
    assert rejected[0] / 600 <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / 600)
    assert rejected[1] > rejected[0]


def test_conflicts_are_not_tested_against_labels() -> None:
    """Three labels have three AUCs and three conflict AUCs."""
    Y, (a, _), _ = problem(40)
    labels, conflicts = iso.auc_intervals(Y, a), iso.conflict_intervals(Y, a)
    with pytest.raises(ValueError, match=r"hold 3 AUCs .* Found conflict AUCs of 3 labels"):
        labels.versus(conflicts)
    with pytest.raises(ValueError, match=r"hold conflict AUCs of 3 labels .* Found 3 AUCs"):
        conflicts.versus(labels)


@pytest.mark.parametrize("seed", [None, 1, 2, 3, 4])
def test_rounding_is_no_spread(seed: int | None) -> None:
    """A perfect score and a constant one differ, and no item tells how far that may be off."""
    y = np.arange(60) % 2
    weight = None if seed is None else np.random.default_rng(seed).random(60)
    found = iso.compare_scores(y, y, np.zeros(60), sample_weight=weight)
    assert found.difference[0] == pytest.approx(0.5)
    assert np.isnan([found.p_value[0], found.low[0], found.high[0]]).all()
    assert found.covariance[0, 0] == 0


class Apart:
    """The second label's AUC less the first's: a mix with a slope of either sign."""

    pooled = False

    def preferences(self, labels: Any) -> iso.Preferences:
        return iso.Preferences(labels.codes, above=labels.positive, below=labels.negative, mix=self)

    def value(self, ratios: np.ndarray) -> float:
        return float(ratios[1] - ratios[0])

    def slope(self, ratios: np.ndarray) -> np.ndarray:
        return np.array([-1.0, 1.0])


@pytest.mark.parametrize("units", ["items", "clusters", "groups"])
def test_a_mix_that_falls_where_an_auc_rises(units: str) -> None:
    """Warnings are errors here: what such a mix stands on does not cancel."""
    rng = np.random.default_rng(3)
    Y, lists = (rng.random((400, 2)) < 0.4).astype(int), np.repeat(np.arange(40), 10)
    a, b = Y @ [1.0, 2.0] + rng.normal(size=(2, 400))
    options = {} if units == "items" else {units: lists}
    apart = iso.compare_scores(Y, a, b, objective=Apart(), **options)
    each = iso.compare_scores(Y, a, b, **options)
    contrast = np.array([-1.0, 1.0])
    assert apart.difference == pytest.approx(contrast @ each.difference)
    assert apart.covariance[0, 0] == pytest.approx(contrast @ each.covariance @ contrast)
