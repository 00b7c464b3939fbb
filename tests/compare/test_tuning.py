"""Tuning inside the training rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import log_loss

from isonomy._compare.goals import check_goal
from isonomy._compare.tuning import (
    CLASSIFIER_PENALTIES,
    PENALTIES,
    ROUNDS,
    EarlyStopping,
    PenaltyPath,
    TunedLogistic,
    _explained,
    _first_best,
    _splits,
    n_inner_folds,
    some_rows,
)
from isonomy._core import Items
from isonomy._rankers.blended import LabelRows
from isonomy._rankers.boosted import BoostedRanker
from isonomy._rankers.linear import LinearRanker
from tests.compare.made_data import made

GOAL = check_goal("min", None, ("0", "1"))


def test_inner_folds_part_the_rows_and_keep_groups_whole() -> None:
    X, Y = made(0)
    groups = np.arange(300) % 20
    for options in ({}, {"groups": groups}):
        items = Items.checked(Y, X=X, **options)
        splits = list(_splits(items, np.random.default_rng(0)))
        assert sorted(np.concatenate([s.test for s in splits])) == list(range(300))
        for split in splits:
            assert not set(split.train) & set(split.test)
            if options:
                assert not set(groups[split.train]) & set(groups[split.test])
    assert n_inner_folds(Items.checked(Y, groups=np.arange(300) % 2)) == 2


def test_noise_gets_a_stronger_penalty_than_signal() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 60))
    y = X[:, :2] + 3 * rng.logistic(size=(200, 2)) > 0
    noisy = PenaltyPath().fit(LinearRanker(), Items.checked(y, X=X), GOAL, 0)
    assert noisy.l2 in PENALTIES
    assert noisy.l2 > PENALTIES[-1]


def test_the_first_that_is_nearly_best() -> None:
    assert _first_best(np.array([0.6, 0.7, 0.7001]), (3.0, 2.0, 1.0), 2e-4) == 2.0
    assert _first_best(np.array([0.6, 0.7, 0.7001]), (3.0, 2.0, 1.0), 0.0) == 1.0
    assert _first_best(np.full(3, np.nan), (3.0, 2.0, 1.0), 2e-4) == 2.0


def test_some_rows_are_enough_for_a_penalty() -> None:
    rng = np.random.default_rng(0)
    Y = np.zeros((40_000, 2))
    Y[::2, 0], Y[::40, 1] = 1, 1
    wide = np.empty((40_000, 500))
    assert some_rows(wide[:, :3], Y[:15_000], rng) is None
    found = some_rows(wide[:, :3], Y, rng)
    assert found is not None
    assert found.size == 15_000
    assert (np.diff(found) > 0).all()
    assert some_rows(wide, Y, rng).size == 25_000  # type: ignore[union-attr]
    Y[400:, 1] = 0  # Ten positives: no row is left out.
    assert some_rows(wide[:, :3], Y, rng) is None
    Y[:1000, 1] = np.nan
    assert some_rows(wide[:, :3], Y[:, :1], rng).size == 15_000  # type: ignore[union-attr]


def test_penalties_found_on_some_rows_are_weaker_on_all() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 2))
    Y = X + rng.logistic(size=X.shape) > 0
    ranker = PenaltyPath().fit(LinearRanker(), Items.checked(Y, X=X), GOAL, 0)
    assert 2 * ranker.l2 in PENALTIES
    rows = LabelRows(X, Y[:, 0].astype(float), None, np.arange(30_000) % 3)
    fitted, logits = TunedLogistic().learn(rows)
    assert any(pytest.approx(1 / (p * 15_000)) == fitted.C for p in CLASSIFIER_PENALTIES)
    # Every row by a model that has not seen it, which is nearly that of all rows.
    assert np.corrcoef(logits, fitted.decision_function(X))[0, 1] > 0.999
    assert (logits != fitted.decision_function(X)).mean() > 0.99


def test_classifiers_are_chosen_by_their_log_loss() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    y = (X[:, 0] > 1.5).astype(float)
    weight = rng.integers(0, 3, 400).astype(float)
    fold = np.arange(400) % 3
    rows = LabelRows(X, y, weight, fold)
    logits = np.column_stack([3 * X[:, 0] - 4, np.full(400, -1.0)])
    held_out = rows.held_out(1)
    truth, known = y[held_out], weight[held_out] > 0
    losses = [
        log_loss(truth[known], p, sample_weight=weight[held_out][known])
        for p in (
            *expit(logits[held_out][known]).T,
            np.full(known.sum(), np.average(truth, weights=weight[held_out])),
        )
    ]
    found = _explained(rows, 1, logits[held_out])
    assert found == pytest.approx(1 - np.array(losses[:2]) / losses[2])
    # Any penalty orders these items without an error; only a weak one is as sure as one can be.
    fitted, _ = TunedLogistic().learn(rows)
    assert 1 / (CLASSIFIER_PENALTIES[-1] * weight.sum()) == fitted.C


def test_boosting_stops_early_on_noise() -> None:
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    items = Items.checked(rng.integers(0, 2, (300, 2)), X=rng.normal(size=(300, 3)))
    found = EarlyStopping().fit(BoostedRanker(n_jobs=1), items, GOAL, 0)
    assert found.n_rounds < ROUNDS
    one = Items.checked(items.labels.table, X=items.X, groups=np.zeros(300))
    assert EarlyStopping().fit(BoostedRanker(n_rounds=3, n_jobs=1), one, GOAL, 0).n_rounds == 3


@pytest.mark.parametrize("seed", range(4))
def test_boosting_stops_where_the_rare_label_is(seed: int) -> None:
    """Of two positives one is watched and one learned from; of one there is nothing to watch."""
    pytest.importorskip("lightgbm")
    X, Y = made(0)
    Y[:, 1] = 0
    Y[[7, 100], 1] = 1
    ranker = BoostedRanker(n_rounds=3, n_jobs=1, random_state=0)
    rare = Items.checked(Y, X=X)
    assert EarlyStopping().fit(ranker, rare, GOAL, seed).params["num_leaves"] in (8, 31)
    Y[7, 1] = 0
    assert EarlyStopping().fit(ranker, Items.checked(Y, X=X), GOAL, seed).n_rounds == 3


def test_a_fold_with_one_class_is_no_hindrance() -> None:
    X, _ = made(0, n=90)
    y = np.zeros(90)
    y[:2] = 1
    fold = np.arange(90) % 3
    fold[:2] = 0
    found, logits = TunedLogistic().learn(LabelRows(X, y, None, fold))
    assert np.isfinite(logits).all()
    assert not logits[fold == 0].any()
    assert found.predict_proba(X).shape == (90, 2)
