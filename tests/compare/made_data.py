"""Small data sets on which it is known which method should win."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def made(seed: int, n: int = 300, K: int = 2, d: int = 4) -> tuple[Floats, Floats]:
    """Features, and K labels that each follow a direction of their own."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    latent = X @ rng.normal(size=(d, K)) + rng.logistic(size=(n, K))
    borders = [np.quantile(column, rng.uniform(0.4, 0.7)) for column in latent.T]
    return X, (latent > borders).astype(float)


def opposed(seed: int, n: int = 1000) -> tuple[Floats, Floats]:
    """A common label and a rare one that want opposite ends of the one feature that both know."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    latent = np.column_stack([3 * X[:, 0], 3 * X[:, 1] - 1.5 * X[:, 0]])
    return X, (latent + rng.logistic(size=(n, 2)) > [0.0, 5.0]).astype(float)
