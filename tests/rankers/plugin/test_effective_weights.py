"""The labels' weights in a plug-in ranker's score."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import isonomy as iso
from isonomy._rankers.plugin.ranker import PlugInRanker
from tests.rankers.plugin.made_data import made, oracle, space


@pytest.mark.parametrize("weights", [None, [3, 1, 0]])
def test_loss_aggregation_takes_the_training_priors(weights):
    eta = space()
    ranker = oracle(eta, iso.LossAggregation(weights))
    pi = ranker.priors_
    alpha = np.array(weights or [1, 1, 1]) / (pi * (1 - pi))
    np.testing.assert_allclose(ranker.effective_weights_, alpha / alpha.sum(), rtol=1e-9)
    np.testing.assert_allclose(pi, eta.mean(axis=0), atol=0.01)
    found = ranker.predict(np.arange(len(eta))[:, None])
    np.testing.assert_allclose(found, eta @ ranker.effective_weights_, rtol=1e-12)


def test_missing_at_random_leaves_the_weights():
    """A label of which nine in ten are missing has fewer pairs, but no more pull."""
    X, Y, _ = made(n=20_000, shift=[0, -2])
    complete = PlugInRanker(LogisticRegression(), iso.LossAggregation(), cv=None).fit(X, Y)
    Y[np.random.default_rng(0).random(len(Y)) < 0.9, 0] = np.nan
    missing = PlugInRanker(LogisticRegression(), iso.LossAggregation(), cv=None).fit(X, Y)
    np.testing.assert_allclose(missing.effective_weights_, complete.effective_weights_, rtol=0.05)
    groups = np.arange(len(Y)) // 4
    grouped = missing.fit(X, Y, groups=groups).effective_weights_
    np.testing.assert_allclose(grouped, complete.effective_weights_, rtol=0.15)


def test_groups_weigh_labels_by_their_pairs():
    X, Y, _ = made(K=2)
    groups = np.arange(600) // 6
    for weight in ("pairs", "equal"):
        options = {"groups": groups, "group_weight": weight}
        shares = iso.theory.effective_weights(Y, iso.LossAggregation(), **options)
        ranker = PlugInRanker(
            LogisticRegression(), iso.LossAggregation(), cv=None, group_weight=weight
        ).fit(X, Y, groups=groups)
        np.testing.assert_allclose(ranker.effective_weights_, shares)


@pytest.mark.parametrize(
    ("objective", "weights", "effective"),
    [
        (iso.LossAggregation([3, 1]), [0.75, 0.25], None),
        (iso.LossAggregation(), [0.5, 0.5], None),
        (iso.LossAggregation("balanced"), "pairs", [0.5, 0.5]),
        (iso.OneLabel(1), [0, 1], [0, 1]),
        (iso.LabelAggregation(weights=[3, 1]), None, [0.75, 0.25]),
        (iso.LabelAggregation("product"), None, None),
    ],
    ids=repr,
)
def test_loss_weights_and_effective_weights_are_told_apart(objective, weights, effective):
    X, Y, _ = made(shift=[0, -2])
    ranker = PlugInRanker(LogisticRegression(), objective, cv=None).fit(X, Y)
    pi = ranker.priors_
    pairs = pi * (1 - pi) / (pi * (1 - pi)).sum()
    if weights is None:
        assert ranker.label_weights_ is None
    else:
        weights = pairs if isinstance(weights, str) else np.array(weights)
        np.testing.assert_allclose(ranker.label_weights_, weights, rtol=1e-12)
        alpha = weights / pairs
        np.testing.assert_allclose(ranker.effective_weights_, alpha / alpha.sum(), rtol=1e-12)
    if effective is not None:
        np.testing.assert_allclose(ranker.effective_weights_, effective, rtol=1e-12)
    elif weights is None:
        assert ranker.effective_weights_ is None
