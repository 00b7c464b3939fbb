"""Labels, scores and segments to audit."""

from __future__ import annotations

import numpy as np
from scipy import special


def made(
    n: int = 600, seed: int = 0, *, missing: bool = False, ties: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Three labels with priors about .5, .3 and .15, and a score that knows the first best."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    Y = (rng.random((n, 3)) < special.expit(x - [0.0, 1.0, 2.0])).astype(float)
    if missing:
        Y[rng.random(Y.shape) < 0.15] = np.nan
    score = x @ [1.0, 0.5, 0.2]
    return Y, np.round(2 * score) / 2 if ties else score


OPTIONS = [
    "plain",
    "weights",
    "groups",
    "equal groups",
    "weights and groups",
    "weights and equal groups",
]


def options(kind: str, n: int) -> dict[str, object]:
    """What else to pass of n rows."""
    rng = np.random.default_rng(7)
    found: dict[str, object] = {}
    if "weights" in kind:
        found["sample_weight"] = rng.choice([0.0, 0.5, 1.0, 3.0], n)
    if "groups" in kind:
        found |= {
            "groups": rng.integers(0, n // 12, n),
            "group_weight": "equal" if "equal" in kind else "pairs",
        }
    return found
