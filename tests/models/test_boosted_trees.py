"""Boosted trees in hostile files: refused, or they predict."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from isonomy._models.archive import pack
from isonomy._models.files import from_bytes
from isonomy._models.model_file_error import ModelFileError
from tests.models.hostile import closed, find, opened, respell, saved, text
from tests.models.models import X


def spoiled_part(name: str, part: str, value: Any) -> bytes:
    """A boosted model one part of whose trees is another array, or another value."""
    schema, members = opened(name)
    parts = find(schema, "Trees", part)["content"]
    if isinstance(value, np.ndarray):
        members[parts[part]["file"]] = saved(value)
    else:
        parts[part] = text(value)
        # Some member may now be one that nothing uses, which is refused too.
    return closed(schema, members)


@pytest.mark.parametrize("name", ["lightgbm", "xgboost"])
@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("roots", np.array([10**6], np.int32)),
        ("roots", np.array([[0]], np.int32)),
        ("feature", np.zeros(3, np.int32)),
        ("feature", np.zeros(3)),
        ("children", np.zeros((3, 2), np.int32)),
        ("leaf_value", np.array([np.nan])),
        ("leaf_value", np.array(["1.0"])),
        ("word_ends", np.array([0], np.int32)),
        ("words", np.zeros(3, np.uint32)),
        ("n_features", 3),
        ("n_features", 5),
        ("n_features", "4"),
        ("base", None),
        ("base", 1),
        ("gap_in_sparse", 1),
    ],
)
def test_boosted_trees_are_checked_to_the_last_array(name: str, part: str, value: Any) -> None:
    with pytest.raises(ModelFileError, match=r"Trees|trees"):
        from_bytes(spoiled_part(name, part, value), set())


def test_every_place_of_every_array_of_boosted_trees() -> None:
    """Whatever number stands there, the file is refused, or predicts."""
    _, members = opened("xgboost")
    rng = np.random.default_rng(0)
    arrays = [key for key in members if key.endswith(".npy")]
    refused = 0
    for _ in range(300):
        key = arrays[rng.integers(len(arrays))]
        array = np.load(io.BytesIO(members[key])).copy()
        if not array.size:
            continue
        bits = array.reshape(-1).view(np.uint8)
        bits[rng.integers(bits.size)] = rng.integers(256)
        try:
            ranker = from_bytes(pack({**members, key: saved(array)}), set())
        except ModelFileError:
            refused += 1
        else:
            assert ranker.predict(X).shape == (len(X),)
    assert refused > 100


def test_boosted_models_should_have_their_trees_and_categories() -> None:
    for old, new, said in [
        ('"trees_": {', '"model_text_": {', "engine's text"),
        ('"trees_": {', '"wood_": {', "lacks its trees"),
        ('"categories_": {', '"kinds_": {', "lacks the categories"),
        ('"n_features_in_": {', '"n_in_": {', "another number of features"),
    ]:
        with pytest.raises(ModelFileError, match=said):
            from_bytes(respell("lightgbm", old, new), set())
