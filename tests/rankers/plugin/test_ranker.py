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
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import isonomy as iso
from isonomy._rankers.plugin.ranker import PlugInRanker
from isonomy.theory import bayes_scores, population_objective_auc, search

SCALE = np.array([[0, 0, 0, 0], [2, 0, 0, 0], [6, 2, 0, 0], [12, 5, 2, 0]])


@parametrize_with_checks(
    [PlugInRanker(LogisticRegression()), PlugInRanker(LogisticRegression(), calibrate=True)]
)
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        # Noise as labels, twenty rows: now and then that is miscalibrated indeed.
        warnings.filterwarnings("ignore", "The probabilities of label")
        check(estimator)


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows P(Y_k = 1 | x); the row number of x is its only feature."""

    def __init__(self, eta, as_list=False):
        self.eta = eta
        self.as_list = as_list

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict_proba(self, X):
        p = np.asarray(self.eta)[np.asarray(X)[:, 0].astype(int)]
        return [np.column_stack([1 - q, q]) for q in p.T] if self.as_list else p


def population(eta, copies=4000, seed=0):
    """A sample of the points with labels drawn from eta, whose priors are close to true."""
    rng = np.random.default_rng(seed)
    x = np.repeat(np.arange(len(eta)), copies)
    return x[:, None].astype(float), (rng.random((x.size, eta.shape[1])) < eta[x]).astype(float)


def space(K=3, m=6, seed=0):
    return np.random.default_rng(seed).uniform(0.05, 0.95, (m, K))


def oracle(eta, objective, **options):
    X, Y = population(eta)
    return PlugInRanker(
        Oracle(eta, **options).fit(None, None), objective, prefit=True, cv=None
    ).fit(X, Y)


def made(n=600, K=2, d=4, seed=0, shift=0.0):
    """Features, labels, and the labels' true probabilities."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    P = expit(X @ rng.normal(size=(d, K)) + shift)
    return X, (rng.random((n, K)) < P).astype(float), P


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
]


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


@pytest.mark.parametrize("weights", [None, [3, 1, 0]])
def test_loss_aggregation_takes_the_training_priors(weights):
    eta = space()
    ranker = oracle(eta, iso.LossAggregation(weights))
    pi = ranker.priors_
    alpha = np.array(weights or [1, 1, 1]) / (pi * (1 - pi))
    np.testing.assert_allclose(ranker.label_weights_, alpha / alpha.sum(), rtol=1e-9)
    np.testing.assert_allclose(pi, eta.mean(axis=0), atol=0.01)
    found = ranker.predict(np.arange(len(eta))[:, None])
    np.testing.assert_allclose(found, eta @ ranker.label_weights_, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("objective", "K"), OBJECTIVES[:8], ids=name)
def test_no_ranking_is_better_than_that_of_the_true_probabilities(objective, K, seed):
    eta = space(K, m=4, seed=seed)
    found = oracle(eta, objective).predict(np.arange(4)[:, None])
    value = population_objective_auc(eta, found, objective)
    assert value == pytest.approx(search(eta, objective).value, abs=1e-12)


@pytest.mark.parametrize(("objective", "K"), [*OBJECTIVES, (iso.LossAggregation(), 3)], ids=name)
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


def test_one_classifier_per_label_on_the_rows_where_it_is_observed():
    X, Y, _ = made()
    Y[::3, 0] = np.nan
    ranker = PlugInRanker(LogisticRegression(), cv=None).fit(X, Y)
    for k in range(2):
        seen = ~np.isnan(Y[:, k])
        alone = LogisticRegression().fit(X[seen], Y[seen, k])
        np.testing.assert_allclose(ranker.estimators_[k].coef_, alone.coef_, rtol=1e-6)
        assert ranker.priors_[k] == Y[seen, k].mean()
    np.testing.assert_array_equal(ranker.label_weights_, [0.5, 0.5])


def test_missing_at_random_leaves_the_weights():
    """A label of which nine in ten are missing has fewer pairs, but no more pull."""
    X, Y, _ = made(n=20_000, shift=[0, -2])
    complete = PlugInRanker(LogisticRegression(), iso.LossAggregation(), cv=None).fit(X, Y)
    Y[np.random.default_rng(0).random(len(Y)) < 0.9, 0] = np.nan
    missing = PlugInRanker(LogisticRegression(), iso.LossAggregation(), cv=None).fit(X, Y)
    np.testing.assert_allclose(missing.label_weights_, complete.label_weights_, rtol=0.05)
    groups = np.arange(len(Y)) // 4
    grouped = missing.fit(X, Y, groups=groups).label_weights_
    np.testing.assert_allclose(grouped, complete.label_weights_, rtol=0.15)


def test_groups_weigh_labels_by_their_pairs():
    X, Y, _ = made(K=2)
    groups = np.arange(600) // 6
    for weight in ("pairs", "equal"):
        options = {"groups": groups, "group_weight": weight}
        shares = iso.theory.effective_weights(Y, iso.LossAggregation(), **options)
        ranker = PlugInRanker(
            LogisticRegression(), iso.LossAggregation(), cv=None, group_weight=weight
        ).fit(X, Y, groups=groups)
        np.testing.assert_allclose(ranker.label_weights_, shares)


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(tol=1e-9, C=1e6),
        MultiOutputClassifier(LogisticRegression(tol=1e-9, C=1e6)),
        make_pipeline(StandardScaler(), LogisticRegression(tol=1e-9, C=1e6)),
        GridSearchCV(LogisticRegression(tol=1e-9), {"C": [1e6]}, cv=2),
        make_pipeline(MultiOutputClassifier(LogisticRegression(tol=1e-9, C=1e6))),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_weights_are_rows(estimator):
    X, Y, _ = made()
    weight = np.random.default_rng(1).integers(0, 3, len(X))
    times = np.repeat(np.arange(len(X)), weight)
    ranker = PlugInRanker(estimator, iso.LossAggregation(), cv=None)
    weighted = clone(ranker).fit(X, Y, sample_weight=weight)
    repeated = clone(ranker).fit(X[times], Y[times])
    np.testing.assert_allclose(weighted.priors_, repeated.priors_)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=2e-3)
    assert np.abs(weighted.predict(X) - clone(ranker).fit(X, Y).predict(X)).max() > 0.01


def test_a_classifier_without_weights_says_so():
    X, Y, _ = made()
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample weights"):
        PlugInRanker(KNeighborsClassifier(), cv=None).fit(X, Y, sample_weight=np.ones(600))


def test_forms_agree():
    """One per label, a wrapper, a fitted list and a fitted wrapper are one ranker."""
    X, Y, _ = made(K=3)
    base = LogisticRegression()
    table = MultiOutputClassifier(base).fit(X, Y)
    each = [clone(base).fit(X, Y[:, k]) for k in range(3)]
    forms = [
        PlugInRanker(base),
        PlugInRanker(MultiOutputClassifier(base)),
        PlugInRanker(table, prefit=True),
        PlugInRanker(each, prefit=True),
        PlugInRanker(FrozenEstimator(table)),
        PlugInRanker([FrozenEstimator(one) for one in each]),
    ]
    expected = table.predict_proba(X)
    for form in forms:
        fitted = form.fit(X, Y)
        for k in range(3):
            np.testing.assert_allclose(fitted.expected_labels(X)[:, k], expected[k][:, 1])
        assert [one is not None for one in fitted.calibration_] == [True] * 3


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(20, random_state=0),
        KNeighborsClassifier(20),
        MLPClassifier([8], max_iter=2000, random_state=0),
        ClassifierChain(LogisticRegression()),
        make_pipeline(StandardScaler(), ClassifierChain(LogisticRegression())),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.parametrize("K", [2, 3])
def test_classifiers_of_all_labels_at_once(estimator, K):
    X, Y, P = made(K=K)
    ranker = PlugInRanker(estimator, joint=True, cv=None).fit(X, Y)
    assert len(ranker.estimators_) == 1
    proba = ranker.estimators_[0].predict_proba(X)
    if isinstance(proba, list):
        proba = np.column_stack([one[:, 1] for one in proba])
    np.testing.assert_allclose(ranker.expected_labels(X), proba)
    np.testing.assert_allclose(ranker.predict(X), proba.mean(axis=1))
    assert np.corrcoef(ranker.predict(X), P.sum(axis=1))[0, 1] > 0.5
    again = PlugInRanker(ranker.estimators_[0], prefit=True, cv=None).fit(X, Y)
    np.testing.assert_array_equal(again.predict(X), ranker.predict(X))


def test_one_label_in_every_form():
    X, Y, _ = made(K=1)
    for estimator in (LogisticRegression(), ClassifierChain(LogisticRegression())):
        flat = PlugInRanker(estimator).fit(X, Y[:, 0]).predict(X)
        np.testing.assert_allclose(
            flat, LogisticRegression().fit(X, Y[:, 0]).predict_proba(X)[:, 1]
        )
    joint = PlugInRanker(KNeighborsClassifier(), joint=True).fit(X, Y)
    assert joint.predict(X).shape == (600,)


def test_ordinal_labels_count_by_their_expectation():
    X, Y, _ = made(K=1)
    grades = np.digitize(X[:, 0] + np.random.default_rng(0).normal(size=600), [-1, 0.5, 1])
    model = LogisticRegression().fit(X, grades)
    table = np.column_stack([grades, Y])
    ranker = PlugInRanker(LogisticRegression()).fit(X, table)
    expected = model.predict_proba(X) @ model.classes_
    np.testing.assert_allclose(ranker.expected_labels(X)[:, 0], expected, rtol=1e-6)
    assert ranker.calibration_[0] is not None
    mended = PlugInRanker(LogisticRegression(), calibrate=True).fit(X, table)
    assert np.corrcoef(mended.predict(X), ranker.predict(X))[0, 1] > 0.99


def test_labels_that_do_not_count_are_not_fitted():
    X, Y, _ = made(K=3)
    Y[:, 2] = 1.0
    ranker = PlugInRanker(LogisticRegression(), iso.LossAggregation([1, 2, 0])).fit(X, Y)
    assert ranker.estimators_[2] is None
    assert np.isnan(ranker.expected_labels(X)[:, 2]).all()
    assert np.isfinite(ranker.predict(X)).all()


def alarms(make, *, n=1000, shift=0.0, copies=1, seeds=range(20), **options):
    """In how many of the draws a warning comes, and the last one's text."""
    count, text = 0, ""
    for seed in seeds:
        X, Y, _ = made(n=n, seed=seed, shift=shift)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            PlugInRanker(make(), **options).fit(np.tile(X, copies), Y)
        texts = [str(w.message) for w in caught if "miscalibrated" in str(w.message)]
        count += bool(texts)
        text = texts[0] if texts else text
    return count, text


@pytest.mark.parametrize(("n", "shift"), [(100, 0.0), (400, 0.0), (400, -3.0), (2000, -1.0)])
def test_right_models_raise_no_alarm(n, shift):
    assert alarms(LogisticRegression, n=n, shift=shift, seeds=range(25))[0] == 0


def balanced():
    return LogisticRegression(class_weight="balanced")


@pytest.mark.parametrize(
    ("make", "copies", "shift"), [(GaussianNB, 4, 0.0), (GaussianNB, 20, 0.0), (balanced, 1, -2.5)]
)
def test_wrong_models_raise_an_alarm_and_calibration_cures_them(make, copies, shift):
    count, text = alarms(make, copies=copies, shift=shift, seeds=range(5))
    assert count == 5
    assert "expected calibration error 0." in text
    assert "calibrate=True" in text
    assert alarms(make, copies=copies, shift=shift, seeds=range(5), calibrate=True)[0] == 0


def test_calibration_restores_the_balance_of_the_labels():
    """One label's classifier is given odds ten times too high; the ranking suffers."""
    X, Y, P = made(n=4000, shift=[0.0, -2.0], seed=3)
    fit = {"sample_weight": None}
    with pytest.warns(UserWarning, match="label '1'"):
        skewed = PlugInRanker(balanced()).fit(X, Y, **fit)
    mended = PlugInRanker(balanced(), calibrate=True).fit(X, Y)
    truth = P.sum(axis=1)
    assert np.corrcoef(mended.predict(X), truth)[0, 1] > np.corrcoef(skewed.predict(X), truth)[0, 1]
    assert np.abs(mended.expected_labels(X) - P).mean() < 0.02
    isotonic = PlugInRanker(balanced(), calibrate="isotonic").fit(X, Y)
    assert np.abs(isotonic.expected_labels(X) - P).mean() < 0.03


def test_a_fitted_classifier_is_judged_and_calibrated_on_the_rows_given():
    X, Y, P = made(n=4000, shift=[0.0, -2.0])
    each = [balanced().fit(X[:2000], Y[:2000, k]) for k in range(2)]
    with pytest.warns(UserWarning, match="on the rows given"):
        PlugInRanker(each, prefit=True).fit(X[2000:], Y[2000:])
    mended = PlugInRanker(each, prefit=True, calibrate=True).fit(X[2000:], Y[2000:])
    assert np.abs(mended.expected_labels(X) - P).mean() < 0.03
    groups = np.arange(2000) // 10
    mended.fit(X[2000:], Y[2000:], groups=groups)
    assert mended.calibration_[1].error < 0.05


def test_one_label_s_own_ranking_needs_no_calibration():
    X, Y, _ = made()
    ranker = PlugInRanker(GaussianNB(), iso.OneLabel(0)).fit(np.tile(X, 10), Y)
    assert ranker.calibration_ == [None, None]


class Counted(LogisticRegression):
    """Counts how often it is fitted, and on how many rows."""

    fits: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.fits.append((len(X), X))
        return super().fit(X, y, sample_weight)


def test_no_more_folds_than_needed():
    X, Y, _ = made(n=60_000)
    Counted.fits.clear()
    PlugInRanker(Counted()).fit(X, Y)
    assert [n for n, _ in Counted.fits] == [60_000, 60_000, 48_000, 48_000]
    Counted.fits.clear()
    PlugInRanker(Counted(), calibrate=True, cv=2).fit(X, Y)
    assert len(Counted.fits) == 2 + 4


@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_folds_keep_groups_whole(cv):
    X, Y, _ = made(n=300)
    groups = np.random.default_rng(0).integers(0, 20, 300)
    X[:, 0] = groups
    Counted.fits.clear()
    PlugInRanker(Counted(), calibrate=True, cv=cv).fit(X, Y, groups=groups)
    for n, seen in Counted.fits[2:]:
        left_out = ~np.isin(groups, seen[:, 0])
        assert left_out.sum() == 300 - n
    assert len(Counted.fits) == 2 + 6


def test_folds_as_a_list():
    X, Y, _ = made(n=300)
    Y[:50, 0] = np.nan
    splits = [(np.arange(100, 300), np.arange(100)), (np.arange(100), np.arange(100, 300))]
    Counted.fits.clear()
    ranker = PlugInRanker(Counted(), cv=splits).fit(X, Y)
    assert [n for n, _ in Counted.fits] == [250, 300, 200, 50, 200, 100]
    assert [one.n_rows for one in ranker.calibration_] == [250, 300]


def test_random_state_shuffles_the_folds():
    X, Y, _ = made()
    first, second, third = (
        PlugInRanker(LogisticRegression(), calibrate=True, random_state=seed).fit(X, Y).predict(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert (first != third).any()


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
