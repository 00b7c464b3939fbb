"""Boosted trees, by LightGBM or XGBoost."""

from __future__ import annotations

from isonomy._rankers.boosted.engines import ENGINES
from isonomy._rankers.boosted.ranker import BoostedRanker
