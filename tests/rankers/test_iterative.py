"""What rankers in rounds and in epochs agree on: names, checks, rows, history."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isonomy as iso
from isonomy._core import Items
from tests.boosting.made_data import data

# Of each ranker, what makes it quick and repeatable.
RANKERS = {
    iso.BoostedRanker: {"n_rounds": 6, "n_jobs": 1, "random_state": 0},
    iso.NeuralRanker: {"hidden": (4,), "max_epochs": 4, "batch_size": 100, "random_state": 0},
}


@pytest.fixture(params=RANKERS, ids=lambda kind: kind.__name__)
def make(request: Any) -> Any:
    return lambda *given, **options: request.param(*given, **RANKERS[request.param] | options)


def test_one_history(make: Any) -> None:
    X, Y = data(300)
    stopped = make(iso.WorstLabel(), patience=2, validation_fraction=0.3).fit(X, Y).history_
    assert list(stopped) == ["loss", "validation_auc_min"]
    assert len(stopped["loss"]) == len(stopped["validation_auc_min"]) > 0
    assert all(isinstance(value, float) for values in stopped.values() for value in values)
    assert list(make(patience=None).fit(X, Y).history_) == ["loss"]


@pytest.mark.parametrize("group_weight", ["pairs", "equal"])
def test_items_bring_their_weights_and_groups(make: Any, group_weight: str) -> None:
    X, Y = data(300)
    weight, groups = np.random.default_rng(0).exponential(size=300), np.arange(300) % 9
    ranker = make(iso.LossAggregation(), patience=2, group_weight=group_weight)
    wanted = ranker.fit(X, Y, weight, groups).predict(X)
    items = Items.checked(Y, sample_weight=weight, groups=groups)
    np.testing.assert_array_equal(ranker.fit(X, items).predict(X), wanted)
    assert (ranker.fit(X, Y).predict(X) != wanted).any()
    with pytest.raises(ValueError, match=r"`Y` and `X`.*300 and 299"):
        ranker.fit(X[:299], items)


def test_counts_of_items_are_weights(make: Any) -> None:
    X, Y = data(300)
    rng = np.random.default_rng(0)
    weight, counts = rng.integers(1, 5, 300) / 4, rng.integers(1, 4, 300)
    for own in (None, weight):
        items = Items.checked(Y, sample_weight=own, counts=counts)
        wanted = make().fit(X, Y, sample_weight=counts if own is None else own * counts)
        np.testing.assert_array_equal(make().fit(X, items).predict(X), wanted.predict(X))


@pytest.mark.parametrize("old", ["early_stopping", "validation_size"])
def test_names_of_before_are_unknown(make: Any, old: str) -> None:
    with pytest.raises(TypeError, match=old):
        make(**{old: 1})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"objective": iso.WorstLabel}, TypeError, "`objective`"),
        ({"surrogate": "logit"}, ValueError, "`surrogate`.*'logit'"),
        ({"group_weight": "same"}, ValueError, "`group_weight`.*'same'"),
        ({"patience": 0}, ValueError, "`patience` should be a whole number >= 1. Found 0"),
        ({"patience": True}, ValueError, "`patience`"),
        ({"validation_fraction": 1.0}, ValueError, "`validation_fraction` should be a share.*1.0"),
        ({"validation_fraction": "a"}, ValueError, "`validation_fraction` should be a share.*'a'"),
        ({"random_state": -1}, ValueError, "`random_state`"),
        ({"params": [1]}, TypeError, r"`params` should be a dict of .*'s options. Found \[1\]"),
        ({"params": {1: 2}}, TypeError, "`params` should have the names of .*'s options.*Found 1"),
    ],
)
def test_one_check_of_a_parameter(make: Any, options: Any, error: Any, message: str) -> None:
    X, Y = data(20)
    ranker = make(**options)
    with pytest.raises(error, match=message):
        ranker.fit(X, Y)
    with pytest.raises(error, match=message):
        ranker.fit(X, Items.checked(Y))


def test_labels_are_needed(make: Any) -> None:
    with pytest.raises(ValueError, match="requires y to be passed"):
        make().fit(np.eye(4), None)
