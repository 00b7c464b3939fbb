"""A comparison as a JSON document."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison

SCHEMA, VERSION = "isonomy.comparison", 1
# What belongs to single rows, and what only fitting needs.
LEFT_OUT = {"_methods", "_preprocessor", "_sparse", "scores", "fold"}


def to_dict(found: Comparison) -> dict[str, Any]:
    """A strict JSON document: no NaN, no infinity, all names in values."""
    head: dict[str, Any] = {"schema": SCHEMA, "schema_version": VERSION}
    shown = [each.name for each in fields(found) if each.name not in LEFT_OUT]
    return {**head, **{name: _plain(getattr(found, name)) for name in shown}}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
