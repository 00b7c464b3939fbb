"""An audit as a JSON document, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from isonomy._infra import from_jsonable, jsonable

if TYPE_CHECKING:
    from isonomy._audit.result import Audit

SCHEMA, VERSION = "isonomy.audit", 1


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
    if document.get("schema_version") != VERSION:
        raise ValueError(
            f"An audit should have schema version {VERSION}. "
            f"Found {document.get('schema_version')!r}; audit again with this version of Isonomy."
        )
    try:
        names = {each.name for each in fields(Audit)} & document.keys()
        return from_jsonable(Audit, {name: document[name] for name in names})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"An audit should be read from what `Audit.to_dict` wrote. Found one that was changed "
            f"or cut off ({error}). Write it again."
        ) from error


def _found(document: object) -> str:
    if isinstance(document, Mapping):
        return f"a document with the keys {', '.join(map(str, list(document)[:5])) or '(none)'}"
    return f"a {type(document).__name__}"
