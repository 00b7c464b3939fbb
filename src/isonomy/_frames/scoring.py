"""A ranker's scores of some rows of a data frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from isonomy._core import FloatArray
from isonomy._rankers import TableEncoder


def scores_of(ranker: Any, table: Any) -> FloatArray:
    """Scores of a pandas table, whose other columns are not looked at."""
    if not len(table):
        return np.empty(0)
    if _encodes_tables(ranker):
        import polars as pl

        return np.asarray(ranker.predict(pl.from_pandas(table)), dtype=np.float64)
    return np.asarray(ranker.predict(table[list(ranker.feature_names_in_)]), dtype=np.float64)


def check_model(ranker: Any, columns: list[str]) -> None:
    """Before any work: the ranker is fitted, and finds its features among the columns."""
    if isinstance(ranker, type) or not hasattr(ranker, "predict"):
        raise TypeError(
            "Parameter `model` should be a fitted ranker, or the path of one that `isonomy.save` "
            f"wrote. Found {ranker!r}."
        )
    names = getattr(ranker, "feature_names_in_", None)
    if names is not None and _encodes_tables(ranker):
        encoder = ranker.steps[0][1]
        names = [*encoder.numeric_, *encoder.categories_, *encoder.ngrams_]
    if names is None:
        raise ValueError(
            "Parameter `model` should know the names of its features. Found none: fit it on a data "
            "frame, or by `fit`."
        )
    missing = [str(name) for name in names if name not in columns]
    if missing:
        raise ValueError(f"Parameter `frame` should have the model's columns. It lacks {missing}.")


def _encodes_tables(ranker: Any) -> bool:
    return isinstance(getattr(ranker, "steps", [(None, None)])[0][1], TableEncoder)
