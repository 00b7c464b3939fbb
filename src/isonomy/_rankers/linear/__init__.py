"""The best weighted sum of the features."""

from __future__ import annotations

from isonomy._rankers.linear.ranker import LinearRanker
