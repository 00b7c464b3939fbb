"""LinearRanker against explicit pair losses, scikit-learn's checks, and bad input."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from isonomy._core.objectives import (
    LabelAggregation,
    LossAggregation,
    OneLabel,
    SoftLabel,
    WorstLabel,
)
from isonomy._core.preferences import Preferences
from isonomy._rankers.linear.ranker import LinearRanker
from tests.rankers.explicit import Explicit, data

OBJECTIVES = [
    LossAggregation(),
    LossAggregation([3, 1, 0]),
    LossAggregation("balanced"),
    LabelAggregation(),
    LabelAggregation(costs="uniform"),
    LabelAggregation("product"),
    OneLabel(1),
    SoftLabel(),
    SoftLabel("rarity"),
]


@parametrize_with_checks([LinearRanker(), LinearRanker(positive=True)])
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        # Noise as labels: now and then no feature deserves a weight > 0 indeed.
        warnings.filterwarnings("ignore", "All weights ended at 0")
        check(estimator)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [False, True])
def test_reaches_the_explicit_optimum(objective, weighted, positive):
    X, Y = data()
    weight = np.random.default_rng(1).exponential(size=len(X)) if weighted else None
    best = Explicit(X, Y, objective, weight=weight).best(positive)
    ranker = LinearRanker(objective, positive=positive).fit(X, Y, sample_weight=weight)
    assert ranker.converged_
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6, rtol=0)


@pytest.mark.parametrize("objective", OBJECTIVES[:5], ids=repr)
@pytest.mark.parametrize("group_weight", ["pairs", "equal"])
def test_reaches_the_explicit_optimum_with_groups(objective, group_weight):
    X, Y = data(2)
    rng = np.random.default_rng(3)
    groups, weight = rng.integers(0, 8, len(X)), rng.exponential(size=len(X))
    best = Explicit(X, Y, objective, weight=weight, groups=groups, group_weight=group_weight).best()
    ranker = LinearRanker(objective, group_weight=group_weight)
    ranker.fit(X, Y, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6, rtol=0)


@pytest.mark.parametrize("surrogate", ["logistic", "exponential", "square", "squared_hinge"])
@pytest.mark.parametrize("l2", [1e-6, 0.1])
def test_reaches_the_explicit_optimum_of_each_surrogate(surrogate, l2):
    X, Y = data(4)
    best = Explicit(X, Y, LabelAggregation(), surrogate=surrogate, l2=l2).best()
    ranker = LinearRanker(surrogate=surrogate, l2=l2).fit(X, Y)
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6, rtol=0)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(frame):
    X, Y = data(8)
    names = [f"x{j}" for j in range(X.shape[1])]
    table = frame(dict(zip(names, X.T, strict=True)))
    labels = frame(dict(zip("abc", Y.T, strict=True)))
    ranker = LinearRanker(OneLabel("b")).fit(table, labels)
    assert ranker.feature_names_in_.tolist() == names
    assert ranker.n_features_in_ == 5
    np.testing.assert_allclose(ranker.coef_, LinearRanker(OneLabel(1)).fit(X, Y).coef_)
    np.testing.assert_allclose(ranker.predict(table), X @ ranker.coef_)


def test_missing_labels():
    X, Y = data(9)
    Y = Y.astype(float)
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    best = Explicit(X, Y, LossAggregation()).best()
    np.testing.assert_allclose(LinearRanker(LossAggregation()).fit(X, Y).coef_, best, atol=1e-6)


def test_score_is_the_objectives_auc():
    X, Y = data(13)
    groups = np.arange(len(X)) % 5
    ranker = LinearRanker(group_weight="equal").fit(X, Y, groups=groups)
    assert ranker.score(X, Y) != ranker.score(X, Y, groups=groups)
    assert ranker.score(X, Y) > 0.7
    np.testing.assert_array_equal(ranker.decision_function(X), ranker.predict(X))


def test_pipeline_grid_clone_pickle():
    X, Y = data(14)
    pipeline = make_pipeline(StandardScaler(), LinearRanker(LossAggregation()))
    grid = GridSearchCV(pipeline, {"linearranker__l2": [1e-6, 10.0]}, cv=3).fit(X, Y)
    assert grid.best_params_ == {"linearranker__l2": 1e-6}
    again = pickle.loads(pickle.dumps(grid.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), grid.predict(X))
    assert clone(pipeline[-1]).get_params() == pipeline[-1].get_params()


def test_metadata_routing():
    X, Y = data(15)
    rng = np.random.default_rng(0)
    weight, groups = rng.exponential(size=len(X)), rng.integers(0, 12, len(X))
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = LinearRanker().set_fit_request(sample_weight=True, groups=True)
        ranker.set_score_request(sample_weight=True, groups=True)
        grid = GridSearchCV(make_pipeline(ranker), {"linearranker__l2": [0.01]}, cv=GroupKFold(3))
        grid.fit(X, Y, sample_weight=weight, groups=groups)
    alone = LinearRanker(l2=0.01).fit(X, Y, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(grid.best_estimator_[-1].coef_, alone.coef_)


X4 = np.arange(8.0).reshape(4, 2) ** 2
Y4 = [[1, 0], [0, 1], [1, 1], [0, 0]]
NAN = np.where(X4 == 9, np.nan, X4)
INF = np.where(X4 == 9, np.inf, X4)
LOA = LossAggregation()


@pytest.mark.parametrize(
    ("options", "X", "Y", "fit", "message"),
    [
        ({"objective": LOA}, X4, [[1, 0], [1, 1], [1, 1], [1, 0]], {}, "'0': one class"),
        ({"objective": WorstLabel()}, X4, [[1, 0], [0, 0], [1, 0], [0, 0]], {}, "'1': one class"),
        ({}, X4, [[1, 0], [0, 1], [1, 0], [0, 1]], {}, "on one level.*another objective"),
        ({"objective": LOA}, X4, Y4, {"sample_weight": [1, 0, 1, 0]}, "'0': one class"),
        ({"objective": LOA}, X4, Y4, {"groups": [0, 1, 2, 3]}, "inside a group for '0', '1'"),
        ({}, X4, Y4, {"sample_weight": [0, 0, 0, 0]}, "`sample_weight`.*All are 0"),
        ({}, X4, Y4, {"sample_weight": [1, 1]}, "`sample_weight`.*4 items"),
        ({}, X4, Y4, {"groups": [1, 1]}, "`groups`.*4 items"),
        ({}, X4, Y4[:3], {}, "`y` and `X`.*3 and 4"),
        ({}, X4, None, {}, "requires y to be passed"),
        ({}, X4[:, 0], Y4, {}, "Expected 2D array, got 1D"),
        ({}, NAN, Y4, {}, "X contains NaN"),
        ({}, INF, Y4, {}, "X contains infinity"),
        ({}, sparse.csr_array(NAN), Y4, {}, "X contains NaN"),
        ({"l2": -1.0}, X4, Y4, {}, "`l2`.*>= 0.*-1.0"),
        ({"l2": np.nan}, X4, Y4, {}, "`l2`.*nan"),
        ({"tol": "low"}, X4, Y4, {}, "`tol`.*'low'"),
        ({"max_iter": 0}, X4, Y4, {}, "`max_iter`.*>= 1"),
        ({"surrogate": "logit"}, X4, Y4, {}, "`surrogate`.*'logit'"),
        ({"surrogate": "sigmoid"}, X4, Y4, {}, "`surrogate`.*convex.*local optima.*logistic"),
        ({"positive": "no"}, X4, Y4, {}, "`positive`.*True or False.*'no'"),
        ({"warm_start": 1}, X4, Y4, {}, "`warm_start`.*True or False.*1"),
        ({}, X4 * [1, 1e300], Y4, {}, "`X`.*between 1e-250 and 1e[+]250.*4.9e[+]301 in column 1"),
        ({}, X4 * [1e-300, 1], Y4, {}, "`X`.*e-299 in column 0.*StandardScaler"),
        ({}, pd.DataFrame(X4 * [1, 1e290], columns=["a", "b"]), Y4, {}, "column 'b'"),
        ({}, sparse.csr_array(X4 * [1, 1e290]), Y4, {}, "4.9e[+]291 in column 1"),
        ({"group_weight": "same"}, X4, Y4, {}, "`group_weight`.*'same'"),
        ({"objective": LOA}, X4, [0, 1, 2, 3], {}, "`y`.*binary"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(options, X, Y, fit, message):
    with pytest.raises(ValueError, match=message):
        LinearRanker(**options).fit(X, Y, **fit)


def test_an_objective_that_is_none_is_refused():
    with pytest.raises(TypeError, match="`objective`"):
        LinearRanker(LossAggregation).fit(X4, Y4)


class Product:
    """A mix that need not be convex."""

    pooled = False

    def value(self, ratios):
        return float(np.prod(ratios))

    def slope(self, ratios):
        return np.prod(ratios) / ratios


def test_a_mix_of_unknown_convexity_is_refused():
    class Odd:
        def preferences(self, labels):
            yes = labels.patterns == 1
            return Preferences(labels.codes, above=yes, below=~yes, mix=Product())

    with pytest.raises(ValueError, match="`objective` should mix"):
        LinearRanker(Odd()).fit(X4, Y4)


def test_warns_when_no_weight_is_positive():
    X, _ = data(26)
    with pytest.warns(UserWarning, match="All weights ended at 0.*Turn round"):
        ranker = LinearRanker(positive=True).fit(X[:, :1], X[:, 0] < 0)
    assert ranker.coef_.tolist() == [0.0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e260])
@pytest.mark.parametrize("row", [0, 70_001], ids=["in the sample", "elsewhere"])
def test_of_many_entries_one_that_cannot_be_used_is_found(bad, row):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80_000, 64)), rng.integers(0, 2, 80_000)
    X[row, 3] = bad
    with pytest.raises(ValueError, match=r"contains (NaN|infinity)|features of a size"):
        LinearRanker().fit(X, y)
