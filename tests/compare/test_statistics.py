"""Intervals and tests over splits, against the plain formula."""

from __future__ import annotations

import math
from statistics import mean, variance

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from isonomy._compare.statistics import Resampling

values = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=2, max_size=20)


@given(values, st.floats(0.05, 1), st.sampled_from([0.8, 0.95]))
@settings(max_examples=60)
def test_estimate_is_the_formula(x: list[float], ratio: float, level: float) -> None:
    found = Resampling(ratio, level).estimate(np.array(x), (0.0, 1.0))
    error = math.sqrt((1 / len(x) + ratio) * variance(x))
    reach = stats.t(len(x) - 1).ppf((1 + level) / 2) * error
    assert found.mean == pytest.approx(mean(x))
    assert found.low == pytest.approx(max(mean(x) - reach, 0), abs=1e-9)
    assert found.high == pytest.approx(min(mean(x) + reach, 1), abs=1e-9)
    assert found.low <= found.mean <= found.high


@given(values, values, st.floats(0.05, 1))
@settings(max_examples=60)
def test_p_value_is_the_formula(x: list[float], y: list[float], ratio: float) -> None:
    n = min(len(x), len(y))
    d = [a - b for a, b in zip(x[:n], y[:n], strict=True)]
    (found,) = Resampling(ratio, 0.95).p_values(np.array(d)[:, None])
    if len(set(d)) == 1:
        assert found == (1.0 if d[0] == 0 else 0.0)
        return
    # Differences near 1e-160 have a variance that is no number of its own.
    assume(variance(d) > 0)
    t = mean(d) / math.sqrt((1 / n + ratio) * variance(d))
    assert found == pytest.approx(2 * stats.t.sf(abs(t), n - 1), rel=1e-6, abs=1e-12)


def test_undefined_splits_are_left_out() -> None:
    resampling = Resampling(0.25, 0.95)
    x = np.array([[0.7, np.nan, np.nan], [np.nan, 0.5, np.nan], [0.8, np.nan, np.nan]])
    found = resampling.estimate(x, (0.0, 1.0))
    alone = resampling.estimate(np.array([0.7, 0.8]), (0.0, 1.0))
    assert found.mean[0] == alone.mean
    assert found.low[0] == alone.low
    assert found.mean[1] == 0.5
    assert np.isnan(found.low[1])
    assert np.isnan(found.mean[2])
    assert np.isnan(resampling.p_values(x)[1:]).all()


def test_the_correction_holds_its_level() -> None:
    """Means of parts of the same rows: the plain test cries wolf, the corrected one does not."""
    rng = np.random.default_rng(0)
    corrected, plain = [], []
    for _ in range(300):
        x = rng.normal(size=100)
        parts = np.array([rng.permutation(100).reshape(5, 20) for _ in range(3)])
        d = x[parts].mean(axis=2).reshape(15, 1)
        corrected.append(Resampling(0.25, 0.95).p_values(d)[0])
        plain.append(stats.ttest_1samp(d[:, 0], 0).pvalue)
    assert np.mean(np.array(plain) < 0.05) > 0.15
    assert np.mean(np.array(corrected) < 0.05) < 0.1


tables = st.integers(2, 8).flatmap(
    lambda n: st.integers(2, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.floats(0.1, 0.9), min_size=k, max_size=k), min_size=n, max_size=n
        )
    )
)


@given(tables)
@settings(max_examples=60)
def test_the_smallest_mean_and_the_widest_gap_are_bounded_by_the_columns_own(
    rows: list[list[float]],
) -> None:
    values = np.array(rows)
    resampling = Resampling(0.25, 0.95)
    columns = resampling.estimate(values, (0.0, 1.0))
    found = resampling.smallest(values)
    assert found.mean == pytest.approx(columns.mean.min())
    assert found.low == pytest.approx(columns.low.min(), abs=1e-12)
    # A column that may be the smallest bounds it from above, no closer than by its own bound.
    assert found.low <= found.mean <= found.high
    assert found.high >= columns.high.min() - 1e-12
    gap = resampling.widest_gap(values)
    assert gap.mean == pytest.approx(np.ptp(columns.mean))
    pairs = values[:, :, None] - values[:, None, :]
    assert gap.high == pytest.approx(
        max(float(resampling.estimate(pairs, (-1.0, 1.0)).high.max()), 0.0), abs=1e-12
    )
    assert 0 <= gap.low <= gap.mean + 1e-12


def test_a_column_far_behind_does_not_widen_the_interval_of_the_smallest() -> None:
    values = np.array([[0.60, 0.9], [0.62, 0.91], [0.61, 0.9], [0.63, 0.92]])
    found, alone = (Resampling(0.25, 0.95).smallest(each) for each in (values, values[:, :1]))
    assert (found.mean, found.low, found.high) == (alone.mean, alone.low, alone.high)


def test_the_interval_of_the_smallest_mean_holds_where_all_are_alike() -> None:
    """The mean of the splits' minima is too low, and its interval misses more often."""
    rng = np.random.default_rng(0)
    resampling = Resampling(0.25, 0.95)
    held, minima = [], []
    for _ in range(400):
        x = rng.normal(0.7, 0.3, size=(100, 3))
        parts = np.array([rng.permutation(100).reshape(5, 20) for _ in range(3)])
        values = x[parts].mean(axis=2).reshape(15, 3)
        found = resampling.smallest(values)
        held.append(found.low <= 0.7 <= found.high)
        plain = resampling.estimate(values.min(axis=1), (0.0, 1.0))
        minima.append(plain.low <= 0.7 <= plain.high)
    assert np.mean(held) > 0.93
    assert np.mean(minima) < np.mean(held)


def test_a_bound_of_nothing_has_no_minus() -> None:
    values = np.array([[0.0, 0.9], [0.4, 0.8], [0.0, 0.7]])
    found = Resampling(0.25, 0.95).smallest(values)
    assert found.low == 0
    assert not np.signbit(found.low)


def test_a_label_that_no_split_measures_leaves_the_smallest_undefined() -> None:
    values = np.array([[0.7, np.nan], [0.8, np.nan]])
    assert np.isnan(Resampling(0.25, 0.95).smallest(values).mean)
    assert np.isnan(Resampling(0.25, 0.95).widest_gap(values).low)
