"""Training a network on the pair loss of batches, epoch by epoch, with skorch."""

from __future__ import annotations

import copy
import inspect
import math
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from skorch import NeuralNet
from skorch.callbacks import EarlyStopping
from torch import Tensor, nn
from torch.nn import Module as Module

from isonomy._core import FloatArray, Items, Objective
from isonomy._infra import progress
from isonomy._rankers.neural.batching import Scaling, batches, blocks, dense
from isonomy._rankers.neural.checkpoint import Checkpoint
from isonomy._rankers.splitting import Index
from isonomy.boosting import WatchedAUC, finite_scores
from isonomy.torch import PairLoss

# Options of skorch that would take the training out of this module's hands.
_OWN = frozenset(
    {
        *("batch_size", "criterion", "dataset", "iterator_train", "iterator_valid", "lr"),
        *("max_epochs", "module", "predict_nonlinearity", "train_split", "verbose", "warm_start"),
    }
)


# torch's random numbers belong to the process: fits of several threads wait for each other. A fit
# may hold another one, in a callback.
_drawing = threading.RLock()


def _after_fork() -> None:
    """A child has no thread that would let go of the lock."""
    global _drawing
    _drawing = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def check_options(params: dict[str, Any], module: Any) -> None:
    """Refuse options of skorch that the ranker sets itself, or that would change nothing."""
    for name in params:
        start, _, rest = str(name).partition("__")
        if start == "module" and rest and isinstance(module, type):
            continue
        if start == "module" and rest:
            cure = (
                "its default network has `hidden`"
                if module is None
                else "an instance is made already; pass `module` as a class"
            )
        elif start in _OWN or name == "optimizer__lr":
            cure = (
                "use its own parameters, such as `learning_rate`, `batch_size`, `max_epochs`, "
                "`objective` and `surrogate`"
            )
        else:
            continue
        raise ValueError(f"Parameter `params` should leave {name!r} to the ranker: {cure}.")
    callbacks = params.get("callbacks")
    for each in callbacks if isinstance(callbacks, list | tuple) else ():
        callback = each[1] if isinstance(each, tuple) else each
        if isinstance(callback, EarlyStopping) or callback is EarlyStopping:
            raise ValueError(
                "Parameter `params` should hold no EarlyStopping among its callbacks: use "
                "`patience`, which stops by the AUC of held-out rows."
            )


@dataclass
class TrainingState:
    """Where the training stands after some epochs; all of it goes into a checkpoint."""

    epoch: int = 0
    history: dict[str, list[float]] = field(default_factory=lambda: {"loss": []})
    best_epoch: int = 0
    best_auc: float = -math.inf
    best: dict[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class NetworkTraining:
    """One fit.

    Attributes
    ----------
    items : all rows, with their features
    train, valid : numbers of those to learn from, and of those to stop by
    watched : the AUC of the `valid` rows; None: train to the end
    seed : of the first weights, of the batches, and of what a module draws
    """

    items: Items
    train: Index
    valid: Index
    watched: WatchedAUC | None
    scaling: Scaling
    objective: Objective
    surrogate: str
    batch_size: int | None
    max_epochs: int
    patience: int
    learning_rate: float
    seed: int

    def run(
        self, module: Any, params: dict[str, Any], checkpoint: Checkpoint | None
    ) -> tuple[nn.Module, TrainingState]:
        """Train from the start, or from the checkpoint; the module has the best weights."""
        device = torch.device(params.get("device") or "cpu")
        cuda = [device] if device.type == "cuda" else []
        with _drawing, torch.random.fork_rng(devices=cuda):
            torch.manual_seed(self.seed)
            net = self._net(module, params)
            at = self._start(net, checkpoint)
            net.notify("on_train_begin", X=self.train, y=None)
            left = range(at.epoch, self.max_epochs)
            for epoch in progress(left, len(left), "Training"):
                if self._stops(at):
                    break
                # Every epoch has seeds of its own, so that a resumed fit draws the same.
                torch.manual_seed((self.seed + epoch + 1) % 2**63)
                net.epoch = epoch
                net.fit_loop(self.train, epochs=1)
                self._judge(net, at)
                if checkpoint is not None:
                    checkpoint.write(self._state(net, at))
            net.notify("on_train_end", X=self.train, y=None)
        fitted: nn.Module = net.module_
        if at.best:
            fitted.load_state_dict(at.best)
        return fitted.eval(), at

    def _net(self, module: Any, params: dict[str, Any]) -> Any:
        if isinstance(module, nn.Module):
            module = copy.deepcopy(module)
        elif "n_features" in inspect.signature(module).parameters:
            params = {"module__n_features": self.items.X.shape[1], **params}
        net = _PairLossNet(
            **{"optimizer": torch.optim.Adam, "callbacks": "disable", **params},
            module=module,
            criterion=PairLoss,
            criterion__objective=self.objective,
            criterion__surrogate=self.surrogate,
            criterion__group_weight=self.items.group_weight,
            lr=self.learning_rate,
            train_split=None,
            verbose=0,
        )
        net.job = self
        return net.initialize()

    def _start(self, net: Any, checkpoint: Checkpoint | None) -> TrainingState:
        state = None if checkpoint is None else checkpoint.read()
        if checkpoint is None or state is None:
            return TrainingState()
        if state["epoch"] > self.max_epochs:
            raise ValueError(
                f"Parameter `max_epochs` is {self.max_epochs}, but the checkpoint has trained for "
                f"{state['epoch']} epochs. Raise it, or name another folder."
            )
        state.pop("seed")
        try:
            net.module_.load_state_dict(state.pop("module"))
            net.optimizer_.load_state_dict(state.pop("optimizer"))
            return TrainingState(**state)
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise checkpoint.unreadable() from error

    def _state(self, net: Any, at: TrainingState) -> dict[str, Any]:
        module, optimizer = net.module_.state_dict(), net.optimizer_.state_dict()
        return {"seed": self.seed, "module": module, "optimizer": optimizer, **vars(at)}

    def _stops(self, at: TrainingState) -> bool:
        return self.watched is not None and at.epoch - at.best_epoch >= self.patience

    def _judge(self, net: Any, at: TrainingState) -> None:
        """Note the epoch, and keep the weights if they are the best so far."""
        at.epoch += 1
        # By the sizes of the batches, as a mean over the rows.
        batches_ = net.history[-1, "batches", :, ("train_loss", "train_batch_size")]
        loss = sum(a * b for a, b in batches_) / sum(b for _, b in batches_)
        at.history["loss"].append(loss)
        if self.watched is None:
            return
        found = scores(net.module_, self.items.X, self.scaling, self.valid)
        auc = self.watched.at(finite_scores(found))
        at.history.setdefault(f"validation_{self.watched.name}", []).append(auc)
        if auc > at.best_auc:
            at.best_auc, at.best_epoch = auc, at.epoch
            at.best = {
                name: value.detach().cpu().clone()
                for name, value in net.module_.state_dict().items()
            }


class _PairLossNet(NeuralNet):  # type: ignore[misc]
    """A net whose targets are row numbers: labels, weights and groups are looked up by them."""

    job: NetworkTraining
    epoch: int = 0

    def check_data(self, X: Any, y: Any = None) -> None:
        """Checked long before."""

    def get_dataset(self, X: Any, y: Any = None) -> Any:
        """Rows are their own data set."""
        return X

    def get_iterator(self, dataset: Any, training: bool = False) -> Iterator[tuple[Tensor, Tensor]]:
        """Batches of standardised features, with their row numbers."""
        job = self.job
        rng = np.random.default_rng([job.seed, self.epoch])
        for rows in batches(dataset, job.items.group, job.batch_size, rng):
            X = job.scaling.apply(dense(job.items.X[rows])).astype(np.float32)
            yield torch.from_numpy(X), torch.from_numpy(rows)

    def get_loss(self, y_pred: Tensor, y_true: Any, X: Any = None, training: bool = False) -> Any:
        """The pair loss of the rows of a batch."""
        batch = replace(self.job.items, X=None).take(y_true.cpu().numpy())
        scores = one_score(y_pred, len(batch))
        return self.criterion_(scores, batch.labels, batch.sample_weight, batch.group)


class Perceptron(nn.Sequential):
    """Linear layers with rectifiers between them, to one score."""

    def __init__(self, n_features: int, hidden: tuple[int, ...]) -> None:
        sizes = [n_features, *hidden]
        layers: list[nn.Module] = []
        for a, b in pairwise(sizes):
            layers += [nn.Linear(a, b), nn.ReLU()]
        super().__init__(*layers, nn.Linear(sizes[-1], 1))

    def arrays(self) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
        """Weights (inputs, outputs) and intercepts (outputs,) of each layer."""
        layers = [layer for layer in self if isinstance(layer, nn.Linear)]
        return (
            [np.ascontiguousarray(layer.weight.detach().cpu().numpy().T) for layer in layers],
            [layer.bias.detach().cpu().numpy().copy() for layer in layers],
        )


def scores(module: nn.Module, X: Any, scaling: Scaling, rows: Index | None = None) -> FloatArray:
    """A module's scores of some rows, all by default."""
    device = next((p.device for p in module.parameters()), torch.device("cpu"))
    was_training = module.training
    module.eval()
    found = []
    with torch.no_grad():
        for block in blocks(X, rows):
            inputs = torch.from_numpy(scaling.apply(block).astype(np.float32)).to(device)
            found.append(one_score(module(inputs), len(block)).double().cpu().numpy())
    module.train(was_training)
    return np.concatenate(found)


def one_score(output: Tensor, n: int) -> Tensor:
    """A module's output as one score per row."""
    shape = tuple(output.shape) if isinstance(output, Tensor) else type(output).__name__
    if shape not in ((n,), (n, 1)):
        raise ValueError(
            f"Parameter `module` should return one score per row, of shape ({n},) or ({n}, 1). "
            f"Found {shape}."
        )
    return output.reshape(n)
