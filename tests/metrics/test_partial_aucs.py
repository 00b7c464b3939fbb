"""Partial AUCs against scikit-learn, rows written out, and coverage."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

import isonomy as iso
from tests.strategies import Problem, problems

rates = st.sampled_from([1e-9, 0.01, 0.1, 0.25, 0.5, 0.9, 1.0, None])


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Random problems are often undefined; what is said then has its own tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


def one_curve(
    y: np.ndarray, scores: np.ndarray, weight: np.ndarray, max_fpr: float | None
) -> float | None:
    """scikit-learn's, of the rows that count; None without pairs."""
    used = ~np.isnan(y) & (weight > 0)
    if np.unique(y[used]).size < 2:
        return None
    ranks = np.unique(scores[used], return_inverse=True)[1]  # it refuses infinities
    return float(roc_auc_score(y[used], ranks, sample_weight=weight[used], max_fpr=max_fpr))


@given(problems(labels=(1, 3), items=(1, 12)), rates)
def test_scikit_learn(problem: Problem, max_fpr: float | None) -> None:
    n, n_labels = problem.Y.shape
    weight = np.ones(n) if problem.sample_weight is None else problem.sample_weight
    groups = np.zeros(n) if problem.groups is None else problem.groups
    expected = []
    for k in range(n_labels):
        y, parts = problem.Y[:, k], []
        for rows in (groups == group for group in np.unique(groups)):
            found = one_curve(y[rows], problem.scores[rows], weight[rows], max_fpr)
            if found is not None:
                above, below = (weight[rows & (y == value)].sum() for value in (1, 0))
                parts.append((found, 1 if problem.group_weight == "equal" else above * below))
        total = sum(share for _, share in parts)
        expected.append(sum(v * share for v, share in parts) / total if parts else np.nan)
    found = iso.label_aucs(problem.Y, problem.scores, max_fpr=max_fpr, **problem.options)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    alone = iso.auc(problem.Y[:, 0], problem.scores, max_fpr=max_fpr, **problem.options)
    np.testing.assert_allclose(alone, expected[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("max_fpr", [0.05, 0.37])
def test_counts_are_rows_written_out(max_fpr: float) -> None:
    rng = np.random.default_rng(0)
    n = 600
    Y, score = rng.random((n, 2)) < [0.4, 0.2], rng.integers(0, 40, n)
    weight, counts, groups = rng.random(n), rng.integers(0, 4, n), rng.integers(0, 30, n)
    for chosen in ({}, {"groups": groups}, {"clusters": groups}):
        long = {name: np.repeat(values, counts) for name, values in chosen.items()}
        found = iso.auc_intervals(
            Y, score, max_fpr=max_fpr, sample_weight=weight, counts=counts, **chosen
        )
        expected = iso.auc_intervals(
            np.repeat(Y, counts, axis=0),
            np.repeat(score, counts),
            max_fpr=max_fpr,
            sample_weight=np.repeat(weight, counts),
            **long,
        )
        for name in ("estimate", "low", "high", "covariance"):
            got, wanted = getattr(found, name), getattr(expected, name)
            np.testing.assert_allclose(got, wanted, rtol=1e-9)


@pytest.mark.parametrize("max_fpr", [0.1, 0.5])
def test_errors_are_those_of_repeated_samples(max_fpr: float) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(600) < 150

    def curve(rate: float) -> float:
        return float(stats.norm.sf((stats.norm.isf(rate) - 1.2) / 1.5))

    area = integrate.quad(curve, 0, max_fpr)[0] / max_fpr
    truth = 0.5 * (1 + (area - max_fpr / 2) / (1 - max_fpr / 2))
    runs = []
    for _ in range(300):
        score = np.where(y, 1.2 + 1.5 * rng.normal(size=600), rng.normal(size=600))
        found = iso.auc_intervals(y, score, max_fpr=max_fpr)
        inside = found.low[0] <= truth <= found.high[0]
        runs.append((found.estimate[0], found.standard_error[0], inside))
    estimate, error, inside = np.array(runs).T
    assert error.mean() == pytest.approx(estimate.std(), rel=0.1)
    assert inside.mean() > 0.92


def test_clusters_of_copies() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.random(200) < 0.4, rng.normal(size=200)
    alone = iso.auc_intervals(y, score + y, max_fpr=0.2)
    twice = np.r_[y, y], np.r_[score + y, score + y]
    found = iso.auc_intervals(*twice, max_fpr=0.2, clusters=np.tile(np.arange(200), 2))
    np.testing.assert_allclose(found.standard_error, alone.standard_error, rtol=0.02)


def test_whole_curve_is_the_auc() -> None:
    y, score = np.arange(60) % 3 == 0, np.arange(60) % 11
    assert iso.auc(y, score, max_fpr=1) == iso.auc(y, score)
    whole, plain = iso.auc_intervals(y, score, max_fpr=1), iso.auc_intervals(y, score)
    assert whole.low[0] == plain.low[0]


def test_one_class_warns() -> None:
    with pytest.warns(UndefinedMetricWarning, match="'0'"):
        assert np.isnan(iso.auc([1, 1], [1, 2], max_fpr=0.5))


@pytest.mark.parametrize("max_fpr", [0, -0.1, 1.1, np.nan, "0.1", True, [0.1]])
def test_max_fpr_is_a_rate(max_fpr: Any) -> None:
    for metric in (iso.auc, iso.label_aucs, iso.auc_intervals):
        with pytest.raises(ValueError, match="`max_fpr` should be a false positive rate above 0"):
            metric([1, 0], [1, 2], max_fpr=max_fpr)


def test_what_does_not_go_with_a_part() -> None:
    y, score = [0, 1, 0, 1, 1], [1, 2, 3, 4, 3]
    with pytest.raises(ValueError, match="`objective` should be left out beside `max_fpr`"):
        iso.auc_intervals(y, score, max_fpr=0.5, objective=iso.OneLabel(0))
    with pytest.raises(ValueError, match=r"`method` should be 'auto' beside `max_fpr`.*'delong'"):
        iso.auc_intervals(y, score, max_fpr=0.5, method="delong")
