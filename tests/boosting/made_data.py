"""Small data that two labels can be learned from."""

from __future__ import annotations

import numpy as np


def data(
    n: int = 600, d: int = 4, n_labels: int = 2, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Features, and labels that depend on them, no two alike."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    pull = X @ rng.normal(size=(d, n_labels)) + X[:, [0]] ** 2
    Y = pull + rng.logistic(size=(n, n_labels)) > np.linspace(0, 2, n_labels)
    return X, Y.astype(float)
