"""Fronts traced over made-up data."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import isonomy as iso
from isonomy import pareto
from isonomy._rankers.linear.ranker import LinearRanker
from isonomy.theory import effective_weights
from tests.pareto.made_data import made

WARM = LinearRanker(warm_start=True)


class Recorder(LinearRanker):
    """Remembers what it was shown."""

    seen: list[tuple[np.ndarray, np.ndarray]] = []  # noqa: RUF012

    def fit(self, X: Any, Y: Any, sample_weight: Any = None, groups: Any = None) -> Recorder:
        super().fit(X, Y, sample_weight, groups)
        self.seen.append((X[:, -1].copy(), groups))
        return self


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_ends_are_the_single_label_rankers(seed: int) -> None:
    X, Y = made(seed)
    index = np.arange(len(X)) % 5
    split = [index < 3, index == 3, index == 4]
    found = pareto.trace(X, Y, ranker=WARM, n_points=4, split=split)
    for k, row in ((0, 0), (1, -1)):
        assert found.weights[row].tolist() == np.eye(2)[k].tolist()
        alone = LinearRanker(iso.OneLabel(k)).fit(X[split[0]], Y[split[0]])
        expected = iso.auc_intervals(Y[split[2]], alone.predict(X[split[2]]))
        np.testing.assert_allclose(found.coef[row], alone.coef_, atol=2e-4)
        np.testing.assert_allclose(found.aucs[row], expected.estimate, atol=2e-3)
        np.testing.assert_allclose(found.low[row], expected.low, atol=2e-3)


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 4]))
@settings(max_examples=10)
def test_the_front_is_undominated(seed: int, K: int) -> None:
    X, Y = made(seed, K=K)
    found = pareto.trace(X, Y, ranker=WARM, n_points=9, random_state=seed)
    assert found.on_front.any()
    for point in found.aucs[found.on_front]:
        assert not any(pareto.dominates(other, point) for other in found.aucs)
    np.testing.assert_allclose(found.weights.sum(axis=1), 1)
    assert (found.low <= found.aucs).all()
    assert (found.aucs <= found.high).all()


def test_two_labels_get_as_many_points_as_asked_for() -> None:
    X, Y = made(0)
    for n_points in (2, 3, 17):
        found = pareto.trace(X, Y, ranker=WARM, n_points=n_points, random_state=0)
        assert found.weights.shape == found.aucs.shape == (n_points, 2)
        assert (np.diff(found.weights[:, 1]) > 0).all()


def test_points_lie_evenly_however_skewed_the_labels() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    Y = X + 0.5 * rng.logistic(size=X.shape) > [0, 3]
    assert Y[:, 1].mean() < 0.02
    found = pareto.trace(X, Y, ranker=WARM, n_points=21, random_state=0)
    steps = np.linalg.norm(np.diff(found.validation_aucs, axis=0), axis=1)
    assert steps.max() < 3 * np.median(steps)


def test_effective_weights_are_those_of_the_training_rows() -> None:
    X, Y = made(1)
    index = np.arange(len(X)) % 5
    found = pareto.trace(X, Y, ranker=WARM, n_points=5, split=[index < 3, index == 3, index == 4])
    for weights, effective in zip(found.weights, found.effective, strict=True):
        expected = effective_weights(Y[index < 3], iso.LossAggregation(weights))
        np.testing.assert_allclose(effective, expected, atol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
def test_same_seed_same_answer(K: int) -> None:
    X, Y = made(2, K=K)
    first, second, other = (
        pareto.trace(X, Y, ranker=WARM, n_points=7, random_state=seed) for seed in (0, 0, 1)
    )
    for name in ("weights", "aucs", "low", "high", "coef", "validation_aucs"):
        assert (getattr(first, name) == getattr(second, name)).all()
    assert (first.aucs != other.aucs).any()
    assert (first.nearest_equal().weights == second.nearest_equal().weights).all()


def test_groups_are_never_split() -> None:
    X, Y = made(3, n=1600)
    groups = np.repeat(np.arange(160), 10)
    X[:, -1] = np.arange(1600)
    Recorder.seen.clear()
    found = pareto.trace(X, Y, ranker=Recorder(), n_points=3, groups=groups, random_state=0)
    rows = {
        "training": Recorder.seen[0][0],
        "validation": found._fitter.validation.X[:, -1],
        "test": found._fitter.test.X[:, -1],
    }
    homes = {name: set(groups[part.astype(int)]) for name, part in rows.items()}
    assert sum(len(part) for part in rows.values()) == 1600
    assert sum(map(len, homes.values())) == 160
    assert [len(homes[name]) for name in ("training", "validation", "test")] == [96, 32, 32]
    # Numbered anew: what matters is which rows share a group.
    expected = np.unique(groups[rows["training"].astype(int)], return_inverse=True)[1]
    np.testing.assert_array_equal(Recorder.seen[0][1], expected)


@pytest.mark.parametrize("group_weight", ["pairs", "equal"])
def test_weights_and_groups_reach_fits_and_metrics(group_weight: Any) -> None:
    X, Y = made(4, n=800)
    rng = np.random.default_rng(0)
    weight, groups = rng.uniform(0.5, 2, 800), rng.integers(0, 100, 800)
    part = groups % 3
    found = pareto.trace(
        X,
        Y,
        ranker=WARM,
        n_points=3,
        split=[part == 0, part == 1, part == 2],
        sample_weight=weight,
        groups=groups,
        group_weight=group_weight,
    )
    at = part == 2
    train = part == 0
    alone = LinearRanker(iso.LossAggregation(found.weights[1]))
    alone.fit(X[train], Y[train], weight[train], groups[train])
    expected = iso.label_aucs(
        Y[at],
        X[at] @ alone.coef_,
        sample_weight=weight[at],
        groups=groups[at],
        group_weight=group_weight,
    )
    np.testing.assert_allclose(found.aucs[1], expected, atol=5e-3)


def test_missing_labels_are_allowed() -> None:
    X, Y = made(5, n=600)
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    found = pareto.trace(X, Y, ranker=WARM, n_points=3, random_state=0)
    assert np.isfinite(found.aucs).all()


def test_frames_name_the_labels() -> None:
    X, Y = made(6)
    plain = pareto.trace(X, Y, ranker=WARM, n_points=3, random_state=0)
    for features, labels in [
        (pd.DataFrame(X), pd.DataFrame(Y, columns=["click", "buy"])),
        (X.tolist(), pl.DataFrame(Y, schema=["click", "buy"])),
    ]:
        found = pareto.trace(features, labels, ranker=WARM, n_points=3, random_state=0)
        assert found.names == ("click", "buy")
        assert (found.aucs == plain.aucs).all()
        assert {"weight click", "auc buy", "on front"} <= set(found.to_frame().columns)
    frame = found.to_frame()
    assert frame.shape == (3, 13)
    assert (frame["high buy"].to_numpy() == found.high[:, 1]).all()


def test_a_ranker_may_stand_in_a_pipeline() -> None:
    X, Y = made(7)
    plain = pareto.trace(X, Y, ranker=LinearRanker(), n_points=3, random_state=0)
    pipeline = make_pipeline(FunctionTransformer(), LinearRanker())
    found = pareto.trace(X, Y, ranker=pipeline, n_points=3, random_state=0)
    np.testing.assert_allclose(found.aucs, plain.aucs)
    assert found.coef is None
    assert plain.coef is not None


def test_a_users_ranker_is_left_as_it_was() -> None:
    X, Y = made(8)
    ranker = LinearRanker(warm_start=True)
    pareto.trace(X, Y, ranker=ranker, n_points=3, random_state=0)
    assert ranker.objective is None
    assert not hasattr(ranker, "coef_")


def test_warm_starts_change_the_time_only() -> None:
    X, Y = made(9)
    cold = pareto.trace(X, Y, ranker=LinearRanker(), n_points=33, random_state=0)
    warm = pareto.trace(X, Y, ranker=WARM, n_points=33, random_state=0)
    np.testing.assert_allclose(warm.coef, cold.coef, atol=2e-4)
    steps = [sum(t.ranker.n_iter_ for t in found._fits) for found in (cold, warm)]
    assert steps[1] < 0.6 * steps[0]


def test_few_rows_are_warned_of_once() -> None:
    X, Y = made(10, n=30)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pareto.trace(X, Y, ranker=WARM, n_points=5, random_state=0)
    assert ["intervals may not hold" in str(w.message) for w in caught] == [True]
    assert caught[0].filename == __file__


def test_equal_labels_leave_no_choice() -> None:
    X, Y = made(11)
    found = pareto.trace(X, Y[:, [0, 0]], ranker=WARM, n_points=5, random_state=0)
    assert np.ptp(found.aucs) < 2e-3
    assert np.ptp(found.nearest_equal().aucs) == 0


def test_sparse_features() -> None:
    X, Y = made(12)
    X[np.abs(X) < 0.5] = 0
    ranker = LinearRanker(warm_start=True)
    dense, compressed = (
        pareto.trace(features, Y, ranker=ranker, n_points=3, random_state=0)
        for features in (X, sparse.csr_array(X))
    )
    np.testing.assert_allclose(compressed.aucs, dense.aucs, atol=1e-3)


def test_people_who_wait_see_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = []

    def record(steps: Any, total: int, description: str) -> Any:
        bars.append((description, total))
        return steps

    monkeypatch.setattr("isonomy.pareto._sweeps.progress", record)
    monkeypatch.setattr("isonomy.pareto._goals.progress", record)
    for K in (2, 3):
        X, Y = made(13, K=K)
        pareto.trace(X, Y, n_points=7, random_state=0).preferred(np.ones(K))
    assert bars[0] == ("Tracing the front", 5)
    assert ("Tracing the front", 7) in bars
    assert bars[-1][0] == "Refining the weights"


def test_skewed_real_labels(data_folder: Path) -> None:
    table = pl.read_csv(data_folder / "bank" / "bank-full.csv", separator=";")
    X = table["age", "balance", "day", "duration", "campaign", "pdays", "previous"]
    Y = table.select(pl.col("housing", "loan") == "yes")
    features = (X.to_numpy() - X.mean().to_numpy()) / X.std().to_numpy()
    found = pareto.trace(features, Y, n_points=11, random_state=0)
    assert found.names == ("housing", "loan")
    assert found.on_front.sum() > 8
    assert found.aucs[0] == pytest.approx([0.62, 0.51], abs=0.02)
    assert found.aucs[-1] == pytest.approx([0.51, 0.59], abs=0.02)
    assert all(fit.ranker.converged_ for fit in found._fits)
    choice = found.nearest_equal()
    assert np.ptp(choice.validation_aucs) < 1e-4
    assert (choice.low < 0.575).all()
    assert (choice.high > 0.575).all()
