"""PlugInRanker against the theory, in every form of classifier, and against bad input."""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import isonomy as iso
from isonomy._rankers.plugin.ranker import PlugInRanker
from isonomy.theory import bayes_scores, population_objective_auc, search
from tests.rankers.plugin.made_data import Oracle, made, oracle, population, space


@parametrize_with_checks(
    [PlugInRanker(LogisticRegression()), PlugInRanker(LogisticRegression(), calibrate=True)]
)
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        # Noise as labels, twenty rows: now and then that is miscalibrated indeed.
        warnings.filterwarnings("ignore", "The probabilities of label")
        check(estimator)


OBJECTIVES = [
    (iso.LabelAggregation(), 3),
    (iso.LabelAggregation("sum"), 3),
    (iso.LabelAggregation(weights=[3, 1, 0]), 3),
    (iso.LabelAggregation("product"), 3),
    (iso.LabelAggregation("any"), 3),
    (iso.LabelAggregation(costs="uniform"), 2),
    (iso.LabelAggregation(costs=[[0, 0, 0], [1, 0, 0], [5, 1, 0]]), 2),
    (iso.LabelAggregation(costs=lambda high, low: high**2 - low**2), 3),
    (iso.LabelAggregation(lambda rows: rows @ [1, 2, 4]), 3),
    (iso.LossAggregation("balanced"), 3),
    (iso.OneLabel(1), 3),
    (iso.WorstLabel(), 1),
    (iso.SoftLabel(), 3),
]
# Their weights are those of a sample's priors.
WITH_PRIORS = [(iso.LossAggregation(), 3), (iso.SoftLabel("rarity"), 3)]


def name(value: object) -> str:
    """Of a case; without addresses in memory, so that every run has the same names."""
    return re.sub(r" at 0x\w+", "", repr(value))[:60]


@pytest.mark.parametrize(("objective", "K"), OBJECTIVES, ids=name)
@pytest.mark.parametrize("as_list", [False, True])
def test_true_probabilities_give_the_bayes_scores(objective, K, as_list):
    eta = space(K)
    found = oracle(eta, objective, as_list=as_list).predict(np.arange(len(eta))[:, None])
    best = bayes_scores(eta, objective)
    np.testing.assert_allclose(found / found[0], best / best[0], rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("objective", "K"), OBJECTIVES[:8], ids=name)
def test_no_ranking_is_better_than_that_of_the_true_probabilities(objective, K, seed):
    eta = space(K, m=4, seed=seed)
    found = oracle(eta, objective).predict(np.arange(4)[:, None])
    value = population_objective_auc(eta, found, objective)
    assert value == pytest.approx(search(eta, objective).value, abs=1e-12)


@pytest.mark.parametrize(("objective", "K"), [*OBJECTIVES, *WITH_PRIORS], ids=name)
def test_a_row_s_score_does_not_depend_on_its_company(objective, K):
    X, Y, _ = made(K=K)
    ranker = PlugInRanker(GaussianNB(), objective, cv=None).fit(X, Y)
    scores = ranker.predict(X)
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(ranker.predict(X[100:200]), scores[100:200], rtol=1e-12)
    alone = [ranker.predict(X[[i]])[0] for i in range(5)]
    np.testing.assert_allclose(alone, scores[:5], rtol=1e-12)


def test_certain_probabilities_give_finite_scores():
    X, Y, _ = made(K=2)
    for how in ("product", "any"):
        ranker = PlugInRanker(DecisionTreeClassifier(), iso.LabelAggregation(how), cv=None)
        assert np.isfinite(ranker.fit(X, Y).predict(X)).all()
        assert ranker.score(X, Y) == 1.0


def test_many_patterns_are_scored_in_parts():
    eta = space(K=10, m=3000)
    objective = iso.LabelAggregation(lambda rows: rows.sum(axis=1))
    ranker = PlugInRanker(FrozenEstimator(Oracle(eta).fit(None, None)), objective, cv=None)
    X, Y = population(eta, copies=1)
    np.testing.assert_allclose(ranker.fit(X, Y).predict(X), eta.sum(axis=1), rtol=1e-9)


def balanced():
    return LogisticRegression(class_weight="balanced")


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame])
def test_data_frames(form):
    X, Y, _ = made()
    frame = form({f"x{j}": X[:, j] for j in range(4)})
    labels = form({"click": Y[:, 0], "buy": Y[:, 1]})
    ranker = PlugInRanker(LogisticRegression(), iso.OneLabel("buy"), cv=None).fit(frame, labels)
    assert ranker.label_names_ == ("click", "buy")
    assert list(ranker.feature_names_in_) == ["x0", "x1", "x2", "x3"]
    alone = LogisticRegression().fit(X, Y[:, 1]).predict_proba(X)[:, 1]
    np.testing.assert_allclose(ranker.predict(frame), alone)
    judged = PlugInRanker(LogisticRegression()).fit(frame, labels)
    np.testing.assert_allclose(
        judged.predict(frame), PlugInRanker(LogisticRegression()).fit(X, Y).predict(X)
    )


def test_sparse_features_and_texts():
    from sklearn.feature_extraction.text import CountVectorizer

    X, Y, _ = made()
    dense = PlugInRanker(LogisticRegression()).fit(X, Y).predict(X)
    table = sparse.coo_array(X)
    np.testing.assert_allclose(
        PlugInRanker(LogisticRegression()).fit(table, Y).predict(table), dense
    )
    texts = ["good cheap", "good", "cheap", "bad"] * 20
    labels = [[1, 1], [1, 0], [0, 1], [0, 0]] * 20
    ranker = PlugInRanker(make_pipeline(CountVectorizer(), LogisticRegression())).fit(texts, labels)
    assert ranker.score(texts, labels) == 1.0


def test_pipeline_search_clone_and_pickle():
    X, Y, _ = made()
    inside = make_pipeline(StandardScaler(), PlugInRanker(LogisticRegression(), cv=None))
    grid = GridSearchCV(inside, {"pluginranker__estimator__C": [1e-4, 1.0]}, cv=3)
    grid.fit(X, Y)
    assert grid.best_params_ == {"pluginranker__estimator__C": 1.0}
    assert grid.best_score_ > 0.7
    again = pickle.loads(pickle.dumps(grid.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), grid.predict(X))
    np.testing.assert_array_equal(again.decision_function(X), grid.predict(X))
    assert clone(inside).get_params()["pluginranker__estimator__C"] == 1.0


def test_a_frozen_classifier_survives_a_search():
    X, Y, _ = made()
    frozen = FrozenEstimator(MultiOutputClassifier(LogisticRegression()).fit(X, Y))
    grid = GridSearchCV(PlugInRanker(frozen), {"calibrate": [False, True]}, cv=2).fit(X, Y)
    assert grid.best_score_ > 0.7


def test_metadata_routing():
    X, Y, _ = made()
    groups, weight = np.arange(600) // 10, np.random.default_rng(0).uniform(0.5, 2, 600)
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = PlugInRanker(
            make_pipeline(
                StandardScaler().set_fit_request(sample_weight=False),
                LogisticRegression().set_fit_request(sample_weight=True),
            )
        ).set_fit_request(sample_weight=True, groups=True)
        ranker.set_score_request(sample_weight=True, groups=True)
        grid = GridSearchCV(ranker, {"calibrate": [True, False]}, cv=GroupKFold(3))
        grid.fit(X, Y, sample_weight=weight, groups=groups)
        routed = grid.predict(X)
    direct = clone(grid.best_estimator_).fit(X, Y, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(routed, direct.predict(X))


X, Y, _ = made(n=40, K=3)
ONE_CLASS = np.column_stack([Y[:, 0], np.ones(40)])
MISSING = np.where(np.arange(120).reshape(40, 3) == 4, np.nan, Y)
GRADES = np.arange(40) % 3
FITTED = LogisticRegression().fit(X, Y[:, 0])
WORDS = LogisticRegression().fit(X, np.where(Y[:, 0] > 0, "yes", "no"))
LR = LogisticRegression()
UNIFORM = iso.LabelAggregation(costs="uniform")
BAD = {
    "no estimator": (PlugInRanker(None), Y, {}, TypeError, "`estimator`.*classifier"),
    "a class": (PlugInRanker(LogisticRegression), Y, {}, TypeError, r"LogisticRegression\(\)"),
    "no probabilities": (PlugInRanker(LinearSVC()), Y, {}, TypeError, "CalibratedClassifierCV"),
    "list to fit": (PlugInRanker([LR, LR, LR]), Y, {}, TypeError, "prefit=True"),
    "empty list": (PlugInRanker([], prefit=True), Y, {}, TypeError, "Found 0"),
    "not fitted": (PlugInRanker(LR, prefit=True), Y, {}, ValueError, "FrozenEstimator"),
    "too few": (PlugInRanker([FITTED], prefit=True), Y, {}, ValueError, "predicts 1"),
    "one of three": (PlugInRanker(FITTED, prefit=True), Y, {}, ValueError, "3 labels of `y`"),
    "one of two": (PlugInRanker(FITTED, prefit=True), Y[:, :2], {}, ValueError, "predicts 1"),
    "words": (PlugInRanker(WORDS, prefit=True), Y[:, 0], {}, ValueError, "Fit it to 0 and 1"),
    "unknown class": (PlugInRanker(FITTED, prefit=True), GRADES, {}, ValueError, "Found 2"),
    "one class": (PlugInRanker(LR), ONE_CLASS, {}, ValueError, "only one class, 1, for label '1'"),
    "one class, loss": (
        PlugInRanker(LR, iso.LossAggregation()), ONE_CLASS, {}, ValueError, "weight 0",
    ),
    "all missing": (PlugInRanker(LR), Y * [1, 1, np.nan], {}, ValueError, "no observed value"),
    "one level": (PlugInRanker(LR), np.c_[Y[:, 0], 1 - Y[:, 0]], {}, ValueError, "one level"),
    "one level in groups": (
        PlugInRanker(LR), Y, {"groups": np.arange(40)}, ValueError, "inside a group",
    ),
    "lengths": (PlugInRanker(LR), Y[:-1], {}, ValueError, "Found 39 and 40"),
    "no labels": (PlugInRanker(LR), None, {}, ValueError, "requires y"),
    "fractions": (PlugInRanker(LR), Y + 0.5, {}, ValueError, "whole numbers.*Found"),
    "weights": (PlugInRanker(LR), Y, {"sample_weight": [1.0]}, ValueError, "sample_weight"),
    "groups": (PlugInRanker(LR), Y, {"groups": [1]}, ValueError, "`groups`"),
    "group weight": (PlugInRanker(LR, group_weight="all"), Y, {}, ValueError, "group_weight"),
    "worst label": (
        PlugInRanker(LR, iso.WorstLabel()), Y, {}, ValueError, r"LinearRanker\(WorstLabel\(\)\)",
    ),
    "uniform costs": (PlugInRanker(LR, UNIFORM), Y, {}, ValueError, "intransitive"),
    "grades, loss": (
        PlugInRanker(LR, iso.LossAggregation()), GRADES, {}, ValueError, "binary labels",
    ),
    "grades, uniform": (PlugInRanker(LR, UNIFORM), GRADES, {}, ValueError, "binary labels"),
    "no objective": (PlugInRanker(LR, "mean"), Y, {}, TypeError, "`objective`"),
    "calibrate": (PlugInRanker(LR, calibrate="platt"), Y, {}, ValueError, "'isotonic'"),
    "calibrate without folds": (
        PlugInRanker(LR, calibrate=True, cv=None), Y, {}, ValueError, "cv=5",
    ),
    "one fold": (PlugInRanker(LR, cv=1), Y, {}, ValueError, "`cv`.*>= 2"),
    "folds": (PlugInRanker(LR, cv="five"), Y, {}, ValueError, "`cv`"),
    "one positive": (
        PlugInRanker(LR, calibrate=True), np.c_[Y[:, 0], np.arange(40) == 3], {}, ValueError,
        "two rows of each class",
    ),
    "one group": (
        PlugInRanker(LR, calibrate=True), Y, {"groups": np.zeros(40)}, ValueError, "groups",
    ),
    "joint": (PlugInRanker(LR, joint=True), Y, {}, ValueError, "`joint`.*LogisticRegression"),
    "not joint": (
        PlugInRanker(ClassifierChain(LR), joint=False), Y, {}, ValueError, "None or True",
    ),
    "missing in a chain": (
        PlugInRanker(ClassifierChain(LR)), MISSING, {}, ValueError, "missing values in label '1'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("ranker", "labels", "options", "error", "match"), BAD.values(), ids=list(BAD)
)
def test_bad_input(ranker, labels, options, error, match):
    with pytest.raises(error, match=match):
        ranker.fit(X, labels, **options)
