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
    table : (patterns, terms), positive where a pattern stands above, negative where below
    starts : (s + 1,) where segments start among the members
    comparison : (s, terms) number of each comparison
    """

    item: NDArray[np.int32] | None
    code: NDArray[np.int32]
    weight: Array
    table: Array
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
            self.table,
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
        )


@dataclass(frozen=True)
class PairLayout:
    r"""All comparisons of some items, whatever the scores.

    Attributes
    ----------
    n_items : int
    small, large : Members of segments that are summed pair by pair and by faster means; those
        that are small lie by pattern
    term, group : (c,) of each comparison
    pairs : (c,) the weight of its pairs, :math:`D = \sum_{ij} w_i w_j A_i B_j`
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
    direct_below: int = DIRECT_BELOW,
) -> PairLayout:
    r"""Lay out the comparisons of items with label patterns.

    Parameters
    ----------
    codes : (n,) pattern of each item
    above, below : (patterns, terms), not negative, at most one of the two positive in each entry.
        Dense, or scipy.sparse CSR when a term concerns few of the items.
    weight : (n,) weights, 1 when None
    group : (n,) codes; only pairs inside a group count
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
    by_term = sp.issparse(above)
    layout = _by_term if by_term else _by_group
    members, term, segment_group = layout(codes, above, below, weight, group)
    pairs = np.empty(term.size)
    pairs[members.comparison] = _pair_weights(members)
    small = np.diff(members.starts) < direct_below
    return PairLayout(
        n, members.select(small).by_pattern(), members.select(~small), term, segment_group, pairs
    )


def _by_group(
    codes: NDArray[np.integer],
    above: Table,
    below: Table,
    weight: Array,
    group: NDArray[np.integer],
) -> tuple[Members, NDArray[np.int64], NDArray[np.int64]]:
    """One segment per group; every term sees all its members."""
    table = np.subtract(above, below, dtype=np.float64)
    order = None
    if group.size and group.min() < group.max():
        order = np.argsort(group, kind="stable").astype(np.int32)
        group, codes, weight = group[order], codes[order], weight[order]
    starts = _run_starts(group)
    n_segments, n_terms = starts.size - 1, table.shape[1]
    members = Members(
        order,
        codes.astype(np.int32),
        np.asarray(weight, dtype=np.float64),
        table,
        starts,
        np.arange(n_segments * n_terms).reshape(n_segments, n_terms),
    )
    segment_group = group[starts[:-1]].astype(np.int64)
    return members, np.tile(np.arange(n_terms), n_segments), np.repeat(segment_group, n_terms)


def _by_term(
    codes: NDArray[np.integer],
    above: Any,
    below: Any,
    weight: Array,
    group: NDArray[np.integer],
) -> tuple[Members, NDArray[np.int64], NDArray[np.int64]]:
    """One segment per term and group, with only the items that take part in the term."""
    sides = sp.csr_array(above, dtype=np.float64) - sp.csr_array(below, dtype=np.float64)
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
        np.array([[1.0], [-1.0]]),
        starts,
        np.arange(starts.size - 1)[:, None],
    )
    return members, term[starts[:-1]], group[item[starts[:-1]]].astype(np.int64)


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
    segment = np.repeat(np.arange(n_segments), np.diff(members.starts))
    pairs = np.empty((n_segments, n_terms))
    for r in range(n_terms):
        side = members.table[members.code, r] * members.weight
        above = np.bincount(segment, np.maximum(side, 0.0), n_segments)
        below = np.bincount(segment, np.maximum(-side, 0.0), n_segments)
        pairs[:, r] = above * below
    return pairs
