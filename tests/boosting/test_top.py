"""Training for the top of the list, by every engine."""

from __future__ import annotations

import pickle
from typing import Any

import lightgbm
import numpy as np
import pytest
import xgboost
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy._core import Items
from isonomy.boosting._derivatives import SMOOTHING, TopLoss
from isonomy.boosting._metrics import WatchedNDCG

QUIET = {"verbosity": -1, "num_threads": 1, "seed": 0, "min_data_in_leaf": 5}


def queries(n_groups: int = 60, size: int = 15) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    n = n_groups * size
    X = rng.normal(size=(n, 4))
    Y = X[:, :2] + rng.logistic(size=(n, 2)) > 1
    return X, Y.astype(float), np.repeat(np.arange(n_groups), size)


def loss_of(objective: Any, top: int = 3, **options: Any) -> tuple[TopLoss, np.ndarray]:
    _, Y, groups = queries()
    items = Items.checked(Y, groups=groups, **options)
    return TopLoss(items.preferences(objective), "logistic", top), Y


@pytest.mark.parametrize("group_weight", ["pairs", "equal"])
@pytest.mark.parametrize(
    "objective", [iso.LabelAggregation(), iso.LossAggregation([1, 3]), iso.WorstLabel()]
)
def test_size_and_balance(objective: Any, group_weight: str) -> None:
    """As large as a loss per row: all weights sum to the number of rows; forces cancel."""
    loss, Y = loss_of(objective, group_weight=group_weight)
    found = loss.at(np.zeros(len(Y)))
    # Of equal scores every pair pulls both of its items by half its weight.
    assert found.hessian.sum() == pytest.approx(len(Y) / 2, rel=1e-9)
    assert found.gradient.sum() == pytest.approx(0.0, abs=1e-9)
    groups = np.arange(len(Y)) // 15
    np.testing.assert_allclose(np.bincount(groups, found.gradient), 0.0, atol=1e-9)


def test_lists_that_weigh_the_same() -> None:
    loss, Y = loss_of(iso.OneLabel(0), group_weight="equal")
    scores = np.random.default_rng(1).normal(size=len(Y))
    per_list = np.bincount(np.arange(len(Y)) // 15, loss.at(np.zeros(len(Y))).hessian)
    some = per_list > 0
    np.testing.assert_allclose(per_list[some], per_list[some][0], rtol=1e-9)
    assert loss.at(scores).loss == pytest.approx(
        1 - iso.label_ndcgs(Y[:, 0], scores, k=3, groups=np.arange(len(Y)) // 15)[0]
    )


def test_the_worst_label_counts_most() -> None:
    loss, Y = loss_of(iso.WorstLabel(), group_weight="equal")
    scores = Y[:, 0] - Y[:, 1]
    ndcgs = loss.pairs.at(scores).ndcgs()
    weights = np.exp((1 - ndcgs) / SMOOTHING)
    mixed = gradient_of_sum(weights / weights.sum(), scores)
    np.testing.assert_allclose(loss.at(scores).gradient, mixed, rtol=1e-9, atol=1e-12)


def gradient_of_sum(weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
    loss, _ = loss_of(iso.LossAggregation(weights.tolist()), group_weight="equal")
    return loss.at(scores).gradient


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_the_order_of_rows_plays_no_part(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Y, groups = rng.random((40, 2)) < 0.4, rng.integers(0, 4, 40)
    Y[:8] = np.tile([[1, 0], [0, 1]], (4, 1))
    groups[:8] = np.arange(8) // 2
    scores, order = rng.integers(0, 3, 40).astype(float), rng.permutation(40)

    def at(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        items = Items.checked(Y[rows], groups=groups[rows])
        found = TopLoss(items.preferences(iso.LossAggregation()), "logistic", 2).at(scores[rows])
        return found.gradient, found.hessian

    for ours, theirs in zip(at(np.arange(40)), at(order), strict=True):
        np.testing.assert_allclose(ours[order], theirs, rtol=1e-10, atol=1e-12)


def test_lightgbm_trains_what_the_ranker_trains() -> None:
    X, Y, groups = queries()
    objective = iso.boosting.lightgbm_objective(iso.LossAggregation(), top=5)
    data = lightgbm.Dataset(X, iso.boosting.pack_labels(Y), group=np.bincount(groups))
    params = {**QUIET, "objective": objective, "feature_pre_filter": False}
    booster = lightgbm.train(params, data, 15)
    ranker = iso.BoostedRanker(
        iso.LossAggregation(),
        top=5,
        n_rounds=15,
        params={"min_data_in_leaf": 5},
        random_state=0,
        n_jobs=1,
    ).fit(X, Y, groups=groups)
    np.testing.assert_allclose(booster.predict(X), ranker.predict(X), rtol=1e-9)
    assert pickle.loads(pickle.dumps(objective)).top == 5


def test_xgboost_trains_and_watches() -> None:
    X, Y, groups = queries()
    data = xgboost.DMatrix(X, iso.boosting.pack_labels(Y), group=np.bincount(groups))
    log: dict[str, Any] = {}
    booster = xgboost.train(
        {"disable_default_eval_metric": True, "nthread": 1},
        data,
        10,
        obj=iso.boosting.xgboost_objective(iso.WorstLabel(), top=5),
        custom_metric=iso.boosting.xgboost_metric(iso.WorstLabel(), top=5),
        evals=[(data, "train")],
        evals_result=log,
        verbose_eval=False,
    )
    values = log["train"]["ndcg@5_min"]
    assert values[-1] > values[0]
    scores = booster.predict(data, output_margin=True)
    expected = iso.label_ndcgs(Y, scores, k=5, groups=groups).min()
    assert values[-1] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_training_for_the_top_serves_the_top(engine: str) -> None:
    X, Y, groups = queries(200)
    ranker = iso.BoostedRanker(engine=engine, top=3, n_rounds=30, random_state=0, n_jobs=1)
    ranker.fit(X, Y, groups=groups)
    assert ranker.history_["loss"][-1] < 0.7 * ranker.history_["loss"][0]
    assert (iso.label_ndcgs(Y, ranker.predict(X), k=3, groups=groups) > 0.6).all()


def test_early_stopping_watches_the_ndcg() -> None:
    X, Y, groups = queries(100)
    ranker = iso.BoostedRanker(
        iso.WorstLabel(), top=4, patience=3, n_rounds=60, random_state=0, n_jobs=1
    ).fit(X, Y, groups=groups)
    values = ranker.history_["validation_ndcg@4_min"]
    assert int(np.argmax(values)) + 1 == ranker.best_iteration_


def test_missing_labels_and_weights_train() -> None:
    X, Y, groups = queries()
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    weight = np.where(np.arange(len(Y)) % 5 == 0, 0.0, 2.0)
    ranker = iso.BoostedRanker(top=5, n_rounds=20, random_state=0, n_jobs=1)
    scores = ranker.fit(X, Y, weight, groups).predict(X)
    assert (iso.label_ndcgs(Y, scores, k=5, groups=groups) > 0.4).all()


def test_lightgbm_metric() -> None:
    _, Y, groups = queries()
    scores = np.random.default_rng(0).normal(size=len(Y))
    metric = iso.boosting.lightgbm_metric(iso.OneLabel(1), top=7)
    sizes = np.bincount(groups)
    name, value, higher = metric(iso.boosting.pack_labels(Y), scores, None, sizes)
    assert (name, higher) == ("ndcg@7_label_1", True)
    assert value == pytest.approx(iso.label_ndcgs(Y, scores, k=7, groups=groups)[1])


@pytest.mark.parametrize("top", [0, -3, 2.5, "10", True])
def test_top_is_a_whole_number(top: Any) -> None:
    X, Y, groups = queries(4)
    for make in (
        lambda: iso.BoostedRanker(top=top).fit(X, Y, groups=groups),
        lambda: iso.boosting.lightgbm_objective(top=top),
        lambda: iso.boosting.xgboost_objective(top=top),
        lambda: iso.boosting.lightgbm_metric(top=top),
        lambda: iso.boosting.xgboost_metric(top=top),
    ):
        with pytest.raises(ValueError, match="`top` should be a whole number >= 1"):
            make()


def test_top_needs_groups() -> None:
    X, Y, _ = queries(4)
    with pytest.raises(ValueError, match="`top` needs groups"):
        iso.BoostedRanker(top=10).fit(X, Y)
    packed = iso.boosting.pack_labels(Y)
    with pytest.raises(ValueError, match="`top` needs groups"):
        iso.boosting.lightgbm_objective(top=10)(packed, np.zeros(len(Y)))
    with pytest.raises(ValueError, match="`top` needs groups"):
        iso.boosting.lightgbm_metric(top=10)(packed, np.zeros(len(Y)))


def test_nothing_to_learn_or_to_watch() -> None:
    _, Y, groups = queries(4)
    items = Items.checked(np.ones_like(Y), groups=groups)
    with pytest.raises(ValueError, match="nothing to learn"):
        TopLoss(items.preferences(iso.LossAggregation()), "logistic", 3)
    with pytest.raises(ValueError, match="no nDCG to watch"):
        WatchedNDCG(Items.checked(0 * Y, groups=groups), iso.LossAggregation(), 3)


@pytest.mark.parametrize("group_weight", ["pairs", "equal"])
def test_a_factor_of_all_weights_plays_no_part(group_weight: str) -> None:
    X, Y, groups = queries()
    scores, weight = X[:, 0], np.random.default_rng(2).choice([0.0, 0.5, 1.0, 3.0], len(Y))

    def gradient(weight: np.ndarray | None) -> np.ndarray:
        objective = iso.boosting.lightgbm_objective(
            iso.SoftLabel(), top=3, group_weight=group_weight
        )
        found = objective(iso.boosting.pack_labels(Y), scores, weight, np.bincount(groups))[0]
        return found / (len(Y) if weight is None else weight.sum())

    np.testing.assert_allclose(gradient(np.full(len(Y), 7.0)), gradient(None), atol=1e-14)
    np.testing.assert_allclose(gradient(7 * weight), gradient(weight), atol=1e-14)
