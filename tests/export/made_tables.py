"""Tables with gaps and words, and models of every kind fitted to them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import polars as pl
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import isonomy as iso
from isonomy._rankers import TableEncoder
from isonomy._rankers.blended import FoldMean
from isonomy._rankers.boosted import BoostedClassifier

N = 400


def single(values: Any) -> Any:
    """Doubles that float32 holds too, so that both precisions see the same rows."""
    return np.asarray(values, np.float32).astype(np.float64)


def made(seed: int, kinds: list[str | None]) -> tuple[pl.DataFrame, np.ndarray]:
    """Columns that are whole, that have gaps, of words, of words with gaps; and two labels."""
    rng = np.random.default_rng(seed)
    x = single(rng.normal(size=(N, 3)) * [1.0, 30.0, 1e-3] + [0.0, 2000.0, 0.0])
    gaps = np.where(rng.random(N) < 0.2, None, x[:, 1].astype(object))
    words = rng.choice(["cook", "smith", "O'Neil", "日本"], N)
    colours = np.array(kinds, dtype=object)[rng.integers(0, len(kinds), N)]
    table = pl.DataFrame(
        {
            "plain": x[:, 0],
            'a "quoted" name': pl.Series(gaps.tolist(), dtype=pl.Float64),
            "tiny": x[:, 2],
            "flag": rng.random(N) < 0.5,
            "job": words,
            "colour": pl.Series(colours.tolist(), dtype=pl.String),
        }
    )
    strength = x[:, 0] + (x[:, 1] - 2000) / 30 * (gaps != None) + (words == "cook")  # noqa: E711
    noise = rng.logistic(size=(N, 2))
    Y = np.column_stack([strength, (colours == "red") - x[:, 0]]) + noise > [0.0, 0.5]
    # The second label implies the first: a funnel.
    Y[:, 1] &= Y[:, 0]
    return table, Y.astype(int)


TABLE, Y = made(0, ["red", "blue", None])
# Kinds not seen in training, and several ways to say that one is missing.
LATER, _ = made(1, ["red", "green", "NA", "", None, "null"])
MATRIX = single(np.random.default_rng(2).normal(size=(N, 4)))
ROWS = single(np.random.default_rng(3).normal(size=(N, 4)))
FAST = {"n_rounds": 8, "n_jobs": 1, "random_state": 0}
logistic = LogisticRegression()
boosted = BoostedClassifier(**FAST)


def linear(ranker: Any) -> Pipeline:
    return make_pipeline(TableEncoder(), StandardScaler(), ranker)


def trees(ranker: Any) -> Pipeline:
    return make_pipeline(TableEncoder(impute=False), ranker)


def after_filling(classifier: Any) -> Pipeline:
    """What trees do without."""
    fill = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return make_pipeline(fill, StandardScaler(), classifier)


def plug_in(estimator: Any, objective: Any = None, **options: Any) -> Any:
    return iso.PlugInRanker(estimator, objective, cv=None, **options)


# Those of which SQL has an expression.
SUMS: dict[str, Callable[[], Any]] = {
    "linear": lambda: linear(iso.LinearRanker()),
    "unscaled": lambda: make_pipeline(TableEncoder(), iso.LinearRanker(l2=0.1)),
    "blend": lambda: linear(iso.BlendRanker(logistic)),
    "funnel": lambda: linear(iso.BlendRanker(logistic, iso.OneLabel(1), funnel=True)),
    "plug-in": lambda: linear(plug_in(logistic)),
    "plug-in, loss": lambda: linear(plug_in(logistic, iso.LossAggregation())),
    "product": lambda: linear(plug_in(logistic, iso.LabelAggregation("product"))),
    "any": lambda: linear(plug_in(logistic, iso.LabelAggregation("any"))),
    "calibrated": lambda: linear(iso.PlugInRanker(logistic, calibrate=True, cv=3)),
    "one label": lambda: linear(plug_in(logistic, iso.OneLabel(1))),
    "twice scaled": lambda: linear(plug_in(make_pipeline(StandardScaler(), logistic))),
}
TABLE_MODELS: dict[str, Callable[[], Any]] = SUMS | {
    "lightgbm": lambda: trees(iso.BoostedRanker(**FAST)),
    "xgboost": lambda: trees(iso.BoostedRanker(engine="xgboost", **FAST)),
    "blend of trees": lambda: trees(iso.BlendRanker(boosted)),
    "plug-in of trees": lambda: trees(plug_in(boosted)),
    "folds of trees": lambda: trees(iso.BlendRanker(FoldMean(boosted))),
    "kinds mixed": lambda: trees(iso.BlendRanker([after_filling(logistic), boosted])),
    "neural": lambda: linear(iso.NeuralRanker(hidden=(8, 4), max_epochs=2, random_state=0)),
    "plug-in of networks": lambda: linear(
        plug_in(MLPClassifier((5,), max_iter=20, activation="tanh", random_state=0))
    ),
}
MATRIX_MODELS: dict[str, Callable[[], Any]] = {
    "linear": lambda: iso.LinearRanker(),
    "scaled": lambda: make_pipeline(StandardScaler(), iso.LinearRanker(iso.WorstLabel())),
    "lightgbm": lambda: iso.BoostedRanker(**FAST),
    "xgboost": lambda: iso.BoostedRanker(engine="xgboost", **FAST),
    "neural": lambda: iso.NeuralRanker(hidden=(8,), max_epochs=2, random_state=0),
    "blend": lambda: iso.BlendRanker(logistic),
    "plug-in": lambda: plug_in(logistic, iso.LossAggregation()),
}


def fitted(make: Callable[[], Any], X: Any, labels: Any = Y) -> Any:
    """The model; short trainings may say that they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(make()).fit(X, labels)


def feed(
    session: onnxruntime.InferenceSession, table: pl.DataFrame | pd.DataFrame
) -> dict[str, Any]:
    """What a server would hand over: a column for each input."""
    frame = table.to_pandas() if isinstance(table, pl.DataFrame) else table
    found = {}
    for each in session.get_inputs():
        column = frame[each.name].astype(object)
        if each.type == "tensor(string)":
            values = np.array(
                ["" if pd.isna(value) else str(value) for value in column], dtype=object
            )
        else:
            values = np.array([np.nan if pd.isna(value) else float(value) for value in column])
            values = values.astype(np.float32)
        found[each.name] = values[:, None]
    return found
