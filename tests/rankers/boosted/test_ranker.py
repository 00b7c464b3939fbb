"""BoostedRanker: scikit-learn's checks, features of all kinds, stopping, states, bad input."""

from __future__ import annotations

import copy
import json
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
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
from isonomy._infra import progress_bar
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


def test_lightgbms_defaults_on_few_rows_give_constant_scores():
    X, Y = data(12)
    ranker = BoostedRanker(iso.OneLabel(0), **FAST).fit(X, Y)
    assert np.unique(ranker.predict(X)).size == 1
    np.testing.assert_array_equal(ranker.feature_importances_, np.zeros(4))
    constant = BoostedRanker(iso.OneLabel(0), **FAST).fit(np.ones((50, 2)), data(50)[1])
    np.testing.assert_array_equal(constant.predict(np.ones((3, 2))), np.zeros(3))


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


def with_categories(n=800, seed=0):
    """Numbers with gaps and a category that the labels depend on."""
    rng = np.random.default_rng(seed)
    names = np.array(["red", "green", "blue", "grey"])
    kind = rng.integers(0, 4, n)
    x = rng.normal(size=n)
    pull = np.array([1.5, -1.5, 1.5, -1.5])[kind] + x
    Y = np.column_stack([pull, pull + x]) + rng.logistic(size=(n, 2)) > 0
    x[rng.random(n) < 0.2] = np.nan
    missing = rng.random(n) < 0.1
    return x, names[kind], missing, Y.astype(int)


def pandas_frame(x, kind, missing):
    colour = pd.Series(kind).mask(missing).astype("category")
    return pd.DataFrame({"x": x, "colour": colour, "whole": np.arange(len(x)) % 7})


def polars_frame(x, kind, missing, dtype=pl.Categorical):
    colour = pl.Series([None if gap else k for k, gap in zip(kind.tolist(), missing, strict=True)])
    columns = {"x": x, "colour": colour.cast(dtype), "whole": np.arange(len(x)) % 7}
    return pl.DataFrame(columns).with_columns(pl.col("x").fill_nan(None))


@pytest.mark.parametrize("engine", ENGINES)
def test_categories_and_gaps(engine):
    x, kind, missing, Y = with_categories()
    frame = pandas_frame(x, kind, missing)
    options = {"engine": engine, "n_rounds": 20, "n_jobs": 1}
    ranker = BoostedRanker(**options).fit(frame, Y)
    assert ranker.categories_ == {"colour": ["blue", "green", "grey", "red"]}
    assert ranker.feature_names_in_.tolist() == ["x", "colour", "whole"]
    assert ranker.feature_importances_.argmax() == 1
    assert ranker.feature_importances_.sum() == pytest.approx(1)
    assert ranker.score(frame, Y) > 0.8
    wanted = ranker.predict(frame)
    # The same values in other forms: new order of categories, fewer rows, polars.
    shuffled = frame.assign(
        colour=frame["colour"].cat.reorder_categories(["red", "grey", "green", "blue"])
    )
    np.testing.assert_array_equal(ranker.predict(shuffled), wanted)
    few = frame[:9].assign(colour=frame["colour"][:9].cat.remove_unused_categories())
    np.testing.assert_array_equal(ranker.predict(few), wanted[:9])
    np.testing.assert_array_equal(ranker.predict(polars_frame(x, kind, missing)), wanted)
    enum = pl.Enum(["blue", "green", "grey", "red"])
    other = BoostedRanker(**options).fit(polars_frame(x, kind, missing, enum), Y)
    np.testing.assert_array_equal(other.predict(frame), wanted)
    other = BoostedRanker(**options).fit(polars_frame(x, kind, missing), Y)
    assert other.categories_ == ranker.categories_
    np.testing.assert_array_equal(other.predict(frame), wanted)
    unknown = frame.assign(colour=pd.Series(["violet"] * len(frame), dtype="category"))
    gone = frame.assign(colour=pd.Categorical([None] * len(frame), categories=["red"]))
    np.testing.assert_array_equal(ranker.predict(unknown), ranker.predict(gone))
    gone = polars_frame(x, kind, np.ones(len(x), bool))
    np.testing.assert_array_equal(ranker.predict(gone), ranker.predict(unknown))


def test_categories_may_be_numbers_and_are_split_as_sets():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 12, 600)
    y = (code % 2 == 0).astype(int) ^ (rng.random(600) < 0.1)
    frame = pd.DataFrame({"code": pd.Categorical(code * 10)})
    options = {"params": {"num_leaves": 2, "cat_smooth": 1, "cat_l2": 0}, "n_rounds": 1}
    ranker = BoostedRanker(n_jobs=1, **options).fit(frame, y)
    assert ranker.categories_ == {"code": [10 * k for k in range(12)]}
    # One split separates the even from the odd only if it is one of sets.
    assert ranker.score(frame, y) > 0.8
    assert BoostedRanker(n_jobs=1, **options).fit(code[:, None], y).score(code[:, None], y) < 0.65


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


@pytest.mark.parametrize("engine", ENGINES)
def test_states_hold_the_native_text_and_no_booster(engine):
    x, kind, missing, Y = with_categories(300)
    frame = pandas_frame(x, kind, missing)
    ranker = BoostedRanker(engine=engine, **FAST).fit(frame, Y)
    wanted = ranker.predict(frame)
    state = ranker.__getstate__()
    assert isinstance(state["model_text_"], str)
    if engine == "xgboost":
        assert json.loads(state["model_text_"])["learner"]
    else:
        assert state["model_text_"].startswith("tree\n")
    assert not any("ooster" in type(value).__name__ for value in state.values())
    bare = BoostedRanker.__new__(BoostedRanker)
    bare.__setstate__(state)
    again = pickle.loads(pickle.dumps(ranker))
    for other in (bare, again, copy.deepcopy(ranker), pickle.loads(pickle.dumps(again))):
        np.testing.assert_array_equal(other.predict(frame), wanted)
        assert other.model_text_ == ranker.model_text_
    assert type(ranker.booster_).__name__ == "Booster"
    assert not hasattr(clone(ranker), "model_text_")


def test_another_engine_needs_another_fit():
    X, Y = data(200)
    ranker = BoostedRanker(**FAST).fit(X, Y)
    wanted = ranker.predict(X)
    ranker.set_params(engine="xgboost")
    np.testing.assert_array_equal(ranker.predict(X), wanted)
    assert (ranker.fit(X, Y).predict(X) != wanted).any()


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


@pytest.mark.parametrize("engine", ENGINES)
def test_a_progress_bar_for_those_who_wait(engine, monkeypatch, capsys):
    X, Y = data(200)
    monkeypatch.setattr(progress_bar, "PATIENCE", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    BoostedRanker(engine=engine, **FAST).fit(X, Y)
    assert "Boosting" in capsys.readouterr().err


@pytest.mark.parametrize("engine", ENGINES)
def test_silent_unless_verbose(engine, capfd):
    X, Y = data(300)
    options = {"engine": engine, "patience": 3, "random_state": 0} | FAST
    BoostedRanker(**options).fit(X, Y)
    out, err = capfd.readouterr()
    assert out + err == ""
    BoostedRanker(verbose=True, **options).fit(X, Y)
    assert "auc" in "".join(capfd.readouterr())


@pytest.mark.parametrize("engine", ENGINES)
def test_all_threads_have_two_names(engine):
    X, Y = data(200)
    one, other = (BoostedRanker(engine=engine, n_rounds=2, n_jobs=n).fit(X, Y) for n in (None, -1))
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_missing_extra_names_the_pip_line(engine, monkeypatch):
    monkeypatch.setitem(sys.modules, engine, None)
    with pytest.raises(ImportError, match=r"pip install 'isonomy\[boost\]'"):
        BoostedRanker(engine=engine).fit(*data(20))


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
        ({}, X4, Y4[:3], {}, "`X` and `y`.*4 and 3"),
        ({}, X4, None, {}, "requires y to be passed"),
        ({}, X4[:, 0], Y4, {}, "Expected 2D array, got 1D"),
        ({}, INF, Y4, {}, "infinity"),
        ({"n_rounds": 0}, X4, Y4, {}, "`n_rounds`.*>= 1"),
        ({"patience": 0}, X4, Y4, {}, "`patience`.*>= 1"),
        ({"patience": True}, X4, Y4, {}, "`patience`"),
        ({"n_jobs": 0}, X4, Y4, {}, "`n_jobs`.*>= 1"),
        ({"validation_fraction": 1.0}, X4, Y4, {}, "`validation_fraction`.*1.0"),
        ({"validation_fraction": "some"}, X4, Y4, {}, "`validation_fraction`.*'some'"),
        ({"random_state": -1}, X4, Y4, {}, "`random_state`"),
        ({"surrogate": "logit"}, X4, Y4, {}, "`surrogate`.*'logit'"),
        ({"group_weight": "same"}, X4, Y4, {}, "`group_weight`.*'same'"),
        ({"objective": LOA}, X4, [0, 1, 2, 3], {}, "`y`.*binary"),
        ({"objective": iso.OneLabel("a")}, X4, Y4, {}, "names no label"),
        ({"patience": 2}, X4, Y4, {"groups": [0] * 4}, "at least two groups"),
        ({"patience": 2}, X4, Y4, {}, "no AUC to watch.*eval_set"),
        ({}, X4, Y4, {"eval_set": X4}, "`eval_set`.*Found ndarray"),
        ({}, X4, Y4, {"eval_set": (X4,)}, "`eval_set`.*Found tuple of 1"),
        ({}, X4, Y4, {"eval_set": (X4, Y4[:2])}, r"`eval_set\[0\]`.*4 and 2"),
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


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({"objective": iso.WorstLabel}, X4, "`objective`"),
        ({"eval_metric": "auc"}, X4, "`eval_metric`.*'auc'"),
        ({"eval_metric": iso.WorstLabel}, X4, "`eval_metric`.*WorstLabel"),
        ({"params": [1]}, X4, r"`params` should be a dict.*\[1\]"),
        ({"params": {1: 2}}, X4, "`params` should have the names.*Found 1"),
        ({}, pl.DataFrame(X4).lazy(), r"`X`.*Found a LazyFrame.*X\.collect"),
        ({}, pd.DataFrame({"a": pd.date_range("2020", periods=4)}), "Found times.*numbers"),
        (
            {},
            pl.DataFrame({"a": X4[:, 0]}).with_columns(day=pl.date(2020, 1, 1)),
            r"`X\['day'\]`.*Found times",
        ),
        ({}, pd.DataFrame({"a": ["x", "y", "x", "y"]}), r"`X\['a'\]`.*Found text; cast"),
        ({}, pl.DataFrame({"a": ["x", "y", "x", "y"]}), r"`X\['a'\]`.*Found text; cast"),
        (
            {},
            pd.DataFrame({"a": pd.date_range("2020", periods=4).astype("category")}),
            r"`X\['a'\]` should have text or numbers as categories.*Timestamp",
        ),
    ],
)
def test_bad_types_are_refused(options, X, message):
    with pytest.raises(TypeError, match=message):
        BoostedRanker(**options).fit(X, Y4)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_option_that_the_engine_does_not_know_is_named(engine):
    X, Y = data(50)
    with pytest.warns(UserWarning, match="learning_rte"):
        BoostedRanker(engine=engine, params={"learning_rte": 0.1}, n_rounds=1, n_jobs=1).fit(X, Y)


@pytest.mark.parametrize("engine", ENGINES)
def test_counts_may_be_numpys(engine):
    X, Y = data(200)
    counts = {"n_rounds": np.int32(3), "patience": np.int64(2), "random_state": np.int64(0)}
    plain = {name: int(count) for name, count in counts.items()}
    made = [BoostedRanker(engine=engine, n_jobs=1, **some).fit(X, Y) for some in (counts, plain)]
    assert made[0].model_text_ == made[1].model_text_


def test_columns_keep_their_kind():
    x, kind, missing, Y = with_categories(100)
    frame = pandas_frame(x, kind, missing)
    ranker = BoostedRanker(**FAST).fit(frame, Y)
    with pytest.raises(TypeError, match=r"`X\['colour'\]` should be categorical.*astype"):
        ranker.predict(frame.assign(colour=1.0))
    with pytest.raises(TypeError, match=r"`X\['x'\]` should hold numbers, as it did"):
        ranker.predict(frame.assign(x=frame["colour"]))
    with pytest.raises(TypeError, match="data frame, as in training: colour held"):
        ranker.predict(np.zeros((2, 3)))


def test_columns_may_have_numbers_for_names():
    x, kind, missing, Y = with_categories(200)
    frame = pandas_frame(x, kind, missing)
    named = BoostedRanker(**FAST).fit(frame, Y)
    frame.columns = range(3)
    numbered = BoostedRanker(**FAST).fit(frame, Y)
    assert numbered.model_text_ == named.model_text_
    assert list(numbered.categories_) == ["1"]


def test_scores_that_diverge_are_named():
    X, Y = data(200)
    params = {"learning_rate": 1e3, "min_sum_hessian_in_leaf": 0}
    with pytest.raises(ValueError, match=r"overflows|diverges|at most 1e\+300"):
        BoostedRanker(surrogate="exponential", params=params, n_jobs=1).fit(X, Y)
