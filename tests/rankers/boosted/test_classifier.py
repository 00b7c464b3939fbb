"""BoostedClassifier: LightGBM's own answers, stopping, and plain state."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from isonomy._rankers.boosted import BoostedClassifier

FAST = {"n_jobs": 1, "random_state": 0}


def made(n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] * X[:, 1] + 0.5 * rng.logistic(size=n) > 0).astype(int)


def test_as_lightgbm_itself() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    X, y = made()
    found = BoostedClassifier(n_rounds=10, **FAST).fit(X, y)
    options = {"objective": "binary", "verbosity": -1, "deterministic": True, "seed": 0}
    options |= {"feature_pre_filter": False, "num_threads": 1}
    own = lightgbm.train(options, lightgbm.Dataset(X, y, params=options), 10)
    assert found.predict_proba(X)[:, 1] == pytest.approx(own.predict(X), abs=1e-12)
    assert found.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert (found.predict(X) == (own.predict(X) > 0.5)).all()
    assert found.feature_importances_.sum() == pytest.approx(1)


def test_stops_at_the_best_round() -> None:
    X, y = made()
    noise = np.random.default_rng(1).integers(0, 2, 200)
    found = BoostedClassifier(n_rounds=200, patience=5, **FAST)
    found.fit(X[:400], y[:400], eval_set=(X[400:], noise, None))
    assert found.best_iteration_ < 100
    again = BoostedClassifier(n_rounds=found.best_iteration_, **FAST).fit(X[:400], y[:400])
    assert (found.predict_proba(X) == again.predict_proba(X)).all()


def test_weights_zero_are_rows_left_out_of_the_loss() -> None:
    X, y = made()
    flipped = np.r_[y, 1 - y]
    found = BoostedClassifier(n_rounds=10, **FAST)
    found.fit(np.r_[X, X], flipped, np.r_[np.ones(600), np.zeros(600)])
    assert ((found.predict_proba(X)[:, 1] > 0.5) == y).mean() > 0.7


def test_sparse_and_missing_features() -> None:
    X, y = made()
    X[:50, 0] = np.nan
    dense = BoostedClassifier(n_rounds=5, **FAST).fit(X, y)
    assert np.isfinite(dense.predict_proba(X)).all()
    thin = np.where(np.abs(np.nan_to_num(X)) > 1, np.nan_to_num(X), 0)
    one = BoostedClassifier(n_rounds=5, **FAST).fit(thin, y).predict_proba(thin)
    table = sparse.csr_matrix(thin)
    two = BoostedClassifier(n_rounds=5, **FAST).fit(table, y).predict_proba(table)
    assert one == pytest.approx(two, abs=1e-9)


def test_state_is_plain() -> None:
    X, y = made()
    found = BoostedClassifier(n_rounds=5, **FAST).fit(X, y)
    found.predict(X)
    again = pickle.loads(pickle.dumps(found))
    assert (again.predict_proba(X) == found.predict_proba(X)).all()
    # A fit forgets the model before it.
    other = found.fit(X, 1 - y).predict_proba(X)
    assert (other == clone(found).fit(X, 1 - y).predict_proba(X)).all()


def test_labels_are_0_and_1() -> None:
    X, y = made()
    with pytest.raises(ValueError, match="`y` should hold 0 or 1"):
        BoostedClassifier().fit(X, y + 1)
