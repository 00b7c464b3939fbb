"""The first part of the ROC curves of some labels."""

from __future__ import annotations

from isonomy._core import FloatArray, Labels
from isonomy._counting.kernels import partial_areas as kernels
from isonomy._counting.ranking import Ranking


def partial_areas(
    ranking: Ranking, labels: Labels, max_fpr: float
) -> tuple[FloatArray, FloatArray]:
    """Mean true positive rate up to `max_fpr`, NaN without pairs, and the pairs: (groups, K)."""
    codes, last = ranking.runs
    items = (codes.astype("uint32", copy=False), last, ranking.starts)
    return kernels.partial_areas(items, ranking.weight, labels.positive, labels.negative, max_fpr)
