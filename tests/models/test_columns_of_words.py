"""Encoders of words in hostile files: no column outside the matrix."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest

from isonomy._models.files import from_bytes
from isonomy._models.model_file_error import ModelFileError
from tests.models.hostile import closed, find, opened, saved, text


def spoiled_array(name: str, kind: str, attribute: str, place: int, value: Any) -> bytes:
    """A model with another number in an array, or in a list of them, of one of its parts."""
    schema, members = opened(name)
    found = find(schema, kind, attribute)["content"][attribute]
    if found["__loader__"] == "ListNode":
        parts = [each for each in found["content"] if "file" in each or "content" in each]
        found = parts[0]
    if "file" not in found:
        if isinstance(found["content"], str):
            found["content"] = json.dumps(value)
        else:
            found["content"][0] = text(value)
        return closed(schema, members)
    array = np.load(io.BytesIO(members[found["file"]])).copy()
    array.reshape(-1)[place] = value
    return closed(schema, {**members, found["file"]: saved(array)})


def test_rare_categories_are_some() -> None:
    schema, members = opened("rare words")
    encoder = find(schema, "OneHotEncoder", "_infrequent_indices")["content"]
    rare = next(each for each in encoder["_infrequent_indices"]["content"] if "file" in each)
    array = np.load(io.BytesIO(members[rare["file"]]))
    spoiled = closed(schema, {**members, rare["file"]: saved(array[:0])})
    with pytest.raises(ModelFileError, match="columns that are not there"):
        from_bytes(spoiled, set())


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("_default_to_infrequent_mappings", 10**6),
        ("_default_to_infrequent_mappings", -5),
        ("_infrequent_indices", 10**6),
        ("_drop_idx_after_grouping", 10**6),
        ("_n_features_outs", 10**6),
        ("_n_features_outs", 0),
        ("categories_", 99.0),
    ],
)
def test_categories_lead_to_columns_that_are_there(attribute: str, value: Any) -> None:
    with pytest.raises(ModelFileError, match=r"columns that are not there|in their order|category"):
        from_bytes(spoiled_array("rare words", "OneHotEncoder", attribute, 0, value), set())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("text", "TfidfVectorizer"),
        ("some words", "TfidfVectorizer"),
        ("dictionaries", "DictVectorizer"),
    ],
)
@pytest.mark.parametrize("column", [10**6, -1, 1.5, "0", True])
def test_words_lead_to_columns_that_are_there(name: str, kind: str, column: Any) -> None:
    schema, members = opened(name)
    words = find(schema, kind, "vocabulary_")["content"]["vocabulary_"]["content"]
    first = next(iter(words))
    lost = words[first].get("file")
    words[first] = text(column)
    rest = {key: value for key, value in members.items() if key != lost}
    with pytest.raises(ModelFileError, match=r"number its words|whole number|named"):
        from_bytes(closed(schema, rest), set())


@pytest.mark.parametrize("number", [0, -1, 2**31, 1.5, "64", None, True])
def test_hashers_should_have_a_number_of_columns(number: Any) -> None:
    schema, members = opened("hashed texts")
    find(schema, "HashingVectorizer", "n_features")["content"]["n_features"] = text(number)
    with pytest.raises(ModelFileError, match=r"n_features should be a whole number from 1 to"):
        from_bytes(closed(schema, members), set())
