"""From any classifier's probabilities to the best ranking."""

from __future__ import annotations

from isonomy._rankers.plugin.calibration import Calibration
from isonomy._rankers.plugin.ranker import PlugInRanker

__all__ = ["Calibration", "PlugInRanker"]
