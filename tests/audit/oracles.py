"""Slow, obviously right versions of what an audit adds to the metrics."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np


def top_parts(
    scores: np.ndarray, fraction: Fraction, weight: np.ndarray | None, groups: np.ndarray | None
) -> list[Fraction]:
    """The part of each item in the top, run by run from the highest score of each group."""
    n = len(scores)
    w = [Fraction(1)] * n if weight is None else [Fraction(float(x)) for x in weight]
    where = [0] * n if groups is None else list(groups)
    parts = [Fraction(0)] * n
    for group in set(where):
        members = [i for i in range(n) if where[i] == group]
        room = fraction * sum(w[i] for i in members)
        for score in sorted({scores[i] for i in members}, reverse=True):
            run = [i for i in members if scores[i] == score]
            mass = sum(w[i] for i in run)
            if mass:
                for i in run:
                    parts[i] = max(min(room / mass, Fraction(1)), Fraction(0))
                room -= mass
    return parts


def top_share(
    y: np.ndarray,
    scores: np.ndarray,
    fraction: Fraction,
    weight: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> tuple[float, float]:
    """Share of positives among the observed in the top, and share of all positives there."""
    parts = top_parts(scores, fraction, weight, groups)
    w = [Fraction(1)] * len(y) if weight is None else [Fraction(float(x)) for x in weight]
    seen = sum(p * v for p, v, label in zip(parts, w, y, strict=True) if label == label)
    hits = sum(p * v for p, v, label in zip(parts, w, y, strict=True) if label == 1)
    every = sum(v for v, label in zip(w, y, strict=True) if label == 1)
    return float(hits / seen) if seen else math.nan, float(hits / every) if every else math.nan


def top_share_by_orders(y: np.ndarray, scores: np.ndarray, size: int) -> float:
    """The mean share of positives among the first `size` items over all orders of the ties."""
    shares = [
        Fraction(int(sum(y[i] for i in order[:size])), size)
        for order in itertools.permutations(range(len(y)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    return float(sum(shares) / len(shares))


def wilson_by_search(share: float, n: float, z: float) -> tuple[float, float]:
    """All p with |share - p| <= z sqrt(p (1 - p) / n), by looking for the ends."""
    grid = np.linspace(0, 1, 1_000_001)
    inside = grid[np.abs(share - grid) <= z * np.sqrt(grid * (1 - grid) / n) + 1e-12]
    return float(inside.min()), float(inside.max())
