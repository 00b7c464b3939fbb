"""NeuralRanker: what it learns, prediction without torch, scikit-learn's checks, bad input."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from skorch.callbacks import EarlyStopping
from torch import nn

import isonomy as iso
from isonomy.boosting._metrics import metric_name
from tests.rankers.explicit import data
from tests.rankers.neural.quick import quick
from tests.without_extras import run_without_extras


def expected_failures(_: Any) -> dict[str, str]:
    """Checks of scikit-learn that ask for one row to do."""
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "batches are drawn by rows, so that a row of weight 2 is not drawn as two rows are"
        ),
        "check_sample_weight_equivalence_on_sparse_data": "the same",
    }


@parametrize_with_checks(
    [iso.NeuralRanker(hidden=(4,), max_epochs=2, patience=None, batch_size=None)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_learns_what_a_linear_score_cannot() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1500, 2))
    Y = np.c_[np.hypot(X[:, 0], X[:, 1]) < 0.6, np.hypot(X[:, 0], X[:, 1]) < 0.9]
    ranker = quick(hidden=(32, 32), max_epochs=20).fit(X, Y)
    assert ranker.score(X, Y) > 0.97
    assert iso.LinearRanker().fit(X, Y).score(X, Y) < 0.6


@pytest.mark.parametrize(
    "objective",
    [iso.LossAggregation(), iso.LabelAggregation("product"), iso.OneLabel(1), iso.WorstLabel()],
    ids=repr,
)
def test_every_objective_with_weights_groups_and_missing_labels(objective: Any) -> None:
    X, Y = data(0, n=600)
    Y = Y.astype(float)
    rng = np.random.default_rng(0)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    weight, groups = rng.random(600), rng.integers(0, 40, 600)
    ranker = quick(objective).fit(X, Y, sample_weight=weight, groups=groups)
    assert ranker.score(X, Y) > 0.55
    assert set(ranker.history_) == {"loss", f"validation_{metric_name(objective)}"}
    assert all(len(values) == ranker.n_iter_ == 4 for values in ranker.history_.values())
    assert ranker.history_["loss"][-1] < ranker.history_["loss"][0]


def test_a_linear_network_approaches_the_linear_ranker() -> None:
    X, Y = data(1, n=500)
    best = iso.pair_loss(Y, iso.LinearRanker().fit(X, Y).predict(X)).value
    ranker = quick(hidden=(), batch_size=None, max_epochs=100, patience=None, learning_rate=0.1)
    ranker.fit(X, Y)
    assert ranker.n_iter_ == ranker.best_epoch_ == 100
    assert iso.pair_loss(Y, ranker.predict(X)).value == pytest.approx(best, rel=1e-3)


def test_the_worst_label_gains() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 2))
    Y = np.c_[X[:, 0] > 0, X[:, 1] + rng.logistic(size=1500) > 2.5]
    options = {"max_epochs": 15, "batch_size": 300, "patience": None}
    worst = quick(iso.WorstLabel(), **options).fit(X, Y)
    label = quick(iso.LabelAggregation(), **options).fit(X, Y)
    smallest = [iso.label_aucs(Y, ranker.predict(X)).min() for ranker in (worst, label)]
    assert smallest[0] > smallest[1]


def test_a_pickled_model_predicts_without_torch(tmp_path: Path) -> None:
    X, Y = data(12)
    ranker = quick(iso.LossAggregation()).fit(X, Y)
    (tmp_path / "ranker").write_bytes(pickle.dumps(ranker))
    np.save(tmp_path / "X.npy", X)
    script = (
        "import sys, numpy as np, pickle\n"
        f"ranker = pickle.load(open({str(tmp_path / 'ranker')!r}, 'rb'))\n"
        f"scores = ranker.predict(np.load({str(tmp_path / 'X.npy')!r}))\n"
        f"np.save({str(tmp_path / 'scores.npy')!r}, scores)\n"
        "assert not any(name.startswith(('torch', 'skorch')) for name in sys.modules)\n"
    )
    done = run_without_extras(script)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "scores.npy"), ranker.predict(X))


def plain(value: Any) -> bool:
    """Whether a value is made of numbers, strings, arrays and their lists and dicts alone."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and plain(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(plain, value))
    return value is None or isinstance(value, bool | int | float | str | np.ndarray)


def test_the_state_is_plain() -> None:
    X, Y = data(13)
    ranker = quick(iso.LossAggregation()).fit(X, Y)
    state = dict(ranker.__getstate__())
    state.pop("objective")
    assert plain(state)
    for other in (pickle.loads(pickle.dumps(ranker)), copy.deepcopy(ranker)):
        np.testing.assert_array_equal(other.predict(X), ranker.predict(X))
    assert clone(ranker).get_params() == ranker.get_params()
    assert not hasattr(clone(ranker), "coefs_")


def test_data_frames() -> None:
    X, Y = data(20)
    frame, labels = pd.DataFrame(X, columns=list("vwxyz")), pd.DataFrame(Y, columns=list("abc"))
    ranker = quick(iso.OneLabel("b")).fit(frame, labels)
    assert ranker.feature_names_in_.tolist() == list("vwxyz")
    np.testing.assert_array_equal(
        ranker.predict(frame), quick(iso.OneLabel(1)).fit(X, Y).predict(X)
    )


def test_grid_search() -> None:
    X, Y = data(21)
    grid = GridSearchCV(quick(max_epochs=2), {"hidden": [(2,), (4,)]}, cv=2).fit(X, Y)
    assert grid.best_params_["hidden"] in [(2,), (4,)]


X4 = np.arange(8.0).reshape(4, 2) ** 2
Y4 = [[1, 0], [0, 1], [1, 1], [0, 0]]
NAN = np.where(X4 == 9, np.nan, X4)


class Wide(nn.Module):
    """Returns two scores per row."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return self.layer(X)


@pytest.mark.parametrize(
    ("options", "X", "Y", "fit", "error", "message"),
    [
        ({"objective": iso.LossAggregation()}, X4, [[1, 0], [1, 1]] * 2, {}, ValueError,
         "'0': one class"),
        ({}, X4, Y4, {}, ValueError, "`validation_fraction` leaves.*patience=None"),
        ({}, X4, Y4, {"groups": [1, 1, 1, 1]}, ValueError, "`groups`.*two groups"),
        ({}, X4, Y4, {"sample_weight": [1, 1]}, ValueError, "`sample_weight`.*4 items"),
        ({}, X4, Y4, {"groups": [1, 1]}, ValueError, "`groups`.*4 items"),
        ({}, X4, Y4[:3], {}, ValueError, "`y` and `X`.*3 and 4"),
        ({}, X4[:, 0], Y4, {}, ValueError, "Expected 2D array, got 1D"),
        ({}, NAN, Y4, {}, ValueError, "X contains NaN"),
        ({"hidden": 5}, X4, Y4, {}, ValueError, "`hidden`.*256.*5"),
        ({"hidden": (5, 0)}, X4, Y4, {}, ValueError, "`hidden`.*>= 1"),
        ({"learning_rate": 0}, X4, Y4, {}, ValueError, "`learning_rate`.*above 0"),
        ({"learning_rate": "low"}, X4, Y4, {}, ValueError, "`learning_rate`.*'low'"),
        ({"batch_size": 1}, X4, Y4, {}, ValueError, "`batch_size`.*>= 2"),
        ({"max_epochs": 0}, X4, Y4, {}, ValueError, "`max_epochs`.*>= 1"),
        ({"module": "mlp"}, X4, Y4, {}, TypeError, "`module`.*'mlp'"),
        ({"module": Wide, "patience": None}, X4, Y4, {}, ValueError, r"`module`.*\(4, 2\)"),
        ({"params": {"lr": 1}}, X4, Y4, {}, ValueError, "`params`.*'lr'"),
        ({"params": {"optimizer__lr": 1}}, X4, Y4, {}, ValueError, "`params`.*`learning_rate`"),
        ({"params": {"criterion__surrogate": "hinge"}}, X4, Y4, {}, ValueError, "`surrogate`"),
        ({"params": {"iterator_train__shuffle": 1}}, X4, Y4, {}, ValueError, "iterator_train__"),
        ({"params": {"module__hidden": (3,)}}, X4, Y4, {}, ValueError, "`params`.*`hidden`"),
        ({"module": nn.Linear(2, 1), "params": {"module__bias": False}}, X4, Y4, {}, ValueError,
         "`params`.*as a class"),
        ({"params": {"callbacks": [EarlyStopping()]}}, X4, Y4, {}, ValueError, "use `patience`"),
        ({"params": {"callbacks": [("e", EarlyStopping)]}}, X4, Y4, {}, ValueError, "`patience`"),
        ({"checkpoints": 5}, X4, Y4, {}, TypeError, "`checkpoints` should be the path.*5"),
        ({"checkpoints": b"x"}, X4, Y4, {}, TypeError, "`checkpoints` should be the path"),
        ({"params": {"callbacks": []}, "checkpoints": "x"}, X4, Y4, {}, ValueError, "callbacks"),
        ({"learning_rate": 1e30, "patience": None}, X4 * 1.0, Y4, {}, ValueError, "diverged"),
    ],
)  # fmt: skip
def test_bad_input(
    options: Any, X: Any, Y: Any, fit: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        quick(**options).fit(X, Y, **fit)
