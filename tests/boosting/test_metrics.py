"""Engine metrics are `objective_auc`, under names that engines understand."""

from __future__ import annotations

import copy
import pickle

import lightgbm
import numpy as np
import pytest
import xgboost

import isonomy as iso
from isonomy.boosting import lightgbm_metric, lightgbm_objective, pack_labels, xgboost_metric
from isonomy.boosting import xgboost_objective as for_xgboost
from tests.boosting.made_data import data


class AtLeastTwo:
    """An objective of one's own."""

    def preferences(self, labels):
        hit = np.nansum(labels.patterns, axis=1) >= 2
        return iso.Preferences(labels.codes, above=hit, below=~hit, mix=iso.Pooled())


@pytest.mark.parametrize(
    ("objective", "name"),
    [
        (None, "auc_label_aggregation"),
        (iso.LabelAggregation("any"), "auc_label_aggregation"),
        (iso.LossAggregation([1, 3]), "auc_loss_aggregation"),
        (iso.WorstLabel(), "auc_min"),
        (iso.OneLabel(1), "auc_label_1"),
        (AtLeastTwo(), "auc_at_least_two"),
    ],
)
def test_metrics_are_the_objectives_auc(objective, name):
    X, Y = data(200)
    rng = np.random.default_rng(5)
    scores, weight = rng.normal(size=200).round(1), rng.exponential(size=200).astype(np.float32)
    packed, sizes = pack_labels(Y), np.array([150, 50])
    groups = np.repeat([0, 1], sizes)
    wish = iso.LabelAggregation() if objective is None else objective
    plain = iso.objective_auc(Y, scores, wish)
    weighted = iso.objective_auc(Y, scores, wish, sample_weight=weight)
    options = {"sample_weight": weight, "groups": groups, "group_weight": "equal"}
    grouped = iso.objective_auc(Y, scores, wish, **options)
    ours, theirs = lightgbm_metric(objective), xgboost_metric(objective)
    assert ours(packed, scores) == (name, plain, True)
    assert ours(packed, scores, weight) == (name, weighted, True)
    assert lightgbm_metric(objective, group_weight="equal")(packed, scores, weight, sizes) == (
        name, grouped, True,
    )  # fmt: skip
    assert ours.__name__ == theirs.__name__ == name
    assert theirs(packed, scores) == plain
    assert theirs(packed, scores, weight) == weighted
    assert theirs(scores, xgboost.DMatrix(X, packed, weight=weight)) == (name, weighted)
    dataset = lightgbm.Dataset(X, packed, weight=weight, group=sizes).construct()
    assert ours(scores, dataset)[1] == iso.objective_auc(
        Y, scores, wish, sample_weight=weight, groups=groups
    )


def test_lightgbm_stops_by_the_smallest_auc():
    X, Y = data(800)
    train = lightgbm.Dataset(X[:400], pack_labels(Y[:400]))
    valid = lightgbm.Dataset(X[400:], pack_labels(Y[400:]), reference=train)
    log: dict = {}
    params = {
        "objective": lightgbm_objective(),
        "verbosity": -1,
        "learning_rate": 0.3,
        "num_threads": 1,
    }
    booster = lightgbm.train(
        params,
        train,
        200,
        valid_sets=[valid],
        feval=[lightgbm_metric(iso.WorstLabel()), lightgbm_metric(iso.OneLabel(0))],
        callbacks=[
            lightgbm.early_stopping(5, first_metric_only=True, verbose=False),
            lightgbm.record_evaluation(log),
        ],
    )
    values = log["valid_0"]["auc_min"]
    assert len(log["valid_0"]["auc_label_0"]) == len(values) < 200
    assert booster.best_iteration == np.argmax(values) + 1
    predicted = booster.predict(X[400:], num_iteration=booster.best_iteration)
    aucs = iso.label_aucs(Y[400:], predicted)
    assert aucs.min() == pytest.approx(max(values))


def test_xgboost_stops_by_the_largest_value_without_being_told():
    X, Y = data(800)
    train = xgboost.DMatrix(X[:400], pack_labels(Y[:400]))
    valid = xgboost.DMatrix(X[400:], pack_labels(Y[400:]))
    log: dict = {}
    booster = xgboost.train(
        {"learning_rate": 0.3, "nthread": 1},
        train,
        200,
        obj=for_xgboost(),
        custom_metric=xgboost_metric(iso.WorstLabel()),
        evals=[(valid, "valid")],
        evals_result=log,
        early_stopping_rounds=5,
        verbose_eval=False,
    )
    values = log["valid"]["auc_min"]
    assert booster.best_iteration == np.argmax(values)
    assert len(values) == booster.best_iteration + 6
    wrapper = xgboost.XGBRegressor(
        n_estimators=200,
        learning_rate=0.3,
        n_jobs=1,
        objective=for_xgboost(),
        eval_metric=xgboost_metric(iso.WorstLabel()),
        early_stopping_rounds=5,
    )
    wrapper.fit(
        X[:400], pack_labels(Y[:400]), eval_set=[(X[400:], pack_labels(Y[400:]))], verbose=False
    )
    assert wrapper.best_iteration == booster.best_iteration
    np.testing.assert_array_equal(wrapper.predict(X), booster.inplace_predict(
        X, iteration_range=(0, booster.best_iteration + 1)))  # fmt: skip


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_a_missing_class_raises_rather_than_stopping_early_by_nan(make):
    packed = pack_labels([[1, 0], [1, 1], [1, 1]])
    with pytest.raises(ValueError, match=r"no AUC to watch.*for '0': one class.*more rows"):
        make(iso.WorstLabel())(packed, np.arange(3.0))
    assert make(iso.OneLabel(1))(packed, np.arange(3.0)) is not None


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_names_and_nonsense_are_refused(make):
    with pytest.raises(ValueError, match=r"column number.*'click'"):
        make(iso.OneLabel("click"))
    with pytest.raises(TypeError, match="`objective`"):
        make("auc")
    with pytest.raises(ValueError, match="`group_weight`"):
        make(group_weight="same")


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_as_many_scores_as_labels(make):
    metric, labels = make(), pack_labels([[1, 1], [0, 1], [0, 0]])
    metric(labels, np.zeros(3))
    with pytest.raises(ValueError, match=r"`label` and `scores`.*3 and 2"):
        metric(labels, np.zeros(2))


@pytest.mark.parametrize("make", [lightgbm_metric, xgboost_metric])
def test_copies_and_pickles_work(make):
    packed, metric = pack_labels([[1, 1], [0, 1], [0, 0]]), make(iso.WorstLabel())
    value = metric(packed, [2.0, 0.0, 1.0])
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert other == metric
        assert other(packed, [2.0, 0.0, 1.0]) == value
