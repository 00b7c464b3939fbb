"""Fields between nodes against every pair of nodes."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._pairsums.kernels.fields import add_field
from isonomy._pairsums.kernels.moments import NODES
from isonomy._pairsums.tables import field_tables
from isonomy.surrogates import SURROGATES, Analytic, Surrogate

SMOOTH = [s for s in SURROGATES.values() if isinstance(s.shape, Analytic)]

# Bins whose rows meet near, adjacent and far; with gaps, far ones entering one by one.
BINS = {
    "one row": [3.0],
    "all near": [-2.0, -1.0, 0.0, 1.0],
    "adjacent": list(np.arange(-20.0, 20.0)),
    "gaps": [-60.0, -47.0, -46.0, -20.0, -3.0, 0.0, 1.0, 30.0, 31.0, 90.0],
    "one far away": [-4e12, -1.0, 0.0, 8.0, 9.0],
    "two far apart": [-1e15, 1e15],
}


CASES = [
    (surrogate, name)
    for surrogate in SMOOTH
    for name, bins in BINS.items()
    if np.ptp(bins) * surrogate.shape.width <= surrogate.max_range
]


@pytest.mark.parametrize(("surrogate", "name"), CASES, ids=lambda x: getattr(x, "name", x))
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("mirrored", [False, True], ids=["", "mirrored"])
def test_add_field(surrogate: Surrogate, name: str, order: int, mirrored: bool) -> None:
    bins = np.array(BINS[name])
    width = surrogate.shape.width
    weights = np.random.default_rng(order).random((bins.size, 8))
    field = np.ones((bins.size, 8))
    add_field(bins, weights, field_tables(surrogate, width, order, mirrored), field)

    sign = -1.0 if mirrored else 1.0
    between = np.subtract.outer(bins, bins)[:, None, :, None]
    margin = width * (between + 0.5 * (NODES[:, None, None] - NODES)).astype(np.longdouble)
    psi = sign**order * surrogate.derivative(order)(sign * margin)
    expected = 1.0 + (psi * weights).sum(axis=(2, 3))
    error = np.abs(field - expected).max()
    assert error <= 1e-13 * np.abs(expected).max() + 1e-15 * weights.sum()


def test_narrow_bins_need_no_far_field() -> None:
    surrogate = SURROGATES["logistic"]
    width = 2.0**-30
    bins = np.arange(7.0)
    weights = np.random.default_rng(0).random((7, 8))
    field = np.zeros((7, 8))
    add_field(bins, weights, field_tables(surrogate, width, 1, False), field)
    place = width * (bins[:, None] + 0.5 + 0.5 * NODES)
    psi = surrogate.slope(place[:, :, None, None] - place)
    np.testing.assert_allclose(field, (psi * weights).sum(axis=(2, 3)), rtol=1e-14)
