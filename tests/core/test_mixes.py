"""Mixes: what they make of the terms' ratios, and how much each ratio moves it."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy import Mean, Pooled, Worst

RATIOS = np.array([0.25, 0.75, 0.5])


@pytest.mark.parametrize(
    ("mix", "ratios", "value", "slope"),
    [
        (Pooled(), RATIOS[:1], 0.25, [1.0]),
        (Mean((1.0, 3.0, 4.0)), RATIOS, 0.5625, [0.125, 0.375, 0.5]),
        (Mean((2.0, 0.0, 2.0)), np.array([0.25, np.nan, 0.5]), 0.375, [0.5, 0.0, 0.5]),
        (Mean((1e308, 1e308, 1e308)), RATIOS, 0.5, [1 / 3] * 3),
        (Worst(), RATIOS, 0.25, [1.0, 0.0, 0.0]),
        (Worst(), RATIOS[::-1], 0.25, [0.0, 0.0, 1.0]),
    ],
    ids=str,
)
def test_values_and_slopes(mix: object, ratios: object, value: float, slope: list[float]) -> None:
    assert mix.value(ratios) == value  # type: ignore[attr-defined]
    assert mix.slope(ratios).tolist() == pytest.approx(slope, abs=1e-15)  # type: ignore[attr-defined]


def test_only_one_mix_pools_its_pairs() -> None:
    assert (Pooled().pooled, Mean((1.0,)).pooled, Worst().pooled) == (True, False, False)


def test_a_weight_for_each_term() -> None:
    with pytest.raises(ValueError, match="each of the 3 terms"):
        Mean((1.0, 2.0)).value(RATIOS)
