"""Every surrogate and every algorithm against all pairs."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isonomy._core.costs import cost_terms
from isonomy._pairsums.layout import arrange
from isonomy._pairsums.sums import SurrogateSums, surrogate_sums
from isonomy.surrogates import SURROGATES, Hinge, Surrogate
from tests.conftest import UNCOMPILED
from tests.pairsums import oracle
from tests.pairsums.cases import (
    BAD_SCORES,
    DIRECT,
    FAST,
    MIXED,
    SPANNED,
    Items,
    Way,
    each_surrogate,
    items,
    some_items,
    some_scores,
)

# Several chunks of work.
MANY = 3000 if UNCOMPILED else 200_000
# Fewer items where kernels are not compiled: a tenth of the pairs, and all that is different.
SMALLER = 3 if UNCOMPILED else 1


@each_surrogate
@given(data=st.data())
def test_sums_equal_those_over_all_pairs(surrogate: Surrogate, data: st.DataObject) -> None:
    drawn = data.draw(some_items())
    scores = data.draw(some_scores(drawn.codes.size, surrogate.max_range))
    oracle.check_all(
        drawn,
        scores,
        surrogate,
        way=data.draw(st.sampled_from([FAST, MIXED, DIRECT, SPANNED])),
        csr=data.draw(st.booleans()),
    )


@each_surrogate
@pytest.mark.parametrize("way", [FAST, DIRECT, SPANNED], ids=["fast", "direct", "spanned"])
@pytest.mark.parametrize("name", BAD_SCORES)
def test_bad_scores(surrogate: Surrogate, way: Way, name: str) -> None:
    scores = BAD_SCORES[name](40)
    some = items(40, 4, 2, 1, seed=2)  # Every pattern takes part.
    if np.ptp(scores) > surrogate.max_range:
        with pytest.raises(ValueError, match="overflows for scores that differ by more than"):
            surrogate_sums(some.arrange(small_below=way.small_below), scores, surrogate)
    else:
        oracle.check_all(some, scores, surrogate, way=way)


@pytest.mark.parametrize("way", [FAST, DIRECT, SPANNED], ids=["fast", "direct", "spanned"])
def test_exponential_up_to_its_limit(way: Way) -> None:
    some = items(50, 2, 1, 1, seed=2)
    exponential = SURROGATES["exponential"]
    scores = np.linspace(-350.0, 350.0, 50)
    oracle.check_all(some, scores, exponential, way=way)
    layout = some.arrange(small_below=way.small_below)
    with pytest.raises(ValueError, match=r"than 700\. Found a difference of 700\.7\. Scale"):
        surrogate_sums(layout, scores * 1.001, exponential)
    # Only items that are compared count: each of these groups is narrow.
    apart = Items(some.codes, some.above, some.below, some.weight, np.arange(50) // 25)
    oracle.check_all(apart, scores + 1e4 * apart.group, exponential, way=way)


@pytest.mark.parametrize("way", [FAST, DIRECT, SPANNED], ids=["fast", "direct", "spanned"])
@pytest.mark.parametrize("n_groups", [1, 3])
@pytest.mark.parametrize("csr", [False, True], ids=["dense", "csr"])
def test_the_limit_concerns_only_items_that_matter(way: Way, n_groups: int, csr: bool) -> None:
    some = items(60, 3, 2, n_groups, seed=8)
    # The first items weigh nothing, the next ones are of a pattern in no term, and the last ones
    # a group with one class.
    codes, weight, group = some.codes.copy(), some.weight.copy(), some.group.copy()
    above, below = (np.vstack([side, np.zeros(2)]) for side in (some.above, some.below))
    weight[:5], codes[5:10] = 0.0, 3
    group[-3:], codes[-3:] = n_groups, codes[-1]
    changed = Items(codes, above, below, weight, group)
    scores = np.random.default_rng(9).normal(size=60)
    far = scores.copy()
    far[:10] = np.linspace(-1e5, 1e5, 10)
    far[-3:] = [0.0, 1e4, -1e4]
    layout = changed.arrange(small_below=way.small_below, csr=csr)
    a = np.ones(layout.pairs.size)
    exponential = SURROGATES["exponential"]
    expected, found = (surrogate_sums(layout, f, exponential) for f in (scores, far))
    np.testing.assert_allclose(found.values(), expected.values(), rtol=1e-12)
    np.testing.assert_allclose(found.gradient(a), expected.gradient(a), rtol=1e-11, atol=1e-13)
    assert np.isfinite(found.hessian_diagonal(a)).all()
    far[10:-3] *= 1e3
    with pytest.raises(ValueError, match="overflows for scores that differ by more than 700"):
        surrogate_sums(layout, far, exponential)


@each_surrogate
def test_derivatives_are_those_of_the_values(surrogate: Surrogate) -> None:
    n = 600 // SMALLER
    some = items(n, 8, 3, 2, seed=2)
    layout = some.arrange(small_below=0)
    rng = np.random.default_rng(3)
    scores, direction = rng.normal(size=n), rng.normal(size=n)
    a, step = 1.0 / layout.pairs, 1e-5

    def along(t: float) -> SurrogateSums:
        return surrogate_sums(layout, scores + t * direction, surrogate)

    sums = along(0.0)
    slope = (a @ along(step).values() - a @ along(-step).values()) / (2.0 * step)
    np.testing.assert_allclose(sums.gradient(a) @ direction, slope, rtol=1e-5, atol=1e-9)
    if not isinstance(surrogate.shape, Hinge):
        product = sums.hessian_product(a, sums.hessian_diagonal(a), direction)
        change = (along(step).gradient(a) - along(-step).gradient(a)) / (2.0 * step)
        np.testing.assert_allclose(product, change, rtol=0, atol=1e-7 * np.abs(product).max())


@each_surrogate
def test_more_items(surrogate: Surrogate) -> None:
    some = items(1500 // SMALLER, 4, 2, 1, seed=4)
    scores = np.random.default_rng(5).normal(size=1500 // SMALLER) * 3.0
    oracle.check_all(some, scores, surrogate, way=FAST)


@each_surrogate
@pytest.mark.parametrize("n_groups", [1, 100, MANY // 100])
def test_same_bits_for_any_number_of_threads(surrogate: Surrogate, n_groups: int) -> None:
    some = items(MANY, 4, 2, n_groups, seed=6)
    scores = np.random.default_rng(7).normal(size=MANY)
    layout = arrange(some.codes, some.above, some.below, group=some.group)
    a = np.linspace(0.5, 1.5, layout.pairs.size)

    def everything(threads: int) -> np.ndarray:
        sums = surrogate_sums(layout, scores, surrogate, threads=threads)
        diagonal = sums.hessian_diagonal(a)
        product = sums.hessian_product(a, diagonal, scores)
        return np.concatenate([sums.values(), sums.gradient(a), diagonal, product])

    one = everything(1)
    for threads in (2, 5):
        np.testing.assert_array_equal(one, everything(threads))


def threaded_gradient() -> np.ndarray:
    some = items(MANY, 4, 2, 1, seed=8)
    layout = arrange(some.codes, some.above, some.below)
    scores = np.random.default_rng(9).normal(size=MANY)
    sums = surrogate_sums(layout, scores, SURROGATES["logistic"], threads=2)
    return sums.gradient(1.0 / layout.pairs)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_concurrent_callers_and_forked_children() -> None:
    expected = threaded_gradient()
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: threaded_gradient(), range(4)):
            np.testing.assert_array_equal(found, expected)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for found in pool.starmap(threaded_gradient, [()] * 2):
            np.testing.assert_array_equal(found, expected)


@each_surrogate
def test_twenty_labels_with_as_many_patterns_as_rows(surrogate: Surrogate) -> None:
    rng, n = np.random.default_rng(10), 300 // SMALLER**2
    votes, seen = rng.random((n, 20)) < 0.4, rng.random((n, 20)) < 0.8
    some = Items(
        np.arange(n),
        (votes & seen).astype(float),
        (~votes & seen).astype(float),
        rng.random(n),
        np.zeros(n, dtype=int),
    )
    for scores in (rng.normal(size=n), rng.normal(size=n) * min(surrogate.max_range / 9, 1e5)):
        oracle.check_all(some, scores, surrogate, way=FAST)


@each_surrogate
@pytest.mark.parametrize("costs", ["linear", "uniform"])
@pytest.mark.parametrize("grouped", [False, True], ids=["", "grouped"])
def test_real_valued_levels(surrogate: Surrogate, costs: str, grouped: bool) -> None:
    rng, n = np.random.default_rng(11), 300 // SMALLER
    levels, scores = np.sort(rng.normal(size=n)), rng.normal(size=n)
    group = np.arange(n) % 2 if grouped else None
    above, below = cost_terms(levels, costs)
    layout = arrange(np.arange(n), above, below, group=group, small_below=n // 3)
    assert layout.small
    assert layout.large
    gap = np.maximum(levels[:, None] - levels, 0.0)
    table = gap if costs == "linear" else np.sign(gap)
    if group is not None:
        table = table * (group[:, None] == group)
    sums = surrogate_sums(layout, scores, surrogate)
    ones = np.ones(layout.pairs.size)
    total = table.sum()
    oracle.assert_close(sums.values().sum(), oracle.value(table, scores, surrogate), 1e-12, total)
    oracle.assert_close(
        sums.gradient(ones), oracle.gradient(table, scores, surrogate), 1e-12, total
    )
    oracle.assert_close(
        sums.hessian_diagonal(ones), np.diag(oracle.hessian(table, scores, surrogate)), 1e-11, total
    )


@each_surrogate
@pytest.mark.parametrize("way", [FAST, MIXED, DIRECT], ids=["fast", "mixed", "direct"])
@pytest.mark.parametrize("twins", [0.0, 0.5])
def test_items_on_both_sides_of_a_term(surrogate: Surrogate, way: Way, twins: float) -> None:
    """No item meets itself but in the share of its pairs that identical items are."""
    rng = np.random.default_rng(12)
    n = 40
    codes, group = rng.integers(0, 4, n), np.where(np.arange(n) < 30, 0, 1)
    above, below = rng.uniform(0.1, 2.0, (2, 4, 3)) * (rng.random((2, 4, 3)) < 0.7)
    weight, scores = rng.uniform(0.1, 2.0, n), rng.normal(size=n)
    some = Items(codes, above, below, weight, group)
    layout = arrange(
        codes,
        above,
        below,
        weight=weight,
        group=group,
        twins=np.full(n, twins),
        small_below=way.small_below,
    )
    with way.chosen():
        sums = surrogate_sums(layout, scores, surrogate)
    a = rng.uniform(0.1, 1.0, some.shape)
    costs = some.costs(a)
    own = np.diag(costs).copy()
    np.fill_diagonal(costs, twins * own)
    coefficient = a[layout.group, layout.term]
    total = float(costs.sum())
    np.testing.assert_allclose(coefficient @ layout.pairs, total, rtol=1e-13)
    values = coefficient @ sums.values()
    oracle.assert_close(values, oracle.value(costs, scores, surrogate), 1e-12, total)
    # Between copies of one score the derivatives are none.
    np.fill_diagonal(costs, 0.0)
    expected = oracle.gradient(costs, scores, surrogate)
    oracle.assert_close(sums.gradient(coefficient), expected, 1e-12, total)
    full, diagonal = (
        oracle.hessian(costs, scores, surrogate),
        sums.hessian_diagonal(coefficient),
    )
    oracle.assert_close(diagonal, np.diag(full), 1e-11, total)
    product = sums.hessian_product(coefficient, diagonal, scores)
    size = (np.abs(full) @ np.abs(scores)).max()
    assert np.abs(product - full @ scores).max() <= 1e-11 * size + 1e-15 * total


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e301, -1e301])
@pytest.mark.parametrize("way", [FAST, DIRECT, SPANNED], ids=["fast", "direct", "spanned"])
def test_scores_that_are_not_finite_are_refused(bad: float, way: Way) -> None:
    layout = items(10, 2, 1, 1, seed=0).arrange(small_below=way.small_below)
    with pytest.raises(ValueError, match="finite and at most 1e\\+300"):
        surrogate_sums(layout, np.append(np.zeros(9), bad), SURROGATES["logistic"])


def test_nothing_to_compare() -> None:
    some = items(9, 3, 2, 1, seed=0)
    layout = arrange(some.codes, some.above, np.zeros_like(some.below), group=np.arange(9))
    sums = surrogate_sums(layout, np.arange(9.0), SURROGATES["square"])
    assert not layout.pairs.any()
    assert not sums.values().any()
    assert not sums.gradient(np.ones(18)).any()


def test_no_members_at_all() -> None:
    empty = sparse.csr_array((2, 1))
    layout = arrange(np.array([0, 1]), empty, empty)
    sums = surrogate_sums(layout, np.array([0.0, 1.0]), SURROGATES["hinge"])
    assert sums.values().size == 0
    assert sums.gradient(np.empty(0)).tolist() == [0.0, 0.0]
    assert sums.hessian_product(np.empty(0), np.zeros(2), np.ones(2)).tolist() == [0.0, 0.0]
