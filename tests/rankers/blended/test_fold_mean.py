"""FoldMean: the mean logit of its classifiers."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from isonomy._rankers.blended import FoldMean
from isonomy._rankers.boosted import BoostedClassifier


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    return X, (X[:, 0] + rng.logistic(size=300) > 0).astype(int)


def test_it_says_the_mean_logit(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    parts = [LogisticRegression().fit(X[i::3], y[i::3]) for i in range(3)]
    # A fold in which nobody had the label says nothing either way.
    parts.append(DummyClassifier().fit(np.zeros((2, 1)), [0, 1]))
    found = FoldMean(LogisticRegression()).take(parts)
    expected = np.mean([logit(each.predict_proba(X)[:, 1]) for each in parts], axis=0)
    np.testing.assert_allclose(found.decision_function(X), expected, rtol=1e-12)
    np.testing.assert_allclose(found.predict_proba(X)[:, 1], expit(expected), rtol=1e-12)
    np.testing.assert_array_equal(found.predict(X), expected > 0)
    assert found.score(X, y) > 0.6


def test_fitted_to_all_rows_it_is_its_estimator(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    trees = BoostedClassifier(n_rounds=5, n_jobs=1)
    weight = np.arange(300.0)
    with pytest.raises(NotFittedError):
        FoldMean(trees).predict(X)
    found = FoldMean(trees).fit(X, y, sample_weight=weight)
    alone = trees.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(found.predict_proba(X), alone.predict_proba(X), rtol=1e-9)
