"""Slow and exact: objectives on finite spaces in fractions, all rankings one by one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm

import numpy as np

# Random spaces per property.
N_SPACES = 500 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 50


@dataclass(frozen=True)
class ExactSpace:
    """Masses and pattern probabilities as fractions."""

    mu: tuple[Fraction, ...]
    joint: tuple[tuple[Fraction, ...], ...]
    independent: bool

    @property
    def n_labels(self):
        return len(self.joint[0]).bit_length() - 1

    @property
    def eta(self):
        bits = patterns(self.n_labels)
        return [
            [sum(p for p, y in zip(row, bits, strict=True) if y[k]) for k in range(self.n_labels)]
            for row in self.joint
        ]

    @property
    def priors(self):
        columns = zip(*self.eta, strict=True)
        return [sum(m * e for m, e in zip(self.mu, column, strict=True)) for column in columns]

    def arguments(self):
        """What the functions of `isonomy.theory` take."""
        mu = [float(m) for m in self.mu]
        if self.independent:
            return {"eta": np.array(self.eta, dtype=float), "mu": mu}
        return {"eta": None, "mu": mu, "patterns": np.array(self.joint, dtype=float)}


def patterns(n_labels):
    """Bit k of a pattern's number is label k."""
    return [tuple(c >> k & 1 for k in range(n_labels)) for c in range(2**n_labels)]


def independent(eta, mu):
    """The space of independent labels with these fractions."""
    joint = []
    for row in eta:
        probabilities = []
        for y in patterns(len(row)):
            p = Fraction(1)
            for e, bit in zip(row, y, strict=True):
                p *= e if bit else 1 - e
            probabilities.append(p)
        joint.append(tuple(probabilities))
    return ExactSpace(tuple(mu), tuple(joint), independent=True)


def random_space(rng, *, n_labels=None, kind=None, points=(3, 6)):
    """Points 3..6, labels 2..4; uncertain, certain or correlated labels; many ties.

    Every label has both classes.
    """
    while True:
        space = _any_space(rng, n_labels, kind, points)
        if all(0 < p < 1 for p in space.priors):
            return space


def _any_space(rng, n_labels, kind, points):
    m = int(rng.integers(points[0], points[1] + 1))
    n_labels = n_labels or int(rng.integers(2, 5))
    kind = kind or str(rng.choice(["uncertain", "certain", "correlated"]))
    masses = rng.integers(1, 5, m)
    mu = [Fraction(int(w), int(masses.sum())) for w in masses]
    if kind == "correlated":
        counts = rng.integers(0, 4, (m, 2**n_labels))
        counts[:, 0] += counts.sum(axis=1) == 0
        joint = tuple(tuple(Fraction(int(c), int(row.sum())) for c in row) for row in counts)
        return ExactSpace(tuple(mu), joint, independent=False)
    parts = 1 if kind == "certain" else int(rng.choice([2, 4, 10]))
    eta = rng.integers(0, parts + 1, (m, n_labels))
    return independent([[Fraction(int(e), parts) for e in row] for row in eta], mu)


def pair_weights(space, cost):
    """W[x, x'] = mu mu' sum over patterns p, q of P(p|x) P(q|x') cost(p, q), as whole numbers."""
    bits = patterns(space.n_labels)
    costs = [[Fraction(cost(p, q)) for q in bits] for p in bits]
    C = whole(costs)
    J = whole([[m * p for p in row] for m, row in zip(space.mu, space.joint, strict=True)])
    return J @ C @ J.T


def whole(table):
    """Fractions times their common denominator, as an array of Python's integers."""
    common = lcm(*(f.denominator for row in table for f in row))
    return np.array([[int(f * common) for f in row] for row in table], dtype=object)


@cache
def signs(m):
    """For every ranking with ties: the sign of rank(x) - rank(x') for all pairs."""
    orders = [o for o in product(range(m), repeat=m) if set(o) == set(range(max(o) + 1))]
    orders = np.array(orders)
    return orders, np.sign(orders[:, :, None] - orders[:, None, :]).reshape(len(orders), -1)


def pair_values(W):
    """Twice the sum of W over pairs that each ranking gets right (ties half), exactly."""
    _, sign = signs(len(W))
    antisymmetric = (W - W.T).ravel()
    if max(map(abs, antisymmetric)) < 2**56:
        antisymmetric = antisymmetric.astype(np.int64)
    return (sign @ antisymmetric) // 2 + W.sum()


def maximisers(W):
    """Which rankings are best."""
    values = pair_values(W)
    return values == values.max()


def respecting(scores):
    """Which rankings put x above x' wherever the scores do."""
    _, sign = signs(len(scores))
    forced = (scores[:, None] > scores).ravel()
    return (sign[:, forced] > 0).all(axis=1)


def exact_auc(space, k, scores):
    """AUC_k as a fraction; a point ties with itself."""
    eta, mu = [row[k] for row in space.eta], space.mu
    right = total = Fraction(0)
    for x, fx in enumerate(scores):
        for z, fz in enumerate(scores):
            weight = mu[x] * mu[z] * eta[x] * (1 - eta[z])
            total += weight
            right += weight * Fraction(int(fx > fz) + int(fx >= fz), 2)
    return right / total
