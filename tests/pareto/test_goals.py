"""The weights that meet a goal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

import isonomy as iso
from isonomy import pareto
from isonomy._rankers.linear.ranker import LinearRanker
from tests.pareto.made_data import made

WARM = LinearRanker(warm_start=True)


def traced(seed: int, K: int = 2, n: int = 800) -> pareto.Front:
    X, Y = made(seed, n=n, K=K)
    return pareto.trace(X, Y, ranker=WARM, n_points=7, random_state=seed)


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]))
@settings(max_examples=6)
def test_goals_are_met_at_least_as_well_as_by_any_point(seed: int, K: int) -> None:
    found = traced(seed, K)
    points = found.validation_aucs
    ideal = points.max(axis=0)
    p = np.arange(1, K + 1)

    assert np.ptp(found.nearest_equal().validation_aucs) <= np.ptp(points, axis=1).min()
    assert found.best_worst().validation_aucs.min() >= points.min(axis=1).max()
    behind = (p * (ideal - found.preferred(p).validation_aucs)).max()
    assert behind <= (p * (ideal - points)).max(axis=1).min() + 1e-15


def test_equal_aucs_are_found_between_points() -> None:
    found = traced(0, n=4000)
    choice = found.nearest_equal()
    assert np.ptp(found.validation_aucs, axis=1).min() > 1e-3
    assert np.ptp(choice.validation_aucs) < 1e-4
    assert 0 < choice.weights[0] < 1
    best = found.best_worst()
    np.testing.assert_allclose(best.weights, choice.weights, atol=0.01)


def test_three_labels_come_close_to_each_other() -> None:
    found = traced(3, K=3, n=3000)
    assert (
        np.ptp(found.nearest_equal().validation_aucs) < np.ptp(found.validation_aucs, axis=1).min()
    )


def test_more_preference_never_hurts_a_label() -> None:
    found = traced(0, n=2000)
    aucs = [found.preferred([p, 1]).validation_aucs[0] for p in (0.2, 1, 5, 25)]
    assert (np.diff(aucs) > -1e-4).all()
    assert aucs[-1] > aucs[0]


def test_a_single_preference_is_that_label_alone() -> None:
    found = traced(0, n=2000)
    for k in (0, 1):
        choice = found.preferred(np.eye(2)[k])
        assert choice.validation_aucs[k] == found.validation_aucs[:, k].max()
    assert (found.preferred([2, 4]).weights == found.preferred([1, 2]).weights).all()


def test_a_label_that_always_does_better_leaves_the_other_alone() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    easy = X[:, 0] + 0.01 * rng.normal(size=2000) > 0
    hard = X[:, 0] + 0.3 * X[:, 1] + 4 * rng.normal(size=2000) > 0
    found = pareto.trace(X, np.c_[easy, hard], ranker=WARM, n_points=5, random_state=0)
    assert (found.validation_aucs[:, 0] > found.validation_aucs[:, 1]).all()
    choice = found.best_worst()
    assert choice.validation_aucs[1] == found.validation_aucs[:, 1].max()


def test_a_choice_reports_on_rows_that_did_not_choose() -> None:
    found = traced(5)
    choice = found.best_worst()
    judged = found._fitter.test_intervals(choice.ranker)
    assert (choice.aucs == judged.estimate).all()
    assert (choice.low < choice.aucs).all()
    assert (choice.aucs < choice.high).all()
    assert (choice.aucs != choice.validation_aucs).any()


def test_rankers_at_weights() -> None:
    X, Y = made(6)
    found = pareto.trace(X, Y, ranker=WARM, n_points=5, random_state=0)
    ranker = found.ranker_at(found.weights[2])
    np.testing.assert_allclose(ranker.coef_, found.coef[2], atol=2e-4)
    np.testing.assert_allclose(found.ranker_at(3 * found.weights[2]).coef_, ranker.coef_, atol=2e-4)
    assert ranker.objective.weights == pytest.approx(found.weights[2])
    everything = found.ranker_at([1, 2], all_rows=True)
    expected = LinearRanker(everything.objective).fit(X, Y)
    np.testing.assert_allclose(everything.coef_, expected.coef_, atol=2e-4)
    # The front itself stays as it was.
    np.testing.assert_allclose(found._fits[2].ranker.coef_, found.coef[2], atol=0)


@pytest.mark.parametrize("n_points", [4, 5, 21])
def test_labels_that_cancel_out_leave_all_items_tied(n_points: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    y = (X[:, 0] + rng.logistic(size=1000) > 0).astype(int)
    found = pareto.trace(X, np.c_[y, 1 - y], n_points=n_points, random_state=0)
    choice = found.nearest_equal()
    assert choice.weights == pytest.approx([0.5, 0.5])
    assert choice.aucs.tolist() == [0.5, 0.5]
    assert not choice.ranker.coef_.any()


class Turncoat(BaseEstimator):
    """Ranks by the feature of the label that weighs more."""

    def __init__(self, objective: iso.LossAggregation | None = None) -> None:
        self.objective = objective

    def fit(self, X: np.ndarray, Y: np.ndarray) -> Turncoat:
        self.column_ = int(np.argmax(self.objective.weights))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, self.column_]


def test_aucs_that_stay_far_apart_are_told() -> None:
    X = np.random.default_rng(1).normal(size=(1000, 2))
    Y = (X + np.random.default_rng(2).logistic(size=(1000, 2)) > 0).astype(int)
    found = pareto.trace(X, Y, ranker=Turncoat(), n_points=3, random_state=0)
    with pytest.warns(UserWarning, match=r"still differ by 0\.\d\d on the validation rows"):
        found.nearest_equal()


@pytest.mark.parametrize("promised", [0, 1])
def test_floors_are_kept_and_nothing_of_them_wasted(promised: int) -> None:
    found = traced(0, n=4000)
    other = 1 - promised
    points = found.validation_aucs
    floor = float(points[:, promised].min() + 0.6 * np.ptp(points[:, promised]))
    choice = found.subject_to({promised: floor}, safety=0)
    assert floor <= choice.validation_aucs[promised] < floor + 1e-3
    keeping = points[points[:, promised] >= floor]
    assert choice.validation_aucs[other] >= keeping[:, other].max()
    # New rows need something to spare.
    safe = found.subject_to({str(promised): floor})
    assert safe.validation_aucs[promised] > choice.validation_aucs[promised]
    assert safe.validation_aucs[other] <= choice.validation_aucs[other]


def test_floors_of_three_labels_and_of_groups() -> None:
    X, Y = made(3, n=1500, K=3)
    groups = np.arange(1500) % 100
    found = pareto.trace(X, Y, ranker=WARM, n_points=10, groups=groups, random_state=0)
    floor = float(np.median(found.validation_aucs[:, 0]))
    choice = found.subject_to({0: floor}, safety=0.5)
    assert choice.validation_aucs[0] > floor


def test_what_is_out_of_reach_is_said_with_what_is_within() -> None:
    found = traced(0, n=2000)
    most = found.validation_aucs.max(axis=0)
    with pytest.raises(ValueError, match=r"out of reach.*'0' at 0\.999.*within reach is '0' 0\.\d"):
        found.subject_to({0: 0.999})
    both = {0: float(most[0]) - 1e-3, 1: float(most[1]) - 1e-3}
    with pytest.raises(ValueError, match=r"for each alone; together, the nearest weights keep '0'"):
        found.subject_to(both, safety=0)
    with pytest.raises(ValueError, match="`safety`"):
        found.subject_to({0: 0.6}, safety=-1)
    with pytest.raises(ValueError, match="`floors` should name labels"):
        found.subject_to({"click": 0.6})
