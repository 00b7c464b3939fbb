"""Engines: what they print, need and refuse."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import isonomy as iso
from isonomy._infra import progress_bar
from isonomy._rankers.boosted.classifier import BoostedClassifier
from isonomy._rankers.boosted.lambdarank import SummedLambdaRanker
from isonomy._rankers.boosted.ranker import BoostedRanker
from isonomy._rankers.boosted.trees import Trees
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


def lightgbm_learners():
    groups = np.repeat(np.arange(10), 20)
    return {
        "ranker": lambda X, Y: BoostedRanker(**FAST).fit(X, Y),
        "classifier": lambda X, Y: BoostedClassifier(n_rounds=2).fit(X, Y[:, 0]),
        "lambdarank": lambda X, Y: SummedLambdaRanker(**FAST).fit(X, Y, groups=groups),
    }


@pytest.mark.parametrize("learner", lightgbm_learners())
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_columns_that_lightgbm_takes_for_zero_are_told(learner, form, capfd):
    X, Y = data(200)
    fit = lightgbm_learners()[learner]
    for tiny in (0 * X, X * 1e-36):
        with pytest.raises(
            ValueError, match=r"`X` should have a column that differs from 0.*Scale"
        ):
            fit(form(tiny), Y)
    # The least that it tells from 0, in the last row alone.
    tiny[-1, -1] = np.nextafter(np.float32(1e-35), np.float32(1))
    fit(form(tiny), Y)
    fit(form(np.where(tiny, tiny, np.nan)), Y)
    assert "".join(capfd.readouterr()) == ""


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
    np.testing.assert_array_equal(made[0].predict(X), made[1].predict(X))


@pytest.mark.parametrize("engine", ENGINES)
def test_states_hold_trees_and_no_booster(engine):
    x, kind, missing, Y = with_categories(300)
    frame = pandas_frame(x, kind, missing)
    ranker = BoostedRanker(engine=engine, **FAST).fit(frame, Y)
    wanted = ranker.predict(frame)
    state = ranker.__getstate__()
    assert isinstance(state["trees_"], Trees)
    assert not any("ooster" in type(value).__name__ for value in state.values())
    bare = BoostedRanker.__new__(BoostedRanker)
    bare.__setstate__(state)
    again = pickle.loads(pickle.dumps(ranker))
    for other in (bare, again, copy.deepcopy(ranker), pickle.loads(pickle.dumps(again))):
        np.testing.assert_array_equal(other.predict(frame), wanted)
        assert not hasattr(other, "booster_")
        with pytest.raises(AttributeError, match="only in the process that fitted"):
            _ = other.booster_
    assert type(ranker.booster_).__name__ == "Booster"
    assert not hasattr(clone(ranker), "trees_")
    with pytest.raises(NotFittedError):
        _ = clone(ranker).booster_
