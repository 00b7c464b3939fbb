"""A comparison or an audit as one page to look at, and a comparison as pictures."""

from __future__ import annotations

from isonomy._render.report.audit_page import write_audit_report
from isonomy._render.report.origin import Origin
from isonomy._render.report.page import write_report
from isonomy._render.report.pictures import write_pictures
