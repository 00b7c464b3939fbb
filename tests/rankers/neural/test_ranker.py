"""NeuralRanker: exact resumption, prediction without torch, scikit-learn's checks, bad input."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from skorch.callbacks import EarlyStopping, LRScheduler
from torch import nn

import isonomy as iso
from isonomy._rankers.neural import batching
from isonomy._rankers.neural.batching import Scaling, batches
from isonomy._rankers.neural.checkpoint import digest
from isonomy._rankers.neural.training import Perceptron, scores
from isonomy.boosting._metrics import metric_name
from tests.rankers.explicit import data
from tests.test_torch import WITHOUT_TORCH

QUICK = {"hidden": (8,), "max_epochs": 4, "batch_size": 64, "learning_rate": 0.02}


@pytest.fixture(autouse=True)
def _one_thread() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def quick(objective: Any = None, **options: Any) -> iso.NeuralRanker:
    return iso.NeuralRanker(objective, **{"random_state": 0, **QUICK, **options})


def same(one: iso.NeuralRanker, other: iso.NeuralRanker) -> bool:
    """The same bits."""
    pairs = [*zip(one.coefs_, other.coefs_, strict=True)]
    pairs += zip(one.intercepts_, other.intercepts_, strict=True)
    return all(np.array_equal(a, b) for a, b in pairs) and one.history_ == other.history_


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


# What it learns.


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


def test_early_stopping_keeps_the_best_epoch() -> None:
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(120, 10)), rng.integers(0, 2, (120, 2))
    ranker = quick(max_epochs=60, patience=3, learning_rate=0.1, validation_fraction=0.3).fit(X, Y)
    aucs = ranker.history_["validation_auc_label_aggregation"]
    assert ranker.n_iter_ == len(aucs) == ranker.best_epoch_ + 3 < 60
    assert ranker.best_epoch_ == 1 + int(np.argmax(aucs))
    again = quick(
        max_epochs=ranker.best_epoch_, patience=3, learning_rate=0.1, validation_fraction=0.3
    ).fit(X, Y)
    assert np.array_equal(again.predict(X), ranker.predict(X))


# Seeds.


def test_seeds() -> None:
    X, Y = data(4)
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    one = quick().fit(X, Y)
    assert torch.equal(torch.rand(3), expected), "torch's own generator moved"
    assert same(one, quick().fit(X, Y))
    assert not same(one, quick(random_state=1).fit(X, Y))
    first, second = (quick(random_state=np.random.default_rng(5)).fit(X, Y) for _ in range(2))
    assert same(first, second)
    assert not same(quick(random_state=None).fit(X, Y), quick(random_state=None).fit(X, Y))


# Checkpoints.


class Noisy(nn.Module):
    """A module that draws, and that has a state beside its weights."""

    def __init__(self, n_features: int, width: int = 8) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_features, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.3),
            nn.Linear(width, 1),
        )  # fmt: skip

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return self.layers(X)


@pytest.mark.parametrize("options", [{}, {"module": Noisy}, {"patience": None}], ids=str)
def test_resuming_after_any_epoch_gives_the_same_model(tmp_path: Path, options: Any) -> None:
    X, Y = data(5)
    whole = quick(max_epochs=5, **options).fit(X, Y)
    for stop in (1, 3):
        folder = tmp_path / str(stop)
        quick(max_epochs=stop, checkpoints=folder, **options).fit(X, Y)
        resumed = quick(max_epochs=5, checkpoints=folder, **options).fit(X, Y)
        assert np.array_equal(resumed.predict(X), whole.predict(X))
        assert resumed.history_ == whole.history_
        assert [path.name for path in folder.iterdir()] == ["neural_ranker.pt"]


def test_resuming_without_a_seed_keeps_the_one_drawn(tmp_path: Path) -> None:
    X, Y = data(6)
    first = quick(random_state=None, checkpoints=tmp_path, max_epochs=2).fit(X, Y)
    again = quick(random_state=None, checkpoints=tmp_path, max_epochs=2).fit(X, Y)
    assert same(first, again)
    longer = quick(random_state=None, checkpoints=tmp_path, max_epochs=4).fit(X, Y)
    assert {name: values[:2] for name, values in longer.history_.items()} == first.history_


KILLED = """
import sys
import torch
torch.set_num_threads(1)
from tests.rankers.neural.test_ranker import data, quick
X, Y = data(7, n=1000)
quick(max_epochs=15, patience=None, checkpoints=sys.argv[1]).fit(X, Y)
"""


def test_killed_and_resumed_gives_the_same_bits(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)])
    path = tmp_path / "neural_ranker.pt"
    deadline = time.monotonic() + 120
    while not path.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL, "the fit was over before it could be killed"
    done = torch.load(path, weights_only=True)["state"]["epoch"]
    assert 1 <= done < 15
    X, Y = data(7, n=1000)
    resumed = quick(max_epochs=15, patience=None, checkpoints=tmp_path).fit(X, Y)
    assert same(resumed, quick(max_epochs=15, patience=None).fit(X, Y))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"hidden": (9,)}, "`hidden`"),
        ({"objective": iso.LossAggregation([1, 2, 3])}, "`objective`"),
        ({"random_state": 1}, "`random_state`"),
        ({"params": {"optimizer": torch.optim.SGD}}, "`params`"),
        ({"X": 1.0}, "X"),
        ({"y": 1}, "y"),
        ({"sample_weight": 1}, "`sample_weight`"),
        ({"groups": 1}, "`groups`"),
    ],
    ids=lambda change: str(change)[:30],
)
def test_a_checkpoint_of_another_fit_is_refused(tmp_path: Path, change: Any, what: str) -> None:
    X, Y = data(8)
    quick(max_epochs=1, checkpoints=tmp_path).fit(X, Y)
    fit: dict[str, Any] = {}
    if "X" in change:
        X = X + np.eye(*X.shape)
    if "y" in change:
        Y = 1 - Y
    if "sample_weight" in change:
        fit["sample_weight"] = np.arange(len(X)) + 1.0
    if "groups" in change:
        fit["groups"] = np.arange(len(X)) % 9
    options = {k: v for k, v in change.items() if k not in ("X", "y", "sample_weight", "groups")}
    with pytest.raises(ValueError, match=rf"same fit.*differs in: .*{what}"):
        quick(max_epochs=1, checkpoints=tmp_path, **options).fit(X, Y, **fit)


def test_a_broken_checkpoint_and_one_that_went_too_far(tmp_path: Path) -> None:
    X, Y = data(9)
    quick(max_epochs=2, checkpoints=tmp_path).fit(X, Y)
    with pytest.raises(ValueError, match=r"`max_epochs` is 1.*2 epochs"):
        quick(max_epochs=1, checkpoints=tmp_path).fit(X, Y)
    path = tmp_path / "neural_ranker.pt"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"`checkpoints`.*cannot be read"):
        quick(max_epochs=2, checkpoints=tmp_path).fit(X, Y)


def test_a_failed_write_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: Any) -> None:
    X, Y = data(10)
    quick(max_epochs=1, checkpoints=tmp_path).fit(X, Y)
    before = (tmp_path / "neural_ranker.pt").read_bytes()

    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(OSError, match="no space"):
        quick(max_epochs=2, checkpoints=tmp_path).fit(X, Y)
    assert [path.name for path in tmp_path.iterdir()] == ["neural_ranker.pt"]
    assert (tmp_path / "neural_ranker.pt").read_bytes() == before


class Odd:
    def __init__(self, a: int) -> None:
        self.a = a


@pytest.mark.parametrize(
    "make",
    [
        lambda c: np.full(3, c),
        lambda c: np.array([c, "x"], dtype=object),
        lambda c: np.full((40, 30), float(c))[::2, ::3],
        lambda c: sparse.csr_array([[0.0, c]]),
        lambda c: nn.Linear(1, 1).requires_grad_(False).apply(lambda m: m.weight.fill_(c)),
        lambda c: {"a": [c, None]},
        lambda c: Odd(c),
        lambda c: iso.LossAggregation([1, c]),
        lambda c: [nn.ReLU, nn.GELU][c - 1],
        lambda c: {"a", str(c)},
        lambda c: torch.device("cpu", c),
    ],
)  # fmt: skip
def test_digests_tell_contents_apart_and_know_no_addresses(make: Any) -> None:
    torch.manual_seed(0)
    one = digest(make(1))
    torch.manual_seed(0)
    assert digest(make(1)) == one
    torch.manual_seed(0)
    assert digest(make(2)) != one


# Prediction.


def torch_scores(ranker: iso.NeuralRanker, X: Any) -> np.ndarray:
    """The default network in torch, from the arrays."""
    network = Perceptron(X.shape[1], tuple(ranker.hidden))
    layers = [layer for layer in network if isinstance(layer, nn.Linear)]
    with torch.no_grad():
        for layer, w, b in zip(layers, ranker.coefs_, ranker.intercepts_, strict=True):
            layer.weight.copy_(torch.from_numpy(w.T.copy()))
            layer.bias.copy_(torch.from_numpy(b))
    return scores(network, X, Scaling(ranker.mean_, ranker.scale_))


@pytest.mark.parametrize("hidden", [(), (8,), (16, 8)])
def test_numpy_and_torch_predict_alike(hidden: tuple[int, ...]) -> None:
    X, Y = data(11)
    ranker = quick(hidden=hidden).fit(X, Y)
    assert [w.shape[1] for w in ranker.coefs_] == [*hidden, 1]
    np.testing.assert_allclose(ranker.predict(X), torch_scores(ranker, X), rtol=1e-5, atol=1e-5)
    assert not hasattr(ranker, "module_")


def test_a_pickled_model_predicts_without_torch(tmp_path: Path) -> None:
    X, Y = data(12)
    ranker = quick(iso.LossAggregation()).fit(X, Y)
    (tmp_path / "ranker").write_bytes(pickle.dumps(ranker))
    np.save(tmp_path / "X.npy", X)
    script = (
        f"{WITHOUT_TORCH}; import numpy as np, pickle\n"
        f"ranker = pickle.load(open({str(tmp_path / 'ranker')!r}, 'rb'))\n"
        f"scores = ranker.predict(np.load({str(tmp_path / 'X.npy')!r}))\n"
        f"np.save({str(tmp_path / 'scores.npy')!r}, scores)\n"
        "assert not any(name.startswith(('torch', 'skorch')) for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
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


# Modules of one's own.


@pytest.mark.parametrize("flat", [False, True])
def test_a_module_class_and_an_instance(flat: bool) -> None:
    X, Y = data(14)
    ranker = quick(module=Noisy, params={"module__width": 5}).fit(X, Y)
    assert ranker.module_.layers[0].out_features == 5
    assert ranker.score(X, Y) > 0.6
    assert not hasattr(ranker, "coefs_")
    np.testing.assert_array_equal(ranker.predict(X), ranker.predict(X))
    torch.manual_seed(0)
    given = nn.Sequential(nn.Linear(5, 1), *([nn.Flatten(0)] if flat else []))
    before = given[0].weight.detach().clone()
    trained = quick(module=given).fit(X, Y)
    assert torch.equal(given[0].weight, before), "the parameter was trained itself"
    assert not torch.equal(trained.module_[0].weight, before)
    again = pickle.loads(pickle.dumps(trained))
    np.testing.assert_array_equal(again.predict(X), trained.predict(X))
    trained.set_params(module=None).fit(X, Y)
    assert not hasattr(trained, "module_")


def test_features_may_stay_as_they_are() -> None:
    X, Y = data(15)
    ranker = quick(standardize=False).fit(X, Y)
    np.testing.assert_array_equal(ranker.mean_, np.zeros(5))
    np.testing.assert_array_equal(ranker.scale_, np.ones(5))


def test_other_optimizers() -> None:
    X, Y = data(16)
    params = {"optimizer": torch.optim.SGD, "optimizer__momentum": 0.9}
    assert quick(params=params).fit(X, Y).score(X, Y) > 0.6


def test_schedules_of_the_learning_rate() -> None:
    X, Y = data(16)
    schedule = LRScheduler(torch.optim.lr_scheduler.StepLR, step_size=1, gamma=0.0)
    held = quick(params={"callbacks": [schedule]}, patience=None).fit(X, Y)
    once = quick(max_epochs=1, patience=None).fit(X, Y)
    for a, b in zip(held.coefs_, once.coefs_, strict=True):
        np.testing.assert_array_equal(a, b)
    assert quick(params={"device": None}).fit(X, Y).score(X, Y) > 0.6


def test_checkpoints_and_options_do_not_hinder_saving(tmp_path: Path) -> None:
    X, Y = data(16)
    ranker = quick(checkpoints=tmp_path / "runs").fit(X, Y)
    iso.save(ranker, tmp_path / "model")
    again = iso.load(tmp_path / "model")
    assert again.checkpoints == str(tmp_path / "runs")
    np.testing.assert_array_equal(again.predict(X), ranker.predict(X))
    np.testing.assert_array_equal(again.fit(X, Y).predict(X), ranker.predict(X))
    for params in ({"optimizer": torch.optim.SGD}, {"device": torch.device("cpu")}):
        ranker = quick(params=params).fit(X, Y)
        with pytest.raises(ValueError, match=r"params\[.*set_params\(params=None\)"):
            iso.save(ranker, tmp_path / "model")
        iso.save(ranker.set_params(params=None), tmp_path / "model")
        np.testing.assert_array_equal(iso.load(tmp_path / "model").predict(X), ranker.predict(X))


@pytest.mark.parametrize("inside", ["", "runs"])
def test_a_file_is_no_folder_for_checkpoints(tmp_path: Path, inside: str) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(NotADirectoryError, match=r"Found a file.*another folder"):
        quick(checkpoints=tmp_path / "file" / inside).fit(X4, Y4)
    assert (tmp_path / "file").read_text() == "kept"


# Features.


def test_scales_and_shifts_of_features_do_not_matter() -> None:
    X, Y = data(17)
    plain_ = quick().fit(X, Y)
    moved = quick().fit(X * 2.0 ** np.array([-40, -2, 0, 3, 400]), Y)
    np.testing.assert_allclose(plain_.history_["loss"], moved.history_["loss"], rtol=1e-4)
    constant = quick().fit(np.c_[X, np.full(len(X), 0.1)], Y)
    assert np.isfinite(constant.predict(np.c_[X, np.zeros(len(X))])).all()


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_equals_dense(make: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(batching, "_BLOCK", 500)
    X, Y = data(18)
    X[np.random.default_rng(0).random(X.shape) < 0.7] = 0.0
    dense, thin = quick().fit(X, Y), quick().fit(make(X), Y)
    np.testing.assert_array_equal(thin.predict(make(X)), dense.predict(X))


def test_single_precision_is_not_copied() -> None:
    X, Y = data(19)
    X = X.astype(np.float32)
    single, double = quick().fit(X, Y), quick().fit(X.astype(float), Y)
    assert same(single, double)


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


# Batches.


def test_batches_hold_every_row_once_and_groups_whole() -> None:
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(1000)[:701])
    dealt = batches(rows, None, 100, rng)
    assert {part.size for part in dealt} <= {87, 88}
    np.testing.assert_array_equal(np.sort(np.concatenate(dealt)), rows)
    groups = rng.integers(0, 60, 1000)
    groups[:200] = 7
    dealt = batches(rows, groups, 50, rng)
    np.testing.assert_array_equal(np.sort(np.concatenate(dealt)), rows)
    of = [set(groups[part]) for part in dealt]
    assert sum(map(len, of)) == len(set().union(*of)), "a group is in two batches"
    assert all(part.size <= 50 or len(set(groups[part])) == 1 for part in dealt)
    assert len(batches(rows, groups, None, rng)) == len(batches(rows, None, None, rng)) == 1


# Bad input.

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
        ({}, X4, Y4[:3], {}, ValueError, "`X` and `y`.*4 and 3"),
        ({}, X4, None, {}, ValueError, "requires y to be passed"),
        ({}, X4[:, 0], Y4, {}, ValueError, "Expected 2D array, got 1D"),
        ({}, NAN, Y4, {}, ValueError, "X contains NaN"),
        ({"hidden": 5}, X4, Y4, {}, ValueError, "`hidden`.*256.*5"),
        ({"hidden": (5, 0)}, X4, Y4, {}, ValueError, "`hidden`.*>= 1"),
        ({"surrogate": "logit"}, X4, Y4, {}, ValueError, "`surrogate`.*'logit'"),
        ({"learning_rate": 0}, X4, Y4, {}, ValueError, "`learning_rate`.*above 0"),
        ({"learning_rate": "low"}, X4, Y4, {}, ValueError, "`learning_rate`.*'low'"),
        ({"validation_fraction": 1.0}, X4, Y4, {}, ValueError, "`validation_fraction`.*between"),
        ({"batch_size": 1}, X4, Y4, {}, ValueError, "`batch_size`.*>= 2"),
        ({"max_epochs": 0}, X4, Y4, {}, ValueError, "`max_epochs`.*>= 1"),
        ({"patience": 0}, X4, Y4, {}, ValueError, "`patience`.*>= 1"),
        ({"group_weight": "same"}, X4, Y4, {}, ValueError, "`group_weight`.*'same'"),
        ({"random_state": -1}, X4, Y4, {}, ValueError, "`random_state`"),
        ({"objective": iso.LossAggregation}, X4, Y4, {}, TypeError, "`objective`"),
        ({"module": "mlp"}, X4, Y4, {}, TypeError, "`module`.*'mlp'"),
        ({"module": Wide, "patience": None}, X4, Y4, {}, ValueError, r"`module`.*\(4, 2\)"),
        ({"params": [1]}, X4, Y4, {}, TypeError, "`params`.*dict"),
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
