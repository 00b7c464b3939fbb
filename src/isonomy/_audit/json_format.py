"""An audit as a JSON document, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from isonomy._audit.estimate import Estimate
from isonomy._audit.verdicts import Conflict

if TYPE_CHECKING:
    from isonomy._audit.result import Audit

SCHEMA, VERSION = "isonomy.audit", 1


def to_dict(audit: Audit) -> dict[str, Any]:
    """Lists, dicts, strings, finite numbers, booleans and None."""
    return {"schema": SCHEMA, "schema_version": VERSION, **plain(asdict(audit))}


def from_dict(document: Mapping[str, Any]) -> Audit:
    """Read what `to_dict` wrote."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise ValueError(
            "An audit should be read from what `Audit.to_dict` wrote. "
            f"Found {_found(document)}; write one with `json.dump(audit.to_dict(), file)`."
        )
    if document.get("schema_version") != VERSION:
        raise ValueError(
            f"An audit should have schema version {VERSION}. "
            f"Found {document.get('schema_version')!r}; audit again with this version of Isonomy."
        )
    try:
        return _audit(document)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"An audit should be read from what `Audit.to_dict` wrote. Found one that was changed "
            f"or cut off ({error}). Write it again."
        ) from error


def _audit(document: Mapping[str, Any]) -> Audit:
    from isonomy._audit.result import Audit, Segment, SegmentTest

    return Audit(
        n_rows=document["n_rows"],
        n_groups=document["n_groups"],
        level=document["level"],
        labels=tuple(map(_label, document["labels"])),
        diff=_estimate(document["diff"]),
        minimum=_estimate(document["minimum"]),
        conflicts=tuple(map(_conflict, document["conflicts"])),
        segments=tuple(
            Segment(each["name"], _audit(each["audit"])) for each in document["segments"]
        ),
        segment_tests=tuple(
            SegmentTest(**{**each, "labels": tuple(each["labels"])})
            for each in document["segment_tests"]
        ),
        notes=tuple(document["notes"]),
    )


def _label(document: Mapping[str, Any]) -> Any:
    from isonomy._audit.result import LabelAudit, TopShare

    estimates = {key: _estimate(document[key]) for key in ("prior", "auc", "effective_weight")}
    top = tuple(
        TopShare(
            each["fraction"],
            _estimate(each["share"]),
            _number(each["lift"]),
            _number(each["recall"]),
        )
        for each in document["top"]
    )
    return LabelAudit(**{**document, **estimates, "top": top})


def _conflict(document: Mapping[str, Any]) -> Conflict:
    auc, items = _estimate(document["auc"]), tuple(document["items"])
    return Conflict(**{**document, "auc": auc, "items": items})


def _estimate(document: Mapping[str, Any]) -> Estimate:
    return Estimate(**{key: _number(value) for key, value in document.items()})


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def plain(value: Any) -> Any:
    """Lists for tuples, None for NaN and infinity."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _found(document: object) -> str:
    if isinstance(document, Mapping):
        return f"a document with the keys {', '.join(map(str, list(document)[:5])) or '(none)'}"
    return f"a {type(document).__name__}"
