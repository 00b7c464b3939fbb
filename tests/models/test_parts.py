"""Every preparation and classifier that a file may hold comes back the same, or is refused."""

from __future__ import annotations

import copy
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifierCV,
)
from sklearn.model_selection import RandomizedSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.random_projection import GaussianRandomProjection
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import isonomy as iso
from isonomy._models.files import from_bytes, to_bytes
from isonomy._models.sklearn_parts import CLASSIFIER_CHECKS
from isonomy._models.transformer_parts import TRANSFORMER_CHECKS
from tests.models import models as common_models
from tests.models.models import TEXTS, X, Y, plug_in

GAPS = np.where(np.arange(X.size).reshape(X.shape) % 7, X, np.nan)
WORDS = np.array([["red", "blue", "green"][k] for k in np.digitize(X, [-0.5, 0.5]).ravel()], object)
WORDS = WORDS.reshape(X.shape)
HOLES = np.where(np.arange(X.size).reshape(X.shape) % 9, WORDS, None)
RECORDS = [
    {"age": float(age), "tongue": text[:3]} for age, text in zip(X[:, 0], TEXTS, strict=True)
]
NAMED = pd.DataFrame(X, columns=list("abcd"))

# What prepares features, and rows for it.
PREPARED: dict[str, tuple[Any, Any]] = {
    "standard": (StandardScaler(), X),
    "standard without a scale": (StandardScaler(with_std=False), X),
    "standard without a mean": (StandardScaler(with_mean=False), X),
    "robust": (RobustScaler(), X),
    "robust without both": (RobustScaler(with_centering=False, with_scaling=False), X),
    "min max": (MinMaxScaler((-1, 1)), X),
    "max abs": (MaxAbsScaler(), X),
    "normal": (Normalizer(), X),
    "binary": (Binarizer(), X),
    "function": (FunctionTransformer(np.tanh), X),
    "no function": (FunctionTransformer(), X),
    "checked function": (FunctionTransformer(validate=True), X),
    "imputer": (SimpleImputer(), GAPS),
    "imputer that tells": (SimpleImputer(add_indicator=True), GAPS),
    "one hot": (OneHotEncoder(), WORDS),
    "grouped": (OneHotEncoder(min_frequency=50, handle_unknown="infrequent_if_exist"), WORDS),
    "dense one hot": (OneHotEncoder(sparse_output=False, drop="if_binary"), WORDS),
    "ordinal": (OrdinalEncoder(encoded_missing_value=-2), HOLES),
    "ordinal of unknown": (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, dtype=np.int32),
        WORDS,
    ),
    "imputed words": (
        make_pipeline(
            SimpleImputer(missing_values=None, strategy="most_frequent"), OneHotEncoder()
        ),
        HOLES,
    ),
    "bins": (KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), X),
    "ordinal bins": (
        KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf"),
        X,
    ),
    "powers": (PolynomialFeatures((1, 2), interaction_only=True), X),
    "quantiles": (QuantileTransformer(n_quantiles=20), X),
    "power": (PowerTransformer(), X),
    "plain power": (PowerTransformer(standardize=False), X),
    "variances": (VarianceThreshold(0.1), X),
    "pca": (PCA(2, whiten=True), X),
    "svd": (TruncatedSVD(2, random_state=0), X),
    "projection": (GaussianRandomProjection(2, random_state=0), X),
    "waves": (RBFSampler(n_components=5, random_state=0), X),
    "counted words": (CountVectorizer(), TEXTS),
    "weighed words": (make_pipeline(CountVectorizer(), TfidfTransformer()), TEXTS),
    "plain words": (make_pipeline(CountVectorizer(), TfidfTransformer(use_idf=False)), TEXTS),
    "hashed records": (FeatureHasher(16), RECORDS),
    "records": (DictVectorizer(), RECORDS),
    "union": (
        FeatureUnion(
            [("a", StandardScaler()), ("b", "passthrough"), ("c", "drop")],
            transformer_weights={"a": 2.0},
        ),
        X,
    ),
    "columns by name": (
        ColumnTransformer([("a", StandardScaler(), ["b", "a"]), ("b", "passthrough", ["d"])]),
        NAMED,
    ),
    "columns by place": (
        ColumnTransformer(
            [("a", StandardScaler(), [0, -1]), ("b", "drop", [1])], remainder="passthrough"
        ),
        X,
    ),
    "columns by mask": (
        ColumnTransformer(
            [("a", StandardScaler(), [True, False, True, False]), ("b", MaxAbsScaler(), [])]
        ),
        X,
    ),
    "a column of texts": (
        ColumnTransformer([("a", CountVectorizer(), "t")]),
        pd.DataFrame({"t": TEXTS}),
    ),
}

CLASSIFIERS: dict[str, Any] = {
    "discriminant": LinearDiscriminantAnalysis(),
    "constant": DummyClassifier(),
    "counts": make_pipeline(MinMaxScaler(), MultinomialNB()),
    "complement": make_pipeline(MinMaxScaler(), ComplementNB()),
    "bits": BernoulliNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "random tree": ExtraTreeClassifier(max_depth=3, random_state=0),
    "network": MLPClassifier((3,), max_iter=3, random_state=0),
    "boosted": HistGradientBoostingClassifier(max_iter=2, random_state=0),
    "one column": LogisticRegression(solver="liblinear"),
    "chosen strength": LogisticRegressionCV(
        Cs=2, cv=2, scoring="accuracy", use_legacy_attributes=False, l1_ratios=(0.0,)
    ),
    "support vectors": CalibratedClassifierCV(LinearSVC(), cv=2),
    "perceptron": CalibratedClassifierCV(Perceptron(), cv=2),
    "chosen ridge": CalibratedClassifierCV(RidgeClassifierCV(), cv=2, method="isotonic"),
    "random search": RandomizedSearchCV(
        LogisticRegression(), {"C": [0.1, 1.0]}, n_iter=2, cv=2, random_state=0
    ),
}
JOINT = {
    "joint tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "joint network": MLPClassifier((3,), max_iter=3, random_state=0),
    "joint wrapper": MultiOutputClassifier(LogisticRegression()),
}


@cache
def fitted(name: str) -> Any:
    """A ranker with this part."""
    rows = rows_of(name)
    if name in PREPARED:
        ranker = make_pipeline(copy.deepcopy(PREPARED[name][0]), iso.LinearRanker(l2=0.1))
    else:
        joint = name in JOINT
        ranker = plug_in((JOINT if joint else CLASSIFIERS)[name], joint=joint)()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Few rounds are enough here.
        return ranker.fit(rows, Y)


def rows_of(name: str) -> Any:
    return PREPARED[name][1] if name in PREPARED else X


@pytest.mark.parametrize("name", [*PREPARED, *CLASSIFIERS, *JOINT])
def test_every_part_comes_back_the_same(name: str) -> None:
    ranker = fitted(name)
    again = from_bytes(to_bytes(ranker), set())
    assert np.array_equal(again.predict(rows_of(name)), ranker.predict(rows_of(name)))


def objects_in(ranker: Any) -> Iterator[Any]:
    """What a ranker is made of: each object once."""
    seen: set[int] = set()
    waiting = [ranker]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            inside = each if isinstance(each, dict) else getattr(each, "__dict__", {})
            waiting += each if isinstance(each, list | tuple) else inside.values()


def test_every_part_that_is_checked_has_a_model() -> None:
    """One that is added to the checks needs a model here, or in the list for all properties."""
    rankers = [fitted(name) for name in (*PREPARED, *CLASSIFIERS, *JOINT)]
    rankers += [common_models.fitted(name) for name in common_models.MODELS]
    found = {type(each) for ranker in rankers for each in objects_in(ranker)}
    assert not {*TRANSFORMER_CHECKS, *CLASSIFIER_CHECKS} - found


def less(array: Any) -> Any:
    """One entry, or row, less."""
    return array[:-1]


# A model, a class in it, an attribute, and what becomes of it.
SPOILED: list[tuple[str, str, str, Callable[[Any], Any]]] = [
    ("standard", "StandardScaler", "mean_", less),
    ("standard", "StandardScaler", "scale_", np.zeros_like),
    ("standard without a scale", "StandardScaler", "scale_", lambda _: np.ones(4)),
    ("robust", "RobustScaler", "center_", less),
    ("robust", "RobustScaler", "scale_", less),
    ("min max", "MinMaxScaler", "min_", less),
    ("min max", "MinMaxScaler", "scale_", less),
    ("max abs", "MaxAbsScaler", "scale_", less),
    ("function", "FunctionTransformer", "func", lambda _: np.add),
    ("function", "FunctionTransformer", "func", lambda _: np.isnat),
    ("function", "FunctionTransformer", "kw_args", lambda _: {"where": True}),
    ("function", "FunctionTransformer", "feature_names_out", lambda _: np.tanh),
    ("imputer", "SimpleImputer", "statistics_", less),
    ("imputer", "SimpleImputer", "statistics_", lambda old: np.full_like(old, np.nan)),
    ("imputer", "SimpleImputer", "missing_values", lambda _: None),
    ("imputer", "SimpleImputer", "_fit_dtype", lambda _: np.dtype("i8")),
    ("imputer", "SimpleImputer", "_fit_dtype", lambda _: None),
    ("imputer", "SimpleImputer", "add_indicator", lambda _: True),
    ("imputer that tells", "SimpleImputer", "indicator_", lambda _: StandardScaler()),
    ("imputer that tells", "MissingIndicator", "features_", lambda old: old + 1),
    ("imputer that tells", "MissingIndicator", "features_", lambda old: old - 1),
    ("imputer that tells", "MissingIndicator", "_precomputed", lambda _: False),
    ("imputer that tells", "MissingIndicator", "_n_features", lambda _: 3),
    ("imputer that tells", "MissingIndicator", "features", lambda _: "all"),
    ("imputed words", "SimpleImputer", "statistics_", less),
    ("imputed words", "SimpleImputer", "statistics_", lambda old: old.astype("U")),
    ("imputed words", "SimpleImputer", "statistics_", lambda old: np.full_like(old, b"a")),
    ("imputed words", "SimpleImputer", "strategy", lambda _: "mean"),
    ("one hot", "OneHotEncoder", "dtype", lambda _: "no type"),
    ("one hot", "OneHotEncoder", "dtype", lambda _: np.dtype("U1")),
    ("one hot", "OneHotEncoder", "handle_unknown", lambda _: "infrequent_if_exist"),
    ("ordinal", "OrdinalEncoder", "categories_", less),
    ("ordinal", "OrdinalEncoder", "categories_", lambda old: [*old[:-1], old[-1][:0]]),
    ("ordinal", "OrdinalEncoder", "categories_", lambda old: [*old[:-1], old[-1][[0, 0]]]),
    ("ordinal", "OrdinalEncoder", "_infrequent_enabled", lambda _: True),
    ("ordinal", "OrdinalEncoder", "_missing_indices", lambda _: {4: 0}),
    ("ordinal", "OrdinalEncoder", "_missing_indices", lambda _: {0: "a"}),
    ("ordinal", "OrdinalEncoder", "encoded_missing_value", lambda _: "a"),
    ("ordinal of unknown", "OrdinalEncoder", "encoded_missing_value", lambda _: 0.5),
    ("ordinal of unknown", "OrdinalEncoder", "unknown_value", lambda _: "a"),
    ("ordinal of unknown", "OrdinalEncoder", "unknown_value", lambda _: 0.5),
    ("bins", "KBinsDiscretizer", "bin_edges_", less),
    ("bins", "KBinsDiscretizer", "n_bins_", lambda old: old + 1),
    ("bins", "KBinsDiscretizer", "_encoder", lambda _: OrdinalEncoder()),
    ("ordinal bins", "KBinsDiscretizer", "bin_edges_", lambda old: -old),
    ("powers", "PolynomialFeatures", "_max_degree", lambda _: 10**6),
    ("powers", "PolynomialFeatures", "_min_degree", lambda _: 3),
    ("powers", "PolynomialFeatures", "n_output_features_", lambda old: old + 1),
    ("powers", "PolynomialFeatures", "_n_out_full", lambda old: old + 1),
    ("quantiles", "QuantileTransformer", "references_", lambda old: old[:0]),
    ("quantiles", "QuantileTransformer", "quantiles_", less),
    ("quantiles", "QuantileTransformer", "quantiles_", lambda old: old[::-1]),
    ("power", "PowerTransformer", "lambdas_", less),
    ("power", "PowerTransformer", "_scaler", lambda _: MaxAbsScaler()),
    ("power", "StandardScaler", "n_features_in_", lambda _: 3),
    ("variances", "VarianceThreshold", "variances_", less),
    ("variances", "VarianceThreshold", "variances_", np.zeros_like),
    ("variances", "VarianceThreshold", "threshold", lambda _: np.inf),
    ("pca", "PCA", "mean_", less),
    ("pca", "PCA", "explained_variance_", less),
    ("svd", "TruncatedSVD", "components_", lambda old: old[:, :-1]),
    ("projection", "GaussianRandomProjection", "components_", lambda old: old[:0]),
    ("waves", "RBFSampler", "random_offset_", less),
    ("waves", "RBFSampler", "random_weights_", less),
    ("counted words", "CountVectorizer", "preprocessor", lambda _: "lower"),
    ("counted words", "CountVectorizer", "ngram_range", lambda _: (2, 1)),
    ("counted words", "CountVectorizer", "token_pattern", lambda _: "("),
    ("counted words", "CountVectorizer", "token_pattern", lambda _: "(a)(b)"),
    ("counted words", "CountVectorizer", "stop_words", lambda _: [1]),
    ("counted words", "CountVectorizer", "encoding", lambda _: "no encoding"),
    ("counted words", "CountVectorizer", "vocabulary_", lambda _: {}),
    ("weighed words", "TfidfTransformer", "idf_", less),
    ("records", "DictVectorizer", "feature_names_", less),
    ("records", "DictVectorizer", "separator", lambda _: 1),
    ("union", "FeatureUnion", "transformer_weights", lambda _: {"a": "much"}),
    ("union", "FeatureUnion", "transformer_list", lambda old: old[1:]),
    ("union", "FeatureUnion", "transformer_list", lambda old: [*old, ("d", "keep")]),
    ("columns by name", "ColumnTransformer", "transformers_", lambda old: [*old, old[0]]),
    ("columns by place", "ColumnTransformer", "transformers_", lambda old: old[1:2]),
    (
        "columns by place",
        "ColumnTransformer",
        "_transformer_to_input_indices",
        lambda old: {**old, "a": [0, 9]},
    ),
    (
        "columns by mask",
        "ColumnTransformer",
        "_transformer_to_input_indices",
        lambda old: {**old, "a": [0, 1]},
    ),
    ("discriminant", "LinearDiscriminantAnalysis", "coef_", lambda old: old[:, :-1]),
    ("discriminant", "LinearDiscriminantAnalysis", "intercept_", lambda _: "a"),
    ("constant", "DummyClassifier", "class_prior_", less),
    ("constant", "DummyClassifier", "n_outputs_", lambda _: 2),
    ("constant", "DummyClassifier", "_strategy", lambda _: "uniform"),
    ("counts", "MultinomialNB", "feature_log_prob_", less),
    ("complement", "ComplementNB", "feature_all_", less),
    ("bits", "BernoulliNB", "class_log_prior_", less),
    ("tree", "DecisionTreeClassifier", "n_outputs_", lambda _: 2),
    ("tree", "DecisionTreeClassifier", "n_features_in_", lambda _: 5),
    ("tree", "DecisionTreeClassifier", "n_classes_", lambda _: 3),
    ("tree", "DecisionTreeClassifier", "tree_", lambda _: None),
    ("joint tree", "DecisionTreeClassifier", "classes_", less),
    ("joint tree", "DecisionTreeClassifier", "n_classes_", lambda _: [2]),
    ("joint tree", "DecisionTreeClassifier", "n_classes_", lambda _: [True, 2]),
    ("network", "MLPClassifier", "n_layers_", lambda _: 4),
    ("network", "MLPClassifier", "out_activation_", lambda _: "softmax"),
    ("joint network", "MLPClassifier", "n_outputs_", lambda _: 1),
    ("joint wrapper", "MultiOutputClassifier", "classes_", less),
    ("boosted", "HistGradientBoostingClassifier", "n_trees_per_iteration_", lambda _: 2),
    ("boosted", "HistGradientBoostingClassifier", "_n_features", lambda _: 3),
    ("boosted", "HistGradientBoostingClassifier", "_predictors", lambda old: [[], *old[1:]]),
    ("support vectors", "_SigmoidCalibration", "a_", lambda _: np.nan),
    ("support vectors", "_CalibratedClassifier", "calibrators", lambda old: [*old, *old]),
    ("support vectors", "_CalibratedClassifier", "estimator", lambda _: StandardScaler()),
    ("support vectors", "_CalibratedClassifier", "method", lambda _: "temperature"),
    ("random search", "RandomizedSearchCV", "refit", lambda _: False),
]

# Where two attributes should agree, the other one may be told; of a part, what holds it.
TOLD = {
    ("MissingIndicator", "features_"): "indicator_",
    ("MissingIndicator", "_precomputed"): "indicator_",
    ("MissingIndicator", "_n_features"): "indicator_",
    ("KBinsDiscretizer", "n_bins_"): "bin_edges_",
    ("PolynomialFeatures", "_min_degree"): "_max_degree",
    ("StandardScaler", "n_features_in_"): "_scaler",
    ("RBFSampler", "random_offset_"): "random_weights_",
    ("DictVectorizer", "feature_names_"): "vocabulary_",
    ("FeatureUnion", "transformer_list"): "steps",
    ("DecisionTreeClassifier", "n_outputs_"): "classes_",
    ("MLPClassifier", "out_activation_"): "classes_",
    ("MLPClassifier", "n_outputs_"): "coefs_",
}


@pytest.mark.parametrize(("name", "owner", "attribute", "spoil"), SPOILED)
def test_a_part_that_does_not_fit_is_refused(
    name: str, owner: str, attribute: str, spoil: Callable[[Any], Any]
) -> None:
    """What would fail, or say nonsense, at prediction is told when the file is made or read."""
    ranker = copy.deepcopy(fitted(name))
    part = next(
        each
        for each in objects_in(ranker)
        if type(each).__name__ == owner and attribute in vars(each)
    )
    setattr(part, attribute, spoil(getattr(part, attribute)))
    told = f"{attribute}|{owner}|{TOLD.get((owner, attribute), attribute)}"
    with pytest.raises(ValueError, match=rf"Cannot save this \w+\. .*({told})"):
        to_bytes(ranker)


def part_of(ranker: Any, kind: type) -> Any:
    return next(each for each in objects_in(ranker) if type(each) is kind)


def test_a_width_that_nothing_has_takes_no_memory() -> None:
    """The number of columns is a claim until something is held against it."""
    ranker = copy.deepcopy(fitted("columns by place"))
    table = part_of(ranker, ColumnTransformer)
    table.transformers_ = [(*each[:2], slice(0, 9)) for each in table.transformers_]
    table.n_features_in_ = 10**12
    tracemalloc.start()
    with pytest.raises(ValueError, match="_transformer_to_input_indices does not fit"):
        to_bytes(ranker)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**7


def test_no_row_becomes_wider_than_memory() -> None:
    """A few bytes can ask for any number of columns, if what comes next does not look at them."""
    constant = copy.deepcopy(fitted("constant"))
    for part in (constant, *constant._fitted):
        part.__dict__.pop("n_features_in_", None)
    powers = PolynomialFeatures(2).fit(X)
    powers.degree = powers._max_degree = 100
    powers.n_output_features_ = powers._n_out_full = comb(104, 4)
    hashed = ColumnTransformer([("a", HashingVectorizer(n_features=8), 0)], sparse_threshold=0)
    hashed.fit(np.array(TEXTS)[:, None])
    part_of(hashed, HashingVectorizer).n_features = 2**25
    for wide in (powers, hashed):
        with pytest.raises(ValueError, match=r"_n_out_full|makes 33,554,432 columns"):
            to_bytes(make_pipeline(wide, constant))
