import numpy as np
import pytest

import isonomy as iso
from isonomy.theory._point_preferences import point_preferences
from isonomy.theory._space import Space


def test_sides_are_expectations_of_the_terms():
    """One label: mu eta above, mu (1 - eta) below."""
    space = Space.from_input([[0.25], [0.5]], mu=[0.4, 0.6])
    terms = point_preferences(space, iso.OneLabel(0))
    np.testing.assert_allclose(terms.above[:, 0], [0.1, 0.3])
    np.testing.assert_allclose(terms.below[:, 0], [0.3, 0.3])
    assert terms.totals() == pytest.approx([0.4 * 0.6])


def test_ties_count_half_and_a_point_ties_with_itself():
    space = Space.from_input([[0.25], [0.5]])
    terms = point_preferences(space, iso.OneLabel(0))
    assert terms.ratios(np.zeros(2)) == pytest.approx([0.5])
    assert terms.ratios(np.array([-np.inf, np.inf])) > 0.5


def test_patterns_and_marginals_agree():
    rng = np.random.default_rng(0)
    eta = rng.random((5, 3))
    apart = Space.from_input(eta)
    listed = Space.from_input(None, patterns=apart.pattern_probabilities())
    for objective in (iso.LossAggregation([1, 2, 3]), iso.LabelAggregation(costs="uniform")):
        for side in ("above", "below"):
            np.testing.assert_allclose(
                getattr(point_preferences(apart, objective), side),
                getattr(point_preferences(listed, objective), side),
                rtol=1e-12,
            )
