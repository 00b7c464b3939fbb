"""Made-up scores and labels of a given size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special


def scores_and_labels(
    n: int, n_labels: int, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Sigmoid scores (torchmetrics needs [0, 1]) and labels that they predict, priors .1 to .5."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=n)
    chance = special.expit(signal[:, None] + special.logit(np.linspace(0.1, 0.5, n_labels)))
    labels = (rng.random((n, n_labels)) < chance).astype(np.uint8)
    return special.expit(signal + rng.normal(size=n)), labels
