"""Spreads by their definition: one item at a time, and every pair of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

import isonomy as iso
from tests.oracles import order_table


def even_size(parts: np.ndarray) -> float:
    """(sum)^2 / sum of squares."""
    return float(parts.sum() ** 2 / (parts**2).sum()) if (parts > 0).any() else 0.0


def correction(size: float) -> float:
    return float(np.sqrt(size / (size - 1))) if size > 1 else np.nan


@dataclass(frozen=True)
class Units:
    """What each estimate is moved by: a column of influences, and its parts above and below."""

    psi: np.ndarray
    up: np.ndarray
    low: np.ndarray
    alone: np.ndarray
    single: np.ndarray  # Squared influences of the members, each on its own.

    def summed(self, number: np.ndarray) -> Units:
        """The same of clusters."""
        which = number == np.arange(number.max() + 1)[:, None]
        return Units(*(which @ each for each in vars(self).values()))

    def mixed(self, slope: np.ndarray) -> Units:
        """One column of all."""
        used = slope != 0
        psi = (self.psi[:, used] @ slope[used])[:, None]
        up, low = ((each[:, used] @ abs(slope[used]))[:, None] for each in (self.up, self.low))
        return Units(psi, up, low, (up + low) ** 2, psi**2)


def spread_of(units: Units, clustered: Units | None) -> dict[str, np.ndarray]:
    """Everything that a `Spread` holds."""
    each = units if clustered is None else clustered
    whole = each.up + each.low
    roles = [
        (each.up > 0) & (each.low == 0),
        (each.up == 0) & (each.low > 0),
        (each.up > 0) & (each.low > 0),
    ]
    n = whole.shape[1]
    size = [[even_size(whole[role[:, e], e]) for e in range(n)] for role in roles]
    variance = np.array([(role * each.psi**2).sum(axis=0) for role in roles])
    scale = np.array([(role * each.alone).sum(axis=0) for role in roles])
    if clustered is not None:
        effect = (each.psi**2).sum(axis=0) / each.single.sum(axis=0)
        most = np.array([(role * whole**2).sum(axis=0) for role in roles])
        scale = np.minimum(scale * np.maximum(effect, 1.0), most)
    sides = [[even_size(side[:, e]) for e in range(n)] for side in (each.up, each.low)]
    return {
        "size": np.array(size),
        "variance": variance,
        "scale": scale,
        "smallest": np.min(sides, axis=0),
        "covariance": each.psi.T @ each.psi,
    }


class Slow:
    """The units of some preferences, each item written out as often as it is there."""

    def __init__(self, wish: iso.Preferences, scores: np.ndarray, cluster: np.ndarray | None):
        n = len(scores)
        count = np.ones(n, int) if wish.count is None else wish.count
        self.row = np.repeat(np.arange(n), count)
        weight = (np.ones(n) if wish.weight is None else wish.weight) / np.maximum(count, 1)
        self.weight, self.scores = weight[self.row], scores[self.row]
        above, below = (
            np.asarray(table.toarray() if sparse.issparse(table) else table, float)[
                wish.codes[self.row]
            ]
            * self.weight[:, None]
            for table in wish.tables
        )
        self.sides = above, below
        costs = [np.outer(a, b) for a, b in zip(above.T, below.T, strict=True)]
        for cost in costs:
            np.fill_diagonal(cost, 0.0)
        self.pooled = wish.mix.pooled and len(costs) > 1
        self.costs = [sum(costs)] if wish.mix.pooled else costs
        self.group = None if wish.group is None else wish.group[self.row]
        self.n_groups = wish.n_groups
        self.equal = wish.group_weight == "equal"
        self.cluster = None if cluster is None else cluster[self.row]
        self.cluster_of_group = None
        if wish.group is not None and cluster is not None:
            first = [np.flatnonzero(wish.group == g)[0] for g in range(wish.group.max() + 1)]
            self.cluster_of_group = cluster[first]

    def units(self) -> Units:
        """Items or groups, before any mix."""
        columns = [
            self._item(r) if self.group is None else self._group(r) for r in range(len(self.costs))
        ]
        psi, up, low, alone = (np.stack(each, axis=1) for each in zip(*columns, strict=True))
        return Units(psi, up, low, alone, psi**2)

    def clusters(self, units: Units) -> Units | None:
        if self.cluster is None:
            return None
        return units.summed(
            self.cluster if self.cluster_of_group is None else self.cluster_of_group
        )

    def mixed(self, units: Units, slope: np.ndarray) -> Units:
        """Of groups, too, in which the items average out."""
        found = units.mixed(slope)
        return replace(found, alone=found.alone * self._averaging()[:, None])

    def independent_pairs(self) -> np.ndarray:
        """As many as the fewer units on a side; every other unit, if they stand on both."""
        if self.group is not None:
            return np.array([self._n_groups(self._by_group(cost)) for cost in self.costs])
        found = []
        for a, b in zip(self.sides[0].T, self.sides[1].T, strict=True):
            pairs = min(even_size(self._sum(a)), even_size(self._sum(b)))
            if (a * b).any() and not self.pooled:
                pairs = min(pairs, even_size(self._sum(self.weight)) / 2)
            found.append(pairs)
        return np.array([min(x for x in found if x > 0)] if self.pooled else found)

    def _averaging(self) -> np.ndarray:
        if self.group is None:
            return np.ones(len(self.row))
        n_items = np.bincount(self.group, minlength=self.n_groups)
        return np.asarray(np.minimum(4 / np.maximum(n_items, 1), 1.0))

    def _by_group(self, table: np.ndarray) -> np.ndarray:
        inside = [self.group == g for g in range(self.n_groups)]
        return np.array([table[g][:, g].sum() for g in inside])

    def _n_groups(self, pairs: np.ndarray) -> int:
        """Those, or their clusters, that have pairs."""
        groups = np.arange(pairs.size) if self.cluster_of_group is None else self.cluster_of_group
        return int(np.unique(groups[pairs > 0]).size)

    def _sum(self, parts: np.ndarray) -> np.ndarray:
        """By cluster, where there are any."""
        if self.cluster is None:
            return parts
        return np.array([parts[self.cluster == c].sum() for c in np.unique(self.cluster)])

    def _item(self, r: int) -> list[np.ndarray]:
        cost, right = self.costs[r], order_table(self.scores)
        total = cost.sum()
        if total == 0:
            return [np.full(len(cost), np.nan)] * 4
        excess = cost * (right - (cost * right).sum() / total) / total
        everyone = correction(even_size(self._sum(self.weight)))
        above, below = everyone, everyone
        if not self.pooled:
            a, b = self.sides[0][:, r], self.sides[1][:, r]
            if not (a * b).any():
                above, below = (
                    1.0
                    if even_size(self._sum(each)) <= 1
                    else correction(even_size(self._sum(each)))
                    for each in (a, b)
                )
        up, low = cost.sum(axis=1) / total, cost.sum(axis=0) / total
        psi = above * excess.sum(axis=1) + below * excess.sum(axis=0)
        return [psi, up, low, (up + low) ** 2]

    def _group(self, r: int) -> list[np.ndarray]:
        N = self._by_group(self.costs[r] * order_table(self.scores))
        D = self._by_group(self.costs[r])
        n_units = self._n_groups(D)
        if self.equal:
            N, D = np.where(D > 0, N / np.where(D > 0, D, 1), 0), (D > 0).astype(float)
        psi = (N - D * N.sum() / D.sum()) / D.sum() * correction(n_units)
        part = D / D.sum()
        return [psi, part / 2, part / 2, part**2 * self._averaging()]
