"""Which pair losses have the best order at their minimum: theorems and counterexamples."""

from __future__ import annotations

import numpy as np
import pytest
from paper._minimisers import minimisers, pair_weights, population, wrongly_ordered
from paper.beyond_surrogates import CONVEX, COUNTEREXAMPLES, TRAINED
from scipy.optimize import linprog

import isonomy as iso
from isonomy.surrogates import SURROGATES
from isonomy.theory import bayes_scores, population_objective_auc

rng = np.random.default_rng(0)
SPACES = [(rng.random((4, 2)), rng.dirichlet(np.ones(4))) for _ in range(60)]


def least(objective: iso.Objective, surrogate: str) -> np.ndarray:
    """The scores of least loss on every space."""
    weights = np.array([pair_weights(objective, eta, mu) for eta, mu in SPACES])
    return minimisers(weights, SURROGATES[surrogate])


@pytest.mark.parametrize("name", TRAINED)
def test_they_are_minima_of_the_pair_loss(name: str) -> None:
    objective, _ = TRAINED[name]
    for surrogate in CONVEX:
        found = least(objective, surrogate)
        for f, (eta, mu) in list(zip(found, SPACES, strict=True))[:8]:
            Y, weight, point = population(eta, mu)
            at = iso.pair_loss(
                Y, f[point], objective, surrogate=surrogate, sample_weight=weight
            ).gradient
            assert np.abs(np.bincount(point, at)).max() < 1e-10


@pytest.mark.parametrize("surrogate", SURROGATES)
def test_what_a_surrogate_is_consistent_for(surrogate: str) -> None:
    claim = SURROGATES[surrogate].consistent_for
    if claim == "one comparison":
        for name in ("SoftLabel()", 'SoftLabel("rarity")'):
            objective, metric = TRAINED[name]
            for f, (eta, mu) in zip(least(objective, surrogate), SPACES, strict=True):
                assert not wrongly_ordered(f, bayes_scores(eta, metric, mu=mu))
        for f, (eta, _) in zip(least(iso.OneLabel(1), surrogate), SPACES, strict=True):
            assert not wrongly_ordered(f, eta[:, 1])
        for name in ("LaA", "LoA"):
            objective, _ = TRAINED[name]
            wrong = [
                wrongly_ordered(f, bayes_scores(eta, objective, mu=mu))
                for f, (eta, mu) in zip(least(objective, surrogate), SPACES, strict=True)
            ]
            assert 0 < sum(wrong) < 0.3 * len(SPACES)
    else:
        assert claim == {"sigmoid": "any pairs", "hinge": "nothing"}[surrogate]


@pytest.mark.parametrize("name", TRAINED)
def test_the_sigmoid_is_never_below_the_best_ranking_and_comes_as_near_as_wanted(name: str) -> None:
    """It is the mean loss of rankings by f + noise (Gumbel), so no f is better than the best."""
    objective, _ = TRAINED[name]
    phi = SURROGATES["sigmoid"]
    noise = np.random.default_rng(1)
    for eta, mu in SPACES[:20]:
        a = pair_weights(objective, eta, mu)
        best = bayes_scores(eta, objective, mu=mu)
        lost = 1 - population_objective_auc(eta, best, objective, mu=mu)
        for spread in (0.1, 1.0, 10.0):
            f = spread * noise.normal(size=4)
            assert (a * phi.value(f[:, None] - f)).sum() >= lost - 1e-12
        ranks = 1e3 * np.argsort(np.argsort(best))
        assert (a * phi.value(ranks[:, None] - ranks)).sum() == pytest.approx(lost, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "best", "minimiser"),
    [("LoA", (3.7, 21.4, 9.5), (0, 2.69, 2.78)), ("LaA", (1.30, 0.61, 1.04), (0, -2.60, 0.86))],
)
def test_two_counterexamples(name: str, best: tuple, minimiser: tuple) -> None:
    eta, mu = map(np.array, COUNTEREXAMPLES[name])
    objective, _ = TRAINED[name]
    scores = bayes_scores(eta, objective, mu=mu)
    assert scores == pytest.approx(best, abs=0.05)
    found = minimisers(pair_weights(objective, eta, mu)[None], SURROGATES["logistic"])[0]
    assert found - found[0] == pytest.approx(minimiser, abs=5e-3)
    assert wrongly_ordered(found, scores)
    lost = [population_objective_auc(eta, s, objective, mu=mu) for s in (scores, found)]
    assert lost[0] > lost[1]
    if name == "LoA":
        assert lost == pytest.approx([0.7114, 0.6995], abs=5e-5)


def test_the_soft_minimiser_is_the_logit_of_the_mean() -> None:
    for f, (eta, _) in zip(least(iso.SoftLabel(), "logistic"), SPACES, strict=True):
        s = eta.mean(axis=1)
        expected = np.log(s / (1 - s))
        assert f - f[0] == pytest.approx(expected - expected[0], abs=1e-8)


def test_the_hinge_fails_for_one_label() -> None:
    """Its least loss ties two points of different probability: any gap between them costs."""
    eta = np.array([0.54, 0.61, 0.73])
    weight = np.outer(eta, 1 - eta)
    i, j = np.nonzero(~np.eye(3, dtype=bool))

    def least_loss(gap: float) -> float:
        """Of scores of which the second is so much above the first."""
        margins = np.eye(3)[i] - np.eye(3)[j]
        rows = np.column_stack([-margins, -np.eye(6)])
        apart = np.append(np.eye(3)[0] - np.eye(3)[1], np.zeros(6))
        found = linprog(
            np.append(np.zeros(3), weight[i, j]),
            A_ub=np.vstack([rows, apart]),
            b_ub=np.append(-np.ones(6), -gap),
            bounds=[(None, None)] * 3 + [(0, None)] * 6,
        )
        return float(found.fun)

    assert least_loss(0.0) == pytest.approx(least_loss(-10.0), abs=1e-9)
    assert least_loss(0.01) > least_loss(0.0) + 1e-5
