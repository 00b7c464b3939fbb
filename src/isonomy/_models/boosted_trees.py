"""Boosted trees in a model file: every array is held against the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._models.model_file_error import ModelFileError
from isonomy._models.schema import Node
from isonomy._rankers.boosted import BoostedClassifier, BoostedRanker, SummedLambdaRanker, Trees


def _named(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


TREES = _named(Trees)
BOOSTED = frozenset(map(_named, (BoostedClassifier, BoostedRanker, SummedLambdaRanker)))

# What versions before the arrays kept in their place.
_OLD = "model_text_"


def trees_width(node: Node, array: Callable[[Node], NDArray[np.generic]]) -> int:
    """Features that the trees take, after all their arrays are checked."""
    attributes = node.attributes()
    if sorted(attributes) != sorted(Trees.field_names()):
        raise ModelFileError(f"{node.path()} should have the parts of `Trees`, and no others.")
    parts: dict[str, Any] = {}
    for name, part in attributes.items():
        plain = part.loader == "NdArrayNode" and part.name == "ndarray" and "file" in part.state
        parts[name] = array(part) if plain else part.scalar()
        if name not in ("n_features", "base", "gap_in_sparse") and not plain:
            raise ModelFileError(f"{part.path()} should be an array.")
    trees = Trees(**parts)
    try:
        trees.check()
    except (ValueError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{node.path()} cannot be used. {error}") from error
    return trees.n_features


def check_boosted(node: Node) -> None:
    """A fitted ranker or classifier should have trees for as many features as it takes."""
    attributes = node.attributes()
    if _OLD in attributes:
        raise ModelFileError(
            f"{node.path()} was saved by an Isonomy that kept an engine's text in place of trees. "
            "Fit the model again and save it."
        )
    trees = attributes.get("trees_")
    if trees is None:
        if "n_features_in_" in attributes:
            raise ModelFileError(f"{node.path()} lacks its trees.")
        return
    width = attributes["n_features_in_"].scalar() if "n_features_in_" in attributes else None
    if trees.type != TREES or type(width) is not int or width != trees.width:
        raise ModelFileError(
            f"{node.path()} has trees of another number of features than it takes."
        )
    if node.name == BoostedClassifier.__name__:
        return
    categories = attributes.get("categories_")
    if categories is None or categories.loader != "DictNode":
        raise ModelFileError(f"{node.path()} lacks the categories of its features.")
    for name, values in categories.attributes().items():
        if values.loader != "ListNode" or any(
            each.loader != "JsonNode" for each in values.children
        ):
            raise ModelFileError(
                f"{node.path()} has categories of {name[:80]!r} that are no values."
            )
