"""Weights of LambdaRank against every pair and every order of ties."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy._core import Items
from isonomy._pairsums import TopPairs, find_surrogate
from isonomy._pairsums.swaps import NEAR
from isonomy.surrogates import SURROGATES

OBJECTIVES = [
    iso.LossAggregation(),
    iso.LossAggregation("balanced"),
    iso.LabelAggregation(),
    iso.LabelAggregation(costs="uniform"),
    iso.LabelAggregation("product"),
    iso.WorstLabel(),
    iso.OneLabel(0),
    iso.SoftLabel(),
    iso.SoftLabel("rarity"),
]


def discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def mean_change(listed: list[int], scores: np.ndarray, top: int) -> dict[tuple[int, int], float]:
    """Mean over all orders of ties of two items' difference of discounts, if one is in the top."""
    runs = [
        [i for i in listed if scores[i] == score]
        for score in sorted({scores[i] for i in listed}, reverse=True)
    ]
    orders = list(itertools.product(*(itertools.permutations(run) for run in runs)))
    change: dict[tuple[int, int], float] = {}
    for order in orders:
        rank = {i: r for r, i in enumerate(i for run in order for i in run)}
        for i, j in itertools.permutations(listed, 2):
            gap = abs(discount(rank[i]) - discount(rank[j])) * (min(rank[i], rank[j]) < top)
            change[i, j] = change.get((i, j), 0.0) + gap / len(orders)
    return change


def oracle(
    preferences: Any, scores: np.ndarray, top: int, coefficient: np.ndarray, surrogate: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Totals, gradient and Hessian, pair by pair."""
    n = scores.size
    above, below = (
        np.asarray(t.toarray() if hasattr(t, "toarray") else t, dtype=float)[preferences.codes]
        for t in preferences.tables
    )
    weight = np.ones(n) if preferences.weight is None else preferences.weight
    curved = surrogate if surrogate.hessian_from is None else surrogate.hessian_from
    n_ratios = 1 if preferences.mix.pooled else preferences.n_terms
    totals = np.zeros(preferences.n_groups)
    gradient, hessian = np.zeros(n), np.zeros(n)
    for g in range(preferences.n_groups):
        for q in range(n_ratios):
            terms = range(preferences.n_terms) if preferences.mix.pooled else [q]
            listed = [
                i
                for i in np.flatnonzero((preferences.group == g) & (weight > 0)).tolist()
                if any(above[i, r] + below[i, r] > 0 for r in terms)
            ]
            change = mean_change(listed, scores, top)
            for (i, j), gap in change.items():
                pair = sum(weight[i] * weight[j] * above[i, r] * below[j, r] for r in terms) * gap
                pair *= coefficient[g, q]
                if np.ptp(scores[preferences.group == g]) > 0:
                    pair /= NEAR + abs(scores[i] - scores[j])
                totals[g] += pair
                margin = np.array([scores[i] - scores[j]])
                slope = pair * surrogate.slope(margin)[0]
                bend = pair * curved.curvature(margin)[0]
                gradient[[i, j]] += [slope, -slope]
                hessian[[i, j]] += bend
    return totals, gradient, hessian


@st.composite
def lists(draw: st.DrawFn) -> tuple[Items, np.ndarray]:
    n = draw(st.integers(2, 6))
    K = draw(st.integers(1, 3))
    values = [0.0, 1.0, np.nan] if draw(st.booleans()) else [0.0, 1.0]
    Y = np.array(draw(st.lists(st.sampled_from(values), min_size=n * K, max_size=n * K)))
    groups = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    weight = None
    if draw(st.booleans()):
        some = st.sampled_from([0.0, 0.5, 1.0, 3.0])
        weight = np.array(draw(st.lists(some, min_size=n, max_size=n)))
        weight[0] = 1.0
    some = st.sampled_from([-2.0, -0.5, 0.0, 0.0, 0.25, 1.5])
    scores = np.array(draw(st.lists(some, min_size=n, max_size=n)))
    return Items.checked(Y.reshape(n, K), sample_weight=weight, groups=groups), scores


@settings(max_examples=80)
@given(lists(), st.sampled_from(OBJECTIVES), st.integers(1, 5), st.sampled_from(list(SURROGATES)))
def test_every_pair(
    problem: tuple[Items, np.ndarray], objective: Any, top: int, surrogate: str
) -> None:
    items, scores = problem
    preferences = items.preferences(objective)
    here = TopPairs(preferences, top).at(scores)
    rng = np.random.default_rng(0)
    coefficient = rng.random(here.pairs.ideal.shape)
    entry = find_surrogate(surrogate)
    totals, gradient, hessian = oracle(preferences, scores, top, coefficient, entry)
    found = here.derivatives(coefficient, entry)
    for got, expected in zip(found, (gradient, hessian, totals), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


def test_the_ndcg_is_that_of_the_labels() -> None:
    rng = np.random.default_rng(0)
    Y, scores, groups = rng.random((90, 2)) < 0.3, rng.integers(0, 5, 90), np.arange(90) % 7
    items = Items.checked(Y, groups=groups)
    here = TopPairs(items.preferences(iso.LossAggregation()), 4).at(scores.astype(float))
    expected = iso.label_ndcgs(Y, scores, k=4, groups=groups)
    np.testing.assert_allclose(here.ndcgs(), expected, rtol=0, atol=1e-14)


def test_the_ndcg_of_label_aggregation_grades_by_the_sum() -> None:
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(1)
    Y, scores, groups = rng.random((60, 3)) < 0.4, rng.normal(size=60), np.arange(60) // 20
    items = Items.checked(Y, groups=groups)
    here = TopPairs(items.preferences(iso.LabelAggregation()), 5).at(scores)
    graded = Y.sum(axis=1) - Y.sum(axis=1).min()
    expected = ndcg_score(graded.reshape(3, 20), scores.reshape(3, 20), k=5)
    np.testing.assert_allclose(here.ndcgs(), [expected], rtol=0, atol=1e-14)


def test_a_large_group_with_few_values_is_no_matter_of_all_pairs() -> None:
    """200,000 items of three scores in one group: a loop over pairs would take hours."""
    rng = np.random.default_rng(0)
    n = 200_000
    items = Items.checked(rng.random((n, 2)) < 0.3, groups=np.zeros(n))
    pairs = TopPairs(items.preferences(iso.LossAggregation()), 10)
    here = pairs.at(rng.integers(0, 3, n).astype(float))
    gradient, _, totals = here.derivatives(1 / pairs.ideal, find_surrogate("logistic"))
    assert abs(gradient.sum()) < 1e-9 * totals[0]
    assert np.abs(gradient).sum() == pytest.approx(totals[0], rel=0.5)
