"""Clusters: all pairs count, and rows of one cluster vary together (Obuchowski, 1997)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import isonomy as iso
from tests.metrics.made_data import problem
from tests.oracles import cost_matrix, group_influence, label_cost, order_table, rows_of

pytestmark = [
    pytest.mark.filterwarnings("ignore:Only .* intervals may not hold"),
    pytest.mark.filterwarnings("ignore:.* intervals tend to be too short"),
]


def cluster_influence(
    y: np.ndarray, scores: np.ndarray, cluster: np.ndarray, weight: np.ndarray | None = None
) -> np.ndarray:
    """Placements less the AUC, summed by cluster and class: their squares sum to the variance.

    Each class is made unbiased by I / (I - 1), I being its clusters; with unequal shares w
    of the class as many as (sum w)^2 / sum w^2.
    """
    w = np.ones(len(y)) if weight is None else weight
    right = order_table(scores)
    total = {label: w[y == label].sum() for label in (0, 1)}
    auc = w[y == 1] @ right[y == 1][:, y == 0] @ w[y == 0] / (total[1] * total[0])
    names = np.unique(cluster)
    psi = np.zeros(names.size)
    for mine, other, order in ((1, 0, right), (0, 1, right.T)):
        share, part = np.zeros(names.size), np.zeros(names.size)
        for i in np.flatnonzero(y == mine):
            at = int(np.flatnonzero(names == cluster[i])[0])
            placement = order[i, y == other] @ w[y == other] / total[other]
            share[at] += w[i]
            part[at] += w[i] * (placement - auc) / total[mine]
        size = share.sum() ** 2 / (share**2).sum()
        psi += part * math.sqrt(size / (size - 1))
    return psi


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_variance_is_obuchowskis(missing: bool, weighted: bool) -> None:
    Y, (a, b), weight = problem(30, missing=missing)
    used = weight if weighted else None
    user = np.random.default_rng(0).integers(0, 25, 120)
    psi, other = (
        np.stack([cluster_influence(y, each, user, used) for y in Y.T], axis=1) for each in (a, b)
    )
    found = iso.auc_intervals(Y, a, clusters=user, sample_weight=used)
    assert found.covariance == pytest.approx(psi.T @ psi, rel=1e-11, abs=1e-16)
    assert found.estimate == pytest.approx(iso.label_aucs(Y, a, sample_weight=used), rel=1e-15)
    compared = iso.compare_scores(Y, a, b, clusters=user, sample_weight=used)
    assert compared.covariance == pytest.approx((psi - other).T @ (psi - other), rel=1e-10)
    audited = iso.audit(Y, a, clusters=user, sample_weight=used)
    errors = [label.auc.standard_error for label in audited.labels]
    assert errors == pytest.approx(found.standard_error)
    assert [label.auc.low for label in audited.labels] == pytest.approx(found.low)
    assert [label.auc.high for label in audited.labels] == pytest.approx(found.high)


@pytest.mark.parametrize("objective", [None, iso.LabelAggregation(), iso.WorstLabel()])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_cluster_for_each_row_is_none(objective: Any, weighted: bool) -> None:
    Y, (a, b), weight = problem(31, missing=True)
    options: dict[str, Any] = {"objective": objective}
    if weighted:
        options["sample_weight"] = weight + 0.5
    alone = np.random.default_rng(0).permutation(120)
    plain, found = (
        iso.auc_intervals(Y, a, **options, **more) for more in ({}, {"clusters": alone})
    )
    assert found.covariance == pytest.approx(plain.covariance, rel=1e-11, abs=1e-17)
    assert np.array_equal(found.estimate, plain.estimate)
    assert np.ravel(found.low) == pytest.approx(np.ravel(plain.low), rel=1e-11)
    assert np.ravel(found.high) == pytest.approx(np.ravel(plain.high), rel=1e-11)
    test, clustered = (
        iso.compare_scores(Y, a, b, **options, **more) for more in ({}, {"clusters": alone})
    )
    assert np.ravel(clustered.p_value) == pytest.approx(np.ravel(test.p_value), rel=1e-9)
    assert clustered.freedom == pytest.approx(test.freedom)


def test_rows_that_vary_together_tell_less() -> None:
    """Each row five times is no more than once."""
    Y, (a, _), _ = problem(32)
    once = iso.auc_intervals(Y, a)
    rows = np.repeat(np.arange(120), 5)
    naive = iso.auc_intervals(Y[rows], a[rows])
    found = iso.auc_intervals(Y[rows], a[rows], clusters=rows)
    assert found.covariance == pytest.approx(once.covariance, rel=1e-11, abs=1e-17)
    assert found.low == pytest.approx(once.low, rel=1e-9)
    assert found.high == pytest.approx(once.high, rel=1e-9)
    assert (naive.high - naive.low < 0.6 * (once.high - once.low)).all()


def test_clusters_of_whole_groups() -> None:
    Y, (a, _), _ = problem(33, n=200)
    groups = np.random.default_rng(0).integers(0, 40, 200)
    cluster = groups // 2
    found = iso.auc_intervals(Y, a, groups=groups, clusters=cluster)
    rows = rows_of(Y)
    for k in range(3):
        cost = cost_matrix(label_cost(rows, k), 200)
        psi = group_influence(cost, a, groups)
        names = np.unique(groups)
        both = np.array([psi[names // 2 == c].sum() for c in np.unique(names // 2)])
        n_groups = len({g for g in names if cost[groups == g][:, groups == g].any()})
        n_clusters = len({g // 2 for g in names if cost[groups == g][:, groups == g].any()})
        correction = n_clusters / (n_clusters - 1) * (n_groups - 1) / n_groups
        assert found.covariance[k, k] == pytest.approx((both**2).sum() * correction, rel=1e-10)
    own = iso.auc_intervals(Y, a, groups=groups, clusters=groups)
    alone = iso.auc_intervals(Y, a, groups=groups)
    assert own.covariance == pytest.approx(alone.covariance, rel=1e-12)
    assert own.low == pytest.approx(alone.low, rel=1e-12)


Y4, S4 = np.array([[1, 0], [0, 1], [1, 1], [0, 0]]), np.arange(4.0)
CALLS = [
    lambda **more: iso.auc_intervals(Y4, S4, **more),
    lambda **more: iso.conflict_intervals(Y4, S4, **more),
    lambda **more: iso.compare_scores(Y4, S4, -S4, **more),
    lambda **more: iso.audit(Y4, S4, **more),
]


@pytest.mark.parametrize("call", CALLS)
def test_bad_clusters(call: Any) -> None:
    with pytest.raises(ValueError, match=r"`clusters` should hold one cluster .*shape \(3,\)"):
        call(clusters=[1, 2, 3])
    with pytest.raises(ValueError, match=r"`clusters` should name a cluster .* Found 1 missing"):
        call(clusters=[1, 2, np.nan, 3])
    with pytest.raises(TypeError, match="`clusters` should hold ids of one type"):
        call(clusters=np.array([1, "a", 2, 3], object))
    with pytest.raises(ValueError, match=r"`clusters` should hold whole groups.*in two clusters"):
        call(clusters=[0, 1, 2, 2], groups=[0, 0, 1, 1])


@pytest.mark.parametrize("method", ["auto", "delong"])
@pytest.mark.parametrize("cluster", ["one for all", "one for the positives"])
def test_one_cluster_tells_no_spread(cluster: str, method: Any) -> None:
    """Its influences sum to 0, but for rounding: that is no certainty."""
    Y, (a, b), _ = problem(33)
    y = Y[:, 0]
    user = np.where(y == 1, 0, 0 if cluster == "one for all" else np.arange(120))
    found = iso.auc_intervals(y, a, clusters=user, method=method)
    assert np.isnan(found.covariance).all()
    assert np.isnan(found.low[0]) == (method == "delong")
    compared = iso.compare_scores(y, a, b, clusters=user, method=method)
    assert np.isnan([compared.p_value[0], compared.low[0], compared.joint_p_value]).all()
