"""Multi-layer perceptrons on the loss over the pairs of each batch: of any rows, or of queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import isonomy as iso
from paper._methods import Fit

if TYPE_CHECKING:
    import torch


def mlp(
    objective: iso.Objective,
    *,
    hidden: tuple[int, ...],
    epochs: int,
    batch: int,
    rate: float = 1e-3,
    dropout: float = 0.0,
    seed: int = 0,
) -> Fit:
    """ReLU layers, trained by Adam; the gradient by the scores comes from `iso.pair_loss`."""
    import torch

    def network(width: int) -> torch.nn.Sequential:
        layers: list[torch.nn.Module] = []
        for size in hidden:
            layers += [torch.nn.Linear(width, size), torch.nn.ReLU()]
            layers += [torch.nn.Dropout(dropout)] if dropout else []
            width = size
        return torch.nn.Sequential(*layers, torch.nn.Linear(width, 1), torch.nn.Flatten(0))

    def fit(X: np.ndarray, Y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        model = network(X.shape[1])
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        inputs = torch.as_tensor(X, dtype=torch.float32)
        for _ in range(epochs):
            order = rng.permutation(len(X))
            for rows in np.array_split(order, max(1, len(X) // batch)):
                scores = model(inputs[torch.as_tensor(rows)])
                found = iso.pair_loss(Y[rows], scores.detach().double().numpy(), objective)
                optimiser.zero_grad()
                scores.backward(torch.as_tensor(found.gradient, dtype=torch.float32))
                optimiser.step()
        return _predictor(model)

    return fit


def query_mlp(
    objective: iso.Objective,
    queries: np.ndarray,
    *,
    hidden: tuple[int, ...],
    steps: int,
    lists: int,
    documents: int,
    rate: float,
    dropout: float,
    seed: int = 0,
) -> Fit:
    """As TF-Ranking's example: batches of whole queries, of whose pairs alone the loss is made.

    Batch normalisation of the inputs and of every layer, dropout before the output only, Adagrad.
    A query of more documents than fit is drawn from.
    """
    import torch

    def network(width: int) -> torch.nn.Sequential:
        layers: list[torch.nn.Module] = [torch.nn.BatchNorm1d(width)]
        for size in hidden:
            layers += [torch.nn.Linear(width, size), torch.nn.BatchNorm1d(size), torch.nn.ReLU()]
            width = size
        layers += [torch.nn.Dropout(dropout), torch.nn.Linear(width, 1), torch.nn.Flatten(0)]
        return torch.nn.Sequential(*layers)

    def fit(X: np.ndarray, Y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        torch.manual_seed(seed)
        rng = np.random.default_rng(seed)
        model = network(X.shape[1])
        # TensorFlow's accumulator begins there.
        optimiser = torch.optim.Adagrad(model.parameters(), lr=rate, initial_accumulator_value=0.1)
        inputs = torch.as_tensor(X, dtype=torch.float32)
        order = np.argsort(queries, kind="stable")
        rows_of = np.split(order, np.unique(queries[order], return_index=True)[1][1:])
        for _ in range(steps):
            chosen = rng.choice(len(rows_of), min(lists, len(rows_of)), replace=False)
            rows = np.concatenate([rng.permutation(rows_of[q])[:documents] for q in chosen])
            scores = model(inputs[torch.as_tensor(rows)])
            found = iso.pair_loss(
                Y[rows], scores.detach().double().numpy(), objective, groups=queries[rows]
            )
            optimiser.zero_grad()
            scores.backward(torch.as_tensor(found.gradient, dtype=torch.float32))
            optimiser.step()
        return _predictor(model)

    return fit


def _predictor(model: torch.nn.Module) -> Callable[[np.ndarray], np.ndarray]:
    """Scores of a network that is no longer trained."""
    import torch

    model.eval()

    def predict(X_new: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return model(torch.as_tensor(X_new, dtype=torch.float32)).double().numpy()

    return predict
