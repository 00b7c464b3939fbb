"""What all rankers share: the rows that they learn from."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import isonomy as iso
from isonomy._core.items import Items
from isonomy._rankers.base import Ranker
from tests.rankers.explicit import data

RANKERS = [
    iso.LinearRanker(iso.LossAggregation()),
    iso.LinearRanker(iso.LossAggregation(), group_weight="equal"),
    iso.PlugInRanker(LogisticRegression(), iso.LossAggregation(), calibrate=True),
    iso.PlugInRanker(LogisticRegression(), iso.LossAggregation(), group_weight="equal"),
]
each_ranker = pytest.mark.parametrize("ranker", RANKERS, ids=repr)


@each_ranker
def test_checked_items_serve_as_labels(ranker: Ranker) -> None:
    X, Y = data()
    rng = np.random.default_rng(0)
    given = {"sample_weight": rng.exponential(size=len(X)), "groups": rng.integers(0, 30, len(X))}
    direct = ranker.fit(X, Y, **given).predict(X)
    np.testing.assert_array_equal(ranker.fit(X, Items.checked(Y, **given)).predict(X), direct)
    assert (ranker.fit(X, Y).predict(X) != direct).any()


@each_ranker
def test_labels_are_needed(ranker: Ranker) -> None:
    name = type(ranker).__name__
    with pytest.raises(ValueError, match=f"{name} requires y to be passed, but the target y is No"):
        ranker.fit(data()[0], None)


@each_ranker
def test_labels_and_features_have_as_many_rows(ranker: Ranker) -> None:
    X, Y = data()
    with pytest.raises(ValueError, match=r"`y` and `X`.*Found 299 and 300"):
        ranker.fit(X, Y[1:])


@each_ranker
def test_nothing_to_learn_is_told_with_a_cure(ranker: Ranker) -> None:
    X, Y = data()
    with pytest.raises(ValueError, match=r"`y` gives nothing to learn from.*'1'.*Drop that label"):
        ranker.fit(X, Y * [1, 0, 1])
