"""Comparisons of made-up data, recomputed by hand."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler

import isonomy as iso
from isonomy._compare.statistics import Resampling
from isonomy.theory import effective_weights
from tests.compare.made_data import made, opposed

# Bare methods of one family, whose numbers can be made again by hand.
BARE = {"family": "linear", "tune": False}
QUICK = {**BARE, "repeats": 1, "tradeoffs": False, "random_state": 0}


@pytest.fixture(scope="module")
def found() -> iso.Comparison:
    return iso.compare(*made(0), repeats=2, random_state=0, **BARE)


def fitted(found: iso.Comparison) -> list[tuple[int, str]]:
    """Numbers and names of the methods, without a constant score."""
    return [(m, each.name) for m, each in enumerate(found.methods) if each.kind != "chance"]


def same(one: iso.Comparison, other: iso.Comparison) -> None:
    """Equal to the last bit."""
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    np.testing.assert_array_equal(one.scores, other.scores)


def test_all_methods_are_there(found: iso.Comparison) -> None:
    assert {method.name for method in found.methods} == {
        *("label aggregation", "label aggregation (product)", "loss aggregation"),
        *("balanced loss aggregation", "soft label", "worst label", "plug-in"),
        *("0 alone", "1 alone"),
        *("blend", "blend for the mean", "chance"),
    }
    assert all(method.failed is None for method in found.methods)
    assert (found.n_splits, found.n_repeats, found.n_rows, found.n_features) == (10, 2, 300, 4)
    assert list(found.decision.expected) == sorted(found.decision.expected, reverse=True)
    mins = np.array([float(method.min.mean) for method in found.methods])
    assert (np.array(found.decision.expected) <= mins + 1e-12).all()


def test_the_table_is_what_the_scores_say(found: iso.Comparison) -> None:
    _, Y = made(0)
    assert (np.sort(np.unique(found.fold)) == np.arange(5)).all()
    for m, method in enumerate(found.methods):
        by_fold = []
        for s in range(5):
            rows = found.fold == s
            aucs = iso.label_aucs(Y[rows], found.scores[m, rows])
            np.testing.assert_array_equal(aucs, found.split_aucs[m, s])
            conflicts = iso.conflict_aucs(Y[rows], found.scores[m, rows])
            np.testing.assert_array_equal(conflicts, found.split_conflicts[m, s])
            by_fold.append(aucs)
        every = found.split_aucs[m]
        resampling = Resampling(60 / 240, 0.95)
        means = every.mean(axis=0)
        for estimate, mean, expected in (
            (method.aucs, means, resampling.estimate(every, (0.0, 1.0))),
            (method.min, means.min(), resampling.smallest(every)),
            (method.diff, np.ptp(means), resampling.widest_gap(every)),
        ):
            np.testing.assert_allclose(estimate.mean, mean)
            np.testing.assert_array_equal(estimate.low, expected.low)
        pooled = iso.conflict_aucs(Y, found.scores[m], groups=found.fold)
        np.testing.assert_allclose(method.conflicts_pooled, pooled)
        reference = [each.name for each in found.methods].index("label aggregation")
        relative = (found.split_conflicts[m] - found.split_conflicts[reference]).mean(axis=0)
        np.testing.assert_allclose(method.relative.mean, relative)


def test_scores_are_those_of_the_ranker_alone(found: iso.Comparison) -> None:
    X, Y = made(0)
    rows = found.fold == 2
    for m, name in fitted(found):
        ranker = found.ranker(name).fit(X[~rows], Y[~rows])
        scores = ranker.predict(X[rows])
        order = np.argsort(scores, kind="stable")
        places = found.scores[m, rows]
        assert (np.diff(places[order]) >= 0).all()
        assert places.min() > 0
        assert places.max() < 1


def test_effective_weights(found: iso.Comparison) -> None:
    _, Y = made(0)
    for name, objective in (
        ("loss aggregation", iso.LossAggregation()),
        ("label aggregation", iso.LabelAggregation()),
        ("plug-in", iso.LabelAggregation()),
        ("1 alone", iso.OneLabel(1)),
    ):
        np.testing.assert_allclose(found[name].effective, effective_weights(Y, objective))
    assert np.isnan(found["label aggregation (product)"].effective).all()
    assert found["worst label"].effective.sum() == pytest.approx(1)


def test_same_seed_same_bits_whatever_the_threads(found: iso.Comparison) -> None:
    for n_jobs in (1, 2):
        same(found, iso.compare(*made(0), repeats=2, random_state=0, n_jobs=n_jobs, **BARE))
    other = iso.compare(*made(0), repeats=2, random_state=1, n_jobs=-1, **BARE)
    assert not np.array_equal(other.scores, found.scores)


def test_tradeoffs_of_two_labels(found: iso.Comparison) -> None:
    (line,) = found.tradeoffs
    assert line.labels == (0, 1)
    assert line.weights[[0, -1]].tolist() == [[1, 0], [0, 1]]
    assert (np.diff(line.weights[:, 1]) > 0).all()
    np.testing.assert_allclose(line.weights.sum(axis=1), 1)
    assert line.conflicts[0, 0, 1] > line.conflicts[-1, 0, 1]
    assert (line.conflicts_low[:, 0, 1] <= line.conflicts[:, 0, 1]).all()
    # The methods stand in the same picture: same training rows, same test rows.
    X, Y = made(0)
    rows = found.fold == 0
    middle = len(line.weights) // 2
    scaler = StandardScaler().fit(X[~rows])
    ranker = iso.LinearRanker(iso.LossAggregation(line.weights[middle].tolist()))
    ranker.fit(scaler.transform(X[~rows]), Y[~rows])
    scores = ranker.predict(scaler.transform(X[rows]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aucs, conflicts = iso.auc_intervals(Y[rows], scores), iso.conflict_aucs(Y[rows], scores)
    np.testing.assert_allclose(line.aucs[middle], aucs.estimate, atol=2e-3)
    np.testing.assert_allclose(line.low[middle], aucs.low, atol=2e-3)
    np.testing.assert_allclose(line.conflicts[middle], conflicts, atol=2e-3)
    ends = [[each.name for each in found.methods].index(f"{k} alone") for k in (0, 1)]
    # A label alone is a classifier's, not a ranker's: nearly the same.
    np.testing.assert_allclose(line.aucs[0], found.split_aucs[ends[0], 0], atol=0.01)
    np.testing.assert_allclose(line.aucs[-1], found.split_aucs[ends[1], 0], atol=0.01)


def test_tradeoffs_of_three_labels() -> None:
    X, Y = made(1, K=3)
    found = iso.compare(X, Y, methods=["mean"], folds=2, repeats=1, random_state=0, **BARE)
    *lines, whole = found.tradeoffs
    assert [line.labels for line in lines] == [(0, 1), (0, 2), (1, 2)]
    assert whole.labels is None
    for line, other in zip(lines, (2, 1, 0), strict=True):
        np.testing.assert_allclose(line.effective[:, other], 1 / 3)
        assert line.effective[0, line.labels[1]] == 0
        assert line.effective[-1, line.labels[0]] == 0
        at_ends = line.conflicts[[0, -1], line.labels[0], line.labels[1]]
        assert at_ends[0] > at_ends[1]
    assert (whole.weights == 1).any(axis=0).all()


def test_no_tradeoffs() -> None:
    X, Y = made(0)
    assert iso.compare(X, Y, methods=["mean"], **QUICK).tradeoffs == ()
    many = np.column_stack([made(k)[1][:, :1] for k in range(9)])
    found = iso.compare(X, many, methods=["mean"], repeats=1, random_state=0, **BARE)
    assert found.tradeoffs == ()
    assert any("at most 8 labels" in note for note in found.notes)


def test_groups_stay_apart_and_weights_count() -> None:
    X, Y = made(2)
    rng = np.random.default_rng(0)
    groups, weight = rng.integers(0, 30, len(X)), rng.uniform(0.5, 2, len(X))
    found = iso.compare(
        *(X, Y), methods=["mean", "plug-in"], groups=groups, sample_weight=weight, **QUICK
    )
    for group in range(30):
        assert np.unique(found.fold[groups == group]).size == 1
    for m in range(2):
        rows = found.fold == 1
        aucs = iso.label_aucs(
            Y[rows], found.scores[m, rows], groups=groups[rows], sample_weight=weight[rows]
        )
        np.testing.assert_allclose(found.split_aucs[m, 1], aucs)
    assert found.grouped
    assert found.weighted
    best = found.fit_best(X, Y, name="label aggregation", groups=groups, sample_weight=weight)
    scaled = StandardScaler().fit_transform(X)
    expected = iso.LinearRanker(tol=1e-10).fit(scaled, Y, weight, groups)
    np.testing.assert_allclose(best.predict(X), expected.predict(scaled), rtol=1e-6)


def test_missing_labels() -> None:
    X, Y = made(3)
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    found = iso.compare(X, Y, **QUICK)
    assert all(method.failed is None for method in found.methods)
    np.testing.assert_allclose(found.missing, np.isnan(Y).mean(axis=0))
    np.testing.assert_allclose(found.priors, np.nanmean(Y, axis=0))
    rows = found.fold == 0
    np.testing.assert_array_equal(
        found.split_aucs[0, 0], iso.label_aucs(Y[rows], found.scores[0, rows])
    )


def test_tables_of_all_types_agree() -> None:
    X, Y = made(4)
    options = {**QUICK, "methods": ["loss", "plug-in"]}
    columns = [f"f{j}" for j in range(4)]
    plain = iso.compare(X, Y, **options)
    named = iso.compare(
        pd.DataFrame(X, columns=columns), pd.DataFrame(Y, columns=["click", "buy"]), **options
    )
    assert named.names == ("click", "buy")
    np.testing.assert_array_equal(named.scores, plain.scores)
    polar = iso.compare(pl.DataFrame(X, schema=columns), pl.DataFrame(Y), **options)
    np.testing.assert_array_equal(polar.scores, plain.scores)
    thin = iso.compare(sparse.csr_array(X), Y, **options)
    for method in thin.methods:
        assert method.failed is None
        np.testing.assert_allclose(method.aucs.mean, plain[method.name].aucs.mean, atol=0.02)
    assert not thin.ranker().steps[0][1].with_mean
    assert thin.fit_best(sparse.csr_array(X), Y).predict(X[:5]).shape == (5,)
    assert iso.compare(X.tolist(), Y.tolist(), **options).n_features == 4


def test_a_preprocessor_is_fitted_inside_each_split() -> None:
    X, Y = made(5)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[::7, "a"] = np.nan
    frame["site"] = np.where(Y[:, 0] > 0, "x", "y")
    prepare = ColumnTransformer(
        [("text", OneHotEncoder(), ["site"])], remainder=SimpleImputer(), sparse_threshold=1.0
    )
    found = iso.compare(
        *(frame, Y),
        preprocessor=prepare,
        methods=["mean"],
        rankers={"mine": make_pipeline(MaxAbsScaler(), iso.LinearRanker())},
        **QUICK,
    )
    assert all(method.failed is None for method in found.methods)
    assert found["mine"].aucs.mean[0] > 0.9
    rows = found.fold == 0
    for m, method in enumerate(found.methods):
        if method.kind == "chance":
            continue
        ranker = found.ranker(method.name).fit(frame[~rows], Y[~rows])
        assert next(iter(ranker.named_steps)) == "prepare"
        aucs = iso.label_aucs(Y[rows], ranker.predict(frame[rows]))
        np.testing.assert_allclose(aucs, found.split_aucs[m, 0], atol=1e-6)
    assert not found.ranker("label aggregation").named_steps["standardise"].with_mean
    assert not hasattr(prepare, "transformers_")


class Fails(BaseEstimator):
    """Refuses rows that hold the very first one."""

    def fit(self, X: Any, Y: Any) -> Fails:
        if (X[:, 0] == X[0, 0]).any() and X[0, 0] == made(6)[0][0, 0]:
            raise RuntimeError("out of luck")
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0]


class Strange(Fails):
    """Gives scores of another shape."""

    def fit(self, X: Any, Y: Any) -> Strange:
        warnings.warn(f"seen {len(X)} rows", UserWarning, stacklevel=1)
        return self

    def predict(self, X: Any) -> Any:
        return X


def test_a_failure_is_told_and_costs_nothing_else() -> None:
    X, Y = made(6)
    rankers = {"unlucky": Fails(), "strange": Strange(), "ridge": Ridge()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = iso.compare(X, Y[:, 0], rankers=rankers, sample_weight=np.ones(300), **QUICK)
    assert found["unlucky"].failed == "In 4 of 5 splits: RuntimeError: out of luck"
    assert "`predict(X)` should be 1-D" in found["strange"].failed
    assert found["strange"].notes == ("In 5 of 5 splits: seen 240 rows",)
    assert np.isnan(found["strange"].min.mean)
    assert found["ridge"].failed is None
    assert any("'unlucky' is trained without `sample_weight`" in note for note in found.notes)
    assert not any("'ridge'" in note for note in found.notes)
    assert "unlucky" in str(found)
    with pytest.raises(ValueError, match=r"No method could be trained\. 'Strange': Parameter"):
        iso.compare(X, Y, methods=[], rankers=[Strange()], **QUICK)


def test_opposite_labels_have_no_aggregate() -> None:
    X, Y = made(7)
    Y[:, 1] = 1 - Y[:, 0]
    found = iso.compare(X, Y, methods=["mean", "loss", "one-label"], **QUICK)
    assert "all are on one level" in found["label aggregation"].failed
    assert np.isnan(found["0 alone"].relative.mean).all()
    np.testing.assert_allclose(found.split_aucs[0].sum(axis=1), 1)
    assert not found.decision.above_chance
    assert found.summary().startswith("No single ranking serves these labels")


@pytest.mark.parametrize("seed", range(4))
def test_too_few_splits_do_not_make_a_label_alone_look_fair(seed: int) -> None:
    """With two splits no label is surely predicted, whatever the method."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 2))
    Y = (X + rng.logistic(size=(600, 2)) > 0.5).astype(float)
    found = iso.compare(X, Y, folds=2, **QUICK)
    assert found[found.recommended].kind != "one-label"
    assert any("2 splits cannot tell much apart" in note for note in found.notes)


def test_one_label() -> None:
    X, Y = made(8)
    found = iso.compare(X, pd.Series(Y[:, 0], name="click"), **QUICK)
    assert {method.name for method in found.methods} == {"click alone", "chance"}
    assert any("With one label" in note for note in found.notes)
    assert found.methods[0].diff.mean == 0
    assert "AUC" in str(found)
    assert found.tradeoffs == ()


def test_a_label_too_rare_for_all_folds() -> None:
    X, Y = made(9)
    Y[:, 1] = 0
    Y[:3, 1] = 1
    found = iso.compare(X, Y, methods=["loss", "worst"], **QUICK)
    assert any("of 5 splits some could not measure '1' (2)" in note for note in found.notes)
    assert not np.isnan(found.methods[0].min.mean)
    assert found.methods[0].verdicts[0][1] == "undecided"


def test_what_300_rows_cannot_tell() -> None:
    X, Y = made(10)
    Y[:, 1] = np.random.default_rng(0).random(len(Y)) < 0.5
    found = iso.compare(X, Y, **QUICK)
    assert re.search(r"Leave out '1' \(best AUC .*\), .* or more rows do", found.summary())


def test_what_no_method_predicts() -> None:
    X, Y = made(10, n=2000)
    Y[:, 1] = np.random.default_rng(0).random(len(Y)) < 0.5
    found = iso.compare(X, Y, methods=["mean", "loss"], **QUICK)
    said = found.summary()
    assert re.search(
        r"Leave out '1' \(best AUC .*\), .* better features or boosted trees .* do", said
    )
    assert "more rows" not in said


def test_own_rankers_beside_the_methods() -> None:
    X, Y = made(11)
    own = [iso.LinearRanker(), iso.LinearRanker(iso.OneLabel(0)), make_pipeline(Ridge())]
    found = iso.compare(X, Y[:, :1], methods=[], rankers=own, **QUICK)
    assert {method.name for method in found.methods} == {
        *("LinearRanker 1", "LinearRanker 2", "Ridge", "chance")
    }
    assert {method.kind for method in found.methods} == {"own", "chance"}
    assert np.isnan(found["Ridge"].effective).all()
    assert found["LinearRanker 2"].effective.tolist() == [1.0]
    assert np.isnan(found.methods[0].relative.mean).all()


def test_splits_of_ones_own() -> None:
    X, Y = made(12)
    splits = [(np.arange(100, 300), np.arange(100)), (np.arange(200), np.arange(200, 300))]
    found = iso.compare(X, Y, methods=["mean"], splits=splits, tradeoffs=False, **BARE)
    assert (found.n_splits, found.n_repeats) == (2, 0)
    assert np.isnan(found.scores[0, 100:200]).all()
    assert (found.fold[100:200] == -1).all()
    expected = found.ranker().fit(X[100:], Y[100:]).predict(X[:100])
    np.testing.assert_array_equal(found.split_aucs[0, 0], iso.label_aucs(Y[:100], expected))


def test_each_recommendation_on_data_made_for_it() -> None:
    X, Y = opposed(0)
    found = iso.compare(X, Y, **QUICK)
    # Equal loss weights make the rare label a dictator; its own ranker is one by definition.
    assert found["1 alone"].verdicts[0][1] in ("dictated", "not predicted")
    assert found["0 alone"].conflicts.mean[0, 1] > found["loss aggregation"].conflicts.mean[0, 1]
    assert found.recommended not in ("0 alone", "1 alone")
    # The same label twice: nothing differs, and the simplest method is taken.
    twice = iso.compare(X, Y[:, [0, 0]], **QUICK)
    assert twice.recommended == "label aggregation"
    assert "loss aggregation" in twice.tied_with
    # A ranker that knows the truth wins, whoever made it.
    truth = iso.compare(
        *(np.column_stack([X, Y]), Y), methods=["one-label"], rankers={"seer": Seer()}, **QUICK
    )
    assert truth.recommended == "seer"
    assert truth.tied_with == ()


class Seer(BaseEstimator):
    """Adds up the labels, which stand in the last two features."""

    def fit(self, X: Any, Y: Any) -> Seer:
        return self

    def predict(self, X: Any) -> Any:
        return X[:, -2] + X[:, -1]


def test_loss_aggregation_is_taken_where_it_is_best() -> None:
    X, Y = opposed(1, 2000)
    found = iso.compare(X, Y, methods=["mean", "loss"], **QUICK)
    means = {method.name: float(method.min.mean) for method in found.methods}
    assert means["loss aggregation"] > means["label aggregation"]
    assert found.recommended == "loss aggregation"


def test_the_bank(data_folder: Path) -> None:
    table = pl.read_csv(data_folder / "bank" / "bank-full.csv", separator=";")[::10]
    Y = table.select(pl.col("housing") == "yes", pl.col("loan") == "yes")
    X = table.select(pl.col(pl.Int64))
    found = iso.compare(X, Y, **QUICK)
    assert found.names == ("housing", "loan")
    assert found["housing alone"].aucs.low[0] > 0.55
    assert clone(found.ranker()) is not None


def test_names_that_are_not_there(found: iso.Comparison) -> None:
    with pytest.raises(ValueError, match="Did you mean 'loss aggregation'"):
        found.ranker("los aggregation")
    with pytest.raises(ValueError, match="Found 'chance', a constant"):
        found.fit_best(*made(0), name="chance")


def test_chance_is_a_row_of_the_table(found: iso.Comparison) -> None:
    chance = found["chance"]
    assert chance.failed is None
    assert (chance.aucs.mean == 0.5).all()
    assert (chance.min.low, chance.min.high) == (0.5, 0.5)
    assert found.decision.above_chance


def test_tuning_helps_where_there_are_many_features() -> None:
    """Nearly as many features as rows, two of which tell: a penalty is worth a lot."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 240))
    Y = (X[:, :2] + rng.logistic(size=(4000, 2)) > [0, 0.5]).astype(float)
    rows = np.arange(4000)
    options = {**QUICK, "methods": ["mean", "worst", "blend"]}
    options["splits"] = (rows < 300, rows >= 300)
    bare, tuned = (iso.compare(X, Y, **{**options, "tune": tune}) for tune in (False, True))
    assert bare.tuned is False
    for name in ("label aggregation", "worst label", "blend"):
        assert tuned[name].aucs.mean.mean() > bare[name].aucs.mean.mean() + 0.005
    best = tuned.fit_best(X[:300], Y[:300], name="worst label")
    assert best.steps[-1][1].l2 > 1e-3


def test_both_families_stand_in_one_table() -> None:
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    Y = (X[:, :2] ** 2 + rng.logistic(size=(600, 2)) > 1.5).astype(float)
    found = iso.compare(
        X, Y, methods=["mean", "blend"], folds=2, repeats=1, random_state=0, tradeoffs=False
    )
    assert found.family == "linear and boosted"
    mixed = "linear + boosted"
    assert {each.family for each in found.methods} == {"linear", "boosted", mixed, None}
    assert [each.kind for each in found.methods if each.family == mixed] == ["blend"]
    # No weighted sum sees a square.
    assert found[found.recommended].family == "boosted"
    best = found.fit_best(X, Y)
    assert iso.label_aucs(Y, best.predict(X)).min() > 0.65
    assert "model" in str(found).splitlines()[1]


def test_test_rows_have_no_say_in_tuning() -> None:
    """Whatever the labels of the test rows are, the scores they get are the same."""
    X, Y = made(5)
    rows = np.arange(300)
    split = rows < 200, rows >= 200
    turned = np.where(split[1][:, None], 1 - Y, Y)
    options = {"splits": split, "tradeoffs": False, "random_state": 0}
    options |= {"methods": ["worst", "blend", "plug-in"], "family": "linear"}
    one, other = (iso.compare(X, labels, **options) for labels in (Y, turned))
    for name in ("worst label", "blend", "plug-in"):
        index = [[each.name for each in found.methods].index(name) for found in (one, other)]
        np.testing.assert_array_equal(one.scores[index[0]], other.scores[index[1]])


def test_one_split_has_intervals_of_its_test_rows() -> None:
    X, Y = made(1, n=600)
    rows = np.arange(600)
    found = iso.compare(X, Y, splits=(rows < 400, rows >= 400), methods=["mean"], **QUICK)
    assert (found.n_splits, found.n_repeats) == (1, 0)
    scores = found.ranker("label aggregation").fit(X[:400], Y[:400]).predict(X[400:])
    expected = iso.auc_intervals(Y[400:], scores, method="delong")
    aucs = found["label aggregation"].aucs
    np.testing.assert_allclose(aucs.mean, expected.estimate, atol=2e-3)
    np.testing.assert_allclose(aucs.high - aucs.low, expected.high - expected.low, rtol=0.35)
    assert "one split" in found.summary()


def test_times_train_on_the_past() -> None:
    X, Y = made(2)
    day = np.repeat(np.arange(30), 10)
    found = iso.compare(X, Y, splits=pd.Series(day), folds=4, methods=["mean"], **QUICK)
    assert found.n_splits == 4
    for split in range(4):
        tested = day[found.fold == split]
        assert tested.min() > day[found.fold == -1].max()
        assert split == 0 or tested.min() > day[found.fold == split - 1].max()
    assert (found.fold == -1).sum() == 60


def test_funnels_are_recognised() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    click = X[:, 0] + rng.logistic(size=800) > 0
    buy = click & (X[:, 1] + rng.logistic(size=800) > 0.5)
    Y = pd.DataFrame({"click": click, "buy": buy}).astype(float)
    found = iso.compare(X, Y, **QUICK)
    assert found["funnel"].failed is None
    assert found.structure.funnels == ((1, 0),)
    assert "'buy' comes only with 'click': a funnel." in found.summary()
    assert "more rows" in found.summary()
    best = found.fit_best(X, Y, name="funnel")
    assert iso.label_aucs(Y, best.predict(X)).min() > 0.6


def test_groups_bring_ndcgs_of_their_first_ten() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    Y = X[:, :2] + rng.logistic(size=(400, 2)) > 0
    groups = np.arange(400) // 20
    found = iso.compare(X, Y, groups=groups, methods=["mean"], folds=2, **QUICK)
    assert found.split_ndcgs.shape == (2, 2, 2)
    assert ((found.split_ndcgs[0] > 0.5) & (found.split_ndcgs[0] < 1)).all()
    np.testing.assert_allclose(found.methods[0].ndcgs.mean, found.split_ndcgs[0].mean(axis=0))
    assert "nDCG@10" in str(found)
    assert {"ndcg@10 low 0", "top conflict low 0 over 1"} <= set(found.to_frame().columns)
    assert "Top won by 0: of those" in " ".join(str(found).split())
    # As the audit of the held-out rows of a split says.
    test = found.fold == 0
    audited = iso.audit(Y[test], found.scores[0, test], groups=groups[test])
    assert audited.top_ranks is not None
    shown = found.split_top_conflicts[0, 0]
    np.testing.assert_allclose(shown[0, 1], audited.top_ranks.conflicts[0].auc.value)
    np.testing.assert_allclose(shown[1, 0], 1 - shown[0, 1])
    plain = iso.compare(X, Y, methods=["mean"], folds=2, **QUICK)
    assert np.isnan(plain.split_ndcgs).all()
    assert np.isnan(plain.split_top_conflicts).all()
    assert "nDCG" not in str(plain)
    assert "Top won" not in str(plain)


def test_a_method_of_another_family_is_told() -> None:
    X, Y = made(0)
    options = {**QUICK, "family": "linear", "groups": np.arange(len(Y)) // 10}
    with pytest.raises(
        ValueError, match=r"'lambdarank' only with family='boosted'. Found 'linear'"
    ):
        iso.compare(X, Y, methods=["lambdarank"], **options)
