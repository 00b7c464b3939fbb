"""Which columns matter to a model: those that were made to matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import isonomy as iso
from isonomy._rankers import TableEncoder, feature_importances

rng = np.random.default_rng(0)
n = 300
FRAME = pd.DataFrame(
    {
        "noise": rng.normal(size=n) * 100,
        "job": rng.choice(["cook", "smith", "nurse"], n),
        "age": rng.normal(size=n),
        "note": rng.choice(["good tea", "bad tea"], n),
        "same": 1.0,
    }
)
PULL = 3.0 * (FRAME["job"] == "cook") + FRAME["age"]
Y = np.column_stack([PULL, PULL]) + rng.logistic(size=(n, 2)) > [1.0, 2.0]
NUMBERS = FRAME[["noise", "age"]].to_numpy()


def plugged(estimator: Any) -> iso.PlugInRanker:
    return iso.PlugInRanker(estimator, cv=None)


@pytest.mark.parametrize(
    "ranker",
    [
        iso.LinearRanker(),
        iso.LinearRanker(iso.WorstLabel()),
        iso.BoostedRanker(n_rounds=20, random_state=0, params={"min_data_in_leaf": 5}),
        plugged(LogisticRegression()),
        plugged(LGBMClassifier(n_estimators=20, verbosity=-1)),
        plugged(CalibratedClassifierCV(LogisticRegression(max_iter=1000), cv=2)),
    ],
    ids=lambda each: type(getattr(each, "estimator", each)).__name__,
)
@pytest.mark.parametrize("text", [(), ("note",)])
def test_what_an_encoder_makes_of_a_column_counts_for_it(ranker: Any, text: Any) -> None:
    sparse_features = StandardScaler(with_mean=not text)
    model = make_pipeline(TableEncoder(text=text), sparse_features, ranker).fit(FRAME, Y)
    found = feature_importances(model)
    assert {name for name, _ in found} == {"noise", "job", "age", "note"}
    assert {name for name, _ in found[:2]} == {"job", "age"}
    shares = [share for _, share in found]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0)


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_weights_count_by_the_spread_of_their_feature(wrap: Any) -> None:
    ranker = iso.LinearRanker().fit(wrap(NUMBERS), Y)
    sizes = np.abs(ranker.coef_) * NUMBERS.std(axis=0)
    found = dict(feature_importances(ranker, wrap(NUMBERS)))
    np.testing.assert_allclose([found["0"], found["1"]], sizes / sizes.sum())
    # Other units, the same importances.
    scaled = NUMBERS * [0.001, 50.0]
    again = dict(feature_importances(iso.LinearRanker(l2=0.0).fit(wrap(scaled), Y), wrap(scaled)))
    np.testing.assert_allclose([again["0"], again["1"]], sizes / sizes.sum(), atol=1e-4)


def test_gaps_do_not_hide_a_spread() -> None:
    X = NUMBERS.copy()
    X[:5, 0] = np.nan
    model = iso.BoostedRanker(n_rounds=3, random_state=0).fit(X, Y)
    assert feature_importances(model, X) == feature_importances(model)


def test_names_are_the_users() -> None:
    frame = FRAME[["noise", "age"]]
    bare = iso.LinearRanker().fit(frame, Y)
    assert [name for name, _ in feature_importances(bare, frame)] == ["age", "noise"]
    model = make_pipeline(StandardScaler(), iso.LinearRanker()).fit(frame, Y)
    assert [name for name, _ in feature_importances(model)] == ["age", "noise"]
    unnamed = make_pipeline(StandardScaler(), iso.LinearRanker()).fit(NUMBERS, Y)
    assert {name for name, _ in feature_importances(unnamed)} <= {"0", "1", "x0", "x1"}


def test_a_network_has_none_and_nothing_learned_is_zero() -> None:
    network = iso.NeuralRanker(max_epochs=1, random_state=0).fit(NUMBERS, Y)
    assert feature_importances(network) == []
    empty = iso.LinearRanker(l2=1e9, positive=True)
    with pytest.warns(UserWarning, match="ended at 0"):
        empty.fit(-PULL.to_numpy()[:, None], Y)
    assert feature_importances(empty) == [("0", 0.0)]
