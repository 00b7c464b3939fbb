"""Ratios N / D of resampled items, clusters or groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, gram
from isonomy._counting import Influence, PairSums
from isonomy._infra import default_threads, progress, run

# Items that rows stand for are drawn one by one, as if they were written out, up to this many.
MOST_DRAWN = 1 << 20


def resampled_ratios(
    influence: Influence,
    count: NDArray[np.int64] | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Ratios of bootstrap samples of the units, one row each.

    A row that stands for several items is drawn as often as any of them is. Up to `MOST_DRAWN`
    of them a seed draws the same as from rows written out, which more would not fit beside.
    """
    ranking, sums = influence.ranking, influence.sums
    n = len(sums.total) if ranking.grouped else ranking.preferences.codes.size
    cluster = influence.cluster
    stops = np.cumsum(count) if count is not None and influence.by_item else None
    n_units = n if cluster is None else int(cluster.max()) + 1
    n_draws = n_units if stops is None else int(stops[-1])
    share = None
    if count is not None and stops is not None and n_draws > MOST_DRAWN:
        share = count / count.sum()

    def resample(child: np.random.Generator) -> FloatArray:
        if share is not None:
            times = child.multinomial(n_draws, share).astype(np.float64)
        else:
            drawn = child.integers(0, n_draws, n_draws)
            if stops is not None:
                drawn = np.searchsorted(stops, drawn, side="right")
            times = np.bincount(drawn, minlength=n_units).astype(np.float64)
        if cluster is not None:
            times = times[cluster]
        if ranking.grouped:
            return PairSums(times[None] @ sums.right, times[None] @ sums.total).ratios()
        if stops is not None:
            assert count is not None
            times /= np.maximum(count, 1)
        weight = times[ranking.order]
        if ranking.weight is not None:
            weight *= ranking.weight
        return ranking.sums_by_item(weight).ratios()

    # Each sample has its own generator, so that the number of threads changes nothing.
    tasks = [(child,) for child in rng.spawn(n_resamples)]
    samples = run(resample, tasks, default_threads(n * n_resamples))
    return np.array(list(progress(samples, n_resamples, "Bootstrap")))


def draws_covariance(draws: FloatArray) -> FloatArray:
    """Covariance of the columns that are ever defined, over the draws where all are."""
    n_columns = draws.shape[1]
    covariance = np.full((n_columns, n_columns), np.nan)
    defined = ~np.isnan(draws).all(axis=0)
    complete = draws[:, defined][~np.isnan(draws[:, defined]).any(axis=1)]
    if len(complete) > 1:
        centred = complete - complete.mean(axis=0)
        covariance[np.ix_(defined, defined)] = gram(centred) / (len(complete) - 1)
    return covariance
