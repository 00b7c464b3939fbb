"""Does one label dictate this ranking? Labels and a score become an `Audit`."""

from __future__ import annotations

from isonomy._audit.audit import audit
from isonomy._audit.drift import Drift, Move
from isonomy._audit.estimate import Estimate
from isonomy._audit.page_content import PageContent as AuditPageContent
from isonomy._audit.relations import Relation, Together, rarer_than_chance, relation_of
from isonomy._audit.result import Audit, LabelAudit, Segment, SegmentTest, TopShare
from isonomy._audit.verdicts import AT_CHANCE, CONSTANT, Conflict, Verdict, verdict_of
from isonomy._audit.view import blocks as audit_blocks
