"""What rankers are handed: Items for Isonomy's own, arrays for all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import isonomy as iso
from isonomy._core import Items, Labels
from isonomy._rankers.items_to_fit import as_features, fit_to_items, innermost, taken_by_fit

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = pd.DataFrame(X[:, :2] + RNG.normal(size=(80, 2)) > 0, columns=["click", "buy"]).astype(float)
GROUPS, WEIGHT = np.arange(80) // 8, RNG.uniform(0.5, 2, 80)
ITEMS = Items.checked(Y, sample_weight=WEIGHT, groups=GROUPS)


class Recorder(BaseEstimator):
    """Keeps what it is given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Recorder:
        self.given = (y, sample_weight, groups)
        return self


class Subclass(iso.LinearRanker):
    """A user's ranker on top of one of Isonomy's."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Subclass:
        self.seen_ = y
        return super().fit(X, y, sample_weight, groups)


@pytest.mark.parametrize(
    "ranker",
    [
        iso.LinearRanker(iso.WorstLabel(), group_weight="equal"),
        iso.LinearRanker(iso.OneLabel("buy")),
        iso.PlugInRanker(LogisticRegression()),
    ],
)
def test_own_rankers_parse_nothing_again(ranker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = clone(ranker).fit(X, Y, WEIGHT, GROUPS).predict(X)

    parse = Labels.from_table

    def parse_others(table: Any, **options: Any) -> Labels:
        assert np.shape(table) != Y.shape, "parsed again"
        return parse(table, **options)

    monkeypatch.setattr(Labels, "from_table", parse_others)
    fitted = fit_to_items(ranker, X, ITEMS)
    assert fitted is ranker
    np.testing.assert_array_equal(fitted.predict(X), expected)


def test_other_rankers_get_arrays() -> None:
    recorder = Recorder()
    for ranker in (recorder, make_pipeline(StandardScaler(), recorder)):
        labels, weight, groups = fit_to_items(ranker, X, ITEMS) and recorder.given
        assert isinstance(labels, np.ndarray)
        np.testing.assert_array_equal(labels, Y)
        np.testing.assert_array_equal(weight, WEIGHT)
        np.testing.assert_array_equal(groups, GROUPS)
    fit_to_items(recorder, X, ITEMS, taken=("groups",))
    assert recorder.given[1] is None
    plain = fit_to_items(Ridge(), X, Items.checked(Y))
    np.testing.assert_array_equal(plain.coef_, Ridge().fit(X, Y.to_numpy()).coef_)


def test_a_subclass_may_look_into_the_labels() -> None:
    fitted = fit_to_items(Subclass(), X, ITEMS)
    assert isinstance(fitted.seen_, np.ndarray)
    expected = iso.LinearRanker().fit(X, Y, WEIGHT, GROUPS)
    np.testing.assert_array_equal(fitted.coef_, expected.coef_)


def test_what_fit_takes() -> None:
    assert taken_by_fit(iso.LinearRanker()) == {"sample_weight", "groups"}
    assert taken_by_fit(make_pipeline(StandardScaler(), Ridge())) == {"sample_weight"}
    nested = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), Ridge(2.0)))
    assert innermost(nested).alpha == 2


def test_features_of_any_type_that_has_rows() -> None:
    for table in (X, pd.DataFrame(X), pl.DataFrame(X)):
        assert as_features(table) is table
    assert isinstance(as_features(X.tolist()), np.ndarray)
    assert as_features(sparse.coo_array(X)).format == "csr"
    assert as_features(X[:, 0], any_shape=True).shape == (80,)
    for wrong, found in ((X[:, 0], r"ndarray of shape \(80,\)"), (None, r"NoneType\.")):
        with pytest.raises(TypeError, match=rf"`X` should be a table \(n, d\).*Found {found}"):
            as_features(wrong)
    with pytest.raises(TypeError, match="LazyFrame"):
        as_features(pl.LazyFrame(X), any_shape=True)
