"""One model, whichever door of an engine it comes through."""

from __future__ import annotations

import lightgbm
import numpy as np
import pytest
import xgboost

import isonomy as iso
from isonomy.boosting import (
    lightgbm_metric,
    lightgbm_objective,
    pack_labels,
    xgboost_metric,
    xgboost_objective,
)
from tests.boosting.made_data import data

N_ROUNDS = 12
OBJECTIVES = [
    iso.LabelAggregation(),
    iso.LossAggregation([1, 2]),
    iso.WorstLabel(),
    iso.SoftLabel(),
]
LIGHTGBM = {"bagging_fraction": 0.7, "bagging_freq": 1, "learning_rate": 0.2, "num_leaves": 7}
# Which loop LightGBM adds by is otherwise chosen by a stopwatch.
LIGHTGBM |= {"deterministic": True, "force_row_wise": True, "feature_pre_filter": False}
XGBOOST = {"subsample": 0.7, "learning_rate": 0.2, "max_depth": 3}
OPTIONS = {"n_rounds": N_ROUNDS, "random_state": 3, "n_jobs": 1}


def rows(n: int = 500) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Features of few values, so that all rows and most of them are binned alike."""
    X, Y = data(n, seed=7)
    X = np.clip(np.round(2 * X), -4, 4)
    weight = np.random.default_rng(8).uniform(0.5, 2, n).astype(np.float32)
    return X, Y, weight, np.repeat(np.arange(n // 50), 50)


def by_lightgbm(X, Y, objective, **dataset):
    params = LIGHTGBM | {"seed": 3, "num_threads": 1, "verbosity": -1}
    params["objective"] = lightgbm_objective(objective)
    return lightgbm.train(params, lightgbm.Dataset(X, pack_labels(Y), **dataset), N_ROUNDS)


def by_xgboost(X, Y, objective, **matrix):
    params = XGBOOST | {"seed": 3, "nthread": 1}
    train = xgboost.DMatrix(X, pack_labels(Y), **matrix)
    return xgboost.train(params, train, N_ROUNDS, obj=xgboost_objective(objective))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_lightgbm(objective, weighted):
    X, Y, weight, _ = rows()
    weight = weight if weighted else None
    wanted = by_lightgbm(X, Y, objective, weight=weight).predict(X)
    assert np.unique(wanted).size > 20
    wrapper = lightgbm.LGBMRegressor(
        objective=lightgbm_objective(objective), n_estimators=N_ROUNDS, random_state=3, n_jobs=1,
        verbosity=-1, **LIGHTGBM,
    )  # fmt: skip
    wrapper.fit(X, pack_labels(Y), sample_weight=weight)
    np.testing.assert_array_equal(wrapper.predict(X), wanted)
    ranker = iso.BoostedRanker(objective, params=LIGHTGBM, **OPTIONS).fit(X, Y, weight)
    np.testing.assert_array_equal(ranker.predict(X), wanted)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
def test_lightgbm_with_groups(objective):
    X, Y, weight, groups = rows()
    sizes = np.unique(groups, return_counts=True)[1]
    wanted = by_lightgbm(X, Y, objective, weight=weight, group=sizes).predict(X)
    wrapper = lightgbm.LGBMRanker(
        objective=lightgbm_objective(objective), n_estimators=N_ROUNDS, random_state=3, n_jobs=1,
        verbosity=-1, **LIGHTGBM,
    )  # fmt: skip
    wrapper.fit(X, pack_labels(Y), sample_weight=weight, group=sizes)
    np.testing.assert_array_equal(wrapper.predict(X), wanted)
    ranker = iso.BoostedRanker(objective, params=LIGHTGBM, **OPTIONS)
    np.testing.assert_array_equal(ranker.fit(X, Y, weight, groups).predict(X), wanted)
    assert (ranker.predict(X) != ranker.fit(X, Y, weight).predict(X)).any()


def test_lightgbm_cv():
    X, Y, _, _ = rows()
    train, test = np.arange(400), np.arange(400, 500)
    params = LIGHTGBM | {"seed": 3, "num_threads": 1, "verbosity": -1}
    params["objective"] = lightgbm_objective(iso.LabelAggregation())
    found = lightgbm.cv(
        params,
        lightgbm.Dataset(X, pack_labels(Y)),
        N_ROUNDS,
        folds=[(train, test), (test, train)],
        stratified=False,
        feval=lightgbm_metric(iso.WorstLabel()),
        return_cvbooster=True,
    )
    one, other = (booster.predict(X) for booster in found["cvbooster"].boosters)
    for rows_in, scores in ((train, one), (test, other)):
        wanted = by_lightgbm(X[rows_in], Y[rows_in], iso.LabelAggregation()).predict(X)
        ranker = iso.BoostedRanker(params=LIGHTGBM, **OPTIONS).fit(X[rows_in], Y[rows_in])
        np.testing.assert_array_equal(ranker.predict(X), wanted)
        np.testing.assert_array_equal(scores, wanted)
    aucs = [iso.label_aucs(Y[test], one[test]).min(), iso.label_aucs(Y[train], other[train]).min()]
    assert found["valid auc_min-mean"][-1] == pytest.approx(np.mean(aucs))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_xgboost(objective, weighted):
    X, Y, weight, _ = rows()
    weight = weight if weighted else None
    booster = by_xgboost(X, Y, objective, weight=weight)
    wanted = booster.predict(xgboost.DMatrix(X), output_margin=True)
    assert np.unique(wanted).size > 20
    wrapper = xgboost.XGBRegressor(
        objective=xgboost_objective(objective), n_estimators=N_ROUNDS, random_state=3, n_jobs=1,
        **XGBOOST,
    )  # fmt: skip
    wrapper.fit(X, pack_labels(Y), sample_weight=weight)
    np.testing.assert_array_equal(wrapper.predict(X), wanted)
    ranker = iso.BoostedRanker(objective, engine="xgboost", params=XGBOOST, **OPTIONS)
    np.testing.assert_array_equal(ranker.fit(X, Y, weight).predict(X), wanted)


def test_xgboost_with_groups():
    X, Y, weight, groups = rows()
    booster = by_xgboost(X, Y, iso.LossAggregation(), qid=groups)
    wanted = booster.predict(xgboost.DMatrix(X), output_margin=True)
    ranker = iso.BoostedRanker(
        iso.LossAggregation(), engine="xgboost", params=XGBOOST, **OPTIONS
    ).fit(X, Y, groups=groups)
    np.testing.assert_array_equal(ranker.predict(X), wanted)
    both = ranker.fit(X, Y, weight, groups).predict(X)
    assert (both != wanted).any()


def test_xgboost_cv():
    X, Y, _, _ = rows()
    train, test = np.arange(400), np.arange(400, 500)
    found = xgboost.cv(
        XGBOOST | {"seed": 3, "nthread": 1, "disable_default_eval_metric": True},
        xgboost.DMatrix(X, pack_labels(Y)),
        N_ROUNDS,
        folds=[(train, test)],
        obj=xgboost_objective(),
        custom_metric=xgboost_metric(iso.WorstLabel()),
        as_pandas=False,
    )
    ranker = iso.BoostedRanker(
        engine="xgboost", params=XGBOOST, eval_metric=iso.WorstLabel(), **OPTIONS
    ).fit(X[train], Y[train], eval_set=(X[test], Y[test]))
    # XGBoost writes values down with six digits.
    assert found["test-auc_min-mean"] == pytest.approx(
        ranker.history_["validation_auc_min"], abs=1e-6
    )
    aucs = iso.label_aucs(Y[test], ranker.predict(X[test]))
    assert ranker.history_["validation_auc_min"][-1] == aucs.min()


def test_early_stopping_keeps_the_same_rounds():
    X, Y, _, _ = rows(800)
    train, valid = slice(400), slice(400, None)
    ours = {"patience": 4, "eval_metric": iso.WorstLabel()} | OPTIONS | {"n_rounds": 200}
    params = LIGHTGBM | {"seed": 3, "num_threads": 1, "verbosity": -1}
    dataset = lightgbm.Dataset(X[train], pack_labels(Y[train]))
    booster = lightgbm.train(
        params | {"objective": lightgbm_objective()},
        dataset,
        200,
        valid_sets=[lightgbm.Dataset(X[valid], pack_labels(Y[valid]), reference=dataset)],
        feval=lightgbm_metric(iso.WorstLabel()),
        callbacks=[lightgbm.early_stopping(4, verbose=False)],
    )
    ranker = iso.BoostedRanker(params=LIGHTGBM, **ours)
    ranker.fit(X[train], Y[train], eval_set=(X[valid], Y[valid]))
    assert ranker.best_iteration_ == booster.best_iteration < 190
    np.testing.assert_array_equal(ranker.predict(X), booster.predict(X))
    booster = xgboost.train(
        XGBOOST | {"seed": 3, "nthread": 1},
        xgboost.DMatrix(X[train], pack_labels(Y[train])),
        200,
        obj=xgboost_objective(),
        custom_metric=xgboost_metric(iso.WorstLabel()),
        evals=[(xgboost.DMatrix(X[valid], pack_labels(Y[valid])), "valid")],
        early_stopping_rounds=4,
        verbose_eval=False,
    )
    ranker = iso.BoostedRanker(engine="xgboost", params=XGBOOST, **ours)
    ranker.fit(X[train], Y[train], eval_set=(X[valid], Y[valid]))
    assert ranker.best_iteration_ == booster.best_iteration + 1 < 190
    np.testing.assert_array_equal(
        ranker.predict(X),
        booster.predict(xgboost.DMatrix(X), iteration_range=(0, booster.best_iteration + 1)),
    )


def test_classifiers_are_refused_with_the_cure():
    X, Y, _, _ = rows()
    classifier = lightgbm.LGBMClassifier(objective=lightgbm_objective(), verbosity=-1, n_jobs=1)
    with pytest.raises(ValueError, match="LGBMRegressor, LGBMRanker"):
        classifier.fit(X, pack_labels(Y))
    with pytest.raises(ValueError, match=r"Invalid classes|LGBMRegressor, LGBMRanker"):
        xgboost.XGBClassifier(objective=xgboost_objective(), n_jobs=1).fit(X, pack_labels(Y))


def test_xgbranker_refuses_and_the_docs_say_what_to_do():
    with pytest.raises(ValueError, match="custom objective"):
        xgboost.XGBRanker(objective=xgboost_objective())
    assert "XGBRanker" in iso.boosting.xgboost_objective.__doc__


def test_missing_labels_train():
    X, Y, _, _ = rows()
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    wanted = by_lightgbm(X, Y, iso.LossAggregation()).predict(X)
    ranker = iso.BoostedRanker(iso.LossAggregation(), params=LIGHTGBM, **OPTIONS).fit(X, Y)
    np.testing.assert_array_equal(ranker.predict(X), wanted)


def test_a_fold_without_a_class_is_refused_by_name():
    X, Y, _, _ = rows(100)
    Y[:, 1] = 0
    with pytest.raises(ValueError, match="for '1': one class"):
        by_lightgbm(X, Y, iso.LossAggregation())
    with pytest.raises(ValueError, match="for '1': one class"):
        by_xgboost(X, Y, iso.LossAggregation())
