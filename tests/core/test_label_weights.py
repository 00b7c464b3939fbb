"""Weights by the labels' names are those of their columns."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import isonomy as iso

rng = np.random.default_rng(3)
X = rng.normal(size=(120, 3))
Y = (X[:, :2] + rng.logistic(size=(120, 2)) > [0.0, 1.0]).astype(int)
SCORES = X.sum(axis=1)
BY_NAME = {"buy": 2, "visit": 1}


@pytest.mark.parametrize(
    "named",
    [
        pd.DataFrame(Y, columns=["visit", "buy"]),
        pl.DataFrame(Y, schema=["visit", "buy"], orient="row"),
    ],
)
@pytest.mark.parametrize(
    "by_name", [BY_NAME, {"visit": 1, 1: 2}, {np.int64(1): 2.0, 0: np.float32(1)}]
)
@pytest.mark.parametrize(
    "made", [iso.LossAggregation, lambda weights: iso.LabelAggregation(weights=weights)]
)
def test_names_and_numbers_find_their_columns(named: Any, by_name: Any, made: Any) -> None:
    expected = iso.objective_auc(Y, SCORES, made([1, 2]))
    assert iso.objective_auc(named, SCORES, made(by_name)) == expected
    ranker = iso.LinearRanker(made(by_name)).fit(X, named)
    np.testing.assert_array_equal(ranker.coef_, iso.LinearRanker(made([1, 2])).fit(X, Y).coef_)


def test_an_objective_is_a_value_whatever_the_order_of_its_names() -> None:
    given = dict(BY_NAME)
    objective = iso.LossAggregation(given)
    given["buy"] = 5
    again = iso.LossAggregation({"visit": 1, "buy": 2})
    assert objective == again
    assert hash(objective) == hash(again)
    assert clone(iso.LinearRanker(objective)).objective == deepcopy(objective) == objective
    assert objective != iso.LossAggregation([1, 2])
    assert eval(repr(objective), {"LossAggregation": iso.LossAggregation}) == objective


def test_every_consumer_takes_names(tmp_path: Path) -> None:
    named = pd.DataFrame(Y, columns=["visit", "buy"])
    objective, plain = iso.LossAggregation(BY_NAME), iso.LossAggregation([1, 2])
    np.testing.assert_array_equal(
        iso.theory.effective_weights(named, objective), iso.theory.effective_weights(Y, plain)
    )
    boosted = iso.BoostedRanker(objective, n_rounds=3, random_state=0).fit(X, named)
    other = iso.BoostedRanker(plain, n_rounds=3, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(boosted.predict(X), other.predict(X))
    iso.save(boosted, tmp_path / "model.isonomy")
    loaded = iso.load(tmp_path / "model.isonomy")
    assert loaded.objective == objective
    np.testing.assert_array_equal(loaded.predict(X), other.predict(X))
    found = iso.compare(
        X,
        named,
        rankers={"mine": iso.LinearRanker(objective), "same": iso.LinearRanker(plain)},
        methods=[],
        repeats=1,
        tradeoffs=False,
        random_state=0,
    )
    assert found["mine"].failed is None
    np.testing.assert_array_equal(found["mine"].aucs.mean, found["same"].aucs.mean)


@pytest.mark.parametrize("weights", [[1e308, 1e308], {"visit": 1.7e308, "buy": 1e307}])
def test_levels_that_would_overflow(weights: Any) -> None:
    with pytest.raises(ValueError, match=r"finite sum.*Divide all of them by the largest"):
        iso.LabelAggregation(weights=weights)
    # No sums of weights there: they are scaled.
    iso.LossAggregation(weights)
    iso.SoftLabel(weights)
