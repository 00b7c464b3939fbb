"""Exact AUCs, their intervals and tests."""

from __future__ import annotations

from isonomy._metrics.aucs import (
    auc,
    conflict_aucs,
    label_aucs,
    multipartite_auc,
    objective_auc,
    ratios_of,
    square,
)
from isonomy._metrics.bounds import bounds, logit_bounds
from isonomy._metrics.intervals import (
    DEFAULT_LEVEL,
    FEW,
    AUCIntervals,
    ScoreComparison,
    auc_intervals,
    compare_scores,
    conflict_intervals,
)
from isonomy._metrics.p_values import holm, normal_quantile
from isonomy._metrics.scorer import scorer
