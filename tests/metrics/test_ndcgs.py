"""nDCG against all orders of ties, scikit-learn, and rows written out."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import ndcg_score

import isonomy as iso
from isonomy._core import Items
from tests.strategies import COMPLETE_FORMS, MISSING_FORMS, SCORE_TYPES, Problem, problems


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Random problems are often undefined; what is said then has its own tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


def dcg(gains: list[float], k: int | None) -> float:
    return math.fsum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains[:k]))


def list_ndcg(gains: list[float], scores: list[float], k: int | None) -> float | None:
    """The mean over all permutations that the scores allow; None without gains."""
    best = dcg(sorted(gains, reverse=True), k)
    if best == 0:
        return None
    runs = [
        [gain for gain, other in zip(gains, scores, strict=True) if other == score]
        for score in sorted(set(scores), reverse=True)
    ]
    orders = [
        dcg([gain for run in order for gain in run], k)
        for order in itertools.product(*(itertools.permutations(run) for run in runs))
    ]
    return math.fsum(orders) / len(orders) / best


def expected_ndcgs(problem: Problem, k: int | None, group_weight: str) -> list[float]:
    n, n_labels = problem.Y.shape
    weight = np.ones(n) if problem.sample_weight is None else problem.sample_weight
    groups = np.zeros(n) if problem.groups is None else problem.groups
    found = []
    for label in range(n_labels):
        y = problem.Y[:, label]
        values, shares = [], []
        for group in np.unique(groups):
            rows = np.flatnonzero((groups == group) & ~np.isnan(y) & (weight > 0))
            gains = (y * weight)[rows].tolist()
            value = list_ndcg(gains, (problem.scores[rows] + 0.0).tolist(), k)
            if value is not None:
                values.append(value)
                pairs = weight[rows][y[rows] == 1].sum() * weight[rows][y[rows] == 0].sum()
                alone = problem.groups is None or group_weight == "equal"
                shares.append(1.0 if alone else pairs)
        total = sum(shares)
        weighted = sum(v * s for v, s in zip(values, shares, strict=True))
        found.append(weighted / total if total > 0 else math.nan)
    return found


@given(problems(labels=(1, 3), items=(1, 6)), st.sampled_from([None, 1, 2, 3, 100]))
def test_mean_over_all_orders_of_ties(problem: Problem, k: int | None) -> None:
    options = problem.options
    found = iso.label_ndcgs(problem.Y, problem.scores, k=k, **options)
    expected = expected_ndcgs(problem, k, problem.group_weight)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@given(problems(labels=(1, 3), items=(1, 8)), st.sampled_from([None, 1, 2, 5]), st.data())
def test_counts_are_rows_written_out(problem: Problem, k: int | None, data: st.DataObject) -> None:
    n = len(problem.Y)
    counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    counts[0 if problem.sample_weight is None else int(np.argmax(problem.sample_weight))] = 1
    long = {
        name: np.repeat(values, counts, axis=0) if isinstance(values, np.ndarray) else values
        for name, values in problem.options.items()
    }
    found = iso.label_ndcgs(problem.Y, problem.scores, k=k, counts=counts, **problem.options)
    expected = iso.label_ndcgs(
        np.repeat(problem.Y, counts, axis=0), np.repeat(problem.scores, counts), k=k, **long
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [None, 1, 10, 6_000, 10**9])
@pytest.mark.parametrize("ties", [False, True])
def test_scikit_learn(k: int | None, ties: bool) -> None:
    rng = np.random.default_rng(0)
    n = 10_000
    Y = rng.random((n, 3)) < [0.01, 0.3, 0.9]
    score = Y @ [1.0, 0.5, 0.1] + rng.normal(size=n)
    score = score.round(1) if ties else score
    weight = rng.lognormal(size=n)
    expected = [ndcg_score([Y[:, q]], [score], k=k) for q in range(3)]
    np.testing.assert_allclose(iso.label_ndcgs(Y, score, k=k), expected, rtol=0, atol=1e-12)
    # Weights are gains.
    expected = [ndcg_score([Y[:, q] * weight], [score], k=k) for q in range(3)]
    found = iso.label_ndcgs(Y, score, k=k, sample_weight=weight)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_groups_are_scikit_learns_samples() -> None:
    rng = np.random.default_rng(1)
    Y, score = rng.random((30, 20)) < 0.3, rng.integers(0, 5, (30, 20))
    Y[:, 0] = True  # scikit-learn gives 0 to a list without positives
    order = rng.permutation(600)
    found = iso.label_ndcgs(
        Y.ravel()[order], score.ravel()[order], k=5, groups=np.repeat(np.arange(30), 20)[order]
    )
    np.testing.assert_allclose(found, ndcg_score(Y, score, k=5), rtol=0, atol=1e-12)


def test_lists_without_positives_do_not_count() -> None:
    found = iso.label_ndcgs([1, 0, 0, 0], [1, 2, 1, 2], k=2, groups=[1, 1, 2, 2])
    assert found == pytest.approx([1 / math.log2(3)])


def test_huge_counts() -> None:
    """Two runs of 10^12 and 10^9 items each: no rank is looked at."""
    found = iso.label_ndcgs([1, 0, 0, 1], [2, 2, 1, 1], counts=[10**12, 10**9, 10**9, 10**12])
    small = iso.label_ndcgs([1, 0, 0, 1], [2, 2, 1, 1], counts=[10**6, 10**3, 10**3, 10**6])
    assert 0.999 < small[0] < found[0] < 1
    counts = [3_000, 5_000, 2_000]
    written = iso.label_ndcgs(np.repeat([1, 0, 1], counts), np.repeat([2, 1, 1], counts))
    found = iso.label_ndcgs([1, 0, 1], [2, 1, 1], counts=counts)
    np.testing.assert_allclose(found, written, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [2**62, 2**63, 10**30])
def test_a_k_of_any_size_is_the_whole_list(k: int) -> None:
    rng = np.random.default_rng(0)
    Y, score, groups = rng.random((40, 2)) < 0.4, rng.normal(size=40), np.arange(40) // 8
    whole = iso.label_ndcgs(Y, score, groups=groups)
    np.testing.assert_array_equal(iso.label_ndcgs(Y, score, k=k, groups=groups), whole)
    np.testing.assert_array_equal(iso.ndcg_intervals(Y, score, k=k, groups=groups).estimate, whole)


def test_constant_scores_get_what_chance_gets() -> None:
    y = np.arange(100) < 20
    chance = np.mean([1 / math.log2(r + 1) for r in range(1, 11)]) * 10 * 0.2
    best = sum(1 / math.log2(r + 1) for r in range(1, 11))
    assert iso.label_ndcgs(y, np.zeros(100), k=10) == pytest.approx([chance / best], abs=1e-12)


@pytest.mark.parametrize("kind", SCORE_TYPES)
def test_types_of_scores(kind: str) -> None:
    score = SCORE_TYPES[kind](np.random.default_rng(0), 40)
    values = list(score)
    ranks = [sum(other < value for other in values) for value in values]
    y = np.arange(40) % 3 == 0
    found = iso.label_ndcgs(y, score, k=7)
    np.testing.assert_allclose(found, iso.label_ndcgs(y, ranks, k=7), rtol=0, atol=1e-15)


@pytest.mark.parametrize("form", [*COMPLETE_FORMS, *MISSING_FORMS])
def test_forms_of_labels(form: str) -> None:
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 2)) < 0.4).astype(float)
    if form not in COMPLETE_FORMS:
        Y[rng.random((40, 2)) < 0.2] = np.nan
    score = rng.integers(0, 9, 40)
    made = {**MISSING_FORMS, **COMPLETE_FORMS}[form](Y)
    expected = iso.label_ndcgs(Y, score, k=5)
    np.testing.assert_allclose(iso.label_ndcgs(made, score, k=5), expected, rtol=0, atol=0)


def test_items_are_taken_as_they_are() -> None:
    rng = np.random.default_rng(0)
    Y, score, groups = rng.random((60, 2)) < 0.4, rng.normal(size=60), np.arange(60) % 6
    items = Items.checked(Y, groups=groups)
    expected = iso.label_ndcgs(Y, score, k=3, groups=groups)
    np.testing.assert_array_equal(iso.label_ndcgs(items, score, k=3), expected)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_weights_of_any_size(scale: float) -> None:
    rng = np.random.default_rng(0)
    Y, score, weight = rng.random((60, 2)) < 0.4, rng.normal(size=60), rng.random(60)
    for options in ({}, {"groups": np.arange(60) // 10}):
        found = iso.label_ndcgs(Y, score, k=4, sample_weight=weight * scale, **options)
        expected = iso.label_ndcgs(Y, score, k=4, sample_weight=weight, **options)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_no_positives_warn_by_name() -> None:
    import pandas as pd

    frame = pd.DataFrame({"click": [1, 0], "buy": [0, 0]})
    with pytest.warns(UndefinedMetricWarning, match="No positive item to rank for 'buy'"):
        found = iso.label_ndcgs(frame, [1, 2])
    assert np.isnan(found).tolist() == [False, True]


def test_groups_without_pairs_warn_where_pairs_are_weights() -> None:
    groups = [0, 0, 1, 1]
    assert iso.label_ndcgs([1, 1, 0, 0], [1, 2, 3, 4], groups=groups).tolist() == [1.0]
    for metric in (iso.label_ndcgs, iso.ndcg_intervals):
        with pytest.warns(UndefinedMetricWarning, match="No group has a positive and a negative"):
            metric([1, 1, 0, 0], [1, 2, 3, 4], groups=groups, group_weight="pairs")


@pytest.mark.parametrize("k", [0, -1, 2.5, 10.0, "10", True, np.nan])
def test_k_is_a_whole_number(k: Any) -> None:
    for metric in (iso.label_ndcgs, iso.ndcg_intervals):
        with pytest.raises(ValueError, match="`k` should be a whole number >= 1"):
            metric([1, 0], [1, 2], k=k)


# Intervals.


def lists(seed: int, n_groups: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = n_groups * 12
    Y = rng.random((n, 2)) < [0.3, 0.2]
    return Y, Y @ [1.0, 0.6] + rng.normal(size=n), np.repeat(np.arange(n_groups), 12)


def test_intervals_are_those_of_a_mean_of_lists() -> None:
    Y, score, groups = lists(0)
    found = iso.ndcg_intervals(Y, score, k=5, groups=groups)
    each = np.array(
        [iso.label_ndcgs(Y[groups == g], score[groups == g], k=5) for g in np.unique(groups)]
    )
    np.testing.assert_allclose(found.estimate, np.nanmean(each, axis=0), rtol=1e-12)
    spread = np.nanstd(each, axis=0, ddof=1) / np.sqrt((~np.isnan(each)).sum(axis=0))
    np.testing.assert_allclose(found.standard_error, spread, rtol=1e-9)
    half = (found.high - found.low) / 2
    assert (half > 1.9 * spread).all()
    assert (half < 2.3 * spread).all()


def test_bootstrap_agrees() -> None:
    Y, score, groups = lists(1, 200)
    auto = iso.ndcg_intervals(Y, score, k=5, groups=groups)
    drawn = iso.ndcg_intervals(
        Y, score, k=5, groups=groups, method="bootstrap", n_resamples=800, random_state=0
    )
    np.testing.assert_allclose(drawn.low, auto.low, atol=0.012)
    np.testing.assert_allclose(drawn.high, auto.high, atol=0.012)
    np.testing.assert_allclose(drawn.covariance, auto.covariance, atol=1e-4)


def test_clusters_of_one_list_change_nothing_and_of_copies_widen() -> None:
    Y, score, groups = lists(2)
    alone = iso.ndcg_intervals(Y, score, k=5, groups=groups)
    same = iso.ndcg_intervals(Y, score, k=5, groups=groups, clusters=groups)
    np.testing.assert_allclose(same.low, alone.low, rtol=1e-12)
    twice = [np.concatenate([each, each]) for each in (Y, score)]
    doubled = iso.ndcg_intervals(
        *twice, k=5, groups=np.r_[groups, groups + 1000], clusters=np.r_[groups, groups]
    )
    np.testing.assert_allclose(doubled.standard_error, alone.standard_error, rtol=0.02)


def test_perfect_lists_are_not_certain() -> None:
    y = np.tile([1, 0, 0], 30)
    found = iso.ndcg_intervals(y, y, groups=np.repeat(np.arange(30), 3))
    assert found.estimate[0] == found.high[0] == 1
    assert 0.8 < found.low[0] < 1


def test_intervals_need_lists() -> None:
    with pytest.raises(ValueError, match="`groups` should say to which list"):
        iso.ndcg_intervals([1, 0], [1, 2])


def test_few_lists_warn() -> None:
    with pytest.warns(UserWarning, match="Only 2 groups"):
        iso.ndcg_intervals([1, 0, 1, 0], [1, 2, 2, 1], groups=[1, 1, 2, 2])
