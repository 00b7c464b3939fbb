"""A comparison as a JSON document."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from isonomy._infra import jsonable

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison

SCHEMA, VERSION = "isonomy.comparison", 1
# What belongs to single rows, and what only fitting needs.
LEFT_OUT = {"_methods", "_preprocessor", "_sparse", "scores", "fold"}


def to_dict(found: Comparison) -> dict[str, Any]:
    """A strict JSON document: no NaN, no infinity, all names in values."""
    head: dict[str, Any] = {"schema": SCHEMA, "schema_version": VERSION}
    shown = [each.name for each in fields(found) if each.name not in LEFT_OUT]
    return {**head, **{name: jsonable(getattr(found, name)) for name in shown}}
