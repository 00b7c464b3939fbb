"""LinearRanker against explicit pair losses, scikit-learn's checks, and bad input."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import isonomy as iso
from isonomy._core.costs import FEW_LEVELS
from isonomy._core.objectives import LabelAggregation, LossAggregation, OneLabel, WorstLabel
from isonomy._core.preferences import Preferences
from isonomy._infra.threads import default_threads
from isonomy._pairsums import sums
from isonomy._rankers.linear import initial_point
from isonomy._rankers.linear import ranker as linear
from isonomy._rankers.linear.ranker import LinearRanker
from tests.rankers.explicit import Explicit, data

OBJECTIVES = [
    LossAggregation(),
    LossAggregation([3, 1, 0]),
    LossAggregation("balanced"),
    LabelAggregation(),
    LabelAggregation(costs="uniform"),
    LabelAggregation("product"),
    OneLabel(1),
]


@parametrize_with_checks([LinearRanker(), LinearRanker(positive=True)])
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        # Noise as labels: now and then no feature deserves a weight > 0 indeed.
        warnings.filterwarnings("ignore", "All weights ended at 0")
        check(estimator)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [False, True])
def test_reaches_the_explicit_optimum(objective, weighted, positive):
    X, Y = data()
    weight = np.random.default_rng(1).exponential(size=len(X)) if weighted else None
    best = Explicit(X, Y, objective, weight=weight).best(positive)
    ranker = LinearRanker(objective, positive=positive).fit(X, Y, sample_weight=weight)
    assert ranker.converged_
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6, rtol=0)


@pytest.mark.parametrize("objective", OBJECTIVES[:5], ids=repr)
@pytest.mark.parametrize("group_weight", ["pairs", "equal"])
def test_reaches_the_explicit_optimum_with_groups(objective, group_weight):
    X, Y = data(2)
    rng = np.random.default_rng(3)
    groups, weight = rng.integers(0, 8, len(X)), rng.exponential(size=len(X))
    best = Explicit(X, Y, objective, weight=weight, groups=groups, group_weight=group_weight).best()
    ranker = LinearRanker(objective, group_weight=group_weight)
    ranker.fit(X, Y, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6, rtol=0)


@pytest.mark.parametrize("surrogate", ["logistic", "exponential", "square", "squared_hinge"])
@pytest.mark.parametrize("l2", [1e-6, 0.1])
def test_reaches_the_explicit_optimum_of_each_surrogate(surrogate, l2):
    X, Y = data(4)
    best = Explicit(X, Y, LabelAggregation(), surrogate=surrogate, l2=l2).best()
    ranker = LinearRanker(surrogate=surrogate, l2=l2).fit(X, Y)
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6, rtol=0)


def test_scales_and_shifts_of_features_cost_no_accuracy():
    X, Y = data(5)
    scale, shift = 10.0 ** np.array([-4, -2, 0, 3, 5]), 1e3
    plain = LinearRanker(l2=0).fit(X, Y)
    other = LinearRanker(l2=0).fit((X + shift) * scale, Y)
    np.testing.assert_allclose(other.coef_ * scale, plain.coef_, atol=1e-6)
    assert other.n_iter_ <= plain.n_iter_ + 2


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_equals_dense(make, positive):
    X, Y = data(6, n=2000)
    X[np.random.default_rng(0).random(X.shape) < 0.7] = 0.0
    dense = LinearRanker(positive=positive).fit(X, Y)
    thin = LinearRanker(positive=positive).fit(make(X), Y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-9)
    np.testing.assert_allclose(thin.predict(make(X)), dense.predict(X), atol=1e-8)


def test_many_sparse_features():
    rng = np.random.default_rng(0)
    X = sparse.random(3000, 700, density=0.02, format="csr", random_state=0)
    y = (X @ rng.normal(size=700) + 0.1 * rng.normal(size=3000) > 0).astype(int)
    thin = LinearRanker(l2=1e-3).fit(X, y)
    dense = LinearRanker(l2=1e-3).fit(X.toarray(), y)
    assert thin.converged_
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-6)


def test_float32_is_computed_with_in_double_precision():
    X, Y = data(7)
    X = X.astype(np.float32)
    single, double = LinearRanker().fit(X, Y), LinearRanker().fit(X.astype(float), Y)
    np.testing.assert_array_equal(single.coef_, double.coef_)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(frame):
    X, Y = data(8)
    names = [f"x{j}" for j in range(X.shape[1])]
    table = frame(dict(zip(names, X.T, strict=True)))
    labels = frame(dict(zip("abc", Y.T, strict=True)))
    ranker = LinearRanker(OneLabel("b")).fit(table, labels)
    assert ranker.feature_names_in_.tolist() == names
    assert ranker.n_features_in_ == 5
    np.testing.assert_allclose(ranker.coef_, LinearRanker(OneLabel(1)).fit(X, Y).coef_)
    np.testing.assert_allclose(ranker.predict(table), X @ ranker.coef_)


def test_missing_labels():
    X, Y = data(9)
    Y = Y.astype(float)
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    best = Explicit(X, Y, LossAggregation()).best()
    np.testing.assert_allclose(LinearRanker(LossAggregation()).fit(X, Y).coef_, best, atol=1e-6)


def test_warm_start_takes_fewer_steps():
    X, Y = data(10, n=3000)
    ranker = LinearRanker(LossAggregation([1, 1, 1]), warm_start=True).fit(X, Y)
    cold = LinearRanker(LossAggregation([1, 1, 1.05])).fit(X, Y)
    ranker.set_params(objective=LossAggregation([1, 1, 1.05])).fit(X, Y)
    assert ranker.n_iter_ < cold.n_iter_
    np.testing.assert_allclose(ranker.coef_, cold.coef_, atol=1e-6)
    with pytest.raises(ValueError, match="warm_start=False"):
        ranker.fit(X[:, :2], Y)
    assert ranker.set_params(warm_start=False).fit(X[:, :2], Y).coef_.shape == (2,)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_start_from_a_sample_changes_nothing_but_the_steps(monkeypatch, weighted):
    X, Y = data(11, n=70_000, noise=0.5)
    Y[:, 2] = (Y[:, 2] == 1) & (np.arange(len(Y)) % 50 == 0)
    weight = np.random.default_rng(0).exponential(size=len(X)) if weighted else None
    quick = LinearRanker(LossAggregation()).fit(X, Y, weight)
    monkeypatch.setattr(initial_point, "_WORTH", np.inf)
    slow = LinearRanker(LossAggregation()).fit(X, Y, weight)
    assert quick.n_iter_ < slow.n_iter_
    np.testing.assert_allclose(quick.coef_, slow.coef_, atol=1e-6)


@pytest.mark.parametrize("costs", ["linear", "uniform"])
def test_a_start_from_a_sample_of_real_valued_levels(monkeypatch, costs):
    X, _ = data(27, n=2000)
    y = (X[:, 0] + np.random.default_rng(2).normal(size=len(X))).round(1)
    assert np.unique(y).size > FEW_LEVELS  # so that the terms come as sparse tables
    slow = LinearRanker(LabelAggregation(costs=costs)).fit(X, y)
    monkeypatch.setattr(initial_point, "_MIN_ROWS", 100)
    monkeypatch.setattr(initial_point, "_ROWS_PER_COLUMN", 1)
    quick = LinearRanker(LabelAggregation(costs=costs)).fit(X, y)
    assert quick.n_iter_ < slow.n_iter_
    np.testing.assert_allclose(quick.coef_, slow.coef_, atol=1e-6)


@pytest.mark.parametrize("objective", [LabelAggregation(), WorstLabel()])
def test_any_number_of_threads_gives_the_same_weights(monkeypatch, objective):
    X, Y = data(12, n=150_000, d=3)
    weights = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(sums, "default_threads", lambda _, threads=threads: threads)
        weights.append(LinearRanker(objective).fit(X, Y).coef_)
    np.testing.assert_allclose(weights[1], weights[0], atol=1e-10)
    np.testing.assert_allclose(weights[2], weights[0], atol=1e-10)
    assert default_threads(10) == 1


def test_score_is_the_objectives_auc():
    X, Y = data(13)
    groups = np.arange(len(X)) % 5
    ranker = LinearRanker(group_weight="equal").fit(X, Y, groups=groups)
    assert ranker.score(X, Y) != ranker.score(X, Y, groups=groups)
    assert ranker.score(X, Y) > 0.7
    np.testing.assert_array_equal(ranker.decision_function(X), ranker.predict(X))


def test_pipeline_grid_clone_pickle():
    X, Y = data(14)
    pipeline = make_pipeline(StandardScaler(), LinearRanker(LossAggregation()))
    grid = GridSearchCV(pipeline, {"linearranker__l2": [1e-6, 10.0]}, cv=3).fit(X, Y)
    assert grid.best_params_ == {"linearranker__l2": 1e-6}
    again = pickle.loads(pickle.dumps(grid.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), grid.predict(X))
    assert clone(pipeline[-1]).get_params() == pipeline[-1].get_params()


def test_metadata_routing():
    X, Y = data(15)
    rng = np.random.default_rng(0)
    weight, groups = rng.exponential(size=len(X)), rng.integers(0, 12, len(X))
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = LinearRanker().set_fit_request(sample_weight=True, groups=True)
        ranker.set_score_request(sample_weight=True, groups=True)
        grid = GridSearchCV(make_pipeline(ranker), {"linearranker__l2": [0.01]}, cv=GroupKFold(3))
        grid.fit(X, Y, sample_weight=weight, groups=groups)
    alone = LinearRanker(l2=0.01).fit(X, Y, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(grid.best_estimator_[-1].coef_, alone.coef_)


def test_warns_with_a_cure_when_not_converged():
    X, Y = data(16)
    with pytest.warns(ConvergenceWarning, match=r"Raise `max_iter` \(now 1\)"):
        ranker = LinearRanker(max_iter=1).fit(X, Y)
    assert not ranker.converged_
    assert ranker.n_iter_ == 1


@pytest.mark.parametrize("positive", [False, True])
def test_constant_and_repeated_features(positive):
    X, Y = data(17)
    X = np.column_stack([X, np.full(len(X), 7.0), X[:, 0], np.zeros(len(X))])
    ranker = LinearRanker(l2=1e-4, positive=positive).fit(X, Y)
    assert ranker.converged_
    np.testing.assert_array_equal(ranker.coef_[[5, 7]], 0.0)
    np.testing.assert_allclose(ranker.coef_[6], ranker.coef_[0], atol=1e-6)
    assert LinearRanker(l2=0.0, positive=positive).fit(X, Y).score(X, Y) > 0.5


def test_nothing_but_constants_gives_zero_weights():
    ranker = LinearRanker().fit(np.ones((6, 2)), [0, 1, 0, 1, 1, 0])
    np.testing.assert_array_equal(ranker.coef_, [0.0, 0.0])


@pytest.mark.parametrize("surrogate", ["logistic", "exponential", "square"])
def test_opposed_labels_cancel_out_without_a_trace_of_rounding(surrogate):
    X, Y = data(28, n_labels=1)
    ranker = LinearRanker(LossAggregation(), surrogate=surrogate).fit(X, np.c_[Y, 1 - Y])
    assert not ranker.coef_.any()


@pytest.mark.parametrize("n", [20, 90])
def test_more_features_than_rows(n):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n, 120)), rng.integers(0, 2, (n, 2))
    ranker = LinearRanker(LossAggregation(), l2=0.01).fit(X, Y)
    best = Explicit(X, Y, LossAggregation(), l2=0.01).best()
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6)


def test_separable_labels_converge_under_the_penalty():
    X, _ = data(18)
    ranker = LinearRanker().fit(X, (X[:, 0] > 0).astype(int))
    assert ranker.converged_
    assert ranker.score(X, (X[:, 0] > 0).astype(int)) == 1.0


X4 = np.arange(8.0).reshape(4, 2) ** 2
Y4 = [[1, 0], [0, 1], [1, 1], [0, 0]]
NAN = np.where(X4 == 9, np.nan, X4)
INF = np.where(X4 == 9, np.inf, X4)
LOA = LossAggregation()


@pytest.mark.parametrize(
    ("options", "X", "Y", "fit", "message"),
    [
        ({"objective": LOA}, X4, [[1, 0], [1, 1], [1, 1], [1, 0]], {}, "'0': one class"),
        ({"objective": WorstLabel()}, X4, [[1, 0], [0, 0], [1, 0], [0, 0]], {}, "'1': one class"),
        ({}, X4, [[1, 0], [0, 1], [1, 0], [0, 1]], {}, "on one level.*another objective"),
        ({"objective": LOA}, X4, Y4, {"sample_weight": [1, 0, 1, 0]}, "'0': one class"),
        ({"objective": LOA}, X4, Y4, {"groups": [0, 1, 2, 3]}, "inside a group for '0', '1'"),
        ({}, X4, Y4, {"sample_weight": [0, 0, 0, 0]}, "`sample_weight`.*All are 0"),
        ({}, X4, Y4, {"sample_weight": [1, 1]}, "`sample_weight`.*4 items"),
        ({}, X4, Y4, {"groups": [1, 1]}, "`groups`.*4 items"),
        ({}, X4, Y4[:3], {}, "`y` and `X`.*3 and 4"),
        ({}, X4, None, {}, "requires y to be passed"),
        ({}, X4[:, 0], Y4, {}, "Expected 2D array, got 1D"),
        ({}, NAN, Y4, {}, "X contains NaN"),
        ({}, INF, Y4, {}, "X contains infinity"),
        ({}, sparse.csr_array(NAN), Y4, {}, "X contains NaN"),
        ({"l2": -1.0}, X4, Y4, {}, "`l2`.*>= 0.*-1.0"),
        ({"l2": np.nan}, X4, Y4, {}, "`l2`.*nan"),
        ({"tol": "low"}, X4, Y4, {}, "`tol`.*'low'"),
        ({"max_iter": 0}, X4, Y4, {}, "`max_iter`.*>= 1"),
        ({"surrogate": "logit"}, X4, Y4, {}, "`surrogate`.*'logit'"),
        ({"surrogate": "sigmoid"}, X4, Y4, {}, "`surrogate`.*convex.*local optima.*logistic"),
        ({"positive": "no"}, X4, Y4, {}, "`positive`.*True or False.*'no'"),
        ({"warm_start": 1}, X4, Y4, {}, "`warm_start`.*True or False.*1"),
        ({}, X4 * [1, 1e300], Y4, {}, "`X`.*between 1e-250 and 1e[+]250.*4.9e[+]301 in column 1"),
        ({}, X4 * [1e-300, 1], Y4, {}, "`X`.*e-299 in column 0.*StandardScaler"),
        ({}, pd.DataFrame(X4 * [1, 1e290], columns=["a", "b"]), Y4, {}, "column 'b'"),
        ({}, sparse.csr_array(X4 * [1, 1e290]), Y4, {}, "4.9e[+]291 in column 1"),
        ({"group_weight": "same"}, X4, Y4, {}, "`group_weight`.*'same'"),
        ({"objective": LOA}, X4, [0, 1, 2, 3], {}, "`y`.*binary"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(options, X, Y, fit, message):
    with pytest.raises(ValueError, match=message):
        LinearRanker(**options).fit(X, Y, **fit)


def test_an_objective_that_is_none_is_refused():
    with pytest.raises(TypeError, match="`objective`"):
        LinearRanker(LossAggregation).fit(X4, Y4)


class Product:
    """A mix that need not be convex."""

    pooled = False

    def value(self, ratios):
        return float(np.prod(ratios))

    def slope(self, ratios):
        return np.prod(ratios) / ratios


def test_a_mix_of_unknown_convexity_is_refused():
    class Odd:
        def preferences(self, labels):
            yes = labels.patterns == 1
            return Preferences(labels.codes, above=yes, below=~yes, mix=Product())

    with pytest.raises(ValueError, match="`objective` should mix"):
        LinearRanker(Odd()).fit(X4, Y4)


def test_a_warm_start_without_a_fit_is_a_cold_one():
    assert LinearRanker(warm_start=True, l2=0.1).fit(X4, Y4).converged_
    assert linear.LinearRanker is LinearRanker


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 1000.1])
@pytest.mark.parametrize("objective", [LossAggregation(), WorstLabel()])
def test_a_constant_feature_changes_nothing_without_a_penalty(
    constant: float, objective: object
) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 3))
    Y = X[:, :2] + rng.logistic(size=(500, 2)) > 0
    alone = LinearRanker(objective, l2=0.0).fit(X, Y)
    beside = LinearRanker(objective, l2=0.0).fit(np.c_[X, np.full(500, constant)], Y)
    assert beside.converged_
    assert beside.coef_[:3] == pytest.approx(alone.coef_, abs=1e-6)
    assert beside.coef_[3] == 0.0


def test_a_column_that_is_constant_but_for_one_row_is_not_constant():
    X, Y = data(19, n=2000)
    rare = np.full(len(X), 3.0)
    rare[777] = 4.0
    dense = np.column_stack([X, rare])
    coef = LinearRanker(l2=1e-3).fit(dense, Y).coef_
    assert coef[5] != 0.0
    thin = LinearRanker(l2=1e-3).fit(sparse.csr_array(dense), Y)
    np.testing.assert_allclose(thin.coef_, coef, atol=1e-8)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("objective", [*OBJECTIVES[:1], *OBJECTIVES[3:5], WorstLabel()], ids=repr)
def test_the_hinge_reaches_the_optimum_of_a_linear_program(objective, positive):
    X, Y = data(20, n=100, d=4)
    X *= np.sign((Y.sum(axis=1) - Y.sum(axis=1).mean()) @ X)
    rng = np.random.default_rng(0)
    weight, groups = rng.exponential(size=len(X)), rng.integers(0, 4, len(X))
    options = {"surrogate": "hinge", "l2": 0.0, "group_weight": "equal"}
    explicit = Explicit(X, Y, objective, weight=weight, groups=groups, **options)
    worst = isinstance(objective, WorstLabel)
    best, low = explicit.best_hinge(positive, worst)
    ranker = LinearRanker(objective, positive=positive, **options)
    ranker.fit(X, Y, sample_weight=weight, groups=groups)
    losses = explicit.losses(ranker.coef_)
    assert ranker.converged_
    assert (losses.max() if worst else explicit.mix @ losses) == pytest.approx(low, rel=1e-7)
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-4)


@pytest.mark.parametrize("l2", [1e-3, 0.05, 1.0])
def test_the_hinge_reaches_the_optimum_of_a_quadratic_program(l2):
    X, Y = data(21, n=18, d=3, n_labels=2)
    Y = np.where(np.random.default_rng(0).random(Y.shape) < 0.1, np.nan, Y)
    explicit = Explicit(X, Y, LossAggregation(), surrogate="hinge", l2=l2)
    best, low = explicit.best_penalised_hinge()
    ranker = LinearRanker(LossAggregation(), surrogate="hinge", l2=l2).fit(X, Y)
    w = ranker.coef_
    assert ranker.converged_
    assert explicit.mix @ explicit.losses(w) + l2 / 2 * w @ w == pytest.approx(low, rel=1e-7)
    np.testing.assert_allclose(w, best, atol=1e-5)


@pytest.mark.parametrize("seed", [40, 41])
def test_the_hinge_with_positive_weights_and_more_features_than_rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 80)) * (rng.random((30, 80)) < 0.4)
    Y = rng.integers(0, 2, (30, 2))
    ranker = LinearRanker(surrogate="hinge", l2=1e-2, positive=True).fit(X, Y)
    # A projected step is not downhill here at once: that must not count as the end.
    assert ranker.converged_
    assert ranker.coef_.min() == 0.0


def test_the_hinge_of_many_rows_and_from_a_warm_start():
    X, Y = data(22, n=20_000, d=3)
    ranker = LinearRanker(surrogate="hinge", warm_start=True).fit(X, Y)
    assert ranker.converged_
    loss = iso.pair_loss(Y, X @ ranker.coef_, surrogate="hinge").value
    for step in 1e-3 * np.vstack([np.eye(3), -np.eye(3)]):
        assert iso.pair_loss(Y, X @ (ranker.coef_ + step), surrogate="hinge").value > loss
    np.testing.assert_allclose(ranker.fit(X, Y).coef_, ranker.coef_, atol=1e-6)


def test_the_hinge_says_when_it_has_not_converged():
    X, Y = data(23)
    with pytest.warns(ConvergenceWarning, match="Raise `max_iter`"):
        ranker = LinearRanker(surrogate="hinge", max_iter=1).fit(X, Y)
    assert not ranker.converged_


def outlying(side):
    """One entry of 1e12: among the positives it helps, among the negatives it hurts."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] + rng.logistic(size=2000) > 0).astype(int)
    X[np.flatnonzero(y == side)[0], 0] = 1e12
    return X, y


def test_an_outlier_on_the_right_side_changes_nothing():
    X, y = outlying(1)
    row = np.argmax(X[:, 0])
    ranker = LinearRanker(OneLabel(0)).fit(X, y)
    assert ranker.converged_
    # Its pairs cost nothing: the rest decides, with pairs of another total.
    rest = LinearRanker(OneLabel(0), l2=1e-6 * y.sum() / (y.sum() - 1))
    rest.fit(np.delete(X, row, axis=0), np.delete(y, row))
    np.testing.assert_allclose(ranker.coef_, rest.coef_, atol=1e-6)


def test_an_outlier_on_the_wrong_side_takes_its_features_weight():
    X, y = outlying(0)
    ranker = LinearRanker(OneLabel(0), l2=0.0).fit(X, y)
    assert ranker.converged_
    explicit = Explicit(X * [1e-12, 1, 1], y, OneLabel(0), l2=0.0)
    scaled = ranker.coef_ * [1e12, 1, 1]
    slope = explicit.mix @ explicit.gradients(scaled)
    np.testing.assert_allclose(slope, 0.0, atol=1e-6)


@pytest.mark.parametrize("size", [1e12, -1e15])
def test_the_hinge_with_an_outlier(size):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(100, 3))
    Y = (X @ rng.normal(size=(3, 2)) + rng.logistic(size=(100, 2)) > [0, 1]).astype(int)
    X[11, 1] = size
    options = {"surrogate": "hinge", "l2": 0.0}
    ranker = LinearRanker(LossAggregation(), **options).fit(X, Y)
    assert ranker.converged_
    scale = np.array([1.0, abs(size), 1.0])
    _, low = Explicit(X / scale, Y, LossAggregation(), **options).best_hinge()
    loss = iso.pair_loss(Y, X @ ranker.coef_, LossAggregation(), surrogate="hinge").value
    assert loss == pytest.approx(low, rel=1e-7)


def test_heavy_tails():
    X, Y = data(24)
    X = X * np.random.default_rng(0).standard_cauchy(X.shape)
    best = Explicit(X, Y, LossAggregation()).best()
    ranker = LinearRanker(LossAggregation()).fit(X, Y)
    assert ranker.converged_
    np.testing.assert_allclose(ranker.coef_, best, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1e160, 1e200])
@pytest.mark.parametrize("positive", [False, True])
def test_tiny_and_huge_features_are_like_others(scale, positive):
    X, Y = data(25)
    scales = np.array([1, scale, 1, 1, scale])
    plain = LinearRanker(l2=0.0, positive=positive).fit(X, Y)
    other = LinearRanker(l2=0.0, positive=positive).fit(X * scales, Y)
    assert other.converged_
    np.testing.assert_allclose(other.coef_ * scales, plain.coef_, atol=1e-6)


@pytest.mark.parametrize("objective", [LossAggregation(), WorstLabel()], ids=repr)
@pytest.mark.parametrize("l2", [1e-6, 1e-2])
def test_many_more_features_than_rows(objective, l2):
    rng = np.random.default_rng(0)
    X = sparse.random(150, 1000, density=0.05, format="csr", random_state=0)
    X = sparse.csr_array(X + sparse.csr_array(np.outer(rng.normal(size=150), np.eye(1000)[3])))
    Y = rng.integers(0, 2, (150, 2))
    thin = LinearRanker(objective, l2=l2, warm_start=True).fit(X, Y)
    dense = LinearRanker(objective, l2=l2).fit(X.toarray(), Y)
    assert thin.converged_
    # The penalty of 1e-6 holds the weights of separable labels only loosely.
    close = 1e-8 / l2
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=close)
    if isinstance(objective, LossAggregation):
        explicit = Explicit(X.toarray(), Y, objective, l2=l2)
        slope = explicit.mix @ explicit.gradients(thin.coef_) + l2 * thin.coef_
        assert np.abs(slope).max() < 1e-8
    first = thin.coef_
    np.testing.assert_allclose(thin.fit(X, Y).coef_, first, atol=close)
    with pytest.raises(ValueError, match="warm_start=False"):
        thin.fit(X[:, :700], Y)


@pytest.mark.parametrize("objective", [LossAggregation(), WorstLabel()], ids=repr)
def test_the_squared_hinge_with_more_features_than_rows(objective):
    # Few pairs are on the bent side, others as the weights change: the learned Hessian is lost.
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 500)), rng.integers(0, 2, (40, 2))
    ranker = LinearRanker(objective, surrogate="squared_hinge", l2=1e-3).fit(X, Y)
    assert ranker.converged_
    explicit = Explicit(X, Y, objective, surrogate="squared_hinge")
    a = getattr(ranker, "label_weights_", explicit.mix)
    slope = a @ explicit.gradients(ranker.coef_) + 1e-3 * ranker.coef_
    assert np.abs(slope).max() < 1e-7


@pytest.mark.parametrize("positive", [False, True])
def test_many_features_and_more_rows(positive):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 600)) * np.linspace(0.1, 3, 600)
    y = (X[:, :9].sum(axis=1) + rng.logistic(size=700) > 0).astype(int)
    ranker = LinearRanker(OneLabel(0), l2=1e-2, positive=positive).fit(X, y)
    assert ranker.converged_
    explicit = Explicit(X, y, OneLabel(0), l2=1e-2)
    slope = explicit.mix @ explicit.gradients(ranker.coef_) + 1e-2 * ranker.coef_
    held = (ranker.coef_ == 0) & (slope > 0) if positive else np.zeros(600, bool)
    assert np.abs(slope[~held]).max() < 1e-6
    assert ranker.coef_.min() >= 0 or not positive


@pytest.mark.parametrize("surrogate", ["logistic", "exponential"])
def test_separable_labels_have_no_optimum_without_a_penalty(surrogate):
    X, _ = data(18)
    with pytest.warns(ConvergenceWarning, match="no minimum.*Set `l2` > 0"):
        ranker = LinearRanker(surrogate=surrogate, l2=0.0).fit(X, X[:, 0] > 0)
    assert not ranker.converged_
    with pytest.warns(ConvergenceWarning, match="no minimum"):
        LinearRanker(WorstLabel(), surrogate=surrogate, l2=0.0).fit(X, X[:, :1] > 0)


@pytest.mark.parametrize("surrogate", ["hinge", "squared_hinge"])
def test_separable_labels_have_an_optimum_with_a_hinge(surrogate):
    X, _ = data(18)
    ranker = LinearRanker(surrogate=surrogate, l2=0.0).fit(X, X[:, 0] > 0)
    assert ranker.converged_
    assert ranker.score(X, X[:, 0] > 0) == 1.0


def test_warns_when_no_weight_is_positive():
    X, _ = data(26)
    with pytest.warns(UserWarning, match="All weights ended at 0.*Turn round"):
        ranker = LinearRanker(positive=True).fit(X[:, :1], X[:, 0] < 0)
    assert ranker.coef_.tolist() == [0.0]
