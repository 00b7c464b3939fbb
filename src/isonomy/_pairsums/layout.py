r"""Comparisons: the pairs of one term inside one group, laid out for the kernels.

A *segment* is a set of members that are compared with each other only: all items, or the items of
a group, or, when a term concerns few of the items, those of one term and group. Members of a
segment lie side by side. The sum over the pairs of one term in one segment is a *comparison*;
they are numbered through, so that a caller mixes one flat vector whatever the layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from isonomy._pairsums.kernels import layout as kernels

__all__ = ["Members", "PairLayout", "arrange"]

Array = NDArray[np.float64]
Table: TypeAlias = NDArray[np.bool_] | NDArray[np.float64] | Any  # Any: scipy.sparse CSR

# Measured: where the bins of a segment cost no more than one polynomial for the whole of it.
SMALL_BELOW = 2048
# A pattern of a block of terms is one of at most so many: the moments of their cells stay in the
# cache.
MAX_PATTERNS = 256


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
        values = np.ascontiguousarray(values, dtype=np.float64)
        if self.item is None:
            return values
        out = np.empty(self.item.size)
        kernels.take(values, self.item, out)
        return out

    def add_to(self, out: Array, values: Array) -> None:
        """Add an array over members to one over items."""
        if self.item is None:
            out += values
        else:
            kernels.add_at(values, self.item, out)

    def select(self, segments: NDArray[np.bool_]) -> Members:
        """Return the members of some segments."""
        if segments.all():
            return self
        if not segments.any():
            return replace(
                self,
                item=np.empty(0, np.int32),
                code=self.code[:0],
                weight=self.weight[:0],
                twins=self.twins[:0],
                starts=self.starts[:1],
                comparison=self.comparison[:0],
            )
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

    def ordered(self, segment: NDArray[np.integer]) -> Members:
        """Return the members by segment, those of a pattern side by side."""
        order = _stable_order(segment, _stable_order(self.code))
        return replace(
            self,
            item=order if self.item is None else self.item[order],
            code=self.code[order],
            weight=_reordered(self.weight, order),
            twins=_reordered(self.twins, order),
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
    small, large : Members of small segments, by pattern, and of large ones; each for some of the
        terms
    term, group : (c,) of each comparison
    pairs : (c,) the weight of its pairs, :math:`D = \sum_{i \ne j} w_i w_j A_i B_j`
    """

    n_items: int
    small: tuple[Members, ...]
    large: tuple[Members, ...]
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
    small_below: int = SMALL_BELOW,
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
    small_below : segments with fewer members are small

    Examples
    --------
    >>> y = np.array([1, 0, 1, 0])
    >>> arrange(y, np.array([[False], [True]]), np.array([[True], [False]])).pairs
    array([4.])
    """
    n = codes.size
    weight = np.broadcast_to(1.0, n) if weight is None else np.asarray(weight, dtype=np.float64)
    if twins is None:
        twins = np.broadcast_to(0.0, n)
    layout = _by_term if sp.issparse(above) else _by_group
    blocks, term, segment_group = layout(codes, (above, below), weight, twins, group)
    pairs, small, large = np.empty(term.size), [], []
    for members in blocks:
        pairs[members.comparison] = _pair_weights(members)
        few = np.diff(members.starts) < small_below
        part = members.select(few)
        by_pattern = layout is _by_group and members.item is not None
        small.append(part if by_pattern else part.ordered(part.segment))
        large.append(members.select(~few))
    return PairLayout(
        n,
        tuple(part for part in small if part.code.size),
        tuple(part for part in large if part.code.size),
        term,
        segment_group,
        pairs,
    )


def _by_group(
    codes: NDArray[np.integer],
    tables: tuple[Table, Table],
    weight: Array,
    twins: Array,
    group: NDArray[np.integer] | None,
) -> tuple[list[Members], NDArray[np.int64], NDArray[np.int64]]:
    """One segment per group; every term sees all its members."""
    if group is not None and group.size and group.min() == group.max():
        group = None
    starts, segment_group = np.arange(min(codes.size, 1) + 1) * codes.size, np.zeros(1, np.int64)
    if group is not None:
        sizes = np.bincount(group)
        segment_group = np.flatnonzero(sizes)
        starts = np.append(0, np.cumsum(sizes[segment_group]))
    n_segments, n_terms = starts.size - 1, tables[0].shape[1]
    comparison = np.arange(n_segments * n_terms).reshape(n_segments, n_terms)
    blocks = []
    for terms, renumbered, sides in _blocks_of_terms(*tables):
        code = (codes if renumbered is None else renumbered[codes]).astype(np.int32, copy=False)
        members = Members(None, code, weight, sides, twins, starts, comparison[:, terms])
        blocks.append(members if group is None else members.ordered(group))
    term, of_group = np.arange(n_terms), segment_group[:n_segments]
    return blocks, np.tile(term, n_segments), np.repeat(of_group, n_terms)


def _blocks_of_terms(
    above: NDArray[Any], below: NDArray[Any]
) -> Iterator[tuple[slice, NDArray[np.int32] | None, tuple[Array, ...]]]:
    """Yield terms that are summed together, new numbers of the patterns, and the terms' sides.

    Many labels have nearly as many patterns as there are items, but few of them have few. A
    pattern's number is then a number of mixed radix, with a digit for what it is in each term.
    """
    n_patterns, n_terms = above.shape
    occurs = np.zeros((n_terms, 4), np.bool_)
    plain = above.dtype == below.dtype == np.bool_
    if n_patterns > MAX_PATTERNS and plain:
        kernels.find_states(above, below, occurs)
    if not occurs.any() or occurs[:, 3].any():
        yield slice(None), None, signed_sides(above, below)
        return
    occurs, first = occurs[:, :3], 0
    while first < n_terms:
        last, n_patterns = first, 1
        while last < n_terms and n_patterns * occurs[last].sum() <= MAX_PATTERNS:
            n_patterns *= int(occurs[last].sum())
            last += 1
        radix = occurs[first:last].sum(axis=1)
        place = np.cumprod(np.append(1, radix[:-1]))
        number = place[:, None] * (np.cumsum(occurs[first:last], axis=1) - 1)
        codes = np.empty(above.shape[0], np.int32)
        kernels.block_codes(above, below, first, number, codes)
        digit = np.arange(n_patterns)[:, None] // place % radix
        state = np.argsort(~occurs[first:last], axis=1, kind="stable")
        side = np.array([0.0, 1.0, -1.0])[state[np.arange(last - first), digit]]
        yield slice(first, last), codes, (side,)
        first = last


def _by_term(
    codes: NDArray[np.integer],
    tables: tuple[Any, Any],
    weight: Array,
    twins: Array,
    group: NDArray[np.integer] | None,
) -> tuple[list[Members], NDArray[np.int64], NDArray[np.int64]]:
    """One segment per term and group, with only the items that take part in the term."""
    above, below = (sp.csr_array(table, dtype=np.float64) for table in tables)
    sides = above - below
    sides = sides[codes].tocsc()
    sides.eliminate_zeros()
    item, side = sides.indices.astype(np.int32), sides.data
    term = np.repeat(np.arange(sides.shape[1]), np.diff(sides.indptr))
    if group is None:
        group = np.zeros(codes.size, dtype=np.int64)
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
    return [members], term[starts[:-1]], group[item[starts[:-1]]].astype(np.int64)


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


def _stable_order(
    keys: NDArray[np.integer], before: NDArray[np.int32] | None = None
) -> NDArray[np.int32]:
    """Return the order of keys >= 0, and where they are equal that of `before`."""
    if before is None:
        before = np.arange(keys.size, dtype=np.int32)
    order = np.empty_like(before)
    kernels.place(keys, before, np.zeros(int(keys.max(initial=-1)) + 2, np.int64), order)
    return order


def _reordered(values: Array, order: NDArray[np.int32]) -> Array:
    """Return the values in an order; one that is repeated stays so."""
    return values if values.strides == (0,) else values[order]


def _pair_weights(members: Members) -> Array:
    """Return the weight of the pairs of each comparison, (segments, terms)."""
    m, pairs = members, np.empty(members.comparison.shape)
    if m.two_sided:
        kernels.both_sides_pair_weights(m.starts, m.code, m.weight, m.sides, m.twins, pairs)
    else:
        kernels.pair_weights(m.starts, m.code, m.weight, m.sides[0], pairs)
    return pairs
