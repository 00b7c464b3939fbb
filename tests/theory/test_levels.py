from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy.theory._levels import level_distribution
from isonomy.theory._space import Space

from .oracle import independent, patterns


def exact_levels(row):
    p = [Fraction(1)]
    for e in map(Fraction, row):
        p = [
            (p[n] * (1 - e) if n < len(p) else 0) + (p[n - 1] * e if n else 0)
            for n in range(len(p) + 1)
        ]
    return p


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(deadline=None)
def test_equals_exact_fractions(row):
    found = iso.theory.level_probabilities([row])[0]
    exact = [float(p) for p in exact_levels(row)]
    np.testing.assert_allclose(found, exact, rtol=1e-13, atol=1e-300)


def test_many_labels_keep_relative_precision():
    """A thousand labels against whole numbers, tails included."""
    parts = np.random.default_rng(0).integers(0, 65, 1000)
    found = iso.theory.level_probabilities(parts[None] / 64)[0]
    counts = [1]
    for yes in parts.tolist():
        pairs = zip([*counts, 0], [0, *counts], strict=True)
        counts = [(64 - yes) * same + yes * less for same, less in pairs]
    exact = [float(Fraction(count, 64**1000)) for count in counts]
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-300)


def test_ten_thousand_labels():
    eta = np.random.default_rng(1).random((2, 10_000))
    eta[1] = 0.5
    p = iso.theory.level_probabilities(eta)
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    n = np.arange(10_001)
    np.testing.assert_allclose(p @ n, eta.sum(axis=1), rtol=1e-12)
    variance = (eta * (1 - eta)).sum(axis=1)
    np.testing.assert_allclose(p @ n**2 - (p @ n) ** 2, variance, rtol=1e-7)
    exact = 1
    for k in range(1, 5001):
        exact = exact * (10_000 - k + 1) // k
    assert p[1, 5000] == pytest.approx(float(Fraction(exact, 2**10_000)), rel=1e-11)


AGGREGATES = [
    iso.LabelAggregation(),
    iso.LabelAggregation("sum", weights=[1, 2, 1]),
    iso.LabelAggregation(weights=[0.1, 0.2, 0.3]),
    iso.LabelAggregation(weights=[1, 0, 2.5]),
    iso.LabelAggregation("product"),
    iso.LabelAggregation("any"),
    iso.LabelAggregation(lambda rows: rows[:, 0] * 2 + rows[:, 1]),
]


@pytest.mark.parametrize("objective", AGGREGATES)
def test_distribution_is_that_of_the_listed_patterns(objective):
    eta = [[Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)], [Fraction(1), Fraction(1, 8), 0]]
    exact = independent(eta, [Fraction(1, 2)] * 2)
    levels, p = level_distribution(Space.from_input(np.array(eta, dtype=float)), objective)
    bits = np.array(patterns(3), dtype=float)
    own = objective.levels(iso.Labels(np.arange(8, dtype=np.uint8), bits, ("a", "b", "c")))
    assert levels.size == np.unique(own).size
    for level, column in zip(levels, p.T, strict=True):
        for x, probability in enumerate(column):
            hit = [q for q, y in zip(exact.joint[x], own, strict=True) if abs(y - level) < 1e-9]
            assert probability == pytest.approx(float(sum(hit)), abs=1e-15)


def test_too_many_levels_are_refused():
    rng = np.random.default_rng(0)
    objective = iso.LabelAggregation(weights=rng.random(20))
    with pytest.raises(ValueError, match="take more than 65536 values"):
        iso.theory.population_objective_auc(rng.random((2, 20)), [1, 2], objective)


def test_tiny_probabilities_of_any_and_not_all_survive():
    eta = np.array([[1e-20, 2e-20], [0.5, 0.25]])
    _, p = level_distribution(Space.from_input(eta), iso.LabelAggregation("any"))
    np.testing.assert_allclose(p[:, 1], [3e-20, 0.625], rtol=1e-14)
    eta = np.array([[1 - 2.0**-53, 1.0], [0.0, 0.5]])
    _, p = level_distribution(Space.from_input(eta), iso.LabelAggregation("product"))
    np.testing.assert_allclose(p[:, 0], [2.0**-53, 1.0], rtol=1e-14)


def test_points_in_parts_are_as_points_at_once():
    eta = np.random.default_rng(0).random((1025, 7))
    found = iso.theory.level_probabilities(eta)
    assert (found[::5] == iso.theory.level_probabilities(eta[::5])).all()
    assert found.shape == (1025, 8)
