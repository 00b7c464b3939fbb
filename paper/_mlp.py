"""A multi-layer perceptron on the loss over all pairs of each batch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import isonomy as iso
from paper._methods import Fit


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
        model.eval()

        def predict(X_new: np.ndarray) -> np.ndarray:
            with torch.no_grad():
                return model(torch.as_tensor(X_new, dtype=torch.float32)).double().numpy()

        return predict

    return fit
