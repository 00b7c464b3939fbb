"""Confidence intervals of partial AUCs."""

from __future__ import annotations

import numpy as np

from isonomy._core import Items, warn_undefined
from isonomy._metrics.bounds import shrunk_wilson
from isonomy._metrics.list_intervals import Bounded, list_intervals, warn_few_units
from isonomy._metrics.partial_aucs import partial_aucs, partial_spread, standardised


def partial_intervals(
    items: Items,
    max_fpr: float,
    level: float,
    draws: tuple[int, np.random.Generator] | None,
) -> Bounded:
    """Intervals of the mean true positive rates, brought to McClish's scale."""
    preferences, lists = partial_aucs(items, max_fpr)
    warn_undefined(preferences, lists.means())
    if items.group is not None:
        found = list_intervals(items, lists, level, draws)
    else:
        estimate, spread = lists.means(), partial_spread(items, preferences, max_fpr)
        warn_few_units(items, estimate, spread)
        low, high = shrunk_wilson(estimate, spread, level)
        found = Bounded(estimate, low, high, spread.covariance, spread.freedom)
    slope = 0.5 / (1 - max_fpr / 2)
    estimate, low, high = (
        standardised(each, max_fpr) for each in (found.estimate, found.low, found.high)
    )
    return Bounded(estimate, low, high, found.covariance * slope**2, found.freedom)
