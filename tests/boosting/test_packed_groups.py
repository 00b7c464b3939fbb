"""Groups inside a DMatrix: what was packed comes out again, whatever ids are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isonomy as iso
from isonomy.boosting import pack_groups, pack_labels, xgboost_metric, xgboost_objective
from isonomy.boosting._packed_groups import group_numbers, packed_groups

xgboost = pytest.importorskip("xgboost")


def through_xgboost(groups: Any, kind: Any = xgboost.DMatrix) -> list[int] | None:
    n = len(groups)
    found = packed_groups(kind(np.zeros((n, 1)), np.zeros(n), **pack_groups(groups)))
    return None if found is None else found.tolist()


@given(st.lists(st.integers(0, 2**60 - 1), min_size=1, max_size=20))
def test_whole_numbers_come_out_as_they_are(groups: list[int]) -> None:
    assert through_xgboost(groups) == groups
    assert group_numbers(np.array(groups, dtype=object)).tolist() == groups


IDS = st.one_of(st.integers(), st.text(), st.booleans(), st.floats(allow_nan=False))


@given(st.lists(IDS, min_size=1, max_size=20))
def test_the_same_id_is_the_same_number(groups: list[Any]) -> None:
    ids = np.empty(len(groups), dtype=object)
    ids[:] = groups
    found = group_numbers(ids)
    assert found.max() < 2**60
    for a, number in zip(groups, found, strict=True):
        for b, other in zip(groups, found, strict=True):
            assert (number == other) == (a == b)


def test_any_form_of_ids() -> None:
    expected = [7, 0, 7]
    for made in (
        np.array([7, 0, 7], np.int8),
        np.array([7.0, 0.0, 7.0]),
        pd.Series([7, 0, 7]),
        pd.Series([7, 0, 7], dtype="Int64"),
        (7, 0, 7),
    ):
        assert through_xgboost(made) == expected
    words = ["β", "a", "β"]
    hashed = group_numbers(words).tolist()
    # They are the same on every machine, and for ever.
    assert hashed == [group_numbers([word])[0] for word in words]
    assert hashed[1] == 252166519816315576
    for made in (np.array(words), pd.Series(words), pd.Series(words, dtype="category")):
        assert group_numbers(made).tolist() == hashed
    assert group_numbers(np.array([-1, 2**62])).max() < 2**60
    assert group_numbers(np.array([], np.int64)).size == 0


@pytest.mark.parametrize("kind", [xgboost.DMatrix, xgboost.QuantileDMatrix])
def test_every_kind_of_matrix_carries_them(kind: Any) -> None:
    groups = np.random.default_rng(0).integers(0, 2**60, 1000)
    assert through_xgboost(groups, kind) == groups.tolist()


def test_groups_and_weights_of_rows() -> None:
    """The model of BoostedRanker, which does not need to pack, with rows in any order."""
    rng = np.random.default_rng(1)
    n = 600
    X = np.round(rng.normal(size=(n, 3)), 1)
    Y = (X[:, :2] + rng.logistic(size=(n, 2)) > 0).astype(float)
    weight, query = rng.integers(1, 4, n).astype(float), rng.integers(0, 30, n)
    params = {"max_depth": 3, "tree_method": "hist"}
    data = xgboost.DMatrix(X, pack_labels(Y), weight=weight, **pack_groups(query))
    log: dict[str, Any] = {}
    booster = xgboost.train(
        params | {"nthread": 1, "disable_default_eval_metric": True},
        data,
        5,
        obj=xgboost_objective(iso.WorstLabel(), group_weight="equal"),
        custom_metric=xgboost_metric(iso.WorstLabel(), group_weight="equal"),
        evals=[(data, "all")],
        evals_result=log,
        verbose_eval=False,
    )
    ranker = iso.BoostedRanker(
        iso.WorstLabel(),
        engine="xgboost",
        group_weight="equal",
        n_rounds=5,
        params=params,
        n_jobs=1,
    ).fit(X, Y, weight, query)
    scores = booster.predict(xgboost.DMatrix(X), output_margin=True)
    np.testing.assert_array_equal(scores, ranker.predict(X))
    given_ = {"sample_weight": weight, "groups": query, "group_weight": "equal"}
    exact = iso.objective_auc(Y, scores, iso.WorstLabel(), **given_)
    assert log["all"]["auc_min"][-1] == pytest.approx(exact, abs=1e-5)


def test_mistakes_are_told() -> None:
    with pytest.raises(ValueError, match="2 missing"):
        pack_groups([1, None, float("nan")])
    with pytest.raises(ValueError, match="1 missing"):
        pack_groups(np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match=r"one group for each row. Found shape \(2, 2\)"):
        pack_groups(np.eye(2))
    bounds = {"label_lower_bound": [1.0, np.inf], "label_upper_bound": [1.0, 1.0]}
    data = xgboost.DMatrix(np.eye(2), pack_labels([0, 1]), **bounds)
    with pytest.raises(ValueError, match="pack_groups"):
        xgboost_objective()(np.zeros(2), data)
    data = xgboost.DMatrix(np.eye(2), pack_labels([0, 1]), weight=[2.0])
    data.set_info(qid=[1, 1])
    with pytest.raises(ValueError, match="pack_groups"):
        xgboost_objective()(np.zeros(2), data)
