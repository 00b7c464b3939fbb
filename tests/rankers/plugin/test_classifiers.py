"""Every form in which scikit-learn has classifiers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import isonomy as iso
from isonomy._rankers.plugin.ranker import PlugInRanker
from tests.rankers.plugin.made_data import made


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
