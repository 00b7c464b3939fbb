"""Tuning inside the training rows."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._compare.goals import check_goal
from isonomy._compare.tuning import (
    PENALTIES,
    ROUNDS,
    EarlyStopping,
    PenaltyPath,
    TunedLogistic,
    _first_best,
    _splits,
    n_inner_folds,
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
    assert _first_best(np.array([0.6, 0.7, 0.7001]), (3.0, 2.0, 1.0)) == 2.0
    assert _first_best(np.full(3, np.nan), (3.0, 2.0, 1.0)) == 2.0


def test_boosting_stops_early_on_noise() -> None:
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    items = Items.checked(rng.integers(0, 2, (300, 2)), X=rng.normal(size=(300, 3)))
    found = EarlyStopping().fit(BoostedRanker(n_jobs=1), items, GOAL, 0)
    assert found.n_rounds < ROUNDS
    one = Items.checked(items.labels.table, X=items.X, groups=np.zeros(300))
    assert EarlyStopping().fit(BoostedRanker(n_rounds=3, n_jobs=1), one, GOAL, 0).n_rounds == 3


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
