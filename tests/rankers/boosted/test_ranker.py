"""BoostedRanker: scikit-learn's checks, features of all kinds, stopping, states, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import isonomy as iso
from isonomy._core import Items
from isonomy._rankers.boosted.ranker import BoostedRanker
from isonomy._rankers.splitting import held_out
from tests.boosting.made_data import data

ENGINES = ["lightgbm", "xgboost"]
FAST = {"n_rounds": 8, "n_jobs": 1}
# LightGBM's defaults allow no split of the few rows of scikit-learn's checks.
SPLIT_ALL = {"min_data_in_leaf": 1, "min_data_in_bin": 1}


@parametrize_with_checks(
    [
        BoostedRanker(n_rounds=2, n_jobs=1, params=SPLIT_ALL),
        BoostedRanker(engine="xgboost", n_rounds=2, n_jobs=1),
    ],
)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "objective",
    [None, iso.LossAggregation(), iso.WorstLabel(), iso.OneLabel(1), iso.LabelAggregation("any")],
    ids=repr,
)
def test_learns(engine, objective):
    X, Y = data(2000)
    ranker = BoostedRanker(objective, engine=engine, n_rounds=40, n_jobs=1)
    ranker.fit(X[:1000], Y[:1000])
    assert ranker.score(X[1000:], Y[1000:]) > 0.65
    assert len(ranker.history_["loss"]) == ranker.best_iteration_ == 40
    assert ranker.history_["loss"][-1] < 0.9 * ranker.history_["loss"][0]
    assert ranker.history_["loss"][0] == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    "surrogate", ["sigmoid", "exponential", "square", "hinge", "squared_hinge"]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_surrogate_learns(engine, surrogate):
    X, Y = data(1000)
    ranker = BoostedRanker(engine=engine, surrogate=surrogate, n_rounds=30, n_jobs=1)
    ranker.fit(X[:500], Y[:500])
    assert ranker.score(X[500:], Y[500:]) > 0.7
    assert ranker.history_["loss"][-1] < ranker.history_["loss"][0]


def test_the_worst_label_is_served_better_than_by_loss_aggregation():
    log = iso.datasets.make_search_log(4000, priors=(0.4, 0.05))
    train, test = slice(2000), slice(2000, None)
    least = {}
    for objective in (iso.OneLabel(0), iso.LossAggregation(), iso.WorstLabel()):
        ranker = BoostedRanker(objective, n_rounds=60, n_jobs=1).fit(log.X[train], log.Y[train])
        losses = [
            iso.pair_loss(log.Y[train], ranker.predict(log.X[train]), iso.OneLabel(k)).value
            for k in range(2)
        ]
        least[type(objective)] = max(losses)
        assert iso.label_aucs(log.Y[test], ranker.predict(log.X[test])).shape == (2,)
    assert least[iso.WorstLabel] < least[iso.LossAggregation] < least[iso.OneLabel]


@pytest.mark.parametrize("engine", ENGINES)
def test_many_ordinal_and_named_labels_need_no_packing(engine):
    X, Y = data(300, n_labels=30)
    BoostedRanker(iso.LossAggregation(), engine=engine, **FAST).fit(X, Y)
    levels = Y.sum(axis=1)
    ordinal = BoostedRanker(engine=engine, **FAST).fit(X, levels)
    assert ordinal.score(X, levels) > 0.7
    frame = pd.DataFrame(Y[:, :2], columns=["click", "buy"])
    named = BoostedRanker(iso.OneLabel("buy"), engine=engine, **FAST).fit(X, frame)
    numbered = BoostedRanker(iso.OneLabel(1), engine=engine, **FAST).fit(X, Y[:, :2])
    np.testing.assert_array_equal(named.predict(X), numbered.predict(X))


@pytest.mark.parametrize("engine", ENGINES)
def test_gaps_in_arrays_are_missing_values(engine):
    X, Y = data(600)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    ranker = BoostedRanker(engine=engine, **FAST).fit(X, Y)
    assert ranker.score(X, Y) > 0.7
    assert np.isfinite(ranker.predict(np.full((1, 4), np.nan))).all()


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix])
def test_sparse(make):
    X, Y = data(600)
    X[np.random.default_rng(0).random(X.shape) < 0.5] = 0.0
    dense = BoostedRanker(**FAST).fit(X, Y)
    thin = BoostedRanker(**FAST).fit(make(X), Y)
    np.testing.assert_allclose(thin.predict(make(X)), dense.predict(X))
    # XGBoost takes entries that are not stored for missing.
    gaps = np.where(X == 0, np.nan, X)
    options = {"engine": "xgboost"} | FAST
    dense, thin = BoostedRanker(**options).fit(gaps, Y), BoostedRanker(**options).fit(make(X), Y)
    np.testing.assert_allclose(thin.predict(make(X)), dense.predict(gaps), rtol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_early_stopping_by_a_split(engine):
    X, Y = data(1000)
    options = {"engine": engine, "n_rounds": 300, "patience": 5, "n_jobs": 1}
    ranker = BoostedRanker(eval_metric=iso.WorstLabel(), random_state=1, **options).fit(X, Y)
    watched = ranker.history_["validation_auc_min"]
    assert ranker.best_iteration_ == np.argmax(watched) + 1 < 295
    assert len(watched) == len(ranker.history_["loss"]) == ranker.best_iteration_ + 5
    again = BoostedRanker(eval_metric=iso.WorstLabel(), random_state=1, **options).fit(X, Y)
    np.testing.assert_array_equal(again.predict(X), ranker.predict(X))
    other = BoostedRanker(eval_metric=iso.WorstLabel(), random_state=2, **options).fit(X, Y)
    assert (other.predict(X) != ranker.predict(X)).any()
    drawn = BoostedRanker(random_state=np.random.default_rng(0), **options).fit(X, Y)
    assert "validation_auc_label_aggregation" in drawn.history_


def test_the_watched_auc_is_that_of_the_held_out_groups():
    X, Y = data(1000)
    groups = np.repeat(np.arange(20), 50)
    weight = np.random.default_rng(0).uniform(1, 2, 1000).astype(np.float32)
    ranker = BoostedRanker(
        iso.LossAggregation(), n_rounds=60, patience=5, validation_fraction=0.3,
        group_weight="equal", random_state=5, n_jobs=1,
    )  # fmt: skip
    ranker.fit(X, Y, weight, groups)
    split = held_out(Items.checked(Y, groups=groups), 0.3, np.random.default_rng(5))
    train, valid = split.train, split.test
    assert set(groups[train]).isdisjoint(groups[valid])
    auc = iso.objective_auc(
        Y[valid], ranker.predict(X[valid]), iso.LossAggregation(),
        sample_weight=weight[valid], groups=groups[valid], group_weight="equal",
    )  # fmt: skip
    assert max(ranker.history_["validation_auc_loss_aggregation"]) == pytest.approx(auc)
    part = (X[valid], Y[valid], weight[valid], groups[valid])
    same = clone(ranker).fit(X[train], Y[train], weight[train], groups[train], eval_set=part)
    np.testing.assert_array_equal(same.predict(X), ranker.predict(X))


def test_rows_to_watch_without_stopping():
    X, Y = data(400)
    ranker = BoostedRanker(**FAST).fit(X[:200], Y[:200], eval_set=[X[200:], Y[200:]])
    assert len(ranker.history_["validation_auc_label_aggregation"]) == ranker.best_iteration_ == 8


def test_pipeline_and_grid():
    X, Y = data(400)
    pipeline = make_pipeline(StandardScaler(), BoostedRanker(**FAST))
    grid = GridSearchCV(pipeline, {"boostedranker__n_rounds": [1, 8]}, cv=3).fit(X, Y)
    assert grid.best_params_ == {"boostedranker__n_rounds": 8}


def test_metadata_routing():
    X, Y = data(400)
    groups = np.arange(400) % 12
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = BoostedRanker(**FAST).set_fit_request(groups=True)
        ranker.set_score_request(groups=True)
        grid = GridSearchCV(
            make_pipeline(ranker), {"boostedranker__n_rounds": [3]}, cv=GroupKFold(3)
        )
        grid.fit(X, Y, groups=groups)
    alone = BoostedRanker(n_rounds=3, n_jobs=1).fit(X, Y, groups=groups)
    np.testing.assert_array_equal(grid.predict(X), alone.predict(X))


X4 = np.arange(8.0).reshape(4, 2) ** 2
Y4 = [[1, 0], [0, 1], [1, 1], [0, 0]]
INF = np.where(X4 == 9, np.inf, X4)
LOA = iso.LossAggregation()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("options", "X", "Y", "fit", "message"),
    [
        ({"objective": LOA}, X4, [[1, 0], [1, 1], [1, 1], [1, 0]], {}, "`y`.*'0': one class"),
        ({"objective": iso.WorstLabel()}, X4, [[1, 0], [0, 0]] * 2, {}, "'1': one class"),
        ({}, X4, [[1, 0], [0, 1], [1, 0], [0, 1]], {}, "on one level.*another objective"),
        ({"objective": LOA}, X4, Y4, {"sample_weight": [1, 0, 1, 0]}, "'0': one class"),
        ({"objective": LOA}, X4, Y4, {"groups": [0, 1, 2, 3]}, "inside a group for '0', '1'"),
        ({}, X4, Y4, {"sample_weight": [0, 0, 0, 0]}, "`sample_weight`.*All are 0"),
        ({}, X4, Y4, {"sample_weight": [1, 1]}, "`sample_weight`.*4 items"),
        ({}, X4, Y4, {"groups": [1, 1]}, "`groups`.*4 items"),
        ({}, X4, Y4[:3], {}, "`y` and `X`.*3 and 4"),
        ({}, X4[:, 0], Y4, {}, "Expected 2D array, got 1D"),
        ({}, INF, Y4, {}, "infinity"),
        ({"n_rounds": 0}, X4, Y4, {}, "`n_rounds`.*>= 1"),
        ({"n_jobs": 0}, X4, Y4, {}, "`n_jobs`.*>= 1"),
        ({"objective": LOA}, X4, [0, 1, 2, 3], {}, "`y`.*binary"),
        ({"objective": iso.OneLabel("a")}, X4, Y4, {}, "names no label"),
        ({"patience": 2}, X4, Y4, {"groups": [0] * 4}, "at least two groups"),
        ({"patience": 2}, X4, Y4, {}, "no AUC to watch.*eval_set"),
        ({}, X4, Y4, {"eval_set": X4}, "`eval_set`.*Found ndarray"),
        ({}, X4, Y4, {"eval_set": (X4,)}, "`eval_set`.*Found tuple of 1"),
        ({}, X4, Y4, {"eval_set": (X4, Y4[:2])}, r"`eval_set\[1\]` and `eval_set\[0\]`.*2 and 4"),
        ({}, X4, Y4, {"eval_set": (X4, [[1, 1]] * 4)}, "no AUC to watch"),
        ({}, X4, Y4, {"eval_set": (X4, [1, 0, 1, 0])}, r"`eval_set\[1\]`.*2 without.*Found 1"),
        (
            {}, X4, pd.DataFrame(Y4, columns=["a", "b"]),
            {"eval_set": (X4, pd.DataFrame(Y4, columns=["b", "a"]))}, "a, b. Found b, a",
        ),
        ({}, X4, Y4, {"sample_weight": [1e60] * 4}, "`sample_weight`.*float32.*Scale"),
        ({}, X4, Y4, {"sample_weight": [1e-60] * 4}, "`sample_weight`.*float32.*Scale"),
        ({}, pd.DataFrame(X4, columns=["a", "a"]), Y4, {}, "`X`.*'a' more than once"),
        ({}, X4, Y4, {"eval_set": (X4, Y4, None, [0] * 4)}, "`eval_set`.*groups"),
        ({}, X4, Y4, {"eval_set": (X4[:, :1], Y4)}, "1 features"),
        ({"params": {"objective": "binary"}}, X4, Y4, {}, "'objective': use `objective`"),
        ({"params": {"n_estimators": 5}}, X4, Y4, {}, "'n_estimators': use `n_rounds`"),
        ({"params": {"seed": 5}}, X4, Y4, {}, "'seed': use `random_state`"),
        ({"params": {"n_jobs": 5}}, X4, Y4, {}, "'n_jobs': use `n_jobs`"),
        ({"params": {"num_class": 3}}, X4, Y4, {}, "'num_class': use no classes"),
        ({"params": {"booster": "gblinear"}}, X4, Y4, {}, "trees.*'gblinear'.*LinearRanker"),
        ({"engine": "catboost"}, X4, Y4, {}, "`engine`.*'lightgbm', 'xgboost'.*'catboost'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(engine, options, X, Y, fit, message):
    with pytest.raises(ValueError, match=message):
        BoostedRanker(**({"engine": engine} | options)).fit(X, Y, **fit)


def test_scores_that_diverge_are_named():
    X, Y = data(200)
    params = {"learning_rate": 1e3, "min_sum_hessian_in_leaf": 0}
    with pytest.raises(ValueError, match=r"overflows|diverges|at most 1e\+300"):
        BoostedRanker(surrogate="exponential", params=params, n_jobs=1).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eval_metric": "auc"}, "`eval_metric`.*'auc'"),
        ({"eval_metric": iso.WorstLabel}, "`eval_metric`.*WorstLabel"),
    ],
)
def test_bad_types_are_refused(options, message):
    with pytest.raises(TypeError, match=message):
        BoostedRanker(**options).fit(X4, Y4)
