"""The recipe for a metric."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer

import isonomy as iso
from isonomy._core import Items
from tests.oracles import label_cost, ratio, rows_of
from tests.recipes.consumers import data
from tests.recipes.recipe import follow, ship


@pytest.fixture(autouse=True)
def _auc_diff(monkeypatch: pytest.MonkeyPatch) -> None:
    found = follow("A metric", "src/isonomy/_metrics/aucs.py", monkeypatch)["auc_diff"]
    ship(found, "_metrics", monkeypatch)


def test_it_agrees_with_the_oracle() -> None:
    rng = np.random.default_rng(0)
    Y = rng.choice([0.0, 1.0, np.nan], (30, 3))
    scores, weight, groups = rng.integers(0, 5, 30), rng.integers(1, 4, 30), np.arange(30) % 3
    found = iso.auc_diff(Y, scores, sample_weight=weight, groups=groups, group_weight="equal")
    options = {"weight": weight.tolist(), "groups": groups.tolist(), "group_weight": "equal"}
    costs = [label_cost(rows_of(Y), k) for k in range(3)]
    aucs = [ratio(cost, scores.tolist(), **options) for cost in costs]
    assert found == pytest.approx(float(max(aucs) - min(aucs)), rel=1e-12)


def test_counts_stand_for_rows() -> None:
    X, Y = data(50)
    counts = np.arange(50) % 3
    repeated = iso.auc_diff(np.repeat(Y, counts, axis=0), np.repeat(X[:, 0], counts))
    assert iso.auc_diff(Y, X[:, 0], counts=counts) == pytest.approx(repeated, rel=1e-12)


def test_checked_rows_will_do() -> None:
    X, Y = data()
    assert iso.auc_diff(Items.checked(Y), X[:, 0]) == iso.auc_diff(Y, X[:, 0])


def test_input_is_checked_and_what_is_undefined_is_told() -> None:
    with pytest.raises(ValueError, match="`Y` and `y_score` should have the same number of rows"):
        iso.auc_diff([[1, 0], [0, 1]], [1.0])
    with pytest.warns(UndefinedMetricWarning, match="'1'"):
        assert np.isnan(iso.auc_diff([[1, 0], [0, 0]], [1.0, 2.0]))


def test_it_makes_a_scorer() -> None:
    X, Y = data()
    scorer = make_scorer(iso.auc_diff, response_method="predict", greater_is_better=False)
    ranker = iso.LinearRanker(l2=0.01).fit(X, Y)
    assert scorer(ranker, X, Y) == -iso.auc_diff(Y, ranker.predict(X))
    alone = LogisticRegression().fit(X, Y[:, 0])
    assert scorer(alone, X, Y) < scorer(ranker, X, Y)
