"""Rows as rankers take them: `Items` for Isonomy's own, plain arrays for all others."""

from __future__ import annotations

from collections.abc import Collection
from inspect import signature
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from isonomy._core import Items, check_features
from isonomy._rankers.base import Ranker

GIVEN = frozenset({"sample_weight", "groups"})


def as_features(X: Any, *, any_shape: bool = False) -> Any:
    """Features of a type of which rows can be taken; a table (n, d) unless `any_shape` will do."""
    check_features(X)
    X = np.asarray(X) if isinstance(X, list | tuple) else X
    X = X.tocsr() if hasattr(X, "tocsr") else X
    shape = getattr(X, "shape", None)
    if not shape or (len(shape) != 2 and not any_shape):
        raise TypeError(
            "Parameter `X` should be a table (n, d): an array, a data frame or a sparse matrix. "
            f"Found {type(X).__name__}" + ("." if shape is None else f" of shape {shape}.")
        )
    return X


def fit_to_items(ranker: Any, X: Any, items: Items, *, taken: Collection[str] = GIVEN) -> Any:
    """Fit any ranker to checked rows, whose features have become X.

    Isonomy's own take `Items` as they are, so that nothing is checked or parsed again. Others,
    and pipelines, get the labels as an array, and those weights and groups that are `taken`.
    """
    if _own_fit(ranker):
        return ranker.fit(X, items)
    prefix, last = "", ranker
    while isinstance(last, Pipeline):
        prefix += f"{last.steps[-1][0]}__"
        last = last.steps[-1][1]
    options = {f"{prefix}{key}": value for key, value in items.given.items() if key in taken}
    return ranker.fit(X, items.labels.table, **options)


def _own_fit(ranker: Any) -> bool:
    """Whether `fit` is Isonomy's: a subclass of a user's may look into the labels itself."""
    return isinstance(ranker, Ranker) and type(ranker).fit.__module__.startswith("isonomy.")


def taken_by_fit(ranker: Any) -> frozenset[str]:
    """Which of weights and groups a ranker's `fit` takes, also inside a pipeline."""
    return GIVEN & set(signature(innermost(ranker).fit).parameters)


def innermost(ranker: Any) -> Any:
    """The ranker itself, or the last step of its pipeline."""
    return innermost(ranker.steps[-1][1]) if isinstance(ranker, Pipeline) else ranker
