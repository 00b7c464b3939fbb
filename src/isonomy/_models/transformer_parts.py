"""What scikit-learn's preparation of features needs to predict."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.kernel_approximation import RBFSampler
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
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

from isonomy._models.fitted_parts import (
    WIDEST,
    Check,
    Flow,
    Part,
    is_number,
)

# Powers beyond this are a mistake, and counting their products would take for ever.
_MOST_DEGREES = 100


def _same(part: Part, **more: Any) -> Flow:
    """As many columns out as in."""
    return Flow("transformer", "matrix", part.width, part.width, **more)


def _standard(part: Part) -> Flow:
    if part.flag("with_mean"):
        part.numbers("mean_", part.width, finite=False)
    scale = part.get("scale_")
    if part.flag("with_std"):
        part.need("scale_", holds=bool(part.numbers("scale_", part.width, finite=False).all()))
    else:
        part.need("scale_", holds=scale is None)
    return _same(part)


def _robust(part: Part) -> Flow:
    if part.flag("with_centering"):
        part.numbers("center_", part.width, finite=False)
    if part.flag("with_scaling"):
        part.numbers("scale_", part.width, finite=False)
    return _same(part)


def _min_max(part: Part) -> Flow:
    part.numbers("scale_", part.width, finite=False)
    part.numbers("min_", part.width, finite=False)
    low, high = part.items("feature_range")
    part.need("feature_range", holds=is_number(low) and is_number(high) and low < high)
    return _same(part)


def _max_abs(part: Part) -> Flow:
    part.numbers("scale_", part.width, finite=False)
    return _same(part)


def _function(part: Part) -> Flow:
    function = part.get("func")
    part.need("kw_args", holds=not part.get("kw_args"))
    if function is not None:
        try:
            found = function(np.ones((2, 3)))
        except Exception as error:
            raise part.wrong("func") from error
        part.need("func", holds=np.shape(found) == (2, 3) and found.dtype.kind in "biuf")
    # Without a function, and without checks, it hands on whatever it is given.
    known = function is not None or part.flag("validate")
    width = part.width if "n_features_in_" in part else None
    part.need("feature_names_out", holds=part.get("feature_names_out") in (None, "one-to-one"))
    part.need("accept_sparse", holds=isinstance(part.get("accept_sparse"), bool))
    return Flow("transformer", "matrix" if known else "unknown", width, width)


def _imputer(part: Part) -> Flow:
    names = ["_fit_dtype", *(["_fill_dtype"] if "_fill_dtype" in part else [])]
    for name in names:
        part.need(name, holds=isinstance(part.get(name), np.dtype))
    kinds = {part.get(name).kind for name in names}
    words = "O" in kinds
    gaps = part.get("missing_values")
    if words:
        values = part.get("statistics_")
        part.need("statistics_", holds=type(values) is np.ndarray and values.dtype.kind == "O")
        part.need("statistics_", holds=values.shape == (part.width,))
        part.need("statistics_", holds=all(isinstance(one, str | int | float) for one in values))
        part.need("strategy", holds=part.get("strategy") in ("most_frequent", "constant"))
    else:
        values = part.numbers("statistics_", part.width, finite=False)
        part.need("missing_values", holds=is_number(gaps))
        part.need("_fit_dtype", holds=kinds <= {"f"})
    empty = np.array([isinstance(one, float) and one != one for one in values.tolist()])
    kept = part.width if part.flag("keep_empty_features") else int((~empty).sum())
    part.need("statistics_", holds=kept > 0)
    part.need(
        "add_indicator", holds=part.flag("add_indicator") == (part.get("indicator_") is not None)
    )
    if part.get("indicator_") is not None:
        kept += _indicator(part)
    return Flow("transformer", "matrix", part.width, kept, words=words)


def _indicator(part: Part) -> int:
    """Columns that say where values were missing."""
    found = part.get("indicator_")
    part.need("indicator_", holds=type(found) is MissingIndicator)
    inner = Part(found, f"{part.path}.indicator_", {})
    places = inner.numbers("features_", None, kinds="i")
    part.need("indicator_", holds=bool(((places >= 0) & (places < part.width)).all()))
    part.need("indicator_", holds=inner.get("_precomputed") is True)
    part.need("indicator_", holds=inner.whole("_n_features") == part.width)
    inner.choice("features", "missing-only")
    inner.choice("error_on_new", False)
    inner.choice("sparse", "auto", False)
    return int(places.size)


def _categories(part: Part) -> int:
    """Categories of each column; their number is that of the columns."""
    found = part.items("categories_", least=1)
    part.need("categories_", holds=len(found) == part.width)
    for values in found:
        fits = type(values) is np.ndarray and values.ndim == 1 and values.size > 0
        part.need("categories_", holds=fits and values.dtype.kind in "biufUO")
        if values.dtype.kind == "O":
            plain = all(one is None or isinstance(one, str | int | float) for one in values)
            part.need("categories_", holds=plain and len(set(values.tolist())) == values.size)
    _number_type(part)
    return len(found)


def _number_type(part: Part) -> None:
    try:
        kind = np.dtype(part.get("dtype")).kind
    except TypeError as error:
        raise part.wrong("dtype") from error
    part.need("dtype", holds=kind in "fiu")


def _one_hot(part: Part) -> Flow:
    _categories(part)
    widths = part.items("_n_features_outs")
    grouped = part.flag("_infrequent_enabled")
    part.need(
        "handle_unknown", holds=grouped or part.get("handle_unknown") != "infrequent_if_exist"
    )
    return Flow(
        "transformer", "matrix", part.width, int(sum(widths)), sparse=part.flag("sparse_output")
    )


def _ordinal(part: Part) -> Flow:
    _categories(part)
    part.need("_infrequent_enabled", holds=not part.flag("_infrequent_enabled"))
    for column, place in part.table("_missing_indices").items():
        part.need("_missing_indices", holds=type(column) is int and 0 <= column < part.width)
        part.need("_missing_indices", holds=isinstance(place, int | np.integer))
    part.need("encoded_missing_value", holds=is_number(part.get("encoded_missing_value")))
    whole = np.dtype(part.get("dtype")).kind in "iu"
    gap = part.get("encoded_missing_value")
    part.need("encoded_missing_value", holds=not whole or float(gap).is_integer() or gap != gap)
    if part.get("handle_unknown") == "use_encoded_value":
        unknown = part.get("unknown_value")
        part.need("unknown_value", holds=is_number(unknown))
        part.need("unknown_value", holds=not whole or float(unknown).is_integer())
    return _same(part)


def _bins(part: Part) -> Flow:
    edges = part.get("bin_edges_")
    numbers = part.numbers("n_bins_", part.width, kinds="i")
    part.need("bin_edges_", holds=type(edges) is np.ndarray and edges.shape == (part.width,))
    for one, number in zip(edges, numbers, strict=True):
        row = part.as_numbers(one, "bin_edges_", int(number) + 1)
        part.need("bin_edges_", holds=number > 0 and bool((row[1:] >= row[:-1]).all()))
    if part.get("encode") == "ordinal":
        return _same(part)
    encoder = part.get("_encoder")
    part.need("_encoder", holds=type(encoder) is OneHotEncoder)
    flow = part.flow(encoder, "_encoder")
    known = [np.arange(number) for number in numbers]
    same = all(np.array_equal(a, b) for a, b in zip(encoder.categories_, known, strict=True))
    part.need("_encoder", holds=flow.takes == part.width and same)
    return Flow("transformer", "matrix", part.width, flow.gives, sparse=flow.sparse)


def _polynomial(part: Part) -> Flow:
    low, high = part.whole("_min_degree"), part.whole("_max_degree")
    part.need("_max_degree", holds=low <= high <= _MOST_DEGREES)
    flags = {name: part.flag(name) for name in ("interaction_only", "include_bias")}
    count = PolynomialFeatures._num_combinations
    shape = {"n_features": part.width, "max_degree": high, **flags}
    number = count(min_degree=low, **shape)
    part.need("n_output_features_", holds=part.whole("n_output_features_", least=1) == number)
    full = count(min_degree=0, **{**shape, "include_bias": part.flag("include_bias")})
    # All of them are made, whatever is kept.
    part.need("_n_out_full", holds=part.whole("_n_out_full") == full <= WIDEST)
    return Flow("transformer", "matrix", part.width, int(number))


def _quantiles(part: Part) -> Flow:
    rows = part.numbers("references_", None).size
    part.need("references_", holds=rows > 0)
    table = part.numbers("quantiles_", rows, part.width, finite=False)
    part.need("quantiles_", holds=not bool((table[1:] < table[:-1]).any()))
    return _same(part)


def _power(part: Part) -> Flow:
    part.numbers("lambdas_", part.width, finite=False)
    if part.flag("standardize"):
        scaler = part.get("_scaler")
        part.need("_scaler", holds=type(scaler) is StandardScaler)
        part.need("_scaler", holds=part.flow(scaler, "_scaler").takes == part.width)
    return _same(part)


def _variances(part: Part) -> Flow:
    kept = int(
        (part.numbers("variances_", part.width, finite=False) > part.number("threshold")).sum()
    )
    part.need("variances_", holds=kept > 0)
    return Flow("transformer", "matrix", part.width, kept)


def _projection(part: Part) -> Flow:
    rows, _ = part.matrix("components_", None, part.width)
    part.need("components_", holds=rows > 0)
    if type(part.value) is PCA:
        part.numbers("mean_", part.width)
        if part.flag("whiten"):
            part.numbers("explained_variance_", rows)
    return Flow("transformer", "matrix", part.width, rows)


def _waves(part: Part) -> Flow:
    shifts = part.numbers("random_offset_", None).size
    part.numbers("random_weights_", part.width, shifts)
    part.need("random_offset_", holds=shifts > 0)
    part.whole("n_components", least=1)
    return Flow("transformer", "matrix", part.width, shifts)


# ---- words


def _check_words(part: Part) -> None:
    """How a text becomes words."""
    part.choice("input", "content")
    part.choice("analyzer", "word", "char", "char_wb")
    for name in ("preprocessor", "tokenizer"):
        part.need(name, holds=part.get(name) is None)
    part.need("strip_accents", holds=part.get("strip_accents") in (None, "ascii", "unicode"))
    lengths = part.items("ngram_range")
    whole = len(lengths) == 2 and all(type(one) is int for one in lengths)
    part.need("ngram_range", holds=whole and 1 <= lengths[0] <= lengths[1])
    try:
        groups = re.compile(part.get("token_pattern")).groups
    except (TypeError, re.error, RecursionError, OverflowError) as error:
        raise part.wrong("token_pattern") from error
    part.need("token_pattern", holds=groups < 2)
    stop = part.get("stop_words")
    texts = isinstance(stop, list | set | frozenset | tuple) and all(
        isinstance(one, str) for one in stop
    )
    part.need("stop_words", holds=stop is None or stop == "english" or texts)
    try:
        "".encode(part.get("encoding"))
    except (LookupError, TypeError) as error:
        raise part.wrong("encoding") from error
    _number_type(part)


def _count_words(part: Part) -> Flow:
    _check_words(part)
    words = part.table("vocabulary_")
    part.need("vocabulary_", holds=len(words) > 0 and all(isinstance(one, str) for one in words))
    if "fixed_vocabulary_" in part:
        part.flag("fixed_vocabulary_")
    if type(part.value) is TfidfVectorizer:
        inner = part.get("_tfidf")
        part.need("_tfidf", holds=type(inner) is TfidfTransformer)
        flow = part.flow(inner, "_tfidf")
        part.need("_tfidf", holds=flow.takes in (None, len(words)))
        for name in ("norm", "use_idf", "sublinear_tf"):
            part.need(name, holds=part.get(name) == getattr(inner, name))
    return Flow("transformer", "texts", gives=len(words), sparse=True)


def _tfidf(part: Part) -> Flow:
    width = part.width if "n_features_in_" in part else None
    if part.flag("use_idf"):
        size = part.numbers("idf_", width).size
        part.need("idf_", holds=size > 0)
        width = size
    return Flow("transformer", "matrix", width, width, sparse=True)


def _hashed_words(part: Part) -> Flow:
    _check_words(part)
    return Flow("transformer", "texts", gives=part.whole("n_features", least=1), sparse=True)


def _hashed_records(part: Part) -> Flow:
    _number_type(part)
    width = part.whole("n_features", least=1)
    return Flow("transformer", "records", gives=width, sparse=True)


def _records(part: Part) -> Flow:
    names = part.texts("feature_names_")
    words = part.table("vocabulary_")
    part.need("vocabulary_", holds=len(words) > 0 and set(words) == set(names))
    part.need("separator", holds=isinstance(part.get("separator"), str))
    _number_type(part)
    return Flow("transformer", "records", gives=len(words), sparse=part.flag("sparse"))


TRANSFORMER_CHECKS: dict[type, Check] = {
    StandardScaler: _standard,
    RobustScaler: _robust,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    Normalizer: _same,
    Binarizer: _same,
    FunctionTransformer: _function,
    SimpleImputer: _imputer,
    OneHotEncoder: _one_hot,
    OrdinalEncoder: _ordinal,
    KBinsDiscretizer: _bins,
    PolynomialFeatures: _polynomial,
    QuantileTransformer: _quantiles,
    PowerTransformer: _power,
    VarianceThreshold: _variances,
    RBFSampler: _waves,
    **dict.fromkeys(
        (PCA, TruncatedSVD, GaussianRandomProjection, SparseRandomProjection), _projection
    ),
    **dict.fromkeys((CountVectorizer, TfidfVectorizer), _count_words),
    TfidfTransformer: _tfidf,
    HashingVectorizer: _hashed_words,
    FeatureHasher: _hashed_records,
    DictVectorizer: _records,
}
