r"""Comparisons: the pairs of one term inside one group, laid out for the kernels.

A *segment* is a set of members that are compared with each other only: all items, or the items of
a group, or, when a term concerns few of the items, those of one term and group. Members of a
segment lie side by side. The sum over the pairs of one term in one segment is a *comparison*;
they are numbered through, so that a caller mixes one flat vector whatever the layout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from isonomy._pairsums.kernels.pair_weights import pair_weights

__all__ = ["Members", "PairLayout", "arrange"]

Array = NDArray[np.float64]
Table: TypeAlias = NDArray[np.bool_] | NDArray[np.float64] | Any  # Any: scipy.sparse CSR

# Measured: where visiting all pairs of a segment costs as much as its bins or its sorting.
DIRECT_BELOW = 200


@dataclass(frozen=True)
class Members:
    """Members of segments of similar size.

    Attributes
    ----------
    item : (m,) which item each member is; None when member i is item i
    code : (m,) pattern of each member
    weight : (m,)
    sides : one table, (patterns, terms), positive where a pattern stands above, negative where
        below; or two, of those above and of those below, where some stand on both sides
    twins : (m,) of the pairs of a member with itself, the share that two of the identical items
        make that it stands for; they tie
    starts : (s + 1,) where segments start among the members
    comparison : (s, terms) number of each comparison
    """

    item: NDArray[np.int32] | None
    code: NDArray[np.int32]
    weight: Array
    sides: tuple[Array, ...]
    twins: Array
    starts: NDArray[np.int64]
    comparison: NDArray[np.int64]

    def take(self, values: Array) -> Array:
        """Return the members' entries of an array over items."""
        return np.ascontiguousarray(values) if self.item is None else values[self.item]

    def select(self, segments: NDArray[np.bool_]) -> Members:
        """Return the members of some segments."""
        if segments.all():
            return self
        sizes = np.diff(self.starts)
        chosen = np.repeat(segments, sizes)
        item = np.flatnonzero(chosen) if self.item is None else self.item[chosen]
        return Members(
            item.astype(np.int32),
            self.code[chosen],
            self.weight[chosen],
            self.sides,
            self.twins[chosen],
            np.append(0, np.cumsum(sizes[segments])),
            self.comparison[segments],
        )

    def by_pattern(self) -> Members:
        """Return the same segments with the members of a pattern side by side."""
        sizes = np.diff(self.starts)
        order = np.lexsort((self.code, np.repeat(np.arange(sizes.size), sizes)))
        item = order if self.item is None else self.item[order]
        return replace(
            self,
            item=item.astype(np.int32),
            code=self.code[order],
            weight=self.weight[order],
            twins=self.twins[order],
        )

    @property
    def segment(self) -> NDArray[np.int64]:
        """The segment of each member."""
        sizes = np.diff(self.starts)
        return np.repeat(np.arange(sizes.size), sizes)

    @property
    def two_sided(self) -> bool:
        """Whether a member may stand on both sides of a term."""
        return len(self.sides) > 1

    @property
    def n_patterns(self) -> int:
        """Number of patterns."""
        return int(self.sides[0].shape[0])

    def own_pairs(self, coefficient: Array) -> Array:
        r"""Return the weight :math:`w_i^2 \sum_r a_r A_{ir} B_{ir}` of members with themselves."""
        upper, lower = self.sides[0], self.sides[-1]
        both = np.maximum(upper, 0.0) * np.maximum(-lower, 0.0)
        found = np.zeros(self.code.size)
        for r in np.flatnonzero(both.any(axis=0)):
            found += coefficient[self.segment, r] * both[self.code, r]
        return found * self.weight**2


@dataclass(frozen=True)
class PairLayout:
    r"""All comparisons of some items, whatever the scores.

    Attributes
    ----------
    n_items : int
    small, large : Members of segments that are summed pair by pair and by faster means; those
        that are small lie by pattern
    term, group : (c,) of each comparison
    pairs : (c,) the weight of its pairs, :math:`D = \sum_{i \ne j} w_i w_j A_i B_j`
    """

    n_items: int
    small: Members
    large: Members
    term: NDArray[np.int64]
    group: NDArray[np.int64]
    pairs: Array


def arrange(
    codes: NDArray[np.integer],
    above: Table,
    below: Table,
    *,
    weight: Array | None = None,
    group: NDArray[np.integer] | None = None,
    twins: Array | None = None,
    direct_below: int = DIRECT_BELOW,
) -> PairLayout:
    r"""Lay out the comparisons of items with label patterns.

    Parameters
    ----------
    codes : (n,) pattern of each item
    above, below : (patterns, terms), not negative.
        Dense, or scipy.sparse CSR when a term concerns few of the items; then at most one of the
        two is positive in each entry.
    weight : (n,) weights, 1 when None
    group : (n,) codes; only pairs inside a group count
    twins : (n,) as in `Members`; 0 when None
    direct_below : segments with fewer members are summed pair by pair

    Examples
    --------
    >>> y = np.array([1, 0, 1, 0])
    >>> arrange(y, np.array([[False], [True]]), np.array([[True], [False]])).pairs
    array([4.])
    """
    n = codes.size
    if weight is None:
        weight = np.broadcast_to(1.0, n)  # costs no memory and no time to read
    if group is None:
        group = np.zeros(n, dtype=np.int64)
    if twins is None:
        twins = np.broadcast_to(0.0, n)
    layout = _by_term if sp.issparse(above) else _by_group
    members, term, segment_group = layout(codes, (above, below), weight, twins, group)
    pairs = np.empty(term.size)
    pairs[members.comparison] = _pair_weights(members)
    small = np.diff(members.starts) < direct_below
    return PairLayout(
        n, members.select(small).by_pattern(), members.select(~small), term, segment_group, pairs
    )


def _by_group(
    codes: NDArray[np.integer],
    tables: tuple[Table, Table],
    weight: Array,
    twins: Array,
    group: NDArray[np.integer],
) -> tuple[Members, NDArray[np.int64], NDArray[np.int64]]:
    """One segment per group; every term sees all its members."""
    sides = signed_sides(*tables)
    order = None
    if group.size and group.min() < group.max():
        order = np.argsort(group, kind="stable").astype(np.int32)
        group, codes = group[order], codes[order]
        weight, twins = weight[order], twins[order]
    starts = _run_starts(group)
    n_segments, n_terms = starts.size - 1, sides[0].shape[1]
    members = Members(
        order,
        codes.astype(np.int32),
        np.asarray(weight, dtype=np.float64),
        sides,
        twins,
        starts,
        np.arange(n_segments * n_terms).reshape(n_segments, n_terms),
    )
    segment_group = group[starts[:-1]].astype(np.int64)
    return members, np.tile(np.arange(n_terms), n_segments), np.repeat(segment_group, n_terms)


def _by_term(
    codes: NDArray[np.integer],
    tables: tuple[Any, Any],
    weight: Array,
    twins: Array,
    group: NDArray[np.integer],
) -> tuple[Members, NDArray[np.int64], NDArray[np.int64]]:
    """One segment per term and group, with only the items that take part in the term."""
    above, below = (sp.csr_array(table, dtype=np.float64) for table in tables)
    sides = above - below
    sides = sides[codes].tocsc()
    sides.eliminate_zeros()
    item, side = sides.indices.astype(np.int32), sides.data
    term = np.repeat(np.arange(sides.shape[1]), np.diff(sides.indptr))
    if group.size and group.min() < group.max():
        order = np.lexsort((group[item], term))
        item, side, term = item[order], side[order], term[order]
    starts = _run_starts(term, group[item])
    members = Members(
        item,
        (side < 0.0).astype(np.int32),
        weight[item] * np.abs(side),
        signed_sides(np.array([[True], [False]]), np.array([[False], [True]])),
        twins[item],
        starts,
        np.arange(starts.size - 1)[:, None],
    )
    return members, term[starts[:-1]], group[item[starts[:-1]]].astype(np.int64)


def signed_sides(above: Table, below: Table) -> tuple[Array, ...]:
    """Return the `sides` of `Members`."""
    if (above.astype(bool) & below.astype(bool)).any():
        return above.astype(np.float64), -below.astype(np.float64)
    return (np.subtract(above, below, dtype=np.float64),)


def _run_starts(*keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where runs of equal keys start, and the end."""
    changed = np.zeros(max(keys[0].size - 1, 0), dtype=bool)
    for key in keys:
        changed |= key[1:] != key[:-1]
    ends = [keys[0].size] if keys[0].size else []
    return np.concatenate([[0], np.flatnonzero(changed) + 1, ends]).astype(np.int64)


def _pair_weights(members: Members) -> Array:
    """Return the weight of the pairs of each comparison, (segments, terms)."""
    n_segments, n_terms = members.comparison.shape
    if members.two_sided:
        pairs = np.empty((n_segments, n_terms))
        pair_weights(
            members.starts, members.code, members.weight, members.sides, members.twins, pairs
        )
        return pairs
    segment = members.segment
    pairs = np.empty((n_segments, n_terms))
    for r in range(n_terms):
        side = members.sides[0][members.code, r] * members.weight
        above = np.bincount(segment, np.maximum(side, 0.0), n_segments)
        below = np.bincount(segment, np.maximum(-side, 0.0), n_segments)
        pairs[:, r] = above * below
    return pairs
