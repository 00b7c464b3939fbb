"""Fitted models to save: one list, over which every property runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    StandardScaler,
)
from sklearn.random_projection import SparseRandomProjection

import isonomy as iso
from isonomy._rankers import TableEncoder
from isonomy._rankers.boosted import BoostedClassifier

_RNG = np.random.default_rng(0)
X = _RNG.normal(size=(200, 4))
Y = (X[:, :2] + _RNG.normal(size=(200, 2)) > [0.0, 0.8]).astype(int)
FRAME = pd.DataFrame(X.copy(), columns=["age", "price", "colour", "size"])
FRAME["colour"] = np.where(X[:, 2] > 0, "red", "blue")
FRAME.loc[::7, "age"] = np.nan
REVIEWS = FRAME.assign(
    review=[" ".join(_RNG.choice(["good", "bad", "日本", "tea"], 3)) for _ in range(200)]
)
TEXTS = [" ".join(_RNG.choice(["cat", "dog", "Straße", "日本", "owl"], 5)) for _ in range(200)]


@dataclass(frozen=True)
class Model:
    make: Callable[[], Any]
    rows: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", X if self.rows is None else self.rows)


def plug_in(estimator: Any, **options: Any) -> Callable[[], Any]:
    return lambda: iso.PlugInRanker(estimator, cv=None, **options)


def table() -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "price"]),
            ("words", OneHotEncoder(handle_unknown="ignore"), ["colour"]),
            ("rest", FunctionTransformer(np.tanh), slice(3, 4)),
        ]
    )


COSTS = np.array([[0, 0, 0], [1, 0, 0], [3, 1, 0]])
MODELS = {
    "linear": Model(iso.LinearRanker),
    "loss weights": Model(lambda: iso.LinearRanker(iso.LossAggregation([1, 2]), l2=0.5)),
    "costs": Model(lambda: iso.LinearRanker(iso.LabelAggregation("sum", costs=COSTS))),
    "one label": Model(lambda: iso.LinearRanker(iso.OneLabel(1), surrogate="square")),
    "worst": Model(lambda: iso.LinearRanker(iso.WorstLabel())),
    "frame": Model(iso.LinearRanker, FRAME[["price", "size"]]),
    "logistic": Model(
        lambda: iso.PlugInRanker(LogisticRegression(), calibrate=True, cv=StratifiedKFold(3))
    ),
    "isotonic": Model(
        lambda: iso.PlugInRanker(GaussianNB(), iso.LossAggregation(), calibrate="isotonic", cv=3)
    ),
    "histogram": Model(plug_in(HistGradientBoostingClassifier(max_iter=3, random_state=0))),
    "forest": Model(plug_in(RandomForestClassifier(3, random_state=np.random.RandomState(0)))),
    "joint": Model(plug_in(ExtraTreesClassifier(3, max_depth=4), joint=True)),
    "ada": Model(plug_in(AdaBoostClassifier(n_estimators=2))),
    "network": Model(plug_in(MLPClassifier((5,), max_iter=3, random_state=0))),
    "sgd": Model(plug_in(SGDClassifier(loss="modified_huber", random_state=0))),
    "calibrated": Model(plug_in(CalibratedClassifierCV(RidgeClassifier(), cv=2))),
    "multi": Model(plug_in(MultiOutputClassifier(LogisticRegression()))),
    "chain": Model(plug_in(ClassifierChain(LogisticRegression()))),
    "voting": Model(
        plug_in(VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], voting="soft"))
    ),
    "search": Model(plug_in(GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2))),
    "frozen": Model(
        lambda: iso.PlugInRanker(
            [FrozenEstimator(LogisticRegression().fit(X, Y[:, k])) for k in range(2)], cv=None
        )
    ),
    "table": Model(lambda: make_pipeline(table(), iso.LinearRanker()), FRAME),
    "table forest": Model(
        lambda: make_pipeline(table(), plug_in(RandomForestClassifier(2))()), FRAME
    ),
    "text": Model(
        lambda: make_pipeline(TfidfVectorizer(stop_words=["owl"]), iso.LinearRanker()), TEXTS
    ),
    "hashed texts": Model(
        lambda: make_pipeline(HashingVectorizer(n_features=64), iso.LinearRanker(l2=0.1)), TEXTS
    ),
    "table with texts": Model(
        lambda: make_pipeline(
            TableEncoder(text=["review"]), StandardScaler(with_mean=False), iso.LinearRanker(l2=0.1)
        ),
        REVIEWS,
    ),
    "trees on texts": Model(
        lambda: make_pipeline(
            TableEncoder(text=["review"], impute=False),
            iso.BoostedRanker(n_rounds=3, random_state=0),
        ),
        REVIEWS,
    ),
    "weights by name": Model(lambda: iso.LinearRanker(iso.LossAggregation({1: 2, 0: 1}))),
    "rare words": Model(
        lambda: make_pipeline(
            OneHotEncoder(drop="first", max_categories=2, handle_unknown="ignore"),
            iso.LinearRanker(l2=0.1),
        ),
        np.column_stack([X[:, 0].round(), X[:, 1] > 0]),
    ),
    "some words": Model(
        lambda: make_pipeline(TfidfVectorizer(max_features=3), iso.LinearRanker(l2=0.1)), TEXTS
    ),
    "dictionaries": Model(
        lambda: make_pipeline(DictVectorizer(), iso.LinearRanker(l2=0.1)),
        [{"age": age, "colour": colour} for age, colour in zip(X[:, 0], TEXTS, strict=True)],
    ),
    "blend": Model(lambda: iso.BlendRanker(LogisticRegression())),
    "blend of two kinds": Model(
        lambda: iso.BlendRanker(
            [
                make_pipeline(
                    SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
                    StandardScaler(),
                    LogisticRegression(),
                ),
                BoostedClassifier(n_rounds=3, n_jobs=1, random_state=0),
            ]
        )
    ),
    "union": Model(
        lambda: make_pipeline(
            FeatureUnion(
                [
                    ("bins", KBinsDiscretizer(3, strategy="uniform")),
                    (
                        "powers",
                        make_pipeline(QuantileTransformer(n_quantiles=20), PolynomialFeatures()),
                    ),
                ]
            ),
            TruncatedSVD(3, random_state=0),
            iso.LinearRanker(),
        )
    ),
    "sparse": Model(
        lambda: make_pipeline(
            SparseRandomProjection(3, random_state=0, density=0.5), iso.LinearRanker()
        )
    ),
}
if "BoostedRanker" in iso.__all__:
    for engine in ("lightgbm", "xgboost"):
        MODELS[engine] = Model(lambda engine=engine: iso.BoostedRanker(engine=engine))
    MODELS["table boosted"] = Model(lambda: make_pipeline(table(), iso.BoostedRanker()), FRAME)
if "NeuralRanker" in iso.__all__:
    MODELS["neural"] = Model(lambda: iso.NeuralRanker(hidden=(8,)))


@cache
def fitted(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MODELS[name].make().fit(MODELS[name].rows, Y)
