"""Objectives, the package's and one's own."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

import isonomy as iso
from isonomy._core import ConflictPairs, SideBySide
from tests.oracles import OBJECTIVES, ONE_SIDED, Case, class_influence, cost_matrix, rows_of

rng = np.random.default_rng(0)
Y = (rng.random((200, 3)) < [0.5, 0.4, 0.6]).astype(float)
A, B = np.round(Y @ rng.random((3, 2)) + rng.normal(size=(200, 2)), 1).T

Labels = iso.Labels


# The acceptance test of the design: a new objective is one small class.


class AtLeastTwo:
    """Items with two or more positive labels stand above the rest."""

    def preferences(self, labels: Labels) -> iso.Preferences:
        hit = np.nansum(labels.patterns, axis=1) >= 2
        return iso.Preferences(labels.codes, above=hit, below=~hit, mix=iso.Pooled())


def test_an_objective_of_ones_own() -> None:
    y = Y.sum(axis=1) >= 2
    assert iso.objective_auc(Y, A, AtLeastTwo()) == iso.auc(y, A)
    weight, groups = rng.random(200), np.arange(200) % 40
    for options in ({"sample_weight": weight}, {"groups": groups}):
        found = iso.objective_auc(Y, A, AtLeastTwo(), **options)
        assert found == pytest.approx(iso.auc(y, A, **options), rel=1e-14)

    delong = iso.auc_intervals(Y, A, objective=AtLeastTwo())
    psi = class_influence(y.astype(float), A)
    assert delong.covariance[0, 0] == pytest.approx(psi @ psi, rel=1e-12)
    drawn = iso.auc_intervals(
        Y, A, objective=AtLeastTwo(), method="bootstrap", n_resamples=300, random_state=0
    )
    assert drawn.estimate == delong.estimate
    assert drawn.low == pytest.approx(delong.low, abs=0.03)
    assert drawn.standard_error == pytest.approx(delong.standard_error, rel=0.2)

    compared = iso.compare_scores(Y, A, B, objective=AtLeastTwo())
    plain = iso.compare_scores(y, A, B)
    assert compared.difference == pytest.approx(plain.difference[0])
    assert compared.p_value == pytest.approx(plain.p_value[0], rel=1e-9)


class MeanLabelRidge(BaseEstimator):
    def fit(self, X: np.ndarray, Y: np.ndarray) -> BaseEstimator:
        self.ridge_ = Ridge().fit(X, Y.mean(axis=1))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.ridge_.predict(X)


def test_an_objective_of_ones_own_as_a_scorer() -> None:
    X = np.stack([A, B], axis=1)
    found = cross_val_score(MeanLabelRidge(), X, Y, scoring=iso.scorer(AtLeastTwo()), cv=4)
    assert found.shape == (4,)
    assert (found > 0.5).all()


@dataclass(frozen=True)
class Geometric:
    """The geometric mean of the terms' ratios."""

    pooled: bool = False

    def value(self, ratios: np.ndarray) -> float:
        return float(np.exp(np.log(ratios).mean()))

    def slope(self, ratios: np.ndarray) -> np.ndarray:
        return self.value(ratios) / (ratios.size * ratios)


class GeometricLabels:
    def preferences(self, labels: Labels) -> iso.Preferences:
        yes, no = labels.patterns == 1, labels.patterns == 0
        return iso.Preferences(labels.codes, yes, no, Geometric(), names=labels.names)


def test_a_mix_of_ones_own() -> None:
    aucs = iso.label_aucs(Y, A)
    assert iso.objective_auc(Y, A, GeometricLabels()) == pytest.approx(aucs.prod() ** (1 / 3))
    found = iso.auc_intervals(Y, A, objective=GeometricLabels())
    slope = Geometric().slope(aucs)
    covariance = iso.auc_intervals(Y, A).covariance
    assert found.covariance[0, 0] == pytest.approx(slope @ covariance @ slope)
    compared = iso.compare_scores(Y, A, B, objective=GeometricLabels())
    assert compared.difference == pytest.approx(
        iso.objective_auc(Y, A, GeometricLabels()) - iso.objective_auc(Y, B, GeometricLabels())
    )
    assert 0 < compared.p_value <= 1


class SparseLabels:
    """The labels' terms, in sparse tables."""

    def __init__(self, mix: Any) -> None:
        self.mix = mix

    def preferences(self, labels: Labels) -> iso.Preferences:
        yes, no = (sparse.csr_array((labels.patterns == v).astype(float)) for v in (1, 0))
        return iso.Preferences(labels.codes, yes, no, self.mix)


@pytest.mark.parametrize(
    ("mix", "same"),
    [
        (iso.Mean((1.0, 1.0, 1.0)), iso.LossAggregation()),
        (iso.Pooled(), iso.LossAggregation("balanced")),
        (iso.Worst(), iso.WorstLabel()),
    ],
)
def test_sparse_tables_serve_every_mix(mix: Any, same: Any) -> None:
    objective = SparseLabels(mix)
    expected = iso.objective_auc(Y, A, same)
    assert iso.objective_auc(Y, A, objective) == pytest.approx(expected, abs=1e-15)
    dense = iso.auc_intervals(Y, A, objective=same)
    found = iso.auc_intervals(Y, A, objective=objective)
    assert found.covariance == pytest.approx(dense.covariance, rel=1e-12)
    compared = iso.compare_scores(Y, A, B, objective=objective)
    assert compared.p_value == pytest.approx(iso.compare_scores(Y, A, B, objective=same).p_value)


class Flat:
    """A mix that is constant has no slope."""

    pooled = False

    def value(self, ratios: np.ndarray) -> float:
        return 0.5

    def slope(self, ratios: np.ndarray) -> np.ndarray:
        return np.zeros_like(ratios)


def test_a_mix_without_slope_has_no_spread() -> None:
    class Constant:
        def preferences(self, labels: Labels) -> iso.Preferences:
            return iso.Preferences(labels.codes, labels.patterns == 1, labels.patterns == 0, Flat())

    found = iso.auc_intervals(Y, A, objective=Constant())
    assert found.estimate == 0.5
    assert found.covariance[0, 0] == 0


# The package's own.


@pytest.mark.parametrize("case", OBJECTIVES, ids=lambda case: case.name)
def test_objectives_are_values(case: Case) -> None:
    first, second = case.objective(3), case.objective(3)
    assert first == second
    assert hash(first) == hash(second)
    assert type(first).__name__ in repr(first)
    assert pickle.loads(pickle.dumps(first)) == first


@pytest.mark.parametrize("case", ONE_SIDED, ids=lambda case: case.name)
def test_no_item_stands_above_itself(case: Case) -> None:
    wish = case.objective(3).preferences(Labels.from_table(Y))
    above, below = (
        np.asarray(t.todense() if sparse.issparse(t) else t) for t in (wish.above, wish.below)
    )
    assert above.shape == below.shape == (wish.n_patterns, wish.n_terms)
    assert not (above * below).any()
    assert wish.codes.max() < wish.n_patterns


@pytest.mark.parametrize("case", OBJECTIVES, ids=lambda case: case.name)
@pytest.mark.parametrize("missing", [False, True])
def test_terms_are_the_costs_of_pairs(case: Case, missing: bool) -> None:
    """Up to a factor, and without any counting: the tables alone."""
    table = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]], float)
    if missing and not case.complete:
        table[0, 1] = table[2, 2] = table[5, 0] = table[5, 1] = np.nan
        table = np.vstack([table, [[np.nan] * 3, [np.nan, np.nan, 0]]])
    expected = [cost_matrix(cost, len(table)) for cost in case.costs(rows_of(table))]
    wish = case.objective(3).preferences(Labels.from_table(table))
    above, below = (t.toarray() if sparse.issparse(t) else np.asarray(t) for t in wish.tables)
    above, below = above[wish.codes].astype(float), below[wish.codes].astype(float)
    if wish.mix.pooled:
        found = [above @ below.T]
    else:
        found = [np.outer(above[:, r], below[:, r]) for r in range(wish.n_terms)]
    for pairs, costs in zip(found, expected, strict=True):
        np.fill_diagonal(pairs, 0)
        assert np.allclose(pairs / pairs.sum(), costs / costs.sum(), rtol=1e-13, atol=0)


def test_sums_say_which_label_is_missing() -> None:
    table = np.array([[1, 0, np.nan, 1], [0, np.nan, 1, 1], [1, 1, 1, np.nan]])
    for weights, name in ((None, "1"), ([1, 0, 2, 1], "2"), ([1, 0, 0, 1], "3")):
        objective = iso.LabelAggregation("sum", weights=weights)
        with pytest.raises(ValueError, match=f"missing values in label '{name}'"):
            objective.preferences(Labels.from_table(table))
    fine = iso.LabelAggregation("sum", weights=[1, 0, 0, 0])
    assert fine.preferences(Labels.from_table(table)).n_patterns == 3


@pytest.mark.parametrize("n", [3, 200])
def test_rows_without_a_level_join_no_pair_whatever_costs_are(n: int) -> None:
    values = np.append(np.arange(float(n)), np.nan)
    objective = iso.LabelAggregation(lambda rows: rows[:, 0], costs=lambda high, low: high - low)
    wish = objective.preferences(Labels.from_table(values[:, None]))
    above, below = (t.toarray() if sparse.issparse(t) else t for t in wish.tables)
    found = (above @ below.T)[np.ix_(wish.codes, wish.codes)]
    assert np.array_equal(found, np.nan_to_num(np.maximum(values[:, None] - values, 0)))


@pytest.mark.parametrize(
    ("table", "weights"),
    [
        ([[3, 0], [0, 1], [0, 0]], [0.1, 0.3]),
        ([[1, 1, 0], [0, 0, 1], [0, 0, 0]], [0.1, 0.2, 0.3]),
        ([[1, 1, *[0] * 10], [0, 0, 1, *[0] * 9], [0] * 12], [0.1, 0.2, 0.3, *[1] * 9]),
    ],
)
def test_sums_of_weights_that_should_be_equal_are_one_level(table: Any, weights: Any) -> None:
    objective = iso.LabelAggregation(weights=weights, costs="uniform")
    wish = objective.preferences(Labels.from_table(np.array(table, float)))
    levels = wish.levels.levels[wish.codes]  # type: ignore[union-attr]
    assert levels[0] == levels[1] > levels[2]


def test_levels_of_one_label_are_never_rounded() -> None:
    y = np.array([1.0, np.nextafter(1, 2)])
    assert iso.objective_auc(y, [1, 0], iso.LabelAggregation()) == 0.0
    assert iso.objective_auc(y, [0, 1], iso.LabelAggregation(costs="uniform")) == 1.0


def test_weights_may_be_any_sequence() -> None:
    for weights in ([1, 2, 3], (1, 2, 3), np.array([1, 2, 3], np.int8)):
        assert iso.LossAggregation(weights) == iso.LossAggregation([1.0, 2.0, 3.0])
        assert iso.LabelAggregation(weights=weights) == iso.LabelAggregation(weights=[1, 2, 3])


def test_only_proportions_of_label_weights_matter() -> None:
    weighted = iso.LossAggregation, lambda w: iso.LabelAggregation(weights=w), iso.SoftLabel
    for scale in (1e-300, 1e-3, 7.0, 1e300):
        for make in weighted:
            found = iso.objective_auc(Y, A, make(np.array([1, 2, 3]) * scale))
            assert found == pytest.approx(iso.objective_auc(Y, A, make([1, 2, 3])), rel=1e-13)
    for make in (iso.LossAggregation, iso.SoftLabel):
        found = iso.objective_auc(Y, A, make(np.array([1, 2, 3]) * 5e307))
        assert found == pytest.approx(iso.objective_auc(Y, A, make([1, 2, 3])), rel=1e-13)


@pytest.mark.parametrize("power", [-1074, 1021])
def test_levels_may_be_as_small_or_large_as_floats(power: int) -> None:
    table = np.round(Y.sum(axis=1)) - 2
    expected = iso.objective_auc(table, A, iso.LabelAggregation())
    assert iso.objective_auc(np.ldexp(table, power), A, iso.LabelAggregation()) == expected


@pytest.mark.parametrize(
    "make", [iso.LossAggregation, lambda w: iso.LabelAggregation(weights=w), iso.SoftLabel]
)
def test_other_weights_have_another_hash(make: Any) -> None:
    given = [[1, 2, 3], [3, 2, 1], {"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 1.0}, None]
    assert len({hash(make(weights)) for weights in given}) == len(given)


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_one_label_by_name_and_number(frame: str) -> None:
    module = pytest.importorskip(frame)
    table = module.DataFrame({"a": Y[:, 0], "b": Y[:, 1], "0": Y[:, 2]})
    for name, k in (("a", 0), ("b", 1), ("0", 2), (np.int64(1), 1)):
        assert iso.objective_auc(table, A, iso.OneLabel(name)) == iso.auc(Y[:, k], A)


def test_one_label_ignores_what_the_others_hold() -> None:
    table = Y.copy()
    table[:, 1] = np.arange(200)
    assert iso.objective_auc(table, A, iso.OneLabel(0)) == iso.auc(Y[:, 0], A)


def test_more_than_256_levels_of_an_aggregate() -> None:
    K = 10
    table = rng.integers(0, 2, (400, K))
    weights = 2.0 ** np.arange(K)
    scores = rng.normal(size=400)
    found = iso.objective_auc(table, scores, iso.LabelAggregation(weights=weights))
    assert found == pytest.approx(iso.multipartite_auc(table @ weights, scores), abs=1e-14)


class WithOwn:
    """An objective that sets what it is given."""

    def __init__(self, **own: object) -> None:
        self.own = own

    def preferences(self, labels: iso.Labels) -> iso.Preferences:
        hit = labels.patterns[:, 0] == 1
        codes = self.own.pop("codes", labels.codes)
        return iso.Preferences(codes, above=hit, below=~hit, mix=iso.Pooled(), **self.own)


def test_an_objectives_own_weights_count() -> None:
    y, score = [1, 0, 0], [2, 1, 3]
    assert iso.objective_auc(y, score, WithOwn(weight=np.array([1.0, 1.0, 0.0]))) == 1.0
    both = iso.objective_auc(
        y, score, WithOwn(weight=np.array([1.0, 1.0, 2.0])), sample_weight=[1, 2, 1]
    )
    assert both == 0.5


def test_an_objectives_own_groups_count() -> None:
    own = WithOwn(group=np.array([0, 0, 1]))
    assert iso.objective_auc([1, 0, 0], [2, 1, 3], own) == 1.0
    with pytest.raises(ValueError, match="`groups` cannot be used: the objective has groups"):
        iso.objective_auc([1, 0, 0], [2, 1, 3], WithOwn(group=np.zeros(3, int)), groups=[0, 0, 1])


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"codes": np.array([0, 1], np.uint8)}, "one code for each of the 3 items. Found 2"),
        ({"weight": np.ones(2)}, r"`weight` should hold one number for each of the 3 items"),
        ({"group": np.zeros(4, int)}, r"`group` should hold one number for each of the 3 items"),
    ],
)
def test_an_objective_that_does_not_fit_its_items(own: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        iso.objective_auc([1, 0, 0], [2, 1, 3], WithOwn(**own))


def test_a_scorer_is_checked_when_it_is_made() -> None:
    with pytest.raises(TypeError, match="`objective` should be an objective such as"):
        iso.scorer("worst")


def test_one_table_may_be_sparse() -> None:
    mixed = iso.Preferences(
        [0, 1], above=sparse.csr_array([[1.0], [0.0]]), below=[[0.0], [1.0]], mix=iso.Pooled()
    )
    assert sparse.issparse(mixed.below)


def test_no_terms_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one term"):
        iso.Preferences([0, 1], np.zeros((2, 0)), np.zeros((2, 0)), iso.Pooled())


def test_a_mean_needs_a_weight_per_term() -> None:
    with pytest.raises(ValueError, match=r"one number for each of the 2 terms\. Found 3"):
        iso.Mean((1.0, 1.0, 1.0)).value(np.array([0.5, 0.5]))


def test_conflicts_of_some_pairs() -> None:
    labels = Labels.from_table(Y)
    every = ConflictPairs().preferences(labels)
    assert every.names == ["0 against 1", "0 against 2", "1 against 2"]
    some = ConflictPairs(1, 3).preferences(labels)
    assert some.names == every.names[1:]
    assert np.array_equal(some.above, every.above[:, 1:])
    assert np.array_equal(some.below, every.below[:, 1:])


def test_objectives_side_by_side() -> None:
    labels = Labels.from_table(Y)
    parts = iso.LossAggregation(), ConflictPairs()
    found = SideBySide(parts).preferences(labels)
    apart = [objective.preferences(labels) for objective in parts]
    assert found.names == [*apart[0].names, *apart[1].names]
    assert np.array_equal(found.above, np.hstack([part.above for part in apart]))
    assert np.array_equal(found.below, np.hstack([part.below for part in apart]))
    value = iso.objective_auc(Y, A, SideBySide(parts))
    ratios = [*iso.label_aucs(Y, A), *iso.conflict_aucs(Y, A)[np.triu_indices(3, 1)]]
    assert value == pytest.approx(np.mean(ratios))
