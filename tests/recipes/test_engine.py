"""The recipe for an engine of boosted trees."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import isonomy as iso
from isonomy._rankers.boosted import engines
from isonomy._rankers.boosted.tree_builder import TreeBuilder
from tests.boosting.made_data import data
from tests.recipes.consumers import check_compared
from tests.recipes.recipe import follow


@pytest.fixture(autouse=True)
def _stumps(monkeypatch: pytest.MonkeyPatch) -> None:
    # As if imported at the top of the file.
    monkeypatch.setattr(engines, "TreeBuilder", TreeBuilder, raising=False)
    found = follow("An engine", "src/isonomy/_rankers/boosted/engines.py", monkeypatch)["Stumps"]
    monkeypatch.setitem(engines.ENGINES, "stumps", found())


@pytest.mark.parametrize(
    "objective", [None, iso.LossAggregation(), iso.WorstLabel()], ids=["mean", "loss", "worst"]
)
def test_it_learns_every_objective(objective: iso.Objective | None) -> None:
    X, Y = data(2000)
    weight, groups = np.random.default_rng(0).exponential(size=2000), np.arange(2000) % 40
    for given in ({}, {"sample_weight": weight, "groups": groups}):
        ranker = iso.BoostedRanker(objective, engine="stumps", n_rounds=10).fit(X, Y, **given)
        assert ranker.score(X, Y) > 0.55
        losses = ranker.history_["loss"]
        assert len(losses) == ranker.best_iteration_ == 10
        assert losses[-1] < losses[0] == pytest.approx(np.log(2))


def test_its_job_has_weights_as_engines_keep_them(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, engine = [], type(engines.ENGINES["stumps"])
    train = engine.train
    monkeypatch.setattr(engine, "train", lambda self, job: jobs.append(job) or train(self, job))
    X, Y = data(50)
    for weight in (None, np.full(50, 0.1)):
        iso.BoostedRanker(engine="stumps", n_rounds=1).fit(X, Y, sample_weight=weight)
    assert jobs[0].weight is None
    assert jobs[1].weight.dtype == np.float32


def test_it_stops_and_is_saved(tmp_path: Path) -> None:
    X, Y = data(2000)
    ranker = iso.BoostedRanker(engine="stumps", n_rounds=500, patience=3, random_state=0).fit(X, Y)
    watched = ranker.history_["validation_auc_label_aggregation"]
    assert ranker.best_iteration_ == np.argmax(watched) + 1 == len(watched) - 3 < 490
    assert ranker.feature_importances_.sum() == pytest.approx(1)
    iso.save(ranker, tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(ranker)), iso.load(tmp_path / "model")):
        np.testing.assert_array_equal(other.predict(X), ranker.predict(X))


def test_it_is_compared(tmp_path: Path) -> None:
    rankers = {"stumps": iso.BoostedRanker(engine="stumps", n_rounds=10)}
    check_compared(tmp_path, "stumps", rankers=rankers, methods=["mean"])


def test_its_reserved_options_and_its_name_are_told() -> None:
    X, Y = data(50)
    with pytest.raises(ValueError, match=r"'rate': use nothing"):
        iso.BoostedRanker(engine="stumps", params={"rate": 1}).fit(X, Y)
    with pytest.raises(ValueError, match=r"'lightgbm', 'xgboost', 'stumps'"):
        iso.BoostedRanker(engine="stump").fit(X, Y)
