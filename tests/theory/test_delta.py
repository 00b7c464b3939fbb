import numpy as np
import pytest

import isonomy as iso
from isonomy.theory import bayes_scores, delta


def test_marginals_sum_to_one_plus_delta():
    joint = np.random.default_rng(0).dirichlet(np.ones(4), 100)
    eta = joint @ np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    np.testing.assert_allclose(eta.sum(axis=1), 1 + delta(joint), rtol=1e-14)
    scores = bayes_scores(None, iso.LabelAggregation(), patterns=joint)
    np.testing.assert_array_equal(np.argsort(scores), np.argsort(delta(joint)))


def test_correlation_does_not_change_it():
    """The same marginals, independent and as dependent as can be."""
    joint = [[0.25, 0.25, 0.25, 0.25], [0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]]
    assert delta(joint).tolist() == [0, 0, 0]


def test_two_labels_only():
    with pytest.raises(ValueError, match=r"4 columns, for two labels. Found 8"):
        delta([[0.125] * 8])
