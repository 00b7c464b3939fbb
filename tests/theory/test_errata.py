"""The counterexamples of docs/errata.md, in its order."""

import itertools
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

import isonomy as iso
from isonomy.theory import bayes_scores, delta, population_aucs, population_objective_auc

from .oracle import exact_auc, independent

SIX = independent(
    [
        [Fraction(a, 100), Fraction(b, 100)]
        for a, b in zip([100, 20, 62, 44, 56, 81], [44, 56, 81, 100, 20, 62], strict=True)
    ],
    [Fraction(1, 6)] * 6,
)


def dominates(aucs_f, aucs_g):
    pairs = list(zip(aucs_f, aucs_g, strict=True))
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def test_dominance_means_larger_aucs():
    eta = np.array([[0.9, 0.8], [0.1, 0.3]])
    good, bad = population_aucs(eta, [1, 0]), population_aucs(eta, [0, 1])
    np.testing.assert_allclose(good, [0.9, 0.753], atol=5e-4)
    np.testing.assert_allclose(bad, [0.1, 0.247], atol=5e-4)
    assert dominates(good, bad)
    assert not dominates(bad, good)


def test_empirical_loss_aggregation_divides_by_the_pairs_of_each_label():
    Y = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [36, 1, 4, 59], axis=0)
    rank = {"second first": [1, 2, 3, 0], "first first": [2, 1, 3, 0], "tied": [1, 1, 3, 0]}
    values, printed = [], []
    for scores in rank.values():
        f = np.repeat(scores, [36, 1, 4, 59])
        aucs = iso.label_aucs(Y, f)
        assert 2 * iso.objective_auc(Y, f, iso.LossAggregation()) == pytest.approx(aucs.sum())
        values.append(aucs.sum())
        printed.append(aucs @ (Y.sum(axis=0) * (1 - Y).sum(axis=0)))
    assert values == pytest.approx([1.9850, 1.9242, 1.9546], abs=5e-5)
    assert printed == pytest.approx([2839] * 3)


def test_label_aggregation_is_divided_by_the_mean_cost():
    Y, f = [[1, 1], [0, 0]], [1, 0]
    total = np.sum(Y, axis=1)
    conditional = np.mean([total[0] - total[1]])
    assert conditional == 2.0
    assert iso.objective_auc(Y, f, iso.LabelAggregation()) == 1.0


def test_weighted_form_of_loss_aggregation_needs_its_weights():
    eta, f, a = np.array([[0.9, 0.2], [0.4, 0.3], [0.1, 0.9]]), [3, 1, 2], np.array([1.0, 5.0])
    pi = eta.mean(axis=0)
    step = 0.5 * (1 + np.sign(np.subtract.outer(f, f)))
    by_label = [
        (np.outer(eta[:, k], 1 - eta[:, k]) * step).mean() / (pi[k] * (1 - pi[k])) for k in (0, 1)
    ]
    definition, printed = a @ by_label, np.mean(by_label)
    value = population_objective_auc(eta, f, iso.LossAggregation(a))
    assert value * a.sum() == pytest.approx(definition)
    assert printed != pytest.approx(definition, rel=1e-2)


def test_three_level_scorer_reads_costs_from_high_to_low():
    costs = np.array([[0, 0, 0], [1, 0, 0], [3, 1, 0]])
    eta = np.array([[0.9, 0.1], [0.8, 0.8], [0.2, 0.3]])
    p = iso.theory.level_probabilities(eta)
    assert (p[:, 1:] @ costs[0, 1:] == 0).all()
    assert (p[:, :2] @ costs[:2, 2] == 0).all()
    right = (p[:, 1:] @ costs[1:, 0]) / (p[:, :2] @ costs[2, :2])
    objective = iso.LabelAggregation(costs=costs)
    np.testing.assert_allclose(bayes_scores(eta, objective), right)
    best = iso.theory.search(eta, objective).value
    assert population_objective_auc(eta, right, objective) == pytest.approx(best)


def test_three_level_scorer_without_a_cost_between_the_ends():
    """The quotient alone is c10 eta_1 / (c21 eta_1), the same for all; the order is not."""
    objective = iso.LabelAggregation(costs=[[0, 0, 0], [1, 0, 0], [0, 2, 0]])
    eta = np.array([[0.9, 0.1], [0.8, 0.8], [0.2, 0.3]])
    p = iso.theory.level_probabilities(eta)
    right = (2 * p[:, 2] - p[:, 0]) / p[:, 1]
    np.testing.assert_allclose(bayes_scores(eta, objective), right)
    best = iso.theory.search(eta, objective)
    assert best.orders.tolist() == [np.argsort(np.argsort(right)).tolist()]


def test_sign_in_the_proof_for_three_levels():
    c10, c20, c21 = Fraction(1), Fraction(3), Fraction(2)
    eta0, eta1 = Fraction(1, 2), Fraction(1, 3)
    eta2 = 1 - eta0 - eta1
    beta1, beta2 = c10 * eta0 - c21 * eta2, c20 * eta0 + c21 * eta1
    assert beta1 == beta2 + (c10 + c21 - c20) * eta0 - c21
    assert beta1 != beta2 + (c10 - c21 - c20) * eta0 - c21


def test_pairwise_scorers_are_antisymmetric():
    """A symmetric s would win both directions of every pair, whatever their weights."""
    w = np.array([[0.0, 0.1], [0.6, 0.0]])
    off = ~np.eye(2, dtype=bool)
    candidates = {"symmetric": [[0, 1], [1, 0]], "up": [[0, 1], [-1, 0]], "down": [[0, -1], [1, 0]]}
    values = {name: (w * 0.5 * (1 + np.sign(s)))[off].sum() for name, s in candidates.items()}
    assert max(values, key=values.get) == "symmetric"
    assert w[0, 1] < w[1, 0]
    assert values["down"] > values["up"]


def test_points_with_equal_scores_may_be_ordered_freely():
    eta, objective = [[0.9, 0.1], [0.1, 0.9], [0.2, 0.2]], iso.LabelAggregation()
    scores = bayes_scores(eta, objective)
    assert scores[0] == scores[1]
    found = {tuple(o) for o in iso.theory.search(eta, objective).orders.tolist()}
    assert found == {(1, 1, 0), (1, 2, 0), (2, 1, 0)}


def test_a_weight_of_0_loses_pareto_optimality():
    eta = [[0.5, 0.9], [0.5, 0.1]]
    best = iso.theory.search(eta, iso.LossAggregation([1, 0]))
    assert len(best.orders) == 3
    assert dominates(population_aucs(eta, [1, 0]), population_aucs(eta, [0, 1]))
    with pytest.raises(ValueError, match="should be positive for every label"):
        bayes_scores(eta, iso.LossAggregation([1, 0]), require_pareto=True)


def test_six_examples_in_fractions():
    uniform = iso.LabelAggregation(costs="uniform")
    eta = np.array(SIX.eta, dtype=float)
    f = bayes_scores(eta, uniform)
    np.testing.assert_allclose(f, [1.78571, 0.72973, 1.86380] * 2, atol=5e-6)
    g = [4, 0, 2, 5, 1, 3]
    assert f[0] == f[3]
    best = [exact_auc(SIX, k, f) for k in range(2)]
    other = [exact_auc(SIX, k, g) for k in range(2)]
    assert best == [Fraction(112831, 172062)] * 2
    assert other == [Fraction(113131, 172062), Fraction(37777, 57354)]
    assert dominates(other, best)
    np.testing.assert_allclose(population_aucs(eta, f), [0.655758] * 2, atol=5e-7)
    np.testing.assert_allclose(population_aucs(eta, g), [0.657501, 0.658664], atol=5e-7)


def test_third_moment_is_not_halved():
    eta = 0.1
    third = eta * (1 - eta) * (eta**2 + (1 - eta) ** 2)
    assert third > 0.5 * eta * (1 - eta)
    assert third <= eta * (1 - eta)


def test_marginals_without_an_intercept_are_one_half():
    side = (np.arange(100) + 0.5) / 50 - 1
    x = np.column_stack([axis.ravel() for axis in np.meshgrid(side, side)])
    for w in np.random.default_rng(0).uniform(-1, 1, (5, 2)):
        assert expit(20 * x @ w).mean() == pytest.approx(0.5)


def test_the_decomposing_scorer_maximises():
    """It orders as the weights of pairs do, and no other scorer has a larger value."""
    eta, mu = np.array([[0.2, 0.9], [0.7, 0.3], [0.5, 0.1]]), np.full(3, 1 / 3)
    best = bayes_scores(eta, iso.LabelAggregation(), mu=mu)
    values = [
        population_objective_auc(eta, scores, iso.LabelAggregation(), mu=mu)
        for scores in (best, *itertools.permutations(range(3)))
    ]
    assert values[0] == pytest.approx(max(values))
    assert values[0] > min(values)


def test_delta_of_labels_that_agree():
    eta = np.array([0.1, 0.25, 0.5, 0.8])
    nothing = np.zeros_like(eta)
    found = delta(np.column_stack([1 - eta, nothing, nothing, eta]))
    np.testing.assert_allclose(found, 2 * eta - 1, atol=1e-15)


def test_a_constant_scorer_has_no_difference():
    aucs = iso.label_aucs([[1, 0], [0, 1], [1, 1], [0, 0]], np.zeros(4))
    assert aucs.tolist() == [0.5, 0.5]


def test_every_test_that_the_page_names_exists():
    root = Path(__file__).parents[2]
    named = re.findall(r"`(test_\w+)\.(test_\w+)`", (root / "docs" / "errata.md").read_text())
    assert len(named) >= 15
    for module, test in named:
        source = (Path(__file__).parent / f"{module}.py").read_text()
        assert f"def {test}(" in source, (module, test)
