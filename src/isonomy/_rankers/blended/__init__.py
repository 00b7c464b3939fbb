"""One classifier per label, and the blend of what they say."""

from __future__ import annotations

from isonomy._rankers.blended.fold_mean import FoldMean
from isonomy._rankers.blended.funnel import funnel_parents, implied_labels
from isonomy._rankers.blended.label_models import (
    LabelLearner,
    LabelModels,
    LabelRows,
    OneClassifier,
    fit_classifier,
    logits,
)
from isonomy._rankers.blended.ranker import BlendRanker
from isonomy._rankers.blended.weights import SAFETY, Floors

# What fitted rankers hold, so that model files may.
MODEL_PARTS = (FoldMean,)
