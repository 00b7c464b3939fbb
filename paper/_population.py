"""The population sweep that two figures share: the best scorers as the second label gets rarer."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

import isonomy as iso
from isonomy._infra.progress_bar import progress
from isonomy.datasets import make_sweep
from isonomy.theory import sweep_point
from paper._results import Row

TAUS = (1.0, 5.0, 10.0, 50.0, math.inf)
PRIORS = tuple(round(0.02 * step, 2) for step in range(1, 26))
SAMPLED = (0.1, 0.2, 0.3, 0.4)
QUICK_TAUS, QUICK = (5.0, 50.0, math.inf), (0.1, 0.4)
SAMPLES = 100_000
METHODS = {"LoA": iso.LossAggregation(), "LaA": iso.LabelAggregation()}


@cache
def population(*, quick: bool) -> list[Row]:
    """AUCs of both best scorers, without sampling; once for both figures."""
    taus, priors = (QUICK_TAUS, QUICK) if quick else (TAUS, PRIORS)
    grid = [(tau, prior) for tau in taus for prior in priors]
    rows = []
    for tau, prior in progress(grid, len(grid), "sweep"):
        point = sweep_point(tau, prior)
        for name, aucs in (("LoA", point.loss_aggregation), ("LaA", point.label_aggregation)):
            rows.append(
                {
                    "kind": "population",
                    "tau": tau,
                    "pi_2": prior,
                    "objective": name,
                    "rho": point.rho,
                    "auc_1": aucs[0],
                    "auc_2": aucs[1],
                    "gap": abs(aucs[0] - aucs[1]),
                }
            )
    return rows


@cache
def sampled(*, quick: bool) -> list[Row]:
    """The same scorers evaluated on 100,000 drawn items, as the paper does."""
    rows = []
    taus, priors = (QUICK_TAUS, QUICK[:1]) if quick else (TAUS, SAMPLED)
    grid = [(tau, prior) for tau in taus for prior in priors]
    for tau, prior in progress(grid, len(grid), "samples"):
        drawn = make_sweep(SAMPLES, tau=tau, prior=prior, random_state=seed_of(tau, prior))
        for name in METHODS:
            alpha = np.array([4.0, 1 / (prior * (1 - prior))]) if name == "LoA" else np.ones(2)
            found = iso.auc_intervals(drawn.Y, drawn.eta @ alpha)
            aucs, cov = np.asarray(found.estimate), np.asarray(found.covariance)
            rows.append(
                {
                    "kind": "sample",
                    "tau": tau,
                    "pi_2": prior,
                    "objective": name,
                    "auc_1": aucs[0],
                    "auc_2": aucs[1],
                    "gap": abs(aucs[0] - aucs[1]),
                    "auc_1_se": math.sqrt(cov[0, 0]),
                    "auc_2_se": math.sqrt(cov[1, 1]),
                    "difference": aucs[0] - aucs[1],
                    "difference_se": math.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]),
                }
            )
    return rows


def seed_of(tau: float, prior: float) -> int:
    """A seed for each population, the same whatever else is drawn."""
    return 1000 * TAUS.index(tau) + round(100 * prior)


def shown(tau: object) -> str:
    """tau as text, infinity too."""
    return "τ = ∞" if str(tau) == "inf" else f"τ = {float(str(tau)):g}"
