"""BlendRanker: what it says, keeps, and how it is kept in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

import isonomy as iso
from isonomy._core import Items
from isonomy._rankers.blended import BlendRanker, LabelModels, OneClassifier
from isonomy._rankers.blended.ranker import on_scale
from isonomy._rankers.blended.weights import blend_weights
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


def test_the_score_is_the_weighted_sum() -> None:
    X, Y = made()
    found = iso.BlendRanker(LogisticRegression(), cv=4, random_state=1).fit(X, Y)
    assert (found.coef_ > 0).all()
    terms = [each.decision_function(X) for each in found.estimators_]
    columns = on_scale(np.column_stack(terms), found.scale_)
    assert found.predict(X) == pytest.approx(columns @ found.coef_)
    assert found.label_names_ == ("0", "1")


@pytest.mark.parametrize("funnel", [False, True])
def test_rows_of_a_data_frame(funnel: bool) -> None:
    X, Y = made()
    Y[:, 1] *= Y[:, 0]
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=range(7, 7 + len(X)))
    ranker = iso.BlendRanker(LogisticRegression(), funnel=funnel, random_state=0)
    assert ranker.fit(frame, Y).predict(frame) == pytest.approx(ranker.fit(X, Y).predict(X))


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


@pytest.mark.parametrize(
    ("wrong", "found"), [({7: 0.6}, "7"), ({"0": 0.6}, "'0'"), ({0: 1.5}, "1.5"), ({0: "x"}, "'x'")]
)
def test_promises_that_nobody_can_keep(wrong: dict, found: str) -> None:
    with pytest.raises(ValueError, match=f"`at_least` should .*Found {found}"):
        iso.BlendRanker(LogisticRegression(), at_least=wrong).fit(*made())


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


def test_probabilities_are_added_up_where_that_serves_better() -> None:
    """Labels that oppose each other, but for few rows that surely have both."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    both = rng.random(4000) < 0.15
    X[both] += 6
    chance = expit(np.column_stack([3 * X[:, 0], -3 * X[:, 0]]))
    chance[both] = 0.95
    Y = (rng.random((4000, 2)) < chance).astype(float)
    trees = BoostedClassifier(n_rounds=40, random_state=0, n_jobs=1)
    found = BlendRanker(trees, iso.LabelAggregation()).fit(X, Y)
    models = LabelModels.fit(Items.checked(Y, X=X), OneClassifier(trees), n_folds=3, rng=None)
    items = Items.checked(Y)
    values = {
        scale: blend_weights(on_scale(models.logits, scale), items, iso.LabelAggregation())[1]
        for scale in ("logit", "probability")
    }
    assert found.scale_ == max(values, key=values.__getitem__)
    assert values["probability"] > values["logit"]
