"""Exact AUCs and nDCGs, their intervals and tests."""

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
from isonomy._metrics.bounds import logit_bounds, shrunk_wilson, wilson
from isonomy._metrics.intervals import (
    AUCIntervals,
    auc_intervals,
    conflict_intervals,
)
from isonomy._metrics.ndcgs import check_top, label_ndcgs, ndcg_intervals, ndcgs_of
from isonomy._metrics.p_values import DEFAULT_LEVEL, holm, normal_quantile, t_quantile
from isonomy._metrics.score_tests import ScoreComparison, compare_scores
from isonomy._metrics.scorer import scorer
from isonomy._metrics.small_samples import FEWEST_MISRANKED, FEWEST_UNITS, unit_name
