"""Labels of several ordered classes."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from isonomy._rankers.plugin.ranker import PlugInRanker
from tests.rankers.plugin.made_data import made


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
