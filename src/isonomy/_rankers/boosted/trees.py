"""Boosted trees as plain arrays: what a fitted ranker keeps, predicts by and saves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core import AnyArray, FloatArray
from isonomy._infra import chunks, default_threads, run
from isonomy._rankers.boosted.kernels.leaf_sums import (
    CATEGORIES,
    NUMBER,
    add_leaves,
    add_leaves_of_any,
)

# Entries of X that are looked at together, so that a wide or sparse X takes no memory to speak of.
_ENTRIES = 2**20
_WORD = 32
# So many levels of each tree at most are walked without branches, where there are rows enough to
# pay for laying them out.
_TOP, _WORTH_TOPS = 6, 256


@dataclass(frozen=True, eq=False)
class Trees:
    """A sum of trees.

    At a node, a row goes to its first child if its feature is at most the threshold, and to its
    second otherwise; a missing value goes where `gap_side` says. The score is `base` plus the
    leaves that a row reaches, added tree by tree in the precision of `leaf_value`, in which
    features are compared too: double for LightGBM, single for XGBoost, as the engines do.

    Attributes
    ----------
    n_features : int
    base : float
    gap_in_sparse : bool
        Whether an entry that a sparse matrix does not hold is missing; otherwise it is 0.
    roots : ndarray of int32, one per tree
        The tree's first node; -1 - k for a tree that is leaf k alone.
    feature : ndarray of int32, one per node
    threshold : ndarray of float, one per node
    children : ndarray of int32 of shape (nodes, 2)
        A later node, or -1 - k for leaf k.
    gap_side : ndarray of uint8, one per node
        The child, 0 or 1, for a missing value.
    kind : ndarray of uint8, one per node
        0: by number. 1: the same, and zero is missing too. 2: by category, of which those in the
        node's set go to the first child and all others to the second.
    word_ends : ndarray of int32, one per node and one more
        The node's set of categories is words[word_ends[node] : word_ends[node + 1]].
    words : ndarray of uint32
        Category c is bit c % 32 of word c // 32 of a set.
    leaf_value : ndarray of float64 or float32, one per leaf
    """

    n_features: int
    base: float
    gap_in_sparse: bool
    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: AnyArray
    children: NDArray[np.int32]
    gap_side: NDArray[np.uint8]
    kind: NDArray[np.uint8]
    word_ends: NDArray[np.int32]
    words: NDArray[np.uint32]
    leaf_value: AnyArray

    def scores(self, X: Any, n_jobs: int | None = None) -> FloatArray:
        """Scores of rows of numbers, dense or CSR, NaN for missing."""
        n, n_columns = X.shape
        if n_columns != self.n_features:
            raise ValueError(
                f"Parameter `X` should have {self.n_features} features, as in training. Found "
                f"{n_columns}."
            )
        out = np.full(n, self.base, self.leaf_value.dtype)
        feature = self.feature
        if sparse.issparse(X):
            used, place = np.unique(feature, return_inverse=True)
            feature, X = place.astype(np.int32), _CompactRows(X, used, self)
        parts = chunks(n, max(1, _ENTRIES // max(X.shape[1], 1)))
        # One for each core is enough, whatever a file says.
        threads = default_threads(n * max(self.roots.size, 1))
        threads = threads if n_jobs is None else min(threads, n_jobs)
        if threads > 1 and len(parts) < threads:
            parts = chunks(n, -(-n // threads))
        add = self._adder(feature, self._top_levels(n))
        for _ in run(lambda a, b: add(X[a:b], out[a:b]), parts, threads):
            pass
        return np.asarray(out, dtype=np.float64)

    def _top_levels(self, n_rows: int) -> int:
        """How many levels to lay out full: not many where most trees have few nodes."""
        if n_rows < _WORTH_TOPS or not self.feature.size:
            return 0
        return min(_TOP, (self.feature.size // self.roots.size + 1).bit_length() + 1)

    def _adder(
        self, feature: NDArray[np.int32], depth: int
    ) -> Callable[[AnyArray, AnyArray], None]:
        """What adds the leaves of some rows to their scores."""
        nodes = (feature, self.threshold, self.children, self.gap_side)
        dtype = self.leaf_value.dtype

        def add(X: AnyArray, out: AnyArray) -> None:
            with np.errstate(over="ignore"):
                X = np.ascontiguousarray(X, dtype=dtype)
            walk(X, *first, *nodes, *last, out, self.leaf_value)

        walk: Any = add_leaves if self.plain else add_leaves_of_any
        first = (depth, *self._tops(feature, depth)) if self.plain else (self.roots,)
        last = () if self.plain else (self.kind, self.word_ends, self.words)
        return add

    def _tops(self, feature: NDArray[np.int32], depth: int) -> tuple[AnyArray, ...]:
        """The trees' first levels as full ones, and what comes below them.

        A leaf that comes earlier stands below all entries that take its place.
        """
        nodes = self.roots[:, None]
        levels: list[tuple[AnyArray, ...]] = []
        for _ in range(depth):
            inner = nodes >= 0
            at = np.where(inner, nodes, 0)
            levels.append((feature[at].astype(np.uint32), self.threshold[at], self.gap_side[at]))
            nodes = np.where(inner[..., None], self.children[at], nodes[..., None])
            nodes = nodes.reshape(len(nodes), 2 ** len(levels))
        if not levels:
            flat = (feature.astype(np.uint32), self.threshold, self.gap_side)
            levels = [tuple(part[:0].reshape(1, 0) for part in flat)]
        joined = [np.concatenate(part, axis=1) for part in zip(*levels, strict=True)]
        return *joined, np.ascontiguousarray(nodes)

    @property
    def plain(self) -> bool:
        """Whether all nodes split by number, and only NaN is missing."""
        return not self.kind.any()

    def categories(self, node: int) -> NDArray[np.int64]:
        """The categories in a node's set.

        >>> from isonomy._rankers.boosted.trees import set_words
        >>> set_words([0, 3, 40]).tolist()
        [9, 256]
        """
        words = self.words[self.word_ends[node] : self.word_ends[node + 1]]
        bits = words[:, None] >> np.arange(_WORD, dtype=np.uint32) & np.uint32(1)
        return np.flatnonzero(bits)

    def check(self) -> None:
        """Raise ValueError where a row could lead prediction astray, or the arrays do not agree."""
        for name, wrong in self._faults():
            if wrong:
                raise ValueError(f"Its trees are not sound: `{name}`.")

    def _faults(self) -> Iterator[tuple[str, bool]]:
        """Names of arrays and whether they are wrong; each relies on those before it."""
        n, n_leaves = self.feature.size, self.leaf_value.size
        yield "n_features", type(self.n_features) is not int or not 1 <= self.n_features < 2**31
        yield "base", type(self.base) is not float or not np.isfinite(self.base)
        yield "gap_in_sparse", type(self.gap_in_sparse) is not bool
        single = np.dtype(self.leaf_value.dtype) == np.float32
        number: Any = np.float32 if single else np.float64
        for name, dtype, shape in (
            ("roots", np.int32, (self.roots.size,)),
            ("feature", np.int32, (n,)),
            ("threshold", number, (n,)),
            ("children", np.int32, (n, 2)),
            ("gap_side", np.uint8, (n,)),
            ("kind", np.uint8, (n,)),
            ("word_ends", np.int32, (n + 1,)),
            ("words", np.uint32, (self.words.size,)),
            ("leaf_value", number, (n_leaves,)),
        ):
            found = getattr(self, name)
            yield name, found.dtype != dtype or found.shape != shape
        yield "feature", _outside(self.feature, 0, self.n_features)
        # Below infinity is every number: such a node parts the missing from the rest.
        yield "threshold", bool(np.isnan(self.threshold).any())
        yield "leaf_value", not np.isfinite(self.leaf_value).all()
        yield "gap_side", _outside(self.gap_side, 0, 2)
        yield "kind", _outside(self.kind, NUMBER, CATEGORIES + 1)
        yield "children", bool((self.children <= np.arange(n)[:, None])[self.children >= 0].any())
        # Every node and every leaf is reached in one way.
        reached = np.sort(np.concatenate([self.roots, self.children.ravel()]).astype(np.int64))
        yield "children", not np.array_equal(reached, np.arange(-n_leaves, n))
        sizes = np.diff(self.word_ends.astype(np.int64))
        yield "word_ends", self.word_ends[0] != 0 or self.word_ends[-1] != self.words.size
        yield (
            "word_ends",
            bool(((sizes > 0) != (self.kind == CATEGORIES)).any() or (sizes < 0).any()),
        )

    @classmethod
    def field_names(cls) -> list[str]:
        """Names of all parts."""
        return [each.name for each in fields(cls)]


def set_words(categories: Any) -> NDArray[np.uint32]:
    """A set of categories as bits; one word at least."""
    found = np.asarray(categories, dtype=np.int64)
    words = np.zeros(int(found.max(initial=0)) // _WORD + 1, np.uint32)
    np.bitwise_or.at(words, found // _WORD, np.uint32(1) << (found % _WORD).astype(np.uint32))
    return words


def _outside(values: AnyArray, low: int, high: int) -> bool:
    return bool(values.size and (values.min() < low or values.max() >= high))


class _CompactRows:
    """Rows of a sparse matrix, filled out when asked for, with the columns that nodes look at."""

    def __init__(self, X: Any, used: NDArray[np.int32], trees: Trees) -> None:
        self._X, self._gap = sparse.csr_array(X), np.nan if trees.gap_in_sparse else 0.0
        self._place = np.full(X.shape[1], -1)
        self._place[used] = np.arange(used.size)
        self.shape = (X.shape[0], used.size)

    def __getitem__(self, rows: slice) -> FloatArray:
        ends = self._X.indptr[rows.start : rows.stop + 1]
        found = np.full((ends.size - 1, self.shape[1]), self._gap)
        column = self._place[self._X.indices[ends[0] : ends[-1]]]
        row = np.repeat(np.arange(ends.size - 1), np.diff(ends))
        known = column >= 0
        found[row[known], column[known]] = self._X.data[ends[0] : ends[-1]][known]
        return found
