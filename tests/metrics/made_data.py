"""Labels, scores and weights to measure, and what they should give."""

from __future__ import annotations

import numpy as np

from tests.oracles import class_influence


def problem(
    seed: int, *, n: int = 120, missing: bool = False, ties: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels with priors .5, .3 and .7, two scores that predict them, and weights."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, 3)) < [0.5, 0.3, 0.7]).astype(float)
    scores = Y @ [[1, 0.2], [0.5, 1], [0.1, 0.4]] + rng.normal(size=(n, 2))
    if ties:
        scores = np.round(2 * scores) / 2
    if missing:
        Y[rng.random(Y.shape) < 0.2] = np.nan
    return Y, scores.T, rng.choice([0.0, 0.5, 1.0, 2.5], n)


def label_influences(
    Y: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None
) -> np.ndarray:
    """Influence of each item on each label's AUC, (n, K)."""
    return np.stack([class_influence(y, scores, weight) for y in Y.T], axis=1)
