"""The audit as JSON, and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import isonomy as iso
from tests.audit.data import made


def test_there_and_back_through_strict_json() -> None:
    Y, score = made(n=200, missing=True)
    Y[:, 2] = 0
    found = iso.audit(Y, score, by=np.arange(200) % 3, groups=np.arange(200) // 5)
    text = json.dumps(found.to_dict(), allow_nan=False)
    again = iso.Audit.from_dict(json.loads(text))
    assert again.to_dict() == found.to_dict()
    assert again.summary() == found.summary()
    assert again._repr_html_() == found._repr_html_()
    assert again.to_frame().equals(found.to_frame(), null_equal=True)
    assert found.to_dict()["schema"] == "isonomy.audit"
    assert found.to_dict()["schema_version"] == 2


def test_what_the_first_version_wrote_is_read() -> None:
    Y, score = made(n=200, missing=True)
    Y[:, 2] = 0
    found = iso.audit(Y, score, by=np.arange(200) % 3)
    document = json.loads(json.dumps(found.to_dict()))
    for each in (document, *(segment["audit"] for segment in document["segments"])):
        for label in each["labels"]:
            del label["verdict"]
        for conflict in each["conflicts"]:
            del conflict["relation"]
    again = iso.Audit.from_dict({**document, "schema_version": 1})
    assert again.to_dict() == found.to_dict()
    with pytest.raises(ValueError, match="changed or cut off"):
        iso.Audit.from_dict(document)


def test_what_was_undefined_is_undefined_again() -> None:
    Y, score = made(n=100)
    by = np.repeat(["a", "b"], 50)
    found = iso.audit(Y, score, by=by, sample_weight=(by == "a").astype(float))
    again = iso.Audit.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    label = again.segments[1].audit.labels[0]
    assert np.isnan([label.missing, label.prior.value, label.top[0].lift]).all()


def test_what_stands_beside_an_audit_is_left_alone() -> None:
    document = _changed(source="scored.parquet")
    assert iso.Audit.from_dict(document).n_rows == 100


def _changed(**changes: Any) -> dict[str, Any]:
    return {**iso.audit(*made(n=100)).to_dict(), **changes}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "Found a NoneType"),
        ([], "Found a list"),
        ("{}", "Found a str"),
        ({}, "keys \\(none\\)"),
        ({"schema": "other"}, "keys schema"),
        (_changed(schema_version=3), "schema version 2 or an earlier one. Found 3"),
        (_changed(labels=None), "changed or cut off"),
        (_changed(labels=[{"name": "a"}]), "changed or cut off"),
        (_changed(diff={"value": 1}), "changed or cut off"),
        (_changed(conflicts=[3]), "changed or cut off"),
        (_changed(level="high"), "changed or cut off"),
        (
            {key: value for key, value in _changed().items() if key != "notes"},
            "changed or cut off \\('notes'\\)",
        ),
        ({"schema": "isonomy.audit", "schema_version": 1}, "changed or cut off"),
        (_changed(schema_version=1, labels=3), "changed or cut off"),
        ({str(number): number for number in range(7)}, "0, 1, 2, 3, 4, ... and 2 more"),
    ],
)
def test_other_documents_are_refused(document: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        iso.Audit.from_dict(document)
    with pytest.raises(ValueError, match=message):
        iso.audit(*made(n=100)).drift(document)
