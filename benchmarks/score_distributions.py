"""Scores of positives and negatives whose true AUC is known, of as many kinds as users have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy import optimize, special, stats

# Draws scores of a shape, for the positives or for the negatives.
Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...], bool], np.ndarray]

# Cuts of a normal score that make it one of five levels; finer at the top where the AUC is high.
CUTS = np.array([-0.5, 0.25, 1.0, 1.75])
# Of the contaminated scores this share has so many times the spread.
CONTAMINATED, WIDER = 0.1, 5.0


def normal(auc: float) -> Draw:
    """Two normal distributions of one spread."""
    shift = np.sqrt(2) * special.ndtri(auc)
    return lambda rng, shape, positive: rng.normal(size=shape) + shift * positive


def unequal(auc: float) -> Draw:
    """Normal, positives with twice the spread."""
    shift = np.sqrt(5) * special.ndtri(auc)
    return lambda rng, shape, positive: rng.normal(size=shape) * (1 + positive) + shift * positive


def exponential(auc: float) -> Draw:
    """Exponential, with different means."""
    return lambda rng, shape, positive: rng.exponential(auc / (1 - auc) if positive else 1, shape)


def five_levels(auc: float) -> Draw:
    """A normal score cut into five levels."""
    cuts = CUTS if auc < 0.97 else CUTS + 1

    def shares(shift: float) -> np.ndarray:
        return np.diff(special.ndtr([-np.inf, *(cuts - shift), np.inf]))

    below = np.cumsum(shares(0)) - shares(0) / 2
    shift = optimize.brentq(lambda shift: shares(shift) @ below - auc, 0, 20)

    def draw(rng: np.random.Generator, shape: tuple[int, ...], positive: bool) -> np.ndarray:
        return np.searchsorted(cuts, rng.normal(size=shape) + shift * positive).astype(float)

    return draw


def binary(auc: float) -> Draw:
    """Yes or no, right with the same probability for both classes."""
    return lambda rng, shape, positive: (rng.random(shape) < (auc if positive else 1 - auc)).astype(
        float
    )


def contaminated(auc: float) -> Draw:
    """Normal, but a tenth of the scores has five times the spread."""
    wide, usual = CONTAMINATED, 1 - CONTAMINATED
    parts = ((usual**2, 2.0), (2 * wide * usual, 1 + WIDER**2), (wide**2, 2 * WIDER**2))

    def above(shift: float) -> float:
        return sum(share * special.ndtr(shift / np.sqrt(v)) for share, v in parts)

    shift = optimize.brentq(lambda shift: above(shift) - auc, 0, 100)

    def draw(rng: np.random.Generator, shape: tuple[int, ...], positive: bool) -> np.ndarray:
        spread = np.where(rng.random(shape) < wide, WIDER, 1.0)
        return rng.normal(size=shape) * spread + shift * positive

    return draw


def heavy_tails(auc: float) -> Draw:
    """Student's t with two degrees of freedom, shifted."""
    quantiles = stats.t.ppf((np.arange(20_000) + 0.5) / 20_000, 2)
    shift = optimize.brentq(lambda shift: stats.t.cdf(quantiles + shift, 2).mean() - auc, 0, 1000)
    return lambda rng, shape, positive: rng.standard_t(2, shape) + shift * positive


DISTRIBUTIONS: dict[str, Callable[[float], Draw]] = {
    "normal": normal,
    "unequal spread": unequal,
    "exponential": exponential,
    "five levels": five_levels,
    "binary": binary,
    "contaminated": contaminated,
    "t2": heavy_tails,
}
