r"""Comparisons: the pairs of one term inside one group, laid out for the kernels.

A *segment* is a set of members that are compared with each other only: all items, or the items of
a group, or, when a term concerns few of the items, those of one term and group. Members of a
segment lie side by side. The sum over the pairs of one term in one segment is a *comparison*;
they are numbered through, so that a caller mixes one flat vector whatever the layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from isonomy._core import SideWords, gathered
from isonomy._infra import default_threads, run_all, segment_chunks
from isonomy._pairsums.kernels import layout as kernels
from isonomy._pairsums.term_blocks import (
    Table,
    TermBlock,
    blocks_of_tables,
    blocks_of_words,
    signed_sides,
)

__all__ = ["Members", "PairLayout", "arrange", "arrange_words"]

Array = NDArray[np.float64]

# Measured: where the bins of a segment cost no more than one polynomial for the whole of it.
SMALL_BELOW = 2048
# Members that one thread looks at before another is worth its start.
CHUNK = 1 << 16
# So many counters are cleared for each segment without being felt.
FEW_PATTERNS = 64


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
        return values if self.item is None else gathered(values, self.item)

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
        if self.n_patterns <= FEW_PATTERNS and not (segment[1:] < segment[:-1]).any():
            order = self._order_inside()
        else:
            order = _stable_order(segment, _stable_order(self.code))
        return replace(
            self,
            item=order if self.item is None else gathered(self.item, order),
            code=gathered(self.code, order),
            weight=_reordered(self.weight, order),
            twins=_reordered(self.twins, order),
        )

    def _order_inside(self) -> NDArray[np.int32]:
        """Return the order by pattern in each segment; segments lie side by side already."""
        order = np.empty(self.code.size, np.int32)

        def work(first: int, last: int) -> None:
            kernels.place_inside(first, last, self.starts, self.code, self.n_patterns, order)

        run_all(work, segment_chunks(self.starts, CHUNK), default_threads(order.size))
        return order

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
    weight, twins = _filled(weight, 1.0, n), _filled(twins, 0.0, n)
    if sp.issparse(above):
        members, term, of_group = _by_term(codes, (above, below), weight, twins, group)
        blocks = [(members, _pair_weights(members))]
        return _laid_out(n, blocks, term, of_group, small_below=small_below, by_pattern=False)
    terms = blocks_of_tables(codes, above, below)
    return _by_group(terms, above.shape[1], weight, twins, group, small_below)


def arrange_words(
    words: SideWords,
    *,
    weight: Array | None = None,
    group: NDArray[np.integer] | None = None,
    small_below: int = SMALL_BELOW,
) -> PairLayout:
    """Lay out comparisons whose sides are the bits of words, as `arrange` does."""
    n = len(words)
    weight, twins = _filled(weight, 1.0, n), _filled(None, 0.0, n)
    return _by_group(blocks_of_words(words), words.n_columns, weight, twins, group, small_below)


def _filled(values: Array | None, default: float, n: int) -> Array:
    if values is None:
        return np.broadcast_to(default, n)
    return np.asarray(values, dtype=np.float64)


def _by_group(
    terms: Iterable[TermBlock],
    n_terms: int,
    weight: Array,
    twins: Array,
    group: NDArray[np.integer] | None,
    small_below: int,
) -> PairLayout:
    """One segment per group; every term sees all its members."""
    n = weight.size
    if group is not None and group.size and group.min() == group.max():
        group = None
    starts, segment_group = np.arange(min(n, 1) + 1) * n, np.zeros(1, np.int64)
    if group is not None:
        sizes = np.bincount(group)
        segment_group = np.flatnonzero(sizes)
        starts = np.append(0, np.cumsum(sizes[segment_group]))
    n_segments = starts.size - 1
    comparison = np.arange(n_segments * n_terms).reshape(n_segments, n_terms)
    blocks = []
    for block in terms:
        mine = comparison[:, block.terms]
        members = Members(None, block.code, weight, block.sides, twins, starts, mine)
        if group is not None:
            members = members.ordered(group)
        blocks.append((members, _pair_weights(members, block.sizes)))
    term, of_group = np.arange(n_terms), segment_group[:n_segments]
    term, of_group = np.tile(term, n_segments), np.repeat(of_group, n_terms)
    by_pattern = group is not None
    return _laid_out(n, blocks, term, of_group, small_below=small_below, by_pattern=by_pattern)


def _laid_out(
    n: int,
    blocks: list[tuple[Members, Array]],
    term: NDArray[np.int64],
    group: NDArray[np.int64],
    *,
    small_below: int,
    by_pattern: bool,
) -> PairLayout:
    """Part the segments, members and the weight of their pairs, by size."""
    pairs, small, large = np.empty(term.size), [], []
    for members, weights in blocks:
        pairs[members.comparison] = weights
        few = np.diff(members.starts) < small_below
        part = members.select(few)
        small.append(part if by_pattern else part.ordered(part.segment))
        large.append(members.select(~few))
    return PairLayout(
        n,
        tuple(part for part in small if part.code.size),
        tuple(part for part in large if part.code.size),
        term,
        group,
        pairs,
    )


def _by_term(
    codes: NDArray[np.integer],
    tables: tuple[Any, Any],
    weight: Array,
    twins: Array,
    group: NDArray[np.integer] | None,
) -> tuple[Members, NDArray[np.int64], NDArray[np.int64]]:
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
    return members, term[starts[:-1]], group[item[starts[:-1]]].astype(np.int64)


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
    return values if values.strides == (0,) else gathered(values, order)


def _pair_weights(members: Members, sizes: NDArray[np.int64] | None = None) -> Array:
    """Return the weight of the pairs of each comparison, (segments, terms).

    `sizes` is how many members each pattern has, where that is known.
    """
    m, pairs = members, np.empty(members.comparison.shape)
    if m.two_sided:
        kernels.both_sides_pair_weights(m.starts, m.code, m.weight, m.sides, m.twins, pairs)
    elif sizes is not None and m.starts.size == 2 and m.weight.strides == (0,):
        mass, side = m.weight[0] * sizes, m.sides[0]
        pairs[0] = (mass @ np.maximum(side, 0.0)) * (mass @ np.maximum(-side, 0.0))
    else:

        def work(first: int, last: int) -> None:
            starts = m.starts[first : last + 1]
            kernels.pair_weights(starts, m.code, m.weight, m.sides[0], pairs[first:last])

        run_all(work, segment_chunks(m.starts, CHUNK), default_threads(m.code.size))
    return pairs
