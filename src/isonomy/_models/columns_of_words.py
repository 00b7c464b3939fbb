"""Encoders of words in a model file: the columns that words become lie inside the matrix.

scikit-learn puts these numbers into sparse matrices as they are, and compiled code follows them
without looking whether such a column exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._models.model_file_error import ModelFileError
from isonomy._models.schema import Node

Array = Callable[[Node], NDArray[np.generic]]

# Words are hashed into so many columns at most.
_MOST_HASHES = 2**31 - 1


def check_hasher(node: Node, _: Array) -> None:
    """Compiled code takes a hash modulo this number, which only `fit` would check."""
    attributes = node.attributes()
    number = attributes["n_features"].scalar() if "n_features" in attributes else None
    if type(number) is not int or not 1 <= number <= _MOST_HASHES:
        raise ModelFileError(
            f"{node.path()}.n_features should be a whole number from 1 to {_MOST_HASHES}."
        )


def check_vocabulary(node: Node, array: Array) -> None:
    """Each word has a column of its own, and there are no others."""
    attributes = node.attributes()
    words = attributes.get("vocabulary_")
    if words is None:
        return
    columns = sorted(_whole(each, array) for each in words.attributes().values())
    if words.loader != "DictNode" or columns != list(range(len(columns))):
        raise ModelFileError(f"{node.path()}.vocabulary_ should number its words from 0 on.")
    weights = attributes["_tfidf"].attributes().get("idf_") if "_tfidf" in attributes else None
    if weights is not None and _plain_array(weights, array).shape != (len(columns),):
        raise ModelFileError(f"{node.path()} should have a weight for each word.")


def check_one_hot(node: Node, array: Array) -> None:
    """Each category, after grouping and dropping, has a column inside the matrix."""
    attributes = node.attributes()
    if "categories_" not in attributes:
        return
    categories = [_n_categories(each, array) for each in attributes["categories_"].children]
    n = len(categories)
    widths = [_whole(each, array) for each in _children(attributes, "_n_features_outs", n, node)]
    grouped = attributes.get("_infrequent_enabled")
    mappings: list[Node | None] = [None] * n
    if grouped is not None and grouped.scalar() is not False:
        mappings = list(_children(attributes, "_default_to_infrequent_mappings", n, node))
        firsts = _children(attributes, "_infrequent_indices", n, node)
        for size, some in zip(categories, firsts, strict=True):
            if some.scalar() is None:
                continue
            rare = _plain_array(some, array)
            if rare.ndim != 1 or not rare.size or not _inside(rare, size):
                raise _astray(node)
    dropped = _dropped(attributes.get("_drop_idx_after_grouping"), n, array)
    for size, mapping, drop, width in zip(categories, mappings, dropped, widths, strict=True):
        groups = size
        if mapping is not None and mapping.scalar() is not None:
            places = _plain_array(mapping, array)
            groups = int(places.max()) + 1 if places.size and places.dtype.kind in "iu" else 0
            if places.shape != (size,) or not _inside(places, groups):
                raise _astray(node)
        if drop is not None and not 0 <= drop < groups:
            raise _astray(node)
        if width != groups - (drop is not None):
            raise _astray(node)


def _n_categories(node: Node, array: Array) -> int:
    """Their number; those that are looked up by halving, numbers, should be in order."""
    if node.loader != "NdArrayNode":
        raise ModelFileError(f"{node.path()} should be an array of categories.")
    if "file" not in node.state:
        return len(node.children) - 1
    values = array(node)
    if values.ndim != 1 or (values.dtype.kind not in "SU" and not _ascending(values)):
        raise ModelFileError(f"{node.path()} should hold categories in their order.")
    return int(values.size)


def _ascending(values: NDArray[Any]) -> bool:
    """Whether they rise; a missing value may come last."""
    last_is_gap = values.size and values.dtype.kind == "f" and np.isnan(values[-1])
    known = values[:-1] if last_is_gap else values
    return bool((known[1:] > known[:-1]).all())


def _children(attributes: dict[str, Node], name: str, n: int, node: Node) -> list[Node]:
    found = attributes[name].children if name in attributes else []
    if len(found) != n or attributes[name].loader != "ListNode":
        raise _astray(node)
    return found


def _dropped(node: Node | None, n: int, array: Array) -> list[int | None]:
    """For each column the category that is left out, if any."""
    if node is None or node.scalar() is None:
        return [None] * n
    if node.loader == "NdArrayNode" and "file" in node.state:
        found: list[Any] = _plain_array(node, array).tolist()
    else:
        found = [
            None if each.scalar() is None else _whole(each, array) for each in node.children[:-1]
        ]
    if len(found) != n or not all(each is None or type(each) is int for each in found):
        raise ModelFileError(f"{node.path()} should name a category for each column, or None.")
    return found


def _plain_array(node: Node, array: Array) -> NDArray[Any]:
    if node.loader != "NdArrayNode" or "file" not in node.state:
        raise ModelFileError(f"{node.path()} should be an array of numbers.")
    return array(node)


def _whole(node: Node, array: Array) -> int:
    """A whole number, Python's or numpy's."""
    found = node.scalar()
    if node.loader == "NdArrayNode" and "file" in node.state and node.name != "ndarray":
        found = array(node).item()
    if type(found) is not int:
        raise ModelFileError(f"{node.path()} should be a whole number.")
    return found


def _inside(values: NDArray[Any], size: int) -> bool:
    return values.dtype.kind in "iu" and bool(((values >= 0) & (values < size)).all())


def _astray(node: Node) -> ModelFileError:
    return ModelFileError(f"{node.path()} has categories that lead to columns that are not there.")
