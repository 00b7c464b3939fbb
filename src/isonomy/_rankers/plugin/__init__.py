"""From any classifier's probabilities to the best ranking."""

from __future__ import annotations

from isonomy._rankers.plugin.calibration import Calibration, Isotonic, Sigmoid
from isonomy._rankers.plugin.classifiers import check_classifier, input_tags_of, weight_name
from isonomy._rankers.plugin.ordinal_steps import OrdinalSteps
from isonomy._rankers.plugin.ranker import EDGE, PlugInRanker

# What a fitted ranker holds of this package's own: model files may hold it too.
MODEL_PARTS = (Calibration, Isotonic, OrdinalSteps, Sigmoid)
