"""Confidence intervals of means over lists (groups)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Items, cluster_of_groups
from isonomy._counting import ListValues, Spread
from isonomy._infra import warn_user
from isonomy._metrics.bootstrap import draws_covariance
from isonomy._metrics.bounds import percentile_bounds, shrunk_wilson
from isonomy._metrics.small_samples import FEWEST_UNITS, unit_name


class Bounded(NamedTuple):
    """Estimates, bounds, covariance and degrees of freedom, as `AUCIntervals` has them."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    covariance: FloatArray
    freedom: FloatArray


def list_intervals(
    items: Items,
    lists: ListValues,
    level: float,
    draws: tuple[int, np.random.Generator] | None,
) -> Bounded:
    """Intervals of the means over lists; `draws` are bootstrap samples and their generator."""
    cluster = None
    if items.cluster is not None and items.group is not None:
        cluster = cluster_of_groups(items.group, items.cluster)
    estimate, spread = lists.means(), lists.spread(cluster)
    covariance = spread.covariance
    if draws is None:
        low, high = shrunk_wilson(estimate, spread, level)
    else:
        samples = resampled_means(lists, cluster, *draws)
        low, high = percentile_bounds(samples, level)
        covariance = draws_covariance(samples)
    warn_few_units(items, estimate, spread)
    return Bounded(estimate, low, high, covariance, spread.freedom)


def resampled_means(
    lists: ListValues,
    cluster: NDArray[np.int64] | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Means over resampled lists, or clusters of lists, one row each."""
    n_units = len(lists.values) if cluster is None else int(cluster.max()) + 1
    weighted = lists.weight * np.where(lists.weight > 0, lists.values, 0.0)
    out = np.full((n_resamples, lists.values.shape[1]), np.nan)
    for row in out:
        times = np.bincount(rng.integers(0, n_units, n_units), minlength=n_units)
        if cluster is not None:
            times = times[cluster]
        total = times @ lists.weight
        np.divide(times @ weighted, total, out=row, where=total > 0)
    return out


def warn_few_units(items: Items, estimate: FloatArray, spread: Spread) -> None:
    """Warn of labels whose intervals stand on too little to hold what they promise."""
    few = (spread.smallest < FEWEST_UNITS) & ~np.isnan(estimate)
    if few.any():
        units = unit_name(items.group is not None, items.cluster is not None)
        where = ", ".join(repr(items.labels.names[q]) for q in np.flatnonzero(few))
        warn_user(
            f"Only {spread.smallest[few].min():.0f} {units} for {where}: with so few, intervals "
            "may not hold."
        )
