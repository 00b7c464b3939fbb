"""A comparison as one page to look at, and as pictures."""

from __future__ import annotations

from isonomy._render.report.origin import Origin
from isonomy._render.report.page import write_report
from isonomy._render.report.pictures import write_pictures
