"""A comparison as a JSON document."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from isonomy._infra import jsonable

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison

SCHEMA, VERSION = "isonomy.comparison", 2
# What belongs to single rows, and what only fitting needs.
LEFT_OUT = {"best", "_methods", "_settings", "_sparse", "scores", "fold"}


def to_dict(found: Comparison) -> dict[str, Any]:
    """A strict JSON document: no NaN, no infinity, all names in values."""
    head: dict[str, Any] = {"schema": SCHEMA, "schema_version": VERSION}
    shown = [each.name for each in fields(found) if each.name not in LEFT_OUT]
    words = {"reason": found.reason, "tied_with": list(found.tied_with), "summary": found.summary()}
    return {**head, **{name: jsonable(getattr(found, name)) for name in shown}, **words}
