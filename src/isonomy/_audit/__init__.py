"""Does one label dictate this ranking? Labels and a score become an `Audit`."""

from __future__ import annotations

from isonomy._audit._audit import audit
from isonomy._audit._conflicts import Conflict, Verdict
from isonomy._audit._drift import Drift, Move
from isonomy._audit._estimate import Estimate
from isonomy._audit._result import Audit, LabelAudit, Segment, SegmentTest, TopShare

__all__ = [
    "Audit",
    "Conflict",
    "Drift",
    "Estimate",
    "LabelAudit",
    "Move",
    "Segment",
    "SegmentTest",
    "TopShare",
    "Verdict",
    "audit",
]
