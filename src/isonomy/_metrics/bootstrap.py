"""Ratios N / D of resampled items, or groups."""

from __future__ import annotations

import numpy as np

from isonomy._core import FloatArray
from isonomy._counting import Influence, PairSums
from isonomy._infra import default_threads, progress, run


def resampled_ratios(
    influence: Influence, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Ratios of bootstrap samples of the items, or groups; one row each."""
    ranking, sums = influence.ranking, influence.sums
    n_units = len(sums.total) if ranking.grouped else ranking.preferences.codes.size

    def resample(child: np.random.Generator) -> FloatArray:
        times = np.bincount(child.integers(0, n_units, n_units), minlength=n_units)
        if ranking.grouped:
            return PairSums(times[None] @ sums.right, times[None] @ sums.total).ratios()
        weight = times if ranking.weight is None else times * ranking.weight
        return ranking.sums_by_item(weight.astype(np.float64)).ratios()

    # Each sample has its own generator, so that the number of threads changes nothing.
    tasks = [(child,) for child in rng.spawn(n_resamples)]
    samples = run(resample, tasks, default_threads(n_units * n_resamples))
    return np.array(list(progress(samples, n_resamples, "Bootstrap")))


def draws_covariance(draws: FloatArray) -> FloatArray:
    """Covariance of the columns that are ever defined, over the draws where all are."""
    n_columns = draws.shape[1]
    covariance = np.full((n_columns, n_columns), np.nan)
    defined = ~np.isnan(draws).all(axis=0)
    complete = draws[:, defined][~np.isnan(draws[:, defined]).any(axis=1)]
    if len(complete) > 1:
        covariance[np.ix_(defined, defined)] = np.cov(complete, rowvar=False)
    return covariance
