"""A classifier per label: what it says of a row comes from other rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from isonomy._core import Items
from isonomy._rankers.blended import (
    LabelModels,
    LabelRows,
    OneClassifier,
    fit_classifier,
    label_models,
    logits,
)


class Witness(ClassifierMixin, BaseEstimator):
    """Gives 0.9 to rows that it has seen, 0.1 to others; the first feature is a row's name."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Witness:
        self.classes_ = np.arange(2)
        self.seen_ = set(X[:, 0].tolist())
        self.weight_ = (
            None if sample_weight is None else dict(zip(X[:, 0], sample_weight, strict=True))
        )
        return self

    def predict_proba(self, X: Any) -> Any:
        p = np.array([0.9 if name in self.seen_ else 0.1 for name in X[:, 0]])
        return np.column_stack([1 - p, p])


def rows(n: int = 60, K: int = 2, **options: Any) -> Items:
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(n), rng.normal(size=n)])
    return Items.checked(rng.integers(0, 2, (n, K)), X=X, **options)


def fitted(items: Items, estimator: Any = None, **options: Any) -> LabelModels:
    learner = OneClassifier(Witness() if estimator is None else estimator)
    return LabelModels.fit(items, learner, n_folds=3, rng=np.random.default_rng(0), **options)


def test_no_row_is_judged_by_a_classifier_that_has_seen_it() -> None:
    items = rows()
    found = fitted(items)
    assert found.logits == pytest.approx(np.full((60, 2), logit(0.1)))
    # The final ones have seen all.
    assert logits(found.classifiers, items.X) == pytest.approx(np.full((60, 2), logit(0.9)))


def test_groups_stay_whole() -> None:
    groups = np.repeat(np.arange(12), 5)
    items = rows(groups=groups)

    class Guest(Witness):
        def predict_proba(self, X: Any) -> Any:
            seen = {int(name) // 5 for name in self.seen_}
            p = np.array([0.9 if int(name) // 5 in seen else 0.1 for name in X[:, 0]])
            return np.column_stack([1 - p, p])

    assert fitted(items, Guest()).logits == pytest.approx(np.full((60, 2), logit(0.1)))


def test_fewer_groups_than_folds_are_parted_by_rows() -> None:
    items = rows(groups=np.zeros(60))
    assert fitted(items).logits == pytest.approx(np.full((60, 2), logit(0.1)))


def test_rows_that_teach_nothing_are_judged_all_the_same() -> None:
    items = rows()
    Y = items.labels.table.copy()
    Y[:7, 0] = np.nan
    weight = np.ones(60)
    weight[50:] = 0
    found = fitted(Items.checked(Y, X=items.X, sample_weight=weight))
    assert found.classifiers[0].seen_ == set(range(7, 50))
    assert found.classifiers[1].seen_ == set(range(50))
    assert found.logits == pytest.approx(np.full((60, 2), logit(0.1)))


def test_counts_are_weights() -> None:
    count = np.arange(60) % 3
    weight = np.linspace(1, 2, 60)
    found = fitted(rows(counts=count, sample_weight=weight)).classifiers[0]
    assert found.seen_ == set(np.flatnonzero(count).tolist())
    assert found.weight_ == pytest.approx({i: count[int(i)] * weight[int(i)] for i in found.seen_})
    assert fitted(rows()).classifiers[0].weight_ is None


def test_a_funnel_learns_from_the_items_that_have_the_parent() -> None:
    items = rows()
    plain = fitted(items)
    parents = np.array([-1, 0])
    found = fitted(items, parents=parents, known=plain)
    assert found.classifiers[0] is plain.classifiers[0]
    assert found.classifiers[1].seen_ == set(np.flatnonzero(items.labels.table[:, 0] == 1))
    assert found.logits == pytest.approx(np.full((60, 2), logit(0.1)))


def test_only_one_label() -> None:
    found = fitted(rows(), only=1)
    assert found.classifiers[0] is None
    assert not found.logits[:, 0].any()
    assert found.logits[:, 1].all()


def test_logits_that_nobody_asks_for_cost_no_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_models, "out_of_fold", None)
    found = fitted(rows(), unseen=False)
    assert not found.logits.any()
    assert all(each.seen_ == set(range(60)) for each in found.classifiers)


def test_one_class_says_nothing() -> None:
    X = np.zeros((4, 1))
    dull = fit_classifier(LogisticRegression(), X, np.ones(4), None)
    assert logits([dull], X).tolist() == [[0.0]] * 4
    # Also where a fold's training rows have none of the one positive.
    items = rows()
    Y = np.zeros((60, 1))
    Y[3] = 1
    found = fitted(Items.checked(Y, X=items.X), LogisticRegression())
    assert np.isfinite(found.logits).all()
    assert found.logits[3] == 0


def test_certain_classifiers_have_finite_logits() -> None:
    class Sure(Witness):
        def predict_proba(self, X: Any) -> Any:
            return np.tile([0.0, 1.0], (len(X), 1))

    sure = Sure().fit(np.zeros((2, 1)), [0, 1])
    assert np.isfinite(logits([sure], np.zeros((2, 1)))).all()


def test_parts_of_label_rows() -> None:
    y = np.array([0.0, 1.0, np.nan, 1.0])
    found = LabelRows(np.arange(8).reshape(4, 2), y, None, np.array([0, 1, 1, 0]))
    assert found.n_folds == 2
    assert found.training().tolist() == [0, 1, 3]
    assert found.training(but=1).tolist() == [0, 3]
    assert found.held_out(1).tolist() == [1, 2]


@pytest.mark.parametrize("grouped", [False, True])
def test_very_many_rows_are_sampled_for_settings_alone(
    grouped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_models, "MANY_ROWS", 40)
    groups = np.arange(120) // 6
    items = rows(120, groups=groups if grouped else None)
    found = fitted(items, LogisticRegression())
    assert found.rows is not None
    assert len(found.logits) == found.rows.size <= 40
    if grouped:
        assert (np.bincount(groups[found.rows])[np.unique(groups[found.rows])] == 6).all()
    for k, each in enumerate(found.classifiers):
        whole = LogisticRegression().fit(items.X, items.labels.table[:, k])
        np.testing.assert_allclose(each.coef_, whole.coef_)
