"""Blends of existing scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isonomy._core.objectives import LabelAggregation, LossAggregation, WorstLabel
from isonomy._metrics.aucs import objective_auc
from isonomy._rankers.blend import blend
from isonomy._rankers.linear.ranker import LinearRanker
from tests.rankers.explicit import Explicit, data


@pytest.fixture
def scores():
    X, Y = data(0)
    noise = np.random.default_rng(1).normal(size=(len(X), 1))
    models = [LinearRanker(LossAggregation(unit)).fit(X, Y).predict(X) for unit in np.eye(3)]
    return np.column_stack([*models, noise]), Y


@pytest.mark.parametrize("objective", [None, LossAggregation(), WorstLabel()])
def test_a_blend_is_positive_and_at_least_as_good_as_each_score(scores, objective):
    S, Y = scores
    found = blend(S, Y, objective)
    assert found.coef_.min() >= 0
    goal = LabelAggregation() if objective is None else objective
    alone = [objective_auc(Y, column, goal) for column in S.T]
    assert objective_auc(Y, found.predict(S), goal) >= max(alone) - 0.01


def test_reaches_the_bounded_optimum_with_weights_and_groups(scores):
    S, Y = scores
    rng = np.random.default_rng(2)
    weight, groups = rng.exponential(size=len(S)), rng.integers(0, 5, len(S))
    options = {"groups": groups, "group_weight": "equal", "surrogate": "square", "l2": 1e-3}
    best = Explicit(S, Y, LabelAggregation(), weight=weight, **options).best(positive=True)
    found = blend(S, Y, sample_weight=weight, **options)
    np.testing.assert_allclose(found.coef_, best, atol=1e-6)


def test_rises_with_every_score(scores):
    S, Y = scores
    found = blend(S, Y)
    assert (found.predict(S + np.eye(4)[2]) >= found.predict(S)).all()


def test_keeps_the_names_of_the_scores(scores):
    S, Y = scores
    found = blend(pd.DataFrame(S, columns=["click", "buy", "like", "noise"]), Y)
    assert found.feature_names_in_.tolist() == ["click", "buy", "like", "noise"]
    assert isinstance(found, LinearRanker)


def test_a_harmful_score_gets_no_weight(scores):
    S, Y = scores
    assert blend(np.column_stack([S[:, 0], -S[:, 0] + 0.01 * S[:, 3]]), Y).coef_[1] == 0.0


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ([0.1, 0.2, 0.3], ValueError, "`scores`.*(n, m).*Found shape .3,.*scores.:, None."),
        ([[0.1], [np.nan], [0.3]], ValueError, "`scores`.*finite.*nan in row 1, column 0"),
        ([[0.1], [0.2], [np.inf]], ValueError, "`scores`.*finite.*inf in row 2"),
        ([["a"], ["b"], ["c"]], TypeError, "`scores`.*numbers.*<U1"),
        (np.zeros((3, 1, 1)), ValueError, "`scores`.*Found shape"),
    ],
)
def test_bad_scores_are_refused_by_name(scores, error, message):
    with pytest.raises(error, match=message):
        blend(scores, [1, 0, 1])


def test_errors_name_what_the_user_passed():
    S = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.raises(ValueError, match=r"`Y` and `scores` should have the same.*3 and 4"):
        blend(S, [1, 0, 1])
    with pytest.raises(ValueError, match=r"`Y` should hold binary labels.*Found 2.0"):
        blend(S, [0, 1, 2, 1], LossAggregation())
    with pytest.raises(ValueError, match="`scores` should have at least one column"):
        blend(S[:, :0], [1, 0, 1, 0])


def test_warns_when_no_score_is_of_use(scores):
    S, Y = scores
    with pytest.warns(UserWarning, match="All weights ended at 0"):
        blend(-S[:, :1], Y[:, :1])
