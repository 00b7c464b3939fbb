import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy.theory import bayes_scores, dictator

from .oracle import N_SPACES, random_space

PATTERNS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]]


def wins_all(eta, scores, j):
    pairs = [(x, z) for x in range(len(eta)) for z in range(len(eta)) if eta[x][j] > eta[z][j]]
    opposed = any((np.array(eta[x]) < np.array(eta[z])).any() for x, z in pairs)
    return opposed and all(scores[x] > scores[z] for x, z in pairs)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=N_SPACES)
def test_the_dictator_wins_every_conflict(seed):
    space = random_space(np.random.default_rng(seed))
    eta = space.eta
    for objective in (iso.LossAggregation(), iso.LabelAggregation()):
        found = dictator(objective=objective, **space.arguments())
        scores = bayes_scores(objective=objective, **space.arguments())
        winners = [j for j in range(space.n_labels) if wins_all(eta, scores, j)]
        assert found.label is None or found.label in winners
        assert (found.label is not None) or len(winners) != 1
        if found.by_weight in winners:
            assert found.label == found.by_weight
        if found.deterministic and found.by_weight is not None:
            follows = [
                scores[x] > scores[z]
                for x in range(len(eta))
                for z in range(len(eta))
                if eta[x][found.by_weight] > eta[z][found.by_weight]
            ]
            assert all(follows)


def test_two_labels_larger_alpha():
    Y = [[1, 0], [0, 1], [1, 0], [0, 0]]
    found = dictator(Y, iso.LossAggregation())
    assert (found.label, found.by_weight, found.deterministic) == (1, 1, True)
    found = dictator(Y, iso.LossAggregation([2, 1]))
    assert (found.label, found.by_weight) == (0, 0)
    assert dictator(Y, iso.LossAggregation([4, 3])).label is None


@pytest.mark.parametrize(
    ("alpha", "label"), [((2.0, 1.5, 1.5), None), ((3.5, 1.5, 1.5), 0), ((3.0, 1.5, 1.5), None)]
)
def test_the_largest_alpha_alone_is_not_enough(alpha, label):
    """All priors are 1/2, so weights are proportional to alpha."""
    found = dictator(PATTERNS, iso.LossAggregation(alpha))
    assert found.by_weight == label
    assert found.label == label
    np.testing.assert_allclose(found.shares, np.array(alpha) / sum(alpha))


def test_uncertain_labels_may_overrule_weight():
    """The label of a quarter of the pull wins, because its probabilities differ more."""
    eta = [[0.51, 0.1], [0.5, 0.9], [0.49, 0.5]]
    found = dictator(eta, iso.LossAggregation([3, 1]))
    assert (found.by_weight, found.label) == (0, 1)
    assert not found.deterministic
    eta.append([0.9, 0.1])
    assert dictator(eta, iso.LossAggregation([3, 1])).label is None


def test_label_aggregation_has_no_dictator():
    found = dictator(PATTERNS, iso.LabelAggregation())
    assert found.label is None
    assert found.by_weight is None


def test_objectives_without_weights():
    found = dictator(PATTERNS, iso.LabelAggregation("product"))
    assert (found.label, found.by_weight, found.shares) == (None, None, None)
    assert dictator([[1], [0]], iso.LossAggregation()).by_weight is None


def test_one_label_is_a_dictator():
    assert dictator(PATTERNS, iso.OneLabel(2)).label == 2


def test_of_several_winners_the_strongest_dictates():
    Y = [[0, 0, 1], [1, 1, 0], [1, 0, 1]]
    found = dictator(Y, iso.LossAggregation([1, 3, 1]))
    assert (found.label, found.by_weight) == (1, 1)


def test_winners_of_equal_alpha_are_no_dictators():
    """Two labels that are the same win together, against a third."""
    Y = [[1, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert dictator(Y, iso.LossAggregation([3, 3, 1])).label is None
    assert dictator(Y, iso.LossAggregation([3, 2, 1])).label == 0
    assert dictator(Y, iso.LossAggregation([2, 3, 1])).label == 1


def test_winners_without_weights_are_no_dictators():
    Y = [[1, 1, 0], [0, 0, 1], [0, 0, 0]]

    def first_two(rows):
        return rows[:, 0] * rows[:, 1]

    assert dictator(Y, iso.LabelAggregation(first_two)).label is None


def test_levels_that_no_point_has_need_no_costs():
    Y = [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
    objective = iso.LabelAggregation(costs=[[0, 0, 0], [1, 0, 0], [1, 1, 0]])
    scores = bayes_scores(Y, objective)
    assert scores.argsort().tolist() == [2, 0, 1]
    assert dictator(Y, objective).deterministic
    assert iso.theory.population_objective_auc(Y, scores, objective) == 1
    assert iso.objective_auc(Y, scores, objective) == 1


def test_patterns_that_no_point_has_need_no_level():
    def how(rows):
        assert not (rows == [0, 1]).all(axis=1).any()
        return rows.sum(axis=1)

    Y = [[1, 0], [1, 1], [0, 0]]
    for objective in (iso.LabelAggregation(how), iso.LabelAggregation(how, costs="uniform")):
        scores = bayes_scores(Y, objective)
        assert iso.theory.population_objective_auc(Y, scores, objective) == 1


def test_an_objective_of_ones_own_meets_the_patterns_that_occur():
    class Own:
        def preferences(self, labels):
            assert len(labels.patterns) == 3
            hit = labels.patterns[:, 1] == 1
            return iso.Preferences(labels.codes, above=hit, below=~hit, mix=iso.Pooled())

    Y = [[1, 0], [1, 1], [0, 0]]
    assert iso.theory.population_objective_auc(Y, [1, 2, 0], Own()) == 1
