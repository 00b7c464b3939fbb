"""Tables of surrogates: the near field reaches to where the tails begin."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._pairsums.kernels.direct import term_sums
from isonomy._pairsums.kernels.moments import NODES
from isonomy._pairsums.tables import curve_tables, field_tables
from isonomy.surrogates import FAR, SURROGATES, Analytic, Surrogate, Tail

SMOOTH = [entry for entry in SURROGATES.values() if isinstance(entry.shape, Analytic)]


@pytest.mark.parametrize("surrogate", SMOOTH, ids=lambda entry: entry.name)
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("mirrored", [False, True], ids=["", "mirrored"])
def test_near_and_far_tables_meet(surrogate: Surrogate, order: int, mirrored: bool) -> None:
    width = surrogate.shape.width
    field = field_tables(surrogate, width, order, mirrored)
    reach = field.near.shape[0] // 2
    assert reach * width >= FAR
    sign = -1.0 if mirrored else 1.0
    # One source in the middle of the first bin out of reach.
    for sweep in (field.left, field.right):
        margin = sweep.direction * (reach + 1) * width + 0.5 * width * NODES
        expected = sign**order * surrogate.derivative(order)(sign * margin)
        found = sweep.release.sum(axis=0)
        if sweep.release_powers.size:
            found = found + sweep.release_powers[0]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("width", [2.0, 1.0, 0.5, 0.25, 0.0625, 0.03125])
def test_reach_of_other_widths(width: float) -> None:
    square = SURROGATES["square"]
    tails = Tail((1.0, -2.0, 1.0)), Tail((1.0, 2.0, 1.0))
    entry = Surrogate(
        "other", square.value, square.slope, square.curvature, Analytic(*tails, width)
    )
    for narrower in (1.0, 2.0**-10):
        field = field_tables(entry, width * narrower, 0, False)
        reach = field.near.shape[0] // 2
        # The tail begins at FAR; narrower bins are at most six apart.
        assert reach * width >= FAR
        assert reach >= 6


@pytest.mark.parametrize("surrogate", SMOOTH, ids=lambda entry: entry.name)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_curves_at_any_margin(surrogate: Surrogate, order: int) -> None:
    end = min(700.0, surrogate.max_range)
    small = np.geomspace(1e-300, 100.0, 1000)
    margin = np.r_[0.0, np.linspace(-end, end, 20_001), small, -small, 40.0, -40.0]
    expected = surrogate.derivative(order)(margin)
    found = np.zeros((1, 1))
    starts, code = np.array([0, 2]), np.array([0, 1], dtype=np.int32)
    table, weight = np.array([[1.0], [-1.0]]), np.ones(2)
    sides = table, table
    curve = curve_tables(surrogate, order)
    for z, value in zip(margin, expected, strict=True):
        found[:] = 0.0
        term_sums(0, 1, starts, np.array([z, 0.0]), code, weight, sides, curve, found)
        # All digits at margins close to zero, too; near 1 the square vanishes.
        assert abs(found[0, 0] - value) <= 3e-13 * abs(value) + 1e-16 * (0.5 <= z <= 2.0), z


@pytest.mark.parametrize("surrogate", [e for e in SURROGATES.values() if e not in SMOOTH])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_hinges_at_any_margin(surrogate: Surrogate, order: int) -> None:
    near = 1.0 + np.arange(-4, 5) * 2.0**-53
    margin = np.r_[near, np.linspace(-5.0, 5.0, 401), -1e9, 1e9, np.arange(-20, 21) / 10.0 - 0.3]
    expected = surrogate.derivative(order)(margin)
    starts, code = np.array([0, 2]), np.array([0, 1], dtype=np.int32)
    table, weight = np.array([[1.0], [-1.0]]), np.ones(2)
    curve = curve_tables(surrogate, order)
    for z, value in zip(margin, expected, strict=True):
        found = np.zeros((1, 1))
        term_sums(0, 1, starts, np.array([z, 0.0]), code, weight, (table, table), curve, found)
        assert abs(found[0, 0] - value) <= 1e-15 * max(abs(value), 1.0), z
