"""BlendRanker: what it says, keeps, and how it is kept in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import logit
from sklearn.linear_model import LogisticRegression

import isonomy as iso
from isonomy._rankers.boosted import BoostedClassifier


def made(seed: int = 0, n: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, :2] - 0.6 * X[:, [1, 0]] + rng.logistic(size=(n, 2)) > [0.0, 1.0]).astype(int)


def test_one_label_is_its_classifier() -> None:
    X, Y = made()
    found = iso.BlendRanker(LogisticRegression(), iso.OneLabel(1)).fit(X, Y)
    alone = LogisticRegression().fit(X, Y[:, 1]).predict_proba(X)[:, 1]
    assert found.coef_.tolist() == [0, 1]
    assert found.estimators_[0] is None
    assert found.predict(X) == pytest.approx(logit(alone))


def test_the_score_is_the_weighted_sum_of_logits() -> None:
    X, Y = made()
    found = iso.BlendRanker(LogisticRegression(), cv=4, random_state=1).fit(X, Y)
    assert (found.coef_ > 0).all()
    terms = [each.decision_function(X) for each in found.estimators_]
    assert found.predict(X) == pytest.approx(np.column_stack(terms) @ found.coef_)
    assert found.label_names_ == ("0", "1")


@pytest.mark.parametrize("objective", [None, iso.OneLabel(1), iso.LossAggregation()], ids=repr)
def test_promises_need_every_label_whatever_the_objective(objective: object) -> None:
    X, Y = made(n=4000)
    front = iso.BlendRanker(LogisticRegression(), iso.OneLabel(0)).fit(X, Y)
    floor = iso.label_aucs(Y, front.predict(X))[0] - 0.05
    found = iso.BlendRanker(LogisticRegression(), objective, at_least={0: floor}).fit(X, Y)
    aucs = iso.label_aucs(Y, found.predict(X))
    assert aucs[0] > floor
    assert aucs[1] > iso.label_aucs(Y, front.predict(X))[1] + 0.02
    assert (found.coef_ > 0).all()


def test_a_funnel_learns_the_second_step_given_the_first() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    click = X[:, 0] + rng.logistic(size=2000) > 0
    buy = click & (X[:, 1] + rng.logistic(size=2000) > 0)
    found = iso.BlendRanker(LogisticRegression(), funnel=True).fit(X, np.c_[click, buy])
    given = LogisticRegression().fit(X[click], buy[click])
    assert found.estimators_[1].coef_ == pytest.approx(given.coef_)


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), BoostedClassifier(n_rounds=5, n_jobs=1)], ids=["log", "gbm"]
)
def test_saved_and_loaded(estimator: object, tmp_path: Path) -> None:
    X, Y = made(n=400)
    found = iso.BlendRanker(estimator).fit(X, Y)
    iso.save(found, tmp_path / "m.isonomy")
    again = iso.load(tmp_path / "m.isonomy")
    assert (again.predict(X) == found.predict(X)).all()


def test_bad_input() -> None:
    X, Y = made(n=100)
    with pytest.raises(ValueError, match="`cv`"):
        iso.BlendRanker(LogisticRegression(), cv=1).fit(X, Y)
    with pytest.raises(TypeError, match="predict_proba"):
        iso.BlendRanker(iso.LinearRanker()).fit(X, Y)
