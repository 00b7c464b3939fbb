"""Data sets on which recommendations are judged: real ones where they are, and made ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from isonomy import datasets

Array = np.ndarray
Maker = Callable[[int, np.random.Generator], tuple[Array, Array]]

# Rows that are compared on, and rows of made data that judge.
ROWS, FRESH = 7_000, 30_000
# Of real data 70% of the rows are compared on, but at most so many; all others judge.
SHARE = 0.7


@dataclass(frozen=True)
class Rows:
    """Features, labels and, where there are queries, the query of each row."""

    X: Array
    Y: Array
    groups: Array | None = None


@dataclass(frozen=True)
class Draw:
    """Rows to compare on, and rows to judge by."""

    known: Rows
    fresh: Rows


def made(name: str, seed: int) -> Draw:
    """A draw of made data, judged by many fresh rows."""
    rng = np.random.default_rng(seed)
    X, Y = MADE[name](ROWS + FRESH, rng)
    return Draw(Rows(X[:ROWS], Y[:ROWS]), Rows(X[ROWS:], Y[ROWS:]))


def _labels(pulls: Array, priors: list[float], rng: np.random.Generator) -> Array:
    """Labels with about these priors, whose logits are these pulls."""
    shifts = [np.quantile(pull, 1 - prior) for pull, prior in zip(pulls.T, priors, strict=True)]
    return (rng.random(pulls.shape) < expit(pulls - shifts)).astype(np.uint8)


def equal(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Two labels alike: the same prior, as predictable, partly the same features."""
    X = rng.normal(size=(n, 6))
    pulls = np.column_stack([1.2 * X[:, 0] + X[:, 1], 1.2 * X[:, 2] + X[:, 1]])
    return X, _labels(pulls, [0.4, 0.4], rng)


def rare(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """A common label and one of 2%, which bends: trees see it, sums do not."""
    X = rng.normal(size=(n, 6))
    bent = 2.5 * np.abs(X[:, 2]) + X[:, 0] * X[:, 1]
    return X, _labels(np.column_stack([X[:, 0] + X[:, 1], 2 * bent]), [0.3, 0.02], rng)


def opposed(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """What speaks for one label speaks against the other, but for one feature of each."""
    X = rng.normal(size=(n, 5))
    pulls = np.column_stack([1.5 * X[:, 0] + 0.7 * X[:, 1], -1.5 * X[:, 0] + 0.7 * X[:, 2]])
    return X, _labels(pulls, [0.5, 0.15], rng)


def exclusive(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Three labels of which each item has one."""
    X = rng.normal(size=(n, 4))
    pulls = np.column_stack([2 * X[:, 0], 2 * X[:, 1], 2 * X[:, 2]]) + rng.gumbel(size=(n, 3))
    return X, np.eye(3, dtype=np.uint8)[pulls.argmax(axis=1)]


def funnel(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Clicks, and purchases that come only with a click."""
    X = rng.normal(size=(n, 6))
    click = rng.random(n) < expit(X[:, 0] + 0.8 * X[:, 1] - 0.5)
    buy = click & (rng.random(n) < expit(1.5 * X[:, 2] - 0.8 * X[:, 0] - 1.5))
    return X, np.column_stack([click, buy]).astype(np.uint8)


def six(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Six labels of priors from 3% to 50%, from shared and own features, some bent."""
    X = rng.normal(size=(n, 10))
    own = [X[:, k] + (0.8 * X[:, k + 1] ** 2 if k % 2 else 0.5 * X[:, 6]) for k in range(6)]
    pulls = np.column_stack(own) * 1.2 + 0.6 * X[:, [7]]
    return X, _labels(pulls, [0.5, 0.3, 0.2, 0.1, 0.05, 0.03], rng)


def search_log(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The embedded search log, with 2% recent documents."""
    log = datasets.make_search_log(n, priors=(0.4, 0.02), random_state=rng)
    return log.X, log.Y


MADE: dict[str, Maker] = {
    "equal labels": equal,
    "rare label": rare,
    "opposed labels": opposed,
    "exclusive labels": exclusive,
    "funnel": funnel,
    "six labels": six,
    "search log": search_log,
}


def real(name: str, seed: int) -> Draw:
    """A draw of real data: 70% of it (of its queries) to compare on, the rest to judge."""
    X, Y, groups = REAL[name]()
    rng = np.random.default_rng(seed)
    if groups is not None:
        ids = rng.permutation(np.unique(groups))
        inside = np.isin(groups, ids[: round(SHARE * ids.size)])
        first, rest = np.flatnonzero(inside), np.flatnonzero(~inside)
    else:
        rows = rng.permutation(len(Y))
        first, rest = np.split(rows, [min(round(SHARE * rows.size), ROWS)])
    return Draw(*(Rows(X[i], Y[i], None if groups is None else groups[i]) for i in (first, rest)))


def bank() -> tuple[Array, Array, Array | None]:
    """Mortgage and loan of a bank's customers, from their numbers."""
    found = datasets.load_bank(download=False)
    return np.asarray(found.X, dtype=float), np.asarray(found.Y), None


def mslr() -> tuple[Array, Array, Array | None]:
    """Clicks and relevance of documents, by query; both files, so that 26 queries judge, not 13."""
    parts = [datasets.load_mslr(part, which="sample", download=False) for part in ("train", "test")]
    X = np.concatenate([np.asarray(part.X, dtype=float) for part in parts])
    Y = np.concatenate([np.asarray(part.Y) for part in parts])
    return X, Y, np.concatenate([np.asarray(part.groups) for part in parts])


def helpsteer() -> tuple[Array, Array, Array | None]:
    """Ratings of answers, from statistics of their texts; infinite ones become the median.

    'Complexity', of which the sample has 11 positives, is left out: the rows that judge would
    hold three of them, and a Min that goes by three items is a coin.
    """
    found = datasets.load_helpsteer("statistics", download=False)
    X = np.asarray(found.X, dtype=float)
    X[np.isinf(X)] = np.nan
    Y = np.asarray(found.Y)
    often = np.nansum(Y, axis=0) >= 50
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X), Y[:, often], None


REAL: dict[str, Callable[[], tuple[Array, Array, Array | None]]] = {
    "bank": bank,
    "mslr": mslr,
    "helpsteer2": helpsteer,
}


def draw(name: str, seed: int) -> Draw:
    """A draw of a data set by its name; FileNotFoundError where it is not here."""
    return made(name, seed) if name in MADE else real(name, seed)


def logits_of(probability: Array) -> Array:
    """Finite logits."""
    return np.asarray(logit(np.clip(probability, 1e-9, 1 - 1e-9)))
