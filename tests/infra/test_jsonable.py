"""Results as JSON documents, and back."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

from isonomy._infra import from_jsonable, jsonable


@dataclass(frozen=True)
class Leaf:
    value: float
    name: str | None = None


@dataclass(frozen=True)
class Tree:
    count: int
    leaves: tuple[Leaf, ...]
    pair: tuple[int, int] = (1, 2)


def test_what_numpy_and_dataclasses_hold_becomes_strict_json() -> None:
    value = {
        "array": np.array([[1.0, np.nan], [np.inf, -np.inf]]),
        "scalars": (np.float64(0.5), np.int64(3), np.bool_(True), np.float64(np.nan)),
        "tree": Tree(2, (Leaf(float("nan")), Leaf(1.5, "b"))),
        "none": None,
    }
    assert json.loads(json.dumps(jsonable(value), allow_nan=False)) == {
        "array": [[1.0, None], [None, None]],
        "scalars": [0.5, 3, True, None],
        "tree": {
            "count": 2,
            "leaves": [{"value": None, "name": None}, {"value": 1.5, "name": "b"}],
            "pair": [1, 2],
        },
        "none": None,
    }


def test_there_and_back() -> None:
    tree = Tree(2, (Leaf(0.25), Leaf(1.5, "b")), (3, 4))
    assert from_jsonable(Tree, jsonable(tree)) == tree
    assert np.isnan(from_jsonable(Leaf, jsonable(Leaf(float("nan")))).value)
    assert isinstance(from_jsonable(Leaf, {"value": 1, "name": None}).value, float)


@pytest.mark.parametrize(
    "document",
    [
        None,
        3,
        [],
        {},
        {"value": 1.0},
        {"value": 1.0, "name": None, "more": 1},
        {"value": "much", "name": None},
    ],
)
def test_other_documents_are_refused(document: object) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        from_jsonable(Leaf, document)
