import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy.theory import auc_gap_bound, bayes_scores, population_objective_auc, search

MU = [0.4, 0.3, 0.2, 0.1]
PATTERN = [(0.5, 0.5, 0.5), (0.3, 0.3, 0.9), (0.8, 0.2, 0.55), (0.35, 0.6, 0.45)]
UNIFORM = iso.LabelAggregation(costs="uniform")


def example(n_labels):
    return np.array([[row[k % 3] for k in range(n_labels)] for row in PATTERN])


@pytest.mark.parametrize(
    ("n_labels", "auc", "gap", "t", "printed", "proved"),
    [
        (12, 0.52959431, 0.00064375, 0.44505, 1.6039, 0.99384),
        (60, 0.55711929, 0.00026165, 0.19903, 0.49698, 0.28686),
    ],
)
def test_the_example(n_labels, auc, gap, t, printed, proved):
    eta = example(n_labels)
    best = search(eta, UNIFORM, mu=MU).value
    simple = bayes_scores(eta, iso.LabelAggregation(), mu=MU)
    lost = best - population_objective_auc(eta, simple, UNIFORM, mu=MU)
    assert best == pytest.approx(auc, abs=5e-9)
    assert lost == pytest.approx(gap, abs=5e-9)
    value = auc_gap_bound(eta, mu=MU, constant="printed")
    assert value == pytest.approx(printed, rel=5e-5)
    assert value / (2 + value) == pytest.approx(t, abs=5e-6)
    assert auc_gap_bound(eta, mu=MU) == pytest.approx(proved, rel=5e-5)
    assert lost <= auc_gap_bound(eta, mu=MU, constant="lyapunov") < auc_gap_bound(eta, mu=MU)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_it_bounds_the_gap(seed):
    rng = np.random.default_rng(seed)
    n_labels = int(rng.integers(8, 60))
    eta, mu = rng.uniform(0.2, 0.8, (4, n_labels)), rng.dirichlet(np.ones(4))
    best = search(eta, UNIFORM, mu=mu).value
    simple = population_objective_auc(eta, eta.sum(axis=1), UNIFORM, mu=mu)
    lost = best - simple
    assert -1e-12 <= lost <= auc_gap_bound(eta, mu=mu, constant="lyapunov")
    assert lost <= auc_gap_bound(eta, mu=mu)
    assert lost <= auc_gap_bound(eta, mu=mu, constant="printed")


def test_definition():
    rng = np.random.default_rng(0)
    eta, mu, a = rng.uniform(0.3, 0.7, (5, 40)), rng.dirichlet(np.ones(5)), rng.uniform(1, 2, 40)
    t = 0.0
    for x in range(5):
        for z in range(5):
            v = eta[x] * (1 - eta[x]) + eta[z] * (1 - eta[z])
            t += mu[x] * mu[z] * (a**3 @ v) / (a**2 @ v) ** 1.5
    for constant, expected in (
        ("printed", 2 * t / (1 - t)),
        ("proved", 1.12 * t / (1 - 1.12 * t)),
    ):
        assert auc_gap_bound(eta, mu=mu, weights=a, constant=constant) == pytest.approx(expected)


def test_the_printed_bound_follows_from_the_sharp_one():
    """Either it is the larger one, or it is at least 1, which no gap exceeds."""
    t = np.linspace(0.0, 0.99, 1000)
    printed = 2 * t / (1 - t)
    sharp = np.where(1.12 * t < 1, 1.12 * t / np.maximum(1 - 1.12 * t, 1e-300), np.inf)
    assert ((sharp <= printed) | (printed >= 1)).all()
    assert (sharp <= printed)[t <= 0.785].all()
    assert not (sharp <= printed)[t >= 0.787].any()
    assert (printed >= 1)[t >= 1 / 3 + 1e-9].all()


def test_it_falls_with_the_root_of_the_labels():
    """The corollary: eta in [c, 1 - c] gives at most psi(C / sqrt(2 c (1 - c) K))."""
    for n_labels in (100, 400, 1600):
        eta = np.random.default_rng(0).uniform(0.3, 0.7, (6, n_labels))
        u = 1 / math.sqrt(2 * 0.3 * 0.7 * n_labels)
        assert auc_gap_bound(eta, constant="printed") <= 2 * u / (1 - u)


def test_vacuous_bounds_are_infinite():
    assert auc_gap_bound([[0.5, 0.5], [0.4, 0.6]]) == math.inf
    assert auc_gap_bound(np.tile([[0.0], [0.5]], 200)) == math.inf
    heavy = auc_gap_bound(np.tile([[0.0], [0.5]], 200), mu=[0, 1])
    assert math.isfinite(heavy)


def test_chunks_add_up(monkeypatch):
    eta = np.random.default_rng(0).uniform(0.3, 0.7, (7, 50))
    whole = auc_gap_bound(eta)
    monkeypatch.setattr("isonomy.theory._auc_gap_bound.CHUNK", 10)
    assert auc_gap_bound(eta) == pytest.approx(whole, rel=1e-14)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"positive numbers. Found 0"):
        auc_gap_bound([[0.5, 0.5]], weights=[1, 0])
    with pytest.raises(ValueError, match="each of the 2 labels"):
        auc_gap_bound([[0.5, 0.5]], weights=[1])
    with pytest.raises(ValueError, match="`constant`"):
        auc_gap_bound([[0.5, 0.5]], constant="other")
