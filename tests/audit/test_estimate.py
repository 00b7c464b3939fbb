"""Intervals of shares."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._audit.estimate import Estimate, logit_interval, share_estimates
from isonomy._metrics import normal_quantile
from tests.audit.oracles import wilson_by_search


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("size", [1.0, 7.5, 300.0])
def test_wilson(share: float, size: float) -> None:
    found = share_estimates(np.array([share]), np.array([size]), np.array([np.inf]), 0.9)[0]
    low, high = wilson_by_search(share, size, normal_quantile(0.9))
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-6)


def test_logit_intervals_stay_inside_and_the_ends_are_certain() -> None:
    share = np.array([0.0, 0.02, 0.5, 1.0, np.nan])
    found = logit_interval(share, np.full(5, 0.05), 0.95)
    assert (found[0].low, found[0].high) == (0, 0)
    assert (found[3].low, found[3].high) == (1, 1)
    assert 0 < found[1].low < 0.02 < found[1].high < 1
    assert found[2].high - 0.5 == pytest.approx(0.5 - found[2].low)
    assert np.isnan([found[4].value, found[4].low, found[4].high]).all()


def test_text_and_spread() -> None:
    assert str(Estimate(np.nan, np.nan, np.nan, np.nan)) == "undefined"
    assert str(Estimate(0.5, np.nan, np.nan, np.nan)) == "0.500 (interval unknown)"
    assert Estimate(0.5, 0.4, 0.6, 0.05).spread(0.95) == 0.05
    assert Estimate(1.0, 0.8, 1.0, 0.0).spread(0.95) == pytest.approx(0.2 / normal_quantile(0.95))
