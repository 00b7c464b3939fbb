"""The scorer inside scikit-learn's model selection."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score

import isonomy as iso
from tests.oracles import OBJECTIVES, Case

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 4))
Y = (X[:, :3] + rng.normal(size=(150, 3)) > [0.0, 0.5, -0.5]).astype(int)
GROUPS = np.arange(150) // 10
WEIGHT = rng.choice([0.5, 1.0, 2.0], 150)
FOLDS = KFold(3, shuffle=True, random_state=0)


class MeanLabelRidge(BaseEstimator):
    """Ridge on the mean label: a ranker in the fewest lines."""

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def fit(
        self, X: np.ndarray, Y: object, sample_weight: np.ndarray | None = None
    ) -> BaseEstimator:
        target = np.asarray(Y).mean(axis=1)
        self.ridge_ = Ridge(alpha=self.alpha).fit(X, target, sample_weight=sample_weight)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.ridge_.predict(X)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_hand(objective: object, **options: np.ndarray) -> list[float]:
    values = []
    for train, test in FOLDS.split(X):
        scores = MeanLabelRidge().fit(X[train], Y[train]).predict(X[test])
        part = {name: array[test] for name, array in options.items()}
        values.append(iso.objective_auc(Y[test], scores, objective, **part))  # type: ignore[arg-type]
    return values


@pytest.mark.parametrize("case", OBJECTIVES, ids=lambda case: case.name)
def test_cross_val_score(case: Case) -> None:
    objective = case.objective(3)
    found = cross_val_score(MeanLabelRidge(), X, Y, cv=FOLDS, scoring=iso.scorer(objective))
    assert found.tolist() == by_hand(objective)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_labels_in_data_frames(frame: type) -> None:
    table = frame(dict(zip(["click", "buy", "keep"], Y.T, strict=True)))
    found = cross_val_score(
        MeanLabelRidge(), X, table, cv=FOLDS, scoring=iso.scorer(iso.OneLabel("buy"))
    )
    assert found.tolist() == by_hand(iso.OneLabel(1))


def test_grid_search() -> None:
    search = GridSearchCV(
        MeanLabelRidge(),
        {"alpha": [1e-3, 1e6]},
        scoring={"worst": iso.scorer(iso.WorstLabel()), "laa": iso.scorer(iso.LabelAggregation())},
        refit="worst",
        cv=FOLDS,
        error_score="raise",
    ).fit(X, Y)
    assert search.cv_results_["mean_test_laa"].shape == (2,)
    assert 0.5 < search.best_score_ <= 1
    aucs = iso.label_aucs(Y, search.predict(X))
    assert search.score(X, Y) == aucs.min()


@pytest.mark.usefixtures("routing")
def test_groups_and_weights_are_routed() -> None:
    scoring = iso.scorer(iso.LabelAggregation()).set_score_request(groups=True, sample_weight=True)
    estimator = MeanLabelRidge().set_fit_request(sample_weight=False)
    found = cross_val_score(
        estimator,
        X,
        Y,
        cv=FOLDS,
        scoring=scoring,
        params={"groups": GROUPS, "sample_weight": WEIGHT},
    )
    assert found.tolist() == by_hand(iso.LabelAggregation(), groups=GROUPS, sample_weight=WEIGHT)
    assert found.tolist() != by_hand(iso.LabelAggregation())


@pytest.mark.usefixtures("routing")
def test_groups_reach_both_the_folds_and_the_score() -> None:
    search = GridSearchCV(
        MeanLabelRidge().set_fit_request(sample_weight=True),
        {"alpha": [0.1, 10.0]},
        scoring=iso.scorer(iso.LossAggregation()).set_score_request(
            groups=True, sample_weight=False
        ),
        cv=GroupKFold(3),
        error_score="raise",
    )
    search.fit(X, Y, groups=GROUPS, sample_weight=WEIGHT)
    assert 0.5 < search.best_score_ <= 1


@pytest.mark.usefixtures("routing")
def test_group_weight() -> None:
    model = MeanLabelRidge().fit(X, Y)
    score = iso.scorer(iso.OneLabel(0), group_weight="equal").set_score_request(groups=True)
    expected = iso.auc(Y[:, 0], model.predict(X), groups=GROUPS, group_weight="equal")
    assert score(model, X, Y, groups=GROUPS) == expected
    assert expected != iso.auc(Y[:, 0], model.predict(X), groups=GROUPS)
    with pytest.raises(ValueError, match="`group_weight`"):
        iso.scorer(iso.OneLabel(0), group_weight="even")(model, X, Y)


def test_classifiers_are_scored_by_decision_or_probability() -> None:
    y = Y[:, 0]
    model = LogisticRegression().fit(X, y)
    expected = iso.auc(y, model.decision_function(X))
    assert iso.scorer(iso.OneLabel(0))(model, X, y) == expected


@pytest.mark.parametrize("objective", [iso.LabelAggregation(), iso.WorstLabel(), iso.OneLabel(1)])
@pytest.mark.parametrize("wrap", [np.asarray, pd.Series, lambda y: pd.Series(y, name="label")])
def test_packed_labels_are_unpacked_in_a_search(objective: object, wrap: object) -> None:
    from lightgbm import LGBMRegressor

    trained = iso.boosting.lightgbm_objective(objective)
    trees = LGBMRegressor(
        objective=trained, n_estimators=3, min_child_samples=5, verbosity=-1, n_jobs=1
    )
    search = GridSearchCV(
        trees, {"num_leaves": [3, 8]}, scoring=iso.scorer(objective), cv=FOLDS, error_score="raise"
    )
    packed = iso.boosting.pack_labels(Y)
    search.fit(X, wrap(packed))
    for place, leaves in enumerate([3, 8]):
        expected = []
        for train, test in FOLDS.split(X):
            fitted = trees.set_params(num_leaves=leaves).fit(X[train], packed[train])
            expected.append(iso.objective_auc(Y[test], fitted.predict(X[test]), objective))
        found = [search.cv_results_[f"split{i}_test_score"][place] for i in range(3)]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("levels", [[0, 1], [1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7]])
def test_levels_stay_levels(levels: list[int]) -> None:
    y = rng.choice(levels, 150)
    score = iso.scorer(iso.LabelAggregation())(Ridge().fit(X, y), X, y)
    assert score == iso.multipartite_auc(y, Ridge().fit(X, y).predict(X))
