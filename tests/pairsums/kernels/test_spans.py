"""Polynomials over the span of a segment against all pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isonomy._pairsums.kernels import spans as kernels
from isonomy._pairsums.kernels.spans import Spans
from isonomy._pairsums.tables import span_degree, span_tables
from isonomy.surrogates import SURROGATES

SMOOTH = ["logistic", "sigmoid", "exponential", "square"]


@given(
    name=st.sampled_from(SMOOTH),
    order=st.integers(0, 2),
    width=st.sampled_from([2.0**-40, 0.25, 1.5, 6.0, 16.0]),
)
def test_the_tables_are_the_surrogate_at_every_margin(name: str, order: int, width: float) -> None:
    surrogate = SURROGATES[name]
    table = span_tables(surrogate, width, order)
    assert len(table) == span_degree(surrogate, width)
    x = np.linspace(-1.0, 1.0, 33)
    series = np.polynomial.chebyshev.chebvander(x, len(table) - 1)
    expected = surrogate.derivative(order)(0.5 * width * (x[:, None] - x))
    largest = np.abs(expected).max()
    np.testing.assert_allclose(series @ table @ series.T, expected, rtol=0, atol=3e-13 * largest)


@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(1, 300), min_size=1, max_size=3),
    n_patterns=st.sampled_from([1, 2, 5, 300]),
    name=st.sampled_from(SMOOTH),
)
def test_against_all_pairs(seed: int, sizes: list[int], n_patterns: int, name: str) -> None:
    rng, surrogate = np.random.default_rng(seed), SURROGATES[name]
    starts = np.append(0, np.cumsum(sizes))
    side = rng.integers(-1, 2, (n_patterns, 2)) * rng.uniform(0.5, 2.0, (n_patterns, 2))
    code = np.concatenate([np.sort(rng.integers(0, n_patterns, m)) for m in sizes]).astype(np.int32)
    widths = np.array([0.5, 3.0])
    table = rng.integers(0, 2, len(sizes))
    degree = np.array([span_degree(surrogate, width) for width in widths])
    centre = rng.normal(size=len(sizes)) * 100
    width = np.repeat(widths[table], sizes)
    scores = np.repeat(centre, sizes) + width * rng.uniform(-0.5, 0.5, code.size)
    weight = rng.uniform(0.0, 2.0, code.size)
    spans = Spans(starts, centre, 2.0 / widths[table], degree[table], table)
    largest = int(degree.max())
    tables = np.zeros((3, 2, 2, largest, largest))
    for order in range(3):
        for number in range(2):
            found = span_tables(surrogate, float(widths[number]), order)
            tables[order, number, 0, : len(found), : len(found)] = found
            tables[order, number, 1, : len(found), : len(found)] = found.T
    moments = np.empty((len(sizes), 2, 2, largest))
    kernels.side_moments(0, len(sizes), spans, scores, code, weight, side, moments)
    values, a = np.empty((len(sizes), 2)), rng.uniform(0.1, 1.0, (len(sizes), 2))
    kernels.term_sums(0, len(sizes), spans, moments, tables[0], values)
    felt = np.empty((3, code.size))
    for order in (1, 2):
        kernels.member_sums(
            0, len(sizes), spans, scores, code, weight, side, moments, tables[order],
            (-1.0) ** order, a, felt[order],
        )  # fmt: skip
    for s in range(len(sizes)):
        mine = slice(starts[s], starts[s + 1])
        margin = scores[mine, None] - scores[mine]
        cost = np.zeros_like(margin)
        for r in range(2):
            sides = side[code[mine], r] * weight[mine]
            each = np.outer(np.maximum(sides, 0.0), np.maximum(-sides, 0.0))
            expected = (each * surrogate.value(margin)).sum()
            assert abs(values[s, r] - expected) <= 1e-12 * abs(expected) + 1e-14 * each.sum()
            cost += a[s, r] * each
        for order in (1, 2):
            pull = cost * surrogate.derivative(order)(margin)
            expected = pull.sum(axis=1) + (-1.0) ** order * pull.sum(axis=0)
            error = np.abs(felt[order, mine] - expected).max()
            assert error <= 1e-11 * np.abs(expected).max() + 1e-13 * cost.sum()
