"""Engines: what they print, need and refuse, and that one entry adds another."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone

import isonomy as iso
from isonomy._infra import progress_bar
from isonomy._rankers.boosted import engines
from isonomy._rankers.boosted.ranker import BoostedRanker
from tests.boosting.made_data import data
from tests.rankers.boosted.test_categories import pandas_frame, with_categories

ENGINES = ["lightgbm", "xgboost"]
FAST = {"n_rounds": 8, "n_jobs": 1}


def test_lightgbms_defaults_on_few_rows_give_constant_scores():
    X, Y = data(12)
    ranker = BoostedRanker(iso.OneLabel(0), **FAST).fit(X, Y)
    assert np.unique(ranker.predict(X)).size == 1
    np.testing.assert_array_equal(ranker.feature_importances_, np.zeros(4))
    constant = BoostedRanker(iso.OneLabel(0), **FAST).fit(np.ones((50, 2)), data(50)[1])
    np.testing.assert_array_equal(constant.predict(np.ones((3, 2))), np.zeros(3))


def test_another_engine_needs_another_fit():
    X, Y = data(200)
    ranker = BoostedRanker(**FAST).fit(X, Y)
    wanted = ranker.predict(X)
    ranker.set_params(engine="xgboost")
    np.testing.assert_array_equal(ranker.predict(X), wanted)
    assert (ranker.fit(X, Y).predict(X) != wanted).any()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_progress_bar_for_those_who_wait(engine, monkeypatch, capsys):
    X, Y = data(200)
    monkeypatch.setattr(progress_bar, "PATIENCE", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    BoostedRanker(engine=engine, **FAST).fit(X, Y)
    assert "Boosting" in capsys.readouterr().err


@pytest.mark.parametrize("engine", ENGINES)
def test_silent_unless_verbose(engine, capfd):
    X, Y = data(300)
    options = {"engine": engine, "patience": 3, "random_state": 0} | FAST
    BoostedRanker(**options).fit(X, Y)
    out, err = capfd.readouterr()
    assert out + err == ""
    BoostedRanker(verbose=True, **options).fit(X, Y)
    assert "auc" in "".join(capfd.readouterr())


@pytest.mark.parametrize("engine", ENGINES)
def test_all_threads_have_two_names(engine):
    X, Y = data(200)
    one, other = (BoostedRanker(engine=engine, n_rounds=2, n_jobs=n).fit(X, Y) for n in (None, -1))
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_missing_extra_names_the_pip_line(engine, monkeypatch):
    monkeypatch.setitem(sys.modules, engine, None)
    with pytest.raises(ImportError, match=r"pip install 'isonomy\[boost\]'"):
        BoostedRanker(engine=engine).fit(*data(20))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_option_that_the_engine_does_not_know_is_named(engine):
    X, Y = data(50)
    with pytest.warns(UserWarning, match="learning_rte"):
        BoostedRanker(engine=engine, params={"learning_rte": 0.1}, n_rounds=1, n_jobs=1).fit(X, Y)


@pytest.mark.parametrize("engine", ENGINES)
def test_counts_may_be_numpys(engine):
    X, Y = data(200)
    counts = {"n_rounds": np.int32(3), "patience": np.int64(2), "random_state": np.int64(0)}
    plain = {name: int(count) for name, count in counts.items()}
    made = [BoostedRanker(engine=engine, n_jobs=1, **some).fit(X, Y) for some in (counts, plain)]
    assert made[0].model_text_ == made[1].model_text_


@pytest.mark.parametrize("engine", ENGINES)
def test_states_hold_the_native_text_and_no_booster(engine):
    x, kind, missing, Y = with_categories(300)
    frame = pandas_frame(x, kind, missing)
    ranker = BoostedRanker(engine=engine, **FAST).fit(frame, Y)
    wanted = ranker.predict(frame)
    state = ranker.__getstate__()
    assert isinstance(state["model_text_"], str)
    if engine == "xgboost":
        assert json.loads(state["model_text_"])["learner"]
    else:
        assert state["model_text_"].startswith("tree\n")
    assert not any("ooster" in type(value).__name__ for value in state.values())
    bare = BoostedRanker.__new__(BoostedRanker)
    bare.__setstate__(state)
    again = pickle.loads(pickle.dumps(ranker))
    for other in (bare, again, copy.deepcopy(ranker), pickle.loads(pickle.dumps(again))):
        np.testing.assert_array_equal(other.predict(frame), wanted)
        assert other.model_text_ == ranker.model_text_
    assert type(ranker.booster_).__name__ == "Booster"
    assert not hasattr(clone(ranker), "model_text_")


class Stumps:
    """An engine of one split a round, at the median of the feature that helps most."""

    reserved_params: ClassVar = {"rate": "nothing, because it is always 0.5"}

    def require(self):
        return None

    def train(self, job):
        X, scores, best = job.train.X, np.zeros(len(job.train)), (-np.inf, 0)
        assert job.weight is None or job.weight.dtype == np.float32
        stumps, cuts = [], np.median(X, axis=0)
        watched = None if job.validation is None else np.zeros(len(job.validation))
        for n in range(1, job.n_rounds + 1):
            gradient, hessian = job.derivatives(scores)
            j = int(np.abs(gradient @ (cuts < X)).argmax())
            side = X[:, j] > cuts[j]
            leaf = [-0.5 * gradient[s].sum() / hessian[s].sum() for s in (~side, side)]
            stumps.append([j, cuts[j], *leaf, abs(gradient @ side)])
            scores += np.where(side, leaf[1], leaf[0])
            next(job.ticks, None)
            if job.metric is None:
                continue
            watched += self.scores((X.shape[1], stumps[-1:]), job.validation.X, None)
            best = max(best, (job.metric(watched), n), key=lambda found: found[0])
            if job.patience is not None and n - best[1] >= job.patience:
                break
        n = best[1] if job.patience is not None else len(stumps)
        return json.dumps([X.shape[1], stumps[:n]]), n

    def load(self, text):
        return json.loads(text)

    def scores(self, booster, X, n_jobs):
        found = [np.where(X[:, j] > cut, b, a) for j, cut, a, b, _ in booster[1]]
        return np.sum(found, axis=0)

    def gains(self, booster):
        columns, *_, gains = zip(*booster[1], strict=True)
        return np.bincount(columns, gains, booster[0])


def test_an_engine_is_one_entry(monkeypatch, tmp_path):
    monkeypatch.setitem(engines.ENGINES, "stumps", Stumps())
    X, Y = data(2000)
    weight, groups = np.random.default_rng(0).exponential(size=2000), np.arange(2000) % 40
    for objective in (None, iso.LossAggregation(), iso.WorstLabel()):
        for fit in ({}, {"sample_weight": weight, "groups": groups}):
            ranker = BoostedRanker(objective, engine="stumps", n_rounds=10).fit(X, Y, **fit)
            assert ranker.score(X, Y) > 0.55
            losses = ranker.history_["loss"]
            assert len(losses) == ranker.best_iteration_ == 10
            assert losses[-1] < losses[0] == pytest.approx(np.log(2))
    ranker = BoostedRanker(engine="stumps", n_rounds=500, patience=3, random_state=0).fit(X, Y)
    watched = ranker.history_["validation_auc_label_aggregation"]
    assert ranker.best_iteration_ == np.argmax(watched) + 1 == len(watched) - 3 < 490
    assert ranker.feature_importances_.sum() == pytest.approx(1)
    iso.save(ranker, tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(ranker)), iso.load(tmp_path / "model")):
        np.testing.assert_array_equal(other.predict(X), ranker.predict(X))
    with pytest.raises(ValueError, match=r"'rate': use nothing"):
        BoostedRanker(engine="stumps", params={"rate": 1}).fit(X, Y)
