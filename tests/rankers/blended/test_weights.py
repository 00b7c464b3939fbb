"""Weights of blends: never negative, no worse than what anybody would try, floors kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import isonomy as iso
from isonomy._core import Items
from isonomy._rankers.blended import weights
from isonomy._rankers.blended.weights import SAFETY, Floors, blend_weights


def scored(
    seed: int, n: int = 400, K: int = 2, sign: int = -1, **options: Any
) -> tuple[np.ndarray, Items]:
    """Logits that tell their own label, and items."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, K)) * rng.uniform(0.5, 3, K)
    Y = logits + 0.5 * logits[:, ::-1] * sign + rng.logistic(size=(n, K)) > 0
    return logits, Items.checked(Y, **options)


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]))
@settings(max_examples=8)
def test_no_worse_than_equal_weights_or_any_on_a_grid(seed: int, K: int) -> None:
    logits, items = scored(seed, K=K)
    found, _ = blend_weights(logits, items, iso.WorstLabel())
    assert (found >= 0).all()

    def smallest(w: np.ndarray) -> float:
        return float(iso.label_aucs(items.labels.table, logits @ w).min())

    tried = np.random.default_rng(seed).dirichlet(np.ones(K), 30)
    assert smallest(found) >= max(map(smallest, [1 / logits.std(axis=0), *tried])) - 0.01


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("promised", [0, 1])
def test_floors_are_kept_with_errors_to_spare(promised: int, grouped: bool) -> None:
    options = {"groups": np.arange(3000) % 150} if grouped else {}
    logits, items = scored(3, n=3000, **options)
    other = 1 - promised
    alone = [iso.label_aucs(items, logits[:, k]) for k in range(2)]
    floor = (alone[promised][promised] + alone[other][promised]) / 2
    w, _ = blend_weights(logits, items, iso.LossAggregation(), Floors({promised: floor}))
    found = iso.auc_intervals(items, logits @ w)
    spare = found.estimate[promised] - floor
    assert spare > 0.9 * SAFETY * found.standard_error[promised]
    # Nothing of it is wasted.
    assert spare < 1.5 * SAFETY * found.standard_error[promised] + 0.003
    assert found.estimate[other] > alone[promised][other]


def test_a_floor_out_of_reach_is_come_near_to() -> None:
    logits, items = scored(3, n=2000)
    w, _ = blend_weights(logits, items, iso.LossAggregation(), Floors({0: 0.99}))
    alone = iso.label_aucs(items, logits[:, 0])[0]
    assert iso.label_aucs(items, logits @ w)[0] >= alone - 0.003


def test_a_rare_label_gets_some_in_reserve_where_it_costs_the_other_little() -> None:
    """Of 20 positives nobody knows the AUC: to make it equal to the other's is a gamble."""
    rng = np.random.default_rng(0)
    n = 4000
    logits = rng.normal(size=(n, 2)) * [0.6, 2.0]
    Y = np.column_stack(
        [
            rng.random(n) < 1 / (1 + np.exp(-logits[:, 0])),
            rng.random(n) < 0.005 / (1 + np.exp(-logits[:, 1])),
        ]
    )
    items = Items.checked(Y.astype(int))
    w, value = blend_weights(logits, items, iso.WorstLabel())
    common, rare = iso.label_aucs(items, logits @ w)
    assert common + 0.005 < rare < common + 0.1
    assert value < common
    # With errors that are known the smallest on new rows is what it is in the draws.
    errors = iso.auc_intervals(items, logits @ w).standard_error
    drawn = np.random.default_rng(1).normal(size=(20_000, 2)) * errors + [common, rare]
    assert value == pytest.approx(drawn.min(axis=1).mean(), abs=0.002)


def test_the_smallest_to_be_expected_is_found() -> None:
    logits, items = scored(4, n=300, K=2, sign=1)
    w, value = blend_weights(logits, items, iso.WorstLabel())
    tried = np.column_stack([np.ones(60), np.geomspace(0.05, 20, 60)]) / logits.std(axis=0)
    expected = weights._expected_smallest(logits, items, iso.WorstLabel(), w)
    assert value >= max(map(expected, tried)) - 0.003


class WorstOfTheFirstTwo:
    """An objective of one's own, as docs/howto/objective.md has them."""

    def preferences(self, labels: Any) -> iso.Preferences:
        patterns = labels.patterns[:, :2]
        return iso.Preferences(
            labels.codes, above=patterns == 1, below=patterns == 0, mix=iso.Worst()
        )


def test_the_smallest_is_that_of_the_objective_not_of_all_labels() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    columns = np.column_stack([X, -X.sum(axis=1)])
    Y = (columns + rng.logistic(size=(2000, 3)) > 0).astype(int)
    items = Items.checked(Y)
    w, _ = blend_weights(columns, items, WorstOfTheFirstTwo())
    assert iso.objective_auc(Y, columns @ w, WorstOfTheFirstTwo()) > 0.65


@pytest.mark.parametrize("K", [2, 3])
def test_a_label_of_one_class_leaves_the_others_to_be_ranked(K: int) -> None:
    """As where one part of a table has no positive of a rare label."""
    logits, items = scored(0, K=K)
    table = items.labels.table.copy()
    table[:, 1] = 0
    for objective in (iso.WorstLabel(), iso.LossAggregation()):
        w, _ = blend_weights(logits, Items.checked(table), objective)
        assert (w > 0).all()
    ranker = iso.BlendRanker(LogisticRegression()).fit(logits, table)
    assert iso.auc(table[:, 0], ranker.predict(logits)) > 0.55


def test_the_label_known_least_is_not_taken_for_sure() -> None:
    logits, items = scored(0)
    table = items.labels.table.copy()
    table[:, 1] = np.arange(400) == 7
    errors = weights._errors(logits, Items.checked(table), iso.WorstLabel(), np.ones(2))
    assert np.isnan(errors[1])
    one, _ = blend_weights(logits, Items.checked(table), iso.WorstLabel())
    assert np.isfinite(one).all()


def test_floors() -> None:
    floors = Floors({1: 0.7})
    aucs = np.array([0.6, 0.65, 0.8])
    assert floors.others(3) == [0, 2]
    assert floors.missing(aucs) == pytest.approx(0.05)
    assert floors.missing(aucs, 0.01) == pytest.approx(0.06)
    assert floors.missing(np.array([0.1, 0.7, 0.1])) == 0
    assert floors.mean_of_others(aucs) == pytest.approx(0.7)
    assert Floors({0: 0.6, 1: 0.6}).others(2) == [0, 1]


def test_scores_that_say_nothing() -> None:
    _, items = scored(0)
    found, _ = blend_weights(np.zeros((400, 2)), items, iso.WorstLabel())
    assert np.isfinite(found).all()
    assert (found >= 0).all()


def test_begins_with_some_rows_unless_they_lack_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(400, 3))
    Y = (scores + rng.logistic(size=(400, 3)) > 0).astype(int)
    seen = []
    fit = iso.LinearRanker.fit
    monkeypatch.setattr(weights, "START_ROWS", 100)
    monkeypatch.setattr(
        iso.LinearRanker, "fit", lambda self, X, y: (seen.append(len(X)), fit(self, X, y))[1]
    )
    blend_weights(scores, Items.checked(Y), iso.WorstLabel())
    assert seen == [100]
    rare = Y.copy()
    rare[:, 2] = 0
    rare[1:3, 2] = 1  # Between the rows that are taken.
    blend_weights(scores, Items.checked(rare), iso.WorstLabel())
    assert seen == [100, 100, 400]


def test_no_weights_are_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(200, 2))
    items = Items.checked((scores + rng.logistic(size=(200, 2)) > 0).astype(int))
    seen = []
    original = weights._objective_auc

    def watched(*arguments: Any) -> Callable[[Any], float]:
        utility = original(*arguments)
        return lambda w: (seen.append(tuple(w.round(9))), utility(w))[1]

    monkeypatch.setattr(weights, "_objective_auc", watched)
    blend_weights(scores, items, iso.WorstLabel())
    assert len(seen) == len(set(seen)) > 5


def test_floors_that_cannot_all_be_kept_share_what_is_missing() -> None:
    """Two labels at opposite ends: whatever one has, the other has not."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    Y = np.column_stack([x, -x]) + rng.logistic(size=(2000, 2)) > 0
    items = Items.checked(Y)
    other = rng.normal(size=2000)
    columns = np.column_stack([x + other, -x + other, other])
    w, _ = blend_weights(columns, items, iso.LossAggregation(), Floors({0: 0.8, 1: 0.7}))
    short = np.array([0.8, 0.7]) - iso.label_aucs(Y, columns @ w)
    assert abs(short[0] - short[1]) < 0.05
    assert Floors({0: 0.8, 1: 0.7}).missing(np.array([0.6, 0.6])) == pytest.approx(0.2)
