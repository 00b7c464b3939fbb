"""Gradients and Hessians of engine objectives are those of `pair_loss`, times the weights' sum."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref

import lightgbm
import numpy as np
import pytest
import xgboost
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import isonomy as iso
from isonomy.boosting import lightgbm_objective, pack_labels, xgboost_objective
from isonomy.boosting._derivatives import SMOOTHING, BoostingLoss
from isonomy.surrogates import SURROGATES
from tests.boosting.made_data import data

OBJECTIVES = [
    iso.LabelAggregation(),
    iso.LabelAggregation(costs="uniform"),
    iso.LossAggregation(),
    iso.LossAggregation([2, 1]),
    iso.LossAggregation("balanced"),
    iso.OneLabel(1),
    iso.SoftLabel("rarity"),
]
STAND_IN = {"sigmoid": "logistic", "hinge": "squared_hinge"}


def expected(Y, scores, objective, surrogate="logistic", weight=None, groups=None, equal="pairs"):
    """What the objective should return, by the public loss."""
    options = {"sample_weight": weight, "groups": groups, "group_weight": equal}
    total = len(Y) if weight is None else np.sum(weight, dtype=float)
    loss = iso.pair_loss(Y, scores, objective, surrogate=surrogate, **options)
    curved = iso.pair_loss(
        Y, scores, objective, surrogate=STAND_IN.get(surrogate, surrogate), hessian=True, **options
    )
    return loss.gradient * total, np.maximum(curved.hessian_diagonal, 0) * total


def assert_same(found, wanted):
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-13 * np.abs(theirs).max())


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
@pytest.mark.parametrize("surrogate", SURROGATES)
def test_derivatives_are_the_pair_loss_times_the_weights(objective, surrogate):
    rng = np.random.default_rng(1)
    _, Y = data(300)
    scores = rng.normal(size=300)
    weight = rng.exponential(size=300).astype(np.float32)
    sizes = np.array([100, 40, 160])
    groups = np.repeat([0, 1, 2], sizes)
    packed = pack_labels(Y)
    ours = lightgbm_objective(objective, surrogate=surrogate)
    theirs = xgboost_objective(objective, surrogate=surrogate)
    assert_same(ours(packed, scores), expected(Y, scores, objective, surrogate))
    assert_same(theirs(packed, scores), expected(Y, scores, objective, surrogate))
    assert_same(ours(packed, scores, weight), expected(Y, scores, objective, surrogate, weight))
    assert_same(theirs(packed, scores, weight), expected(Y, scores, objective, surrogate, weight))
    assert_same(
        ours(packed, scores, weight, sizes),
        expected(Y, scores, objective, surrogate, weight, groups),
    )
    assert all((hessian >= 0).all() for _, hessian in (ours(packed, scores),))


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans(), st.booleans(), st.booleans())
def test_derivatives_on_anything(seed, n_labels, missing, weighted, grouped):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    Y = rng.integers(0, 2, (n, n_labels)).astype(float)
    Y[:4] = np.array([[0.0], [1.0], [0.0], [1.0]])
    if missing:
        Y[4:][rng.random((n - 4, n_labels)) < 0.4] = np.nan
    scores = rng.normal(size=n) * 10.0 ** rng.integers(-3, 2)
    weight = rng.exponential(size=n).astype(np.float32) if weighted else None
    sizes = np.array([n - 6, 6]) if grouped else None
    groups = np.repeat([0, 1], sizes) if grouped else None
    for objective in (iso.LabelAggregation(), iso.LossAggregation()):
        found = lightgbm_objective(objective, group_weight="equal")(
            pack_labels(Y), scores, weight, sizes
        )
        assert_same(found, expected(Y, scores, objective, "logistic", weight, groups, "equal"))


def test_engines_data_sets_say_the_same_as_arrays():
    X, Y = data(200)
    rng = np.random.default_rng(2)
    scores, weight = rng.normal(size=200), rng.exponential(size=200).astype(np.float32)
    packed, sizes = pack_labels(Y), np.array([150, 50])
    groups = np.repeat([0, 1], sizes)
    objective = iso.LossAggregation()
    dataset = lightgbm.Dataset(X, packed, weight=weight, group=sizes).construct()
    wanted = expected(Y, scores, objective, "logistic", weight, groups)
    assert_same(lightgbm_objective(objective)(scores, dataset), wanted)
    matrix = xgboost.DMatrix(X, packed, weight=weight)
    wanted = expected(Y, scores, objective, "logistic", weight)
    assert_same(xgboost_objective(objective)(scores, matrix), wanted)
    matrix = xgboost.DMatrix(X, packed, group=sizes)
    wanted = expected(Y, scores, objective, "logistic", None, groups)
    assert_same(xgboost_objective(objective)(scores, matrix), wanted)


@pytest.mark.parametrize("surrogate", SURROGATES)
def test_the_worst_label_is_loss_aggregation_by_a_softmax_of_the_losses(surrogate):
    _, Y = data(200, n_labels=3)
    scores = np.random.default_rng(3).normal(size=200)
    losses = [
        iso.pair_loss(Y, scores, iso.OneLabel(k), surrogate=surrogate).value for k in range(3)
    ]
    at_zero = float(SURROGATES[surrogate].value(np.zeros(1))[0])
    weights = special.softmax(np.array(losses) / (SMOOTHING * at_zero))
    wanted = expected(Y, scores, iso.LossAggregation(weights), surrogate)
    found = lightgbm_objective(iso.WorstLabel(), surrogate=surrogate)(pack_labels(Y), scores)
    assert_same(found, wanted)
    assert np.argmax(weights) == np.argmax(losses)


def test_the_worst_label_far_behind_gets_all_the_weight():
    _, Y = data(200)
    scores = 5 * Y[:, 0] - 5 * Y[:, 1]
    found = lightgbm_objective(iso.WorstLabel())(pack_labels(Y), scores)
    assert_same(found, expected(Y, scores, iso.WorstLabel()))


def test_the_sigmoids_own_hessian_has_both_signs_and_the_logistics_bounds_it():
    _, Y = data(200)
    scores = np.random.default_rng(4).normal(size=200) * 3
    own = iso.pair_loss(Y, scores, surrogate="sigmoid", hessian=True).hessian_diagonal * 200
    _, hessian = lightgbm_objective(surrogate="sigmoid")(pack_labels(Y), scores)
    assert own.min() < 0 < own.max()
    assert (hessian >= np.abs(own) - 1e-12).all()


def test_parameters_are_what_the_wrappers_count_and_look_for():
    assert list(inspect.signature(lightgbm_objective()).parameters) == ["a", "b", "weight", "group"]
    assert list(inspect.signature(xgboost_objective()).parameters) == ["a", "b", "sample_weight"]


@pytest.mark.parametrize("make", [lightgbm_objective, xgboost_objective])
def test_copies_and_pickles_are_equal_and_work(make):
    packed, scores = pack_labels([[1, 0], [0, 1], [1, 1], [0, 0]]), np.arange(4.0)
    objective = make(iso.LossAggregation([2, 1]), surrogate="hinge")
    wanted = objective(packed, scores)
    for other in (copy.deepcopy(objective), pickle.loads(pickle.dumps(objective))):
        assert other == objective
        assert other._cache._kept == ()
        assert_same(other(packed, scores), wanted)
    assert "hinge" in repr(objective)
    assert "cache" not in repr(objective)


def test_an_objective_serves_many_data_sets_and_keeps_none_alive():
    objective = lightgbm_objective()
    X, Y = data(100)
    scores = np.random.default_rng(0).normal(size=100)
    dataset = lightgbm.Dataset(X, pack_labels(Y)).construct()
    first = objective(scores, dataset)
    dataset.set_label(pack_labels(Y[:, ::-1]))
    assert_same(objective(scores, dataset), expected(Y[:, ::-1], scores, None))
    dataset.set_label(pack_labels(1 - Y))
    changed = objective(scores, dataset)
    assert_same(changed, expected(1 - Y, scores, None))
    assert np.abs(changed[0] - first[0]).max() > 0.01
    gone = weakref.ref(dataset)
    del dataset
    gc.collect()
    assert gone() is None


def test_rows_are_prepared_once(monkeypatch):
    made = []
    original = BoostingLoss.__init__

    def counting(self, *args, **options):
        made.append(1)
        original(self, *args, **options)

    monkeypatch.setattr(BoostingLoss, "__init__", counting)
    X, Y = data(100)
    params = {"objective": lightgbm_objective(), "verbosity": -1, "num_threads": 1}
    lightgbm.train(params, lightgbm.Dataset(X, pack_labels(Y)), 7)
    assert len(made) == 1
    wrapper = xgboost.XGBRegressor(objective=xgboost_objective(), n_estimators=7, n_jobs=1)
    wrapper.fit(X, pack_labels(Y))
    assert len(made) == 2
    folds = {"nfold": 3, "stratified": False}
    lightgbm.cv(params, lightgbm.Dataset(X, pack_labels(Y)), 4, **folds)
    assert len(made) == 5


PACKED = pack_labels([[1, 0], [0, 1], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("objective", "arguments", "message"),
    [
        (iso.LossAggregation(), ([5.0, 5.0, 7.0], np.zeros(3)), "`label`.*for '0': one class"),
        (iso.WorstLabel(), ([5.0, 5.0, 7.0], np.zeros(3)), "'0': one class.*Drop that label"),
        (None, ([5.0, 6.0], np.zeros(2)), "on one level.*another objective"),
        (None, ([0.0, 1.0], np.zeros(2)), "pack_labels.*Found 0"),
        (None, (PACKED, np.zeros((4, 4))), "one score per row.*pack_labels.*not a classifier"),
        (None, (PACKED, np.zeros(3)), "`label` and `scores`.*4 and 3"),
        (None, (PACKED, np.array([0, np.nan, 0, 0])), "training diverges.*learning rate"),
        (None, (PACKED, np.array([0, np.inf, 0, 0])), "training diverges"),
        (None, (PACKED, np.zeros(4), None, [1, 2]), "`group`.*sum to the 4 rows.*sum of 3"),
        (None, (PACKED, np.zeros(4), [0.0] * 4), "`sample_weight`.*All are 0"),
        (iso.OneLabel(2), (PACKED, np.zeros(4)), r"`label` should lie in 0\.\.1"),
        (iso.LossAggregation([1, 2, 3]), (PACKED, np.zeros(4)), "2 labels. Found 3"),
    ],
)
def test_bad_rows_are_refused(objective, arguments, message):
    with pytest.raises(ValueError, match=message):
        lightgbm_objective(objective)(*arguments)


@pytest.mark.parametrize("make", [lightgbm_objective, xgboost_objective])
@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((iso.OneLabel("click"),), {}, ValueError, "column number.*Found 'click'.*BoostedRanker"),
        ((iso.WorstLabel,), {}, TypeError, "`objective`"),
        (("binary",), {}, TypeError, "`objective`"),
        ((), {"surrogate": "logit"}, ValueError, "`surrogate`.*'logit'"),
        ((), {"group_weight": "same"}, ValueError, "`group_weight`.*'same'"),
    ],
)
def test_bad_options_are_refused(make, arguments, options, error, message):
    with pytest.raises(error, match=message):
        make(*arguments, **options)


def test_weights_of_groups_are_refused_with_the_cure():
    X, Y = data(100)
    matrix = xgboost.DMatrix(X, pack_labels(Y), group=[60, 40], weight=[1.0, 2.0])
    for call in (xgboost_objective(), iso.boosting.xgboost_metric()):
        with pytest.raises(ValueError, match=r"one weight per group.*BoostedRanker"):
            call(np.zeros(100), matrix)


def test_large_sums_of_scores_are_no_divergence():
    scores = np.array([1e300, 1e300, 1e300, -1e300])
    gradient, _ = lightgbm_objective()(PACKED, scores)
    assert np.isfinite(gradient).all()
