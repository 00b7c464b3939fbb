"""The page of an audit: one file without scripts that asks nobody for anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from isonomy._audit import Audit, AuditPageContent, Drift
from isonomy._infra import printable, replacing
from isonomy._render.cells import percent
from isonomy._render.html import rendered
from isonomy._render.report.content_policy import content_policy
from isonomy._render.report.origin import Origin


def write_audit_report(
    path: str | Path,
    audit: Audit,
    origin: Origin,
    *,
    score: str = "",
    drift: Drift | None = None,
    failures: Sequence[str] = (),
) -> None:
    """Write the page of an audit.

    Parameters
    ----------
    path : str or Path
        The HTML file; an old one is replaced in one step.
    audit : Audit
        What was found.
    origin : Origin
        For the footer.
    score : str
        What the rows were ranked by.
    drift : Drift, optional
        What has moved since an earlier audit.
    failures : sequence of str
        Why the ranking does not pass, from `Audit.failures`.
    """
    html = audit_page(audit, origin, score=score, drift=drift, failures=failures)
    with replacing(path) as new:
        new.write_text(html, encoding="utf-8")


def audit_page(
    audit: Audit,
    origin: Origin,
    *,
    score: str = "",
    drift: Drift | None = None,
    failures: Sequence[str] = (),
) -> str:
    """The page as text."""
    content = AuditPageContent.of(audit, drift)
    return rendered(
        "report/audit_page.html",
        policy=content_policy(),
        facts=origin.facts(),
        title=content.title,
        content=content,
        score=printable(score),
        level=percent(audit.level),
        failures=failures,
    )
