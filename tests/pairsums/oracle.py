"""Slow sums over all pairs in long double, straight from the definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isonomy._pairsums import surrogate_sums
from isonomy.surrogates import Hinge, Surrogate

Array = np.ndarray


def pair_costs(
    codes: Array, above: Array, below: Array, weight: Array, group: Array, coefficient: Array
) -> Array:
    """c[i, j] = sum_r a[g, r] w_i w_j A[i, r] B[j, r] for pairs inside a group g."""
    a = np.asarray(coefficient, dtype=np.longdouble)[group]
    high, low = weight[:, None] * above[codes], weight[:, None] * below[codes]
    return ((a * high) @ low.T.astype(np.longdouble)) * (group[:, None] == group)


def margins(scores: Array, surrogate: Surrogate) -> Array:
    """f_i - f_j, exact, but rounded for hinges, whose derivatives jump at a margin of 1."""
    if isinstance(surrogate.shape, Hinge):
        return (scores[:, None] - scores).astype(np.longdouble)
    exact = np.asarray(scores, dtype=np.longdouble)
    return exact[:, None] - exact


def value(costs: Array, scores: Array, surrogate: Surrogate) -> Any:
    return (costs * surrogate.value(margins(scores, surrogate))).sum()


def gradient(costs: Array, scores: Array, surrogate: Surrogate) -> Array:
    pull = costs * surrogate.slope(margins(scores, surrogate))
    return pull.sum(1) - pull.sum(0)


def hessian(costs: Array, scores: Array, surrogate: Surrogate) -> Array:
    push = costs * surrogate.curvature(margins(scores, surrogate))
    push = push + push.T
    return np.diag(push.sum(1)) - push


def assert_close(found: Any, expected: Any, relative: float, weight: float) -> None:
    """Within `relative` of the largest entry, or 1e-15 of the weight of all pairs."""
    expected = np.asarray(expected, dtype=np.longdouble)
    error = np.abs(found - expected).max()
    assert error <= relative * np.abs(expected).max() + 1e-15 * weight, float(error)


def check_all(
    items: Any, scores: Array, surrogate: Surrogate, *, way: Any, csr: bool = False
) -> None:
    """Compare values, gradient, Hessian diagonal and product with all pairs."""
    layout = items.arrange(small_below=way.small_below, csr=csr)
    with way.chosen():
        sums = surrogate_sums(layout, scores, surrogate)
    rng = np.random.default_rng(0)
    a = rng.uniform(0.1, 1.0, items.shape)
    coefficient = a[layout.group, layout.term]
    costs = items.costs(a)
    weight = float(costs.sum())
    np.testing.assert_allclose(coefficient @ layout.pairs, weight, rtol=1e-13, atol=0.0)

    values = sums.values()
    for r in range(items.shape[1]):
        only = np.zeros(items.shape)
        only[:, r] = 1.0
        term = items.costs(only)
        total = value(term, scores, surrogate)
        assert_close(values[layout.term == r].sum(), total, 1e-12, float(term.sum()))
    expected = gradient(costs, scores, surrogate)
    assert_close(sums.gradient(coefficient), expected, 1e-12, weight)

    full = hessian(costs, scores, surrogate)
    diagonal = sums.hessian_diagonal(coefficient)
    assert_close(diagonal, np.diag(full), 1e-11, weight)
    direction = rng.normal(size=scores.size)
    product = sums.hessian_product(coefficient, diagonal, direction)
    # H d may be small as a difference of large terms: measure it by those.
    size = (np.abs(full) @ np.abs(direction)).max()
    assert np.abs(product - full @ direction).max() <= 1e-11 * size + 1e-15 * weight


@dataclass(frozen=True)
class Loss:
    """A loss over all pairs and its derivatives."""

    value: float
    gradient: Array
    hessian_diagonal: Array


def ratio_loss(
    cost: Array, scores: Array, surrogate: Surrogate, weight: Array, group: Array, *, equal: bool
) -> Loss | None:
    """N / D of one table of costs, or the mean over the groups of theirs; None without pairs."""
    pairs = weight[:, None] * weight * cost
    inside = [pairs * np.outer(group == g, group == g) for g in np.unique(group)]
    inside = [part for part in inside if part.sum() > 0]
    if not inside:
        return None
    if equal:
        shares = sum(part / part.sum() for part in inside) / len(inside)
    else:
        shares = sum(inside) / sum(part.sum() for part in inside)
    return Loss(
        value(shares, scores, surrogate),
        gradient(shares, scores, surrogate),
        np.diag(hessian(shares, scores, surrogate)),
    )
