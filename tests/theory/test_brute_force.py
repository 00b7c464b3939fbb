"""All score assignments to the items whose two labels disagree."""

from itertools import product

import numpy as np
import pytest

import isonomy as iso

TOP = 3


def sample(n10, n01, n11, n00):
    return np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [n10, n01, n11, n00], axis=0)


def assignments(Y):
    """Agreeing items have the top or the bottom; the others any value of 0..TOP."""
    disagree = Y[:, 0] != Y[:, 1]
    base = TOP * Y[:, 0]
    for values in product(range(TOP + 1), repeat=int(disagree.sum())):
        scores = base.copy()
        scores[disagree] = values
        yield scores


def doubled_right(y, scores):
    """Twice the pairs in the right order, ties half, as a whole number."""
    step = 1 + np.sign(scores[:, None] - scores)
    return int(step[np.ix_(y == 1, y == 0)].sum())


def optimal(Y, value):
    values = {tuple(f[Y[:, 0] != Y[:, 1]].tolist()): value(f) for f in assignments(Y)}
    best = max(values.values())
    return {key for key, v in values.items() if v == best}


def loss_value(Y, a):
    """Whole numbers in proportion to loss aggregation with weights a."""
    pairs = [int(y.sum() * (1 - y).sum()) for y in Y.T]

    def value(f):
        right = [doubled_right(y, f) for y in Y.T]
        return a[0] * right[0] * pairs[1] + a[1] * right[1] * pairs[0]

    return value, a[0] * pairs[1] - a[1] * pairs[0]


@pytest.mark.parametrize("counts", [(2, 1, 1, 2), (1, 2, 2, 1), (2, 2, 1, 3), (3, 2, 2, 2)])
def test_sizes_of_the_optimal_sets(counts):
    Y = sample(*counts)
    n10, n01, *_ = counts
    M = n10 + n01
    total, both = Y.sum(axis=1), Y.prod(axis=1)
    label = optimal(Y, lambda f: sum(doubled_right(total >= t, f) for t in (1, 2)))
    prod = optimal(Y, lambda f: doubled_right(both, f))
    pairs = [int(y.sum() * (1 - y).sum()) for y in Y.T]
    sizes = {}
    for a in [(1, 5), (5, 1), (pairs[0], pairs[1])]:
        value, sign = loss_value(Y, a)
        sizes[np.sign(sign)] = optimal(Y, value)
    assert len(sizes[-1]) == len(sizes[1]) == 1
    assert len(sizes[0]) == len(label) == 2**M
    assert len(prod) == 3**M
    assert sizes[-1] == {(1,) * n10 + (2,) * n01}
    assert sizes[1] == {(2,) * n10 + (1,) * n01}
    assert sizes[-1] | sizes[1] < sizes[0] == label < prod


def test_the_sign_of_alpha_decides_not_that_of_a():
    Y = sample(4, 1, 1, 3)
    value, sign = loss_value(Y, (1, 1))
    assert sign < 0
    assert optimal(Y, value) == {(1,) * 4 + (2,)}


def test_the_front_is_a_line():
    """n1+ n1- (1 - AUC_1) + n2+ n2- (1 - AUC_2) = n10 n01 on all of label aggregation's set."""
    Y = sample(3, 2, 2, 2)
    pairs = Y.sum(axis=0) * (1 - Y).sum(axis=0)
    for f in assignments(Y):
        if set(f[:5].tolist()) <= {1, 2}:
            assert pairs @ (1 - iso.label_aucs(Y, f)) == pytest.approx(6, abs=1e-12)
