"""Soft labels: one comparison in which items stand on both sides, and never meet themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import isonomy as iso
from isonomy.surrogates import SURROGATES, Surrogate
from isonomy.theory import bayes_scores, effective_weights, population_objective_auc
from tests.oracles import cost_matrix, order_table, rarity, ratio, rows_of, soft_cost
from tests.pairsums import oracle
from tests.pairsums.cases import some_scores
from tests.strategies import Problem, problems

RARITY = iso.SoftLabel("rarity")


@st.composite
def counted(draw: st.DrawFn) -> tuple[Problem, np.ndarray]:
    """A problem, and how many items each of its rows stands for."""
    problem = draw(problems())
    n = len(problem.Y)
    counts = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    counts[draw(st.integers(0, n - 1))] = 1
    return problem, counts


def written_out(problem: Problem, counts: np.ndarray) -> tuple[Any, ...]:
    """Labels, weights and groups of the items one by one, and the row of each."""
    rows = np.repeat(np.arange(len(counts)), counts)
    weight = np.ones(len(counts)) if problem.sample_weight is None else problem.sample_weight
    group = np.zeros(len(counts)) if problem.groups is None else problem.groups
    return rows_of(problem.Y[rows]), weight[rows], group[rows], rows


def positive(problem: Problem, counts: np.ndarray) -> bool:
    weight = counts if problem.sample_weight is None else counts * problem.sample_weight
    return bool(weight.any())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("rare", [False, True], ids=["mean", "rarity"])
@given(case=counted())
def test_metrics_against_all_pairs(rare: bool, case: tuple[Problem, np.ndarray]) -> None:
    problem, counts = case
    if not positive(problem, counts):
        return
    labels, weight, group, rows = written_out(problem, counts)
    weights = rarity(labels, weight) if rare else None
    nothing = weights is not None and not any(weights)
    expected = ratio(
        (lambda *_: 0) if nothing else soft_cost(labels, weights),
        problem.scores[rows],
        weight.tolist(),
        group.tolist(),
        "pairs" if problem.groups is None else problem.group_weight,
    )
    objective = RARITY if rare else iso.SoftLabel()
    found = iso.objective_auc(
        problem.Y, problem.scores, objective, counts=counts, **problem.options
    )
    assert math.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("rare", [False, True], ids=["mean", "rarity"])
@given(data=st.data(), surrogate=st.sampled_from(list(SURROGATES.values())))
def test_losses_against_all_pairs(rare: bool, data: st.DataObject, surrogate: Surrogate) -> None:
    problem, counts = data.draw(counted())
    if not positive(problem, counts):
        return
    scores = data.draw(some_scores(len(counts), surrogate.max_range))
    labels, weight, group, rows = written_out(problem, counts)
    weights = rarity(labels, weight) if rare else None
    found = iso.pair_loss(
        problem.Y,
        scores,
        RARITY if rare else iso.SoftLabel(),
        surrogate=surrogate.name,
        hessian=True,
        counts=counts,
        **problem.options,
    )
    if weights is not None and not any(weights):
        assert math.isnan(found.value)
        return
    cost = cost_matrix(soft_cost(labels, weights), len(rows))
    equal = problem.groups is not None and problem.group_weight == "equal"
    every = oracle.ratio_loss(cost, scores[rows], surrogate, weight, group, equal=equal)
    if every is None:
        assert math.isnan(found.value)
        return
    oracle.assert_close(found.value, every.value, 1e-12, 1.0)
    gradient = np.zeros(len(counts), np.longdouble)
    np.add.at(gradient, rows, every.gradient)
    oracle.assert_close(found.gradient, gradient, 1e-12, 1.0)
    if (counts <= 1).all():
        diagonal = np.zeros(len(counts), np.longdouble)
        np.add.at(diagonal, rows, every.hessian_diagonal)
        oracle.assert_close(found.hessian_diagonal, diagonal, 1e-11, 1.0)


@pytest.mark.parametrize("n", [60, 500], ids=["pair by pair", "binned"])
def test_the_hessian_of_a_row_is_by_the_one_score_of_its_items(n: int) -> None:
    rng = np.random.default_rng(0)
    Y, scores = rng.integers(0, 2, (n, 3)), rng.normal(size=n)
    options: Any = {"counts": rng.integers(0, 4, n), "sample_weight": rng.random(n)}
    found = iso.pair_loss(Y, scores, iso.SoftLabel(), hessian=True, **options)
    for i in range(5):
        step = 1e-5 * (np.arange(n) == i)
        up, low = (
            iso.pair_loss(Y, scores + side * step, iso.SoftLabel(), **options).gradient[i]
            for side in (1, -1)
        )
        assert found.hessian_diagonal[i] == pytest.approx((up - low) / 2e-5, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("surrogate", SURROGATES)
def test_one_item_far_heavier_than_the_rest(surrogate: str) -> None:
    """Its pair with itself would outweigh all others a millionfold."""
    rng = np.random.default_rng(1)
    Y, scores = rng.integers(0, 2, (9, 2)), rng.integers(-3, 4, 9) / 2
    Y[4] = [1, 0]
    weight = np.where(np.arange(9) == 4, 1e6, 1.0)
    cost = cost_matrix(soft_cost(rows_of(Y)), 9)
    entry = SURROGATES[surrogate]
    every = oracle.ratio_loss(cost, scores, entry, weight, np.zeros(9), equal=False)
    assert every is not None
    found = iso.pair_loss(
        Y, scores, iso.SoftLabel(), surrogate=surrogate, hessian=True, sample_weight=weight
    )
    assert found.value == pytest.approx(float(every.value), rel=1e-12)
    np.testing.assert_allclose(found.gradient, every.gradient.astype(float), rtol=0, atol=1e-12)
    expected = every.hessian_diagonal.astype(float)
    np.testing.assert_allclose(found.hessian_diagonal, expected, rtol=0, atol=1e-12)
    right = weight[:, None] * weight * cost
    auc = (right * order_table(scores)).sum() / right.sum()
    assert iso.objective_auc(Y, scores, iso.SoftLabel(), sample_weight=weight) == pytest.approx(auc)


def test_above_and_below_are_the_mean_label_and_the_rest() -> None:
    Y = np.array([[1, 0, 1], [0, 0, np.nan], [1, np.nan, 0], [np.nan] * 3])
    wish = iso.SoftLabel([2, 1, 1]).preferences(iso.Labels.from_table(Y))
    above, below = (table[wish.codes, 0] for table in wish.tables)
    assert above == pytest.approx([3 / 4, 0, 2 / 3, 0])
    assert below == pytest.approx([1 / 4, 1, 1 / 3, 0])
    assert wish.two_sided
    alone = iso.SoftLabel().preferences(iso.Labels.from_table(Y[:, 0]))
    assert not alone.two_sided


def test_one_label_is_its_auc() -> None:
    rng = np.random.default_rng(2)
    y, scores = rng.integers(0, 2, 50), rng.integers(0, 9, 50)
    assert iso.objective_auc(y, scores, iso.SoftLabel()) == iso.auc(y, scores)
    found = iso.auc_intervals(y, scores, objective=iso.SoftLabel())
    alone = iso.auc_intervals(y, scores, objective=iso.OneLabel(0))
    assert (found.low, found.high) == (alone.low, alone.high)


@given(seed=st.integers(0, 2**32 - 1), K=st.integers(2, 4))
def test_it_orders_scorers_as_the_aggregations_do(seed: int, K: int) -> None:
    """AUC - 1/2 is that of linear label aggregation (of loss aggregation) times a constant."""
    rng = np.random.default_rng(seed)
    Y = rng.random((40, K)) < rng.uniform(0.1, 0.9, K)
    Y[:2] = [[0] * K, [1] * K]
    weight = rng.integers(1, 4, 40)
    pairs = ((iso.SoftLabel(), iso.LabelAggregation()), (RARITY, iso.LossAggregation()))
    for soft, aggregation in pairs:
        ratios = []
        for _ in range(3):
            scores = rng.integers(0, 12, 40) + 4 * Y.sum(axis=1)
            a, b = (
                iso.objective_auc(Y, scores, each, counts=weight) - 0.5
                for each in (soft, aggregation)
            )
            ratios.append(a / b)
        assert ratios == pytest.approx([ratios[0]] * 3, rel=1e-9)
        # Pairs of one level count too, and are ties in this sense.
        assert 0 < ratios[0] < (1 if aggregation == iso.LabelAggregation() else math.inf)


def test_groups_keep_the_order_of_label_aggregation_and_need_weights_for_the_other() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(6), 12)
    Y = rng.random((72, 2)) < np.c_[rng.choice([0.05, 0.95], 6)[groups], np.full(72, 0.3)]
    scores = rng.normal(size=(40, 72))

    def misfit(soft: iso.SoftLabel, aggregation: Any, **options: Any) -> float:
        """How far the values are from being one line."""
        x, y = (
            [iso.objective_auc(Y, f, each, groups=groups, **options) for f in scores]
            for each in (soft, aggregation)
        )
        return float(np.abs(np.polyval(np.polyfit(x, y, 1), x) - y).max())

    pairs = [sum(int(y.sum()) * int((~y).sum()) for y in np.split(column, 6)) for column in Y.T]
    by_pairs = iso.SoftLabel([1 / each for each in pairs])
    assert misfit(iso.SoftLabel(), iso.LabelAggregation()) < 1e-12
    assert misfit(by_pairs, iso.LossAggregation()) < 1e-12
    assert misfit(RARITY, iso.LossAggregation()) > 0.01
    assert misfit(iso.SoftLabel(), iso.LabelAggregation(), group_weight="equal") > 0.01


def test_weights_by_rarity() -> None:
    Y = np.column_stack([np.arange(100) < 40, np.arange(100) == 0, np.ones(100)])
    weights = RARITY.label_weights(iso.Labels.from_table(Y))
    assert weights == pytest.approx([1 / 0.24, 1 / 0.0099, 0])
    shares = effective_weights(Y, RARITY)
    assert shares == pytest.approx(weights / weights.sum())
    assert effective_weights(Y[:, :2], RARITY) == pytest.approx(
        effective_weights(Y[:, :2], iso.LossAggregation())
    )
    # A prior is that of the items, by their weights and counts.
    counts = np.where(np.arange(100) == 0, 21, 1)
    assert iso.objective_auc(Y, np.arange(100.0), RARITY, counts=counts) == pytest.approx(
        iso.objective_auc(np.repeat(Y, counts, axis=0), np.arange(100.0).repeat(counts), RARITY)
    )
    one_class = iso.Labels.from_table(np.ones((5, 2)))
    assert RARITY.fixed(one_class) == RARITY
    with pytest.warns(UndefinedMetricWarning, match="no pair of items"):
        assert math.isnan(iso.objective_auc(np.ones((5, 2)), np.arange(5), RARITY))
    fixed = RARITY.fixed(iso.Labels.from_table(Y))
    assert fixed.weights == pytest.approx(tuple(weights))


@given(seed=st.integers(0, 2**32 - 1))
def test_the_population(seed: int) -> None:
    rng = np.random.default_rng(seed)
    eta, mu = rng.random((5, 3)), rng.dirichlet(np.ones(5))
    scores = rng.integers(0, 4, 5)
    pi = mu @ eta
    for objective, w in (
        (iso.SoftLabel([3, 2, 1]), np.array([3, 2, 1])),
        (RARITY, 1 / pi / (1 - pi)),
    ):
        s = eta @ w / w.sum()
        pairs = np.outer(mu * s, mu * (1 - s))
        expected = (pairs * order_table(scores)).sum() / pairs.sum()
        found = population_objective_auc(eta, scores, objective, mu=mu)
        assert found == pytest.approx(expected, abs=1e-13)
        best = bayes_scores(eta, objective, mu=mu)
        assert np.argsort(best).tolist() == np.argsort(s).tolist()
        assert population_objective_auc(eta, best, objective, mu=mu) >= found - 1e-13


def test_the_bootstrap_agrees_with_the_influences() -> None:
    rng = np.random.default_rng(3)
    Y = rng.random((300, 2)) < 0.4
    scores = Y.sum(axis=1) + rng.normal(size=300)
    spread = [
        iso.auc_intervals(
            Y, scores, objective=iso.SoftLabel(), method=method, n_resamples=600, random_state=0
        ).standard_error.item()
        for method in ("auto", "bootstrap")
    ]
    assert spread[0] == pytest.approx(spread[1], rel=0.12)
    without = [
        iso.objective_auc(np.delete(Y, i, axis=0), np.delete(scores, i), iso.SoftLabel())
        for i in range(300)
    ]
    assert spread[0] ** 2 == pytest.approx(299 * np.var(without), rel=0.03)
