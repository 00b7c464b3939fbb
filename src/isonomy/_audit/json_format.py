"""An audit as a JSON document, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from isonomy._audit.estimate import Estimate
from isonomy._audit.verdicts import LabelVerdict, label_verdict_of
from isonomy._infra import from_jsonable, jsonable, listed

if TYPE_CHECKING:
    from isonomy._audit.result import Audit

SCHEMA, VERSION = "isonomy.audit", 2
# The first version had no verdicts on labels and no relations between them.
READABLE = (1, VERSION)


def to_dict(audit: Audit) -> dict[str, Any]:
    """Lists, dicts, strings, finite numbers, booleans and None."""
    return {"schema": SCHEMA, "schema_version": VERSION, **jsonable(audit)}


def from_dict(document: Mapping[str, Any]) -> Audit:
    """Read what `to_dict` wrote; what else stands beside it is left alone."""
    from isonomy._audit.result import Audit

    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise ValueError(
            "An audit should be read from what `Audit.to_dict` wrote. "
            f"Found {_found(document)}; write one with `json.dump(audit.to_dict(), file)`."
        )
    if document.get("schema_version") not in READABLE:
        raise ValueError(
            f"An audit should have schema version {VERSION} or an earlier one. "
            f"Found {document.get('schema_version')!r}; audit again with this version of Isonomy."
        )
    try:
        names = {each.name for each in fields(Audit)} & document.keys()
        found = {name: document[name] for name in names}
        return from_jsonable(Audit, _upgraded(found) if document["schema_version"] == 1 else found)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(
            f"An audit should be read from what `Audit.to_dict` wrote. Found one that was changed "
            f"or cut off ({error}). Write it again."
        ) from error


def _upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """What the first version wrote, as this one writes it; relations were not found then."""
    return {
        **document,
        "labels": [
            {**label, "verdict": _verdict(from_jsonable(Estimate, label["auc"]))}
            for label in document["labels"]
        ],
        "conflicts": [{**each, "relation": "free"} for each in document["conflicts"]],
        "segments": [
            {**segment, "audit": _upgraded(segment["audit"])} for segment in document["segments"]
        ],
    }


def _verdict(auc: Estimate) -> LabelVerdict:
    return label_verdict_of(auc.low, auc.high)


def _found(document: object) -> str:
    if isinstance(document, Mapping):
        keys = [str(key) for key in document]
        return f"a document with the keys {listed(keys) or '(none)'}"
    return f"a {type(document).__name__}"
