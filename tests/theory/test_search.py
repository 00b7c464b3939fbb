import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy.theory import search, weak_orders

from .oracle import N_SPACES, maximisers, pair_values, pair_weights, random_space, signs


@pytest.mark.parametrize(("m", "count"), [(1, 1), (2, 3), (3, 13), (4, 75), (5, 541), (6, 4683)])
def test_all_weak_orders(m, count):
    orders = weak_orders(m)
    assert len(orders) == count
    assert {tuple(o) for o in orders.tolist()} == {tuple(o) for o in signs(m)[0].tolist()}


def test_weak_orders_of_eight_points():
    assert len(weak_orders(7)) == 47293
    assert len(weak_orders(8)) == 545835


@pytest.mark.parametrize("m", [0, 9, 2.0, True])
def test_bad_sizes_are_refused(m):
    with pytest.raises(ValueError, match=r"1\.\.8"):
        weak_orders(m)


def test_larger_spaces_are_refused():
    with pytest.raises(ValueError, match="at most 8 points"):
        search(np.full((9, 2), 0.5), iso.WorstLabel())


def as_set(orders):
    return {tuple(o) for o in orders.tolist()}


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_uniform_costs(seed):
    space = random_space(np.random.default_rng(seed), points=(3, 5))
    W = pair_weights(space, lambda p, q: int(sum(p) > sum(q)))
    if not W.any():
        return
    best = search(objective=iso.LabelAggregation(costs="uniform"), **space.arguments())
    assert as_set(best.orders) == as_set(signs(len(W))[0][maximisers(W)])
    assert best.value == pytest.approx(float(pair_values(W).max() / (2 * W.sum())))


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_worst_label(seed):
    space = random_space(np.random.default_rng(seed), points=(3, 5))
    W = [pair_weights(space, lambda p, q, k=k: int(p[k] > q[k])) for k in range(space.n_labels)]
    totals = [w.sum() for w in W]
    scale = [math.prod(totals[:k] + totals[k + 1 :]) for k in range(len(W))]
    values = np.array([pair_values(w).astype(object) * c for w, c in zip(W, scale, strict=True)])
    smallest = values.min(axis=0)
    best = search(objective=iso.WorstLabel(), **space.arguments())
    assert as_set(best.orders) == as_set(signs(len(space.mu))[0][smallest == smallest.max()])


def test_an_own_mix():
    class Product:
        pooled = False

        def value(self, ratios):
            return float(np.prod(ratios))

        def slope(self, ratios):
            return np.prod(ratios) / ratios

    class AucProduct:
        def preferences(self, labels):
            wish = iso.LossAggregation().preferences(labels)
            return iso.Preferences(wish.codes, wish.above, wish.below, Product())

    eta = [[0.9, 0.1], [0.5, 0.8], [0.2, 0.2]]
    best = search(eta, AucProduct())
    values = {o: np.prod(iso.theory.population_aucs(eta, o)) for o in as_set(weak_orders(3))}
    assert best.value == pytest.approx(max(values.values()))
    assert as_set(best.orders) == {max(values, key=values.get)}
