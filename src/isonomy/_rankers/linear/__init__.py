"""The best weighted sum of the features."""

from __future__ import annotations

from isonomy._rankers.linear.part_rows import Answer, Facts, Partitions, PartRows
from isonomy._rankers.linear.partitioned import check_adds_up, first_look, fit_partitions
from isonomy._rankers.linear.ranker import LinearRanker
