"""How much each item, cluster or group moves the ratios N / D: the source of their errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import FloatArray, Items, Preferences, cluster_of_groups, gram, sum_codes
from isonomy._counting.kernels.influence import (
    pooled_influences,
    side_squares,
    term_influences,
)
from isonomy._counting.ranking import Ranking
from isonomy._counting.spread import (
    ROUNDING,
    Spread,
    effective_size,
    known_variance,
    roles_of,
)
from isonomy._infra import chunks, default_threads, run

State: TypeAlias = tuple[FloatArray, FloatArray, NDArray[np.int64]]

# Rows handled at a time: they stay in the cache, and products of so few need no threads.
CHUNK = 1 << 13
# Rows that one thread takes, where there are influences enough to be worth threads.
BLOCK, WORTH_BLOCKS = 1 << 17, 1 << 20


class Block(NamedTuple):
    """Positions of a ranking, and the shares of each side of each term that lie below them."""

    start: int
    stop: int
    seen: FloatArray

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Where each of its chunks starts and stops."""
        for start, stop in chunks(self.stop - self.start, CHUNK):
            yield self.start + start, self.start + stop

    def no_run(self) -> NDArray[np.int64]:
        """Where the run of equal scores before it starts and stops, for a kernel."""
        return np.full(2, self.start, np.int64)


class Influence:
    """The influence psi of each unit on each ratio; the ratios' covariance is psi' psi.

    The units are items, clusters of items that vary together or, where only pairs inside
    groups count, groups (or clusters of whole groups).

    For a term with upper items P and lower items Q, an item of P that outranks the
    share V of Q has influence (V - A) / |P|, and likewise for Q; this is DeLong's
    method. A pooled ratio adds up its terms' influences: both its N and its D are
    sums over items, so that a random D is accounted for. A cluster has the sum of its
    items' influences (Obuchowski); a group's is (N_g - A D_g) / D. A row that stands for
    c items has c times the influence of each, and c of their squares.

    Variances are made unbiased by n / (n - 1): per class for a ratio of one term, over
    all units for the others, and where an item stands on both sides of a term. With
    weights, n is (sum w)^2 / sum w^2. The pair of an item with itself has no part in this.

    Attributes
    ----------
    ratios : ndarray of shape (ratios,)
        N / D.
    independent_pairs : ndarray of shape (ratios,)
        How many pairs without a common unit there are (with weights, effectively).
    """

    def __init__(
        self,
        ranking: Ranking,
        *,
        count: NDArray[np.int64] | None = None,
        cluster: NDArray[np.int64] | None = None,
    ) -> None:
        self.ranking = ranking
        self.sums = ranking.pair_sums()
        self.ratios = self.sums.ratios()
        self.count = None if count is None else count.astype(np.float64)
        self.scale: FloatArray | None = None
        self.own: tuple[FloatArray, FloatArray] | None = None
        # By row or, where there are groups, by group.
        self.cluster = cluster
        if ranking.grouped:
            if cluster is not None:
                group = ranking.preferences.group
                assert group is not None
                self.cluster = cluster_of_groups(group, cluster)
            total = self._by_cluster(self.sums.total)
            self.independent_pairs = (total > 0).sum(axis=0).astype(np.float64)
            return
        if self.count is not None and cluster is None:
            ordered = self.count[ranking.order]
            self.scale = np.divide(1.0, np.sqrt(ordered), out=ordered.copy(), where=ordered > 0)
        self._prepare_items()

    @classmethod
    def of(
        cls,
        items: Items,
        preferences: Preferences,
        scores: FloatArray | None = None,
        *,
        indexed: bool = False,
    ) -> Influence:
        """Of these rows, or of the same with other scores, on what an objective wishes."""
        ranking = Ranking(
            preferences,
            items.scores if scores is None else scores,
            indexed=indexed or items.cluster is not None,
        )
        return cls.on(ranking, items)

    @classmethod
    def on(cls, ranking: Ranking, items: Items) -> Influence:
        """Of rows that are ranked already."""
        return cls(ranking, count=items.count, cluster=items.cluster)

    def covariance(self) -> FloatArray:
        """Covariance of the ratios, (ratios, ratios); NaN where it is unknown."""
        return self.spread().covariance

    def spread(self, slope: FloatArray | None = None, *, jointly: int | None = None) -> Spread:
        """Errors of the ratios or, with a slope for each of them, of the one mix of them.

        `jointly` is of how many, from the first, the covariance is wanted; None: of all.
        """
        if self.by_item:
            return self._spread_of_items(slope, jointly)
        return self._spread_of_units(self._single(slope), slope)

    def difference(
        self,
        other: Influence,
        slope: FloatArray | None = None,
        other_slope: FloatArray | None = None,
    ) -> Spread:
        """Errors of differences to the ratios, or mix, of other scores of the same rows."""
        psi = self._single(slope) - other._single(other_slope)
        if slope is not None and other_slope is not None:
            # Either score may bring in labels of its own, such as the one it serves worst.
            slope = (np.abs(slope) + np.abs(other_slope)) / 2
        if not self.by_item:
            return self._spread_of_units(psi, slope)
        found, roles = self._without_spread(slope)
        codes = self.ranking.preferences.codes
        columns = range(psi.shape[1])
        variance = [[(psi[role[codes, e], e] ** 2).sum() for e in columns] for role in roles]
        return known_variance(replace(found, variance=np.array(variance), covariance=gram(psi)))

    def rows(self, slope: FloatArray | None = None) -> FloatArray:
        """Influences in the order of the rows (or clusters, or groups), (units, estimates)."""
        return self._by_cluster(self._single(slope))

    @property
    def by_item(self) -> bool:
        """Whether items are the units."""
        return not self.ranking.grouped and self.cluster is None

    def _single(self, slope: FloatArray | None) -> FloatArray:
        """Influences of the rows, or groups, whatever the clusters."""
        if self.ranking.grouped:
            return _mixed(self._group_influences(), slope)
        psi = np.concatenate([_mixed(each, slope) for each in self._item_influences()])
        assert self.ranking.order is not None
        by_row = np.empty_like(psi)
        by_row[self.ranking.order] = psi
        return by_row

    def _item_influences(self) -> Iterator[FloatArray]:
        """Some items at a time."""
        return self._block_influences(self._whole())

    def _block_influences(self, block: Block) -> Iterator[FloatArray]:
        """Some items of a block at a time."""
        state = block.seen.copy(), np.zeros_like(block.seen), block.no_run()
        for start, stop in block.chunks():
            yield self._some_influences(state, start, stop)

    def _whole(self) -> Block:
        return Block(0, self.ranking.preferences.codes.size, np.zeros_like(self.totals))

    def _blocks(self) -> list[Block]:
        """Parts of the ranking that end with a run of equal scores, and what lies below each.

        They depend on the data alone: the sums over them have the same bits for any number of
        threads.
        """
        codes, last = self.ranking.runs
        n, weight = codes.size, self.ranking.weight
        if self.many_terms or n * self.ranking.preferences.n_terms <= WORTH_BLOCKS:
            return [self._whole()]
        cuts = {cut + int(last[cut - 1 :].argmax()) for cut in range(BLOCK, n, BLOCK)}
        found, below = [], np.zeros(self.ranking.preferences.n_patterns)
        for start, stop in pairwise(sorted({0, *cuts, n})):
            found.append(Block(start, stop, np.tensordot(below, self.tables[0], axes=1)))
            values = None if weight is None else weight[start:stop]
            below += np.bincount(codes[start:stop], values, below.size)
        return found

    def _some_influences(self, state: State, start: int, stop: int) -> FloatArray:
        items, weight = self.ranking.runs, self.ranking.weight
        if self.many_terms:
            constants = (self.totals, self.factor, self.centre)
            psi = pooled_influences(
                items, weight, self.ranking.sides, constants, state, start, stop
            )
            if self.scale is not None:
                psi *= self.scale[start:stop]
            return psi[:, None]
        sides = (self.totals, self.centre)
        psi = term_influences(
            items, weight, self.scale, self.own, self.tables, sides, state, start, stop
        )
        if not self.ranking.preferences.mix.pooled:
            return psi
        return np.asarray(psi @ np.ones((psi.shape[1], 1)))

    def _prepare_items(self) -> None:
        """What the kernels need to know of each side of each term."""
        preferences = self.ranking.preferences
        self.many_terms = preferences.mix.pooled and sparse.issparse(preferences.above)
        share, squares, n_units = self._side_totals()
        effective = effective_size(share, squares)
        pairs = effective.min(axis=0)
        if preferences.n_terms == self.ratios.size:
            # A class of one item has no spread of its own; it must not hide the other's.
            correction = np.where(effective > 1, _unbiased(effective), 1.0)
            if preferences.two_sided:
                both = (_dense(preferences.above) * _dense(preferences.below)).any(axis=0)
                correction[:, both] = _unbiased(n_units)[0]
                # A unit on both sides is in one pair of those without a common unit.
                pairs = np.where(both, np.minimum(pairs, n_units / 2), pairs)
            self.independent_pairs = pairs
        else:
            correction = np.full_like(share, _unbiased(n_units)[0])
            self.independent_pairs = np.array([pairs[pairs > 0].min(initial=np.inf)])
        total = np.where(self.sums.total[0] > 0, self.sums.total[0], np.nan)
        self.side_totals = share / total
        self.totals, self.factor, self.centre = share, correction / total, self.ratios * share[::-1]
        if self.many_terms:
            # By side, as in the compressed rows.
            self.totals, self.factor, self.centre = (
                array.T.ravel() for array in (self.totals, self.factor, self.centre)
            )
        else:
            shares = np.stack(list(map(_dense, preferences.tables)), axis=1)
            self.tables = shares, self.factor * shares
            if preferences.two_sided:
                up, low = shares[:, 0], shares[:, 1]
                itself = self.factor.sum(axis=0) * up * low * (0.5 - self.ratios)
                self.own = self._single_weight(), itself

    def _single_weight(self) -> FloatArray:
        """The weight of one of the items that each row stands for, in the order of the ranking."""
        n, ranking = self.ranking.preferences.codes.size, self.ranking
        weight = np.ones(n) if ranking.weight is None else ranking.weight
        if self.count is None:
            return weight
        return np.asarray(weight / np.maximum(self.count[ranking.order], 1.0))

    def _side_totals(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Per side (above, below) and term: its units' shares, their squares; units in all."""
        tables = self.ranking.preferences.tables
        weight, squared = self._pattern_sums()
        share = np.array([table.T @ weight for table in tables])
        if self.cluster is None:
            squares = np.array([(table * table).T @ squared for table in tables])
            return (
                share,
                squares,
                effective_size(weight.sum(keepdims=True), squared.sum(keepdims=True)),
            )
        codes, item = self.ranking.preferences.codes, self.ranking.preferences.weight
        item = np.ones(codes.size) if item is None else item
        by_term = [
            [self._by_cluster((_column(table, r)[codes] * item)[:, None]) for r in range(len(row))]
            for table, row in zip(tables, share, strict=True)
        ]
        squares = np.array([[(sums**2).sum() for sums in row] for row in by_term])
        mass = self._by_cluster(item[:, None])
        return share, squares, effective_size(mass.sum(axis=0), (mass**2).sum(axis=0))

    def _pattern_sums(self) -> tuple[FloatArray, FloatArray]:
        """The weight of each pattern's items, and the sum of their squared weights."""
        ranking = self.ranking
        if ranking.weight is None:
            items = ranking.pattern_counts.astype(np.float64)
            return items, items
        single = ranking.weight if self.scale is None else ranking.weight * self.scale
        weight, squared = (
            sum_codes(ranking.runs[0], values, ranking.preferences.n_patterns)
            for values in (ranking.weight, single**2)
        )
        return weight, squared

    def _pattern_parts(self, slope: FloatArray | None) -> FloatArray:
        """Of the pairs of each estimate, the part above and below: (patterns, estimates, 2)."""
        parts = []
        for table, opposite in zip(
            self.ranking.preferences.tables, self.side_totals[::-1], strict=True
        ):
            if self.ranking.preferences.mix.pooled:
                parts.append((table @ np.nan_to_num(opposite))[:, None])
            else:
                parts.append(_shares(_dense(table) * opposite, slope))
        return np.stack(parts, axis=-1)

    def _single_parts(self, slope: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """Of the pairs of each estimate, the parts with a row, or group, above and below."""
        if self.ranking.grouped:
            total = self.sums.total.sum(axis=0)
            part = _shares(self.sums.total / np.where(total > 0, total, np.nan), slope) / 2
            return part, part
        preferences = self.ranking.preferences
        parts = self._pattern_parts(slope)[preferences.codes]
        if preferences.weight is not None:
            parts *= preferences.weight[:, None, None]
        if preferences.two_sided:
            parts = np.maximum(parts - self._own_parts(slope)[..., None], 0.0)
        up, low = np.moveaxis(parts, -1, 0)
        return up, low

    def _own_parts(self, slope: FloatArray | None) -> FloatArray:
        """What the pairs of each row's items with themselves would be of all, (rows, estimates)."""
        preferences = self.ranking.preferences
        total = self.sums.total[0]
        both = _dense(preferences.above) * _dense(preferences.below)
        if preferences.mix.pooled:
            both = both.sum(axis=1, keepdims=True)
        shares = np.divide(both, total, out=np.zeros_like(both), where=total > 0)
        by_pattern = _shares(shares, slope)
        squared = self._averaging()
        if preferences.weight is not None:
            squared = squared * preferences.weight[:, None] ** 2
        return np.asarray(squared * by_pattern[preferences.codes])

    def _spread_of_units(self, psi: FloatArray, slope: FloatArray | None) -> Spread:
        """Of groups or clusters, from the influences of rows or groups.

        Items inside a group average out, and so does a cluster, as far as its members vary
        on their own: the design effect (how much larger the variance is than if they all
        did) says how far.
        """
        up, low = self._single_parts(slope)
        alone = (up + low) ** 2 * self._averaging()
        by_unit = self._by_cluster(psi)
        up, low, alone = map(self._by_cluster, (up, low, alone))
        roles = roles_of(up, low)
        most, scale = ((roles * each).sum(axis=1) for each in ((up + low) ** 2, alone))
        if self.cluster is not None:
            repeats = 1.0 if self.ranking.grouped else self._averaging()
            single, together = (psi**2 * repeats).sum(axis=0), (by_unit**2).sum(axis=0)
            # Where nothing is spread, rounding must not say how much varies together.
            spread = single > ROUNDING**2 * scale.sum(axis=0)
            effect = np.divide(together, single, out=np.ones_like(single), where=spread)
            scale = np.minimum(scale * np.maximum(effect, 1.0), most)
        found = Spread(
            effective_size((roles * (up + low)).sum(axis=1), most),
            (roles * by_unit**2).sum(axis=1),
            scale,
            np.minimum(
                *(effective_size(each.sum(axis=0), (each**2).sum(axis=0)) for each in (up, low))
            ),
            gram(by_unit),
        )
        return known_variance(found)

    def _averaging(self) -> FloatArray:
        """What items that vary on their own leave of the variance of a row, or group, (rows, 1)."""
        if not self.ranking.grouped:
            count = np.ones(1) if self.count is None else self.count
            return np.asarray(1 / np.maximum(count, 1.0))[:, None]
        n_items = np.diff(self.ranking.starts).astype(np.float64)
        if self.count is not None:
            group = self.ranking.preferences.group
            assert group is not None
            n_items = sum_codes(group, self.count, n_items.size)
        # Two classes of n / 2 items each, and 2 / n of the variance from either.
        return np.minimum(4 / np.maximum(n_items, 1.0), 1.0)[:, None]

    def _without_spread(self, slope: FloatArray | None) -> tuple[Spread, NDArray[np.bool_]]:
        """All but the variance of items, and the roles of patterns, (3, patterns, estimates)."""
        up, low = np.moveaxis(self._pattern_parts(slope), -1, 0)
        roles = every = roles_of(up, low)
        if self.ranking.preferences.two_sided:
            # What an item brings depends on its own weight too.
            up, low = self._single_parts(slope)
            weight, squared = np.ones(len(up)), self._averaging()[:, 0]
            squared = np.broadcast_to(squared, weight.shape)
            every = roles[:, self.ranking.preferences.codes]
        else:
            weight, squared = self._pattern_sums()
        share = np.einsum("l,slr->sr", weight, every * (up + low))
        scale = np.einsum("l,slr->sr", squared, every * (up + low) ** 2)
        smallest = np.minimum(
            *(effective_size(weight @ each, squared @ each**2) for each in (up, low))
        )
        unknown = np.full_like(share, np.nan)
        return Spread(effective_size(share, scale), unknown, scale, smallest, unknown), roles

    def _spread_of_items(self, slope: FloatArray | None, jointly: int | None) -> Spread:
        found, roles = self._without_spread(slope)
        n_joint = found.smallest.size if jointly is None else jointly
        # One side of one term for each item: no need to ask which pattern has which role.
        sided = slope is None and self.own is None and not self.ranking.preferences.mix.pooled

        def work(block: Block) -> tuple[FloatArray, FloatArray]:
            if sided:
                return self._side_squares(block, n_joint)
            return self._pattern_squares(block, slope, n_joint)

        blocks = [(block,) for block in self._blocks()]
        threads = default_threads(self.ranking.preferences.codes.size)
        parts = run(work, blocks, threads)
        covariance, squares = (sum(each) for each in zip(*parts, strict=True))
        variance = squares if sided else (roles * squares).sum(axis=1)
        return known_variance(replace(found, variance=variance, covariance=covariance))

    def _side_squares(self, block: Block, n_joint: int) -> tuple[FloatArray, FloatArray]:
        """Of a block's items: products of the first influences, and squares by role, (3, R)."""
        ranking, shares = self.ranking, self.tables[0]
        up, low = block.seen
        sums = np.stack([low, self.totals[0] - up, np.zeros_like(up), np.zeros_like(up)])
        state = sums, np.zeros_like(block.seen), block.no_run()
        joint, out = np.zeros((n_joint, n_joint)), np.empty((CHUNK, n_joint))
        constants = self.factor, self.centre
        for start, stop in block.chunks():
            psi = out[: stop - start]
            side_squares(
                ranking.runs, ranking.weight, self.scale, shares, constants, state, psi, start, stop
            )
            joint += psi.T @ psi
        return joint, np.concatenate([sums[2:], np.zeros((1, up.size))])

    def _pattern_squares(
        self, block: Block, slope: FloatArray | None, n_joint: int
    ) -> tuple[FloatArray, FloatArray]:
        """The same by pattern, (L, estimates)."""
        joint, position = np.zeros((n_joint, n_joint)), block.start
        n_patterns = self.ranking.preferences.n_patterns
        squares: FloatArray = np.zeros(1)
        for psi in self._block_influences(block):
            columns = _mixed(psi, slope)
            joint += columns[:, :n_joint].T @ columns[:, :n_joint]
            codes = self.ranking.runs[0][position : position + len(psi)]
            by_column = [sum_codes(codes, column, n_patterns) for column in columns.T**2]
            squares = squares + np.stack(by_column, axis=1)
            position += len(psi)
        return joint, squares

    def _group_influences(self) -> FloatArray:
        total = self.sums.total.sum(axis=0)
        total = np.where(total > 0, total, np.nan)
        psi = (self.sums.right - self.ratios * self.sums.total) / total
        return np.asarray(psi * _unbiased(self.independent_pairs))

    def _by_cluster(self, values: FloatArray) -> FloatArray:
        """Sums over the clusters' items, or groups; the values themselves without clusters."""
        if self.cluster is None:
            return values
        columns = values.reshape(len(values), -1).T
        n_clusters = int(self.cluster.max()) + 1
        sums = [sum_codes(self.cluster, column, n_clusters) for column in columns]
        return np.stack(sums, axis=1).reshape(n_clusters, *values.shape[1:])


def _shares(columns: FloatArray, slope: FloatArray | None) -> FloatArray:
    """One column of what takes part in the mix, on whichever side of a difference it stands."""
    return _mixed(columns, None if slope is None else np.abs(slope))


def _mixed(columns: FloatArray, slope: FloatArray | None) -> FloatArray:
    """One column for all; those of slope 0 may be undefined."""
    if slope is None or (slope.size == 1 and slope[0] == 1):
        return columns
    used = slope != 0
    return np.asarray(columns[:, used] @ slope[used])[:, None]


def _unbiased(n: FloatArray) -> FloatArray:
    """sqrt(n / (n - 1)); NaN where a class has no second item to tell its spread."""
    return np.sqrt(np.divide(n, n - 1, out=np.full_like(n, np.nan), where=n > 1))


def _dense(table: Any) -> FloatArray:
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)


def _column(table: Any, number: int) -> FloatArray:
    return _dense(table[:, [number]])[:, 0]
