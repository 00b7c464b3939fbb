"""Training of a network: seeds, modules and optimisers of one's own, the best epoch kept."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from skorch.callbacks import LRScheduler
from torch import nn

import isonomy as iso
from isonomy._rankers.neural.batching import Scaling
from isonomy._rankers.neural.training import Perceptron, scores
from tests.rankers.explicit import data
from tests.rankers.neural.quick import Noisy, quick, same


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


def test_threads_fit_what_one_fits() -> None:
    """torch's random numbers belong to all threads."""
    X, Y = data(4)
    alone = quick().fit(X, Y)
    with ThreadPoolExecutor(8) as pool:
        assert all(same(alone, one) for one in pool.map(lambda _: quick().fit(X, Y), range(8)))
