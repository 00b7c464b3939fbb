"""Small data sets whose labels pull in different directions."""

from __future__ import annotations

import numpy as np


def made(seed: int, n: int = 800, K: int = 2, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Features, and K labels that each follow a direction of their own."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    directions = rng.normal(size=(d, K))
    latent = X @ directions + rng.logistic(size=(n, K))
    borders = [np.quantile(column, rng.uniform(0.4, 0.7)) for column in latent.T]
    return X, (latent > borders).astype(float)
