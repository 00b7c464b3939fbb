"""Tops by counting patterns, against the same by parts of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._audit.even_rows import NEAR, EvenRows
from isonomy._audit.top import Runs, ranked_rows
from isonomy._core import Items, LossAggregation
from isonomy._counting import Ranking
from tests.strategies import score_arrays


def both_ways(scores: np.ndarray, seed: int, *, indexed: bool) -> tuple[EvenRows, Runs]:
    Y = np.random.default_rng(seed).integers(0, 2, (scores.size, 2))
    items = Items.checked(Y, y_score=scores)
    ranking = Ranking(items.preferences(LossAggregation()), scores, indexed=indexed)
    even = ranked_rows(items, ranking)
    assert isinstance(even, EvenRows)
    return even, Runs.of(items, ranking)


def check(even: EvenRows, runs: Runs, fraction: float, more: float) -> None:
    for found, expected in zip(even.sums(fraction), runs.sums(fraction), strict=True):
        assert found == pytest.approx(expected, abs=1e-9)
    most, least = min(fraction * (1 + more), 1.0), fraction * (1 - more)
    expected = runs.mass_between(most, least)
    assert even.mass_between(most, least) == pytest.approx(expected, abs=1e-8)
    assert (even.whole, even.all_squares) == (runs.whole, runs.all_squares)


@given(
    st.integers(1, 30).flatmap(score_arrays),
    st.floats(0.001, 1.0),
    st.floats(0.01, 0.99),
    st.integers(0, 99),
    st.booleans(),
)
def test_the_same_sums(
    scores: np.ndarray, fraction: float, more: float, seed: int, indexed: bool
) -> None:
    check(*both_ways(scores, seed, indexed=indexed), fraction, more)


@pytest.mark.parametrize("run", [1, NEAR, 5 * NEAR, 40 * NEAR])
@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.2, 1.0])
def test_long_runs(run: int, fraction: float) -> None:
    scores = np.arange(100 * NEAR) // run / 7
    check(*both_ways(scores, run, indexed=False), fraction, 0.25)
