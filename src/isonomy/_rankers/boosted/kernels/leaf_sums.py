"""What trees say of rows, leaf by leaf."""

from __future__ import annotations

from typing import Any

import numpy as np

from isonomy._core import kernel

# Rows that go through one tree before the next is looked at: their numbers and the tree stay in
# the processor's nearest memory.
BLOCK = 64

# How a node splits.
NUMBER, NUMBER_OR_ZERO, CATEGORIES = 0, 1, 2
# Up to here, either way, LightGBM takes a number for zero.
ZERO = 1.0000000180025095e-35
# Beyond this there are no categories.
MOST_CATEGORIES = 2**24


@kernel
def add_leaves(
    X: Any,
    depth: int,
    top_feature: Any,
    top_threshold: Any,
    top_gap_side: Any,
    below: Any,
    feature: Any,
    threshold: Any,
    children: Any,
    gap_side: Any,
    out: Any,
    leaf_value: Any,
) -> None:
    """Add to each row's score its leaf of each tree, tree by tree; all nodes split by numbers.

    The first `depth` levels of a tree are full: the children of entry a are 2 a + 1 and 2 a + 2,
    so that no step waits for a guess of the processor's. `below` has what comes after them.
    """
    n, first = X.shape[0], (1 << depth) - 1
    # Without a sign, so that no index is asked whether it counts from the end.
    at = np.empty(BLOCK, np.uint64)
    one = np.uint64(1)
    gaps = np.isnan(X).any()
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        for tree in range(below.shape[0]):
            at[:size] = 0
            for _ in range(depth):
                for r in range(size):
                    a = at[r]
                    x = X[start + r, top_feature[tree, a]]
                    beyond = np.uint64(x > top_threshold[tree, a])
                    if gaps:
                        beyond |= np.uint64(x != x) & np.uint64(top_gap_side[tree, a])
                    at[r] = a + a + one + beyond
            for r in range(size):
                node = below[tree, np.int64(at[r]) - first]
                while node >= 0:
                    x = X[start + r, feature[node]]
                    if x <= threshold[node]:
                        node = children[node, 0]
                    elif x > threshold[node]:
                        node = children[node, 1]
                    else:
                        node = children[node, gap_side[node]]
                out[start + r] += leaf_value[~node]


@kernel
def add_leaves_of_any(
    X: Any,
    roots: Any,
    feature: Any,
    threshold: Any,
    children: Any,
    gap_side: Any,
    kind: Any,
    word_ends: Any,
    words: Any,
    out: Any,
    leaf_value: Any,
) -> None:
    """The same, where nodes may split by category, or take zero for missing."""
    n = X.shape[0]
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        for root in roots:
            for i in range(start, stop):
                node = root
                while node >= 0:
                    x = X[i, feature[node]]
                    side = gap_side[node]
                    if kind[node] == CATEGORIES:
                        if x == x:
                            side = 1
                            if -1.0 < x < MOST_CATEGORIES:
                                category = np.int64(x)
                                word = word_ends[node] + (category >> 5)
                                if (
                                    word < word_ends[node + 1]
                                    and (np.int64(words[word]) >> (category & 31)) & 1
                                ):
                                    side = 0
                    elif x == x and (kind[node] == NUMBER or abs(x) > ZERO):
                        side = 0 if x <= threshold[node] else 1
                    node = children[node, side]
                out[i] += leaf_value[~node]
