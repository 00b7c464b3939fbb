"""How much each of the user's columns matters to a fitted model."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from isonomy._core import FloatArray
from isonomy._rankers.blended import BlendRanker
from isonomy._rankers.table_encoder import TableEncoder


def feature_importances(model: Any, X: Any = None) -> list[tuple[str, float]]:
    """The columns that a fitted ranker or pipeline learned from, and the share of each.

    Of linear rankers the size of the weight times the spread of its feature (1 after a
    `StandardScaler`); of trees the gain of the splits; of plugged-in classifiers the mean over
    them, of several kinds for a label by what each has to say there. What a `TableEncoder` makes
    of one column counts for that column.

    Parameters
    ----------
    model : ranker or Pipeline
        Fitted.
    X : table, optional
        Rows as `model.predict` takes them, by which the spread of features is measured that no
        step has standardised. Without it they count as standardised.

    Returns
    -------
    list of (str, float)
        Largest first, in sum 1 (or 0 where nothing was learned); empty where the model has no
        importances, such as a network.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import LinearRanker
    >>> X = np.array([[0.0, 2.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [1.0, 1.0]])
    >>> ranker = LinearRanker(l2=0.01).fit(X, [[0, 0], [1, 0], [0, 1], [1, 1], [0, 1]])
    >>> [(name, round(share, 2)) for name, share in feature_importances(ranker, X)]
    [('0', 0.66), ('1', 0.34)]
    """
    check_is_fitted(model)
    steps = [step for _, step in model.steps[:-1]] if isinstance(model, Pipeline) else []
    ranker = model.steps[-1][1] if isinstance(model, Pipeline) else model
    standardised = bool(steps) and isinstance(steps[-1], StandardScaler)
    spread = None
    if X is not None and not standardised:
        for step in steps:
            X = step.transform(X)
        spread = _spread(X)
    sizes = _sizes(ranker, spread)
    if sizes is None:
        return []
    shares: dict[str, float] = {}
    for name, size in zip(_names(steps, ranker, sizes.size), sizes.tolist(), strict=True):
        shares[name] = shares.get(name, 0.0) + size
    total = sum(shares.values()) or 1.0
    # Of equals the first column first.
    return sorted(((name, size / total) for name, size in shares.items()), key=lambda one: -one[1])


def _sizes(ranker: Any, spread: FloatArray | None) -> FloatArray | None:
    """How much each feature that reaches the ranker matters; None where that is not known."""
    if isinstance(ranker, Pipeline):
        return _sizes_through([step for _, step in ranker.steps], spread)
    if isinstance(ranker, BlendRanker):
        # Each label counts alike, whatever it takes to balance it.
        said = ranker.coef_.reshape(-1, len(ranker.label_names_))
        parts = (said / np.where(said.any(axis=0), said.sum(axis=0), 1.0)).ravel()
        said_by = zip(ranker.estimators_, parts, strict=True)
        return _mean_share([(_sizes(each, spread), part) for each, part in said_by if each])
    if hasattr(ranker, "estimators_") and not hasattr(ranker, "feature_importances_"):
        # A label that does not count has none.
        inside = [each for each in ranker.estimators_ if each is not None]
        return _mean_share([(_sizes(each, spread), 1.0) for each in inside])
    if hasattr(ranker, "calibrated_classifiers_"):
        inside = [each.estimator for each in ranker.calibrated_classifiers_]
        return _mean_share([(_sizes(each, spread), 1.0) for each in inside])
    if hasattr(ranker, "coef_"):
        weights = np.abs(np.asarray(ranker.coef_, dtype=np.float64))
        weights = weights.sum(axis=0) if weights.ndim == 2 else weights
        return np.asarray(weights if spread is None else weights * spread)
    if not hasattr(ranker, "feature_importances_"):
        return None
    if getattr(ranker, "importance_type", None) == "split":
        # LightGBM's wrappers count splits unless they are asked.
        return np.asarray(ranker.booster_.feature_importance("gain"), dtype=np.float64)
    return np.asarray(ranker.feature_importances_, dtype=np.float64)


def _sizes_through(steps: list[Any], spread: FloatArray | None) -> FloatArray | None:
    """How much each feature matters to a classifier that some steps prepare it for."""
    *before, last = steps
    if any(isinstance(step, StandardScaler) for step in before):
        spread = None
    elif before:
        return None
    found = _sizes(last, spread)
    for step in reversed(before):
        if found is None or isinstance(step, StandardScaler):
            continue
        found = _sizes_of_filled(step, found) if isinstance(step, SimpleImputer) else None
    return found


def _sizes_of_filled(step: SimpleImputer, sizes: FloatArray) -> FloatArray | None:
    """That a feature is missing counts for that feature."""
    found = sizes[: step.n_features_in_].copy()
    if len(found) < step.n_features_in_:
        return None
    if step.add_indicator:
        np.add.at(found, step.indicator_.features_, sizes[step.n_features_in_ :])
    return found


def _mean_share(sizes: list[tuple[FloatArray | None, float]]) -> FloatArray | None:
    """The weighted mean of shares; None where those of one part are not known."""
    known = [(each / (each.sum() or 1.0), weight) for each, weight in sizes if each is not None]
    if len(known) < len(sizes) or not known:
        return None
    return np.average([each for each, _ in known], axis=0, weights=[each for _, each in known])


def _names(steps: list[Any], ranker: Any, n_features: int) -> list[str]:
    """The user's column for each feature that reaches the ranker."""
    first = steps[0] if steps else ranker
    if isinstance(first, TableEncoder):
        return first.column_names_out()
    names: Any = None
    if steps and hasattr(first, "get_feature_names_out"):
        names = first.get_feature_names_out()
    elif hasattr(first, "feature_names_in_"):
        names = first.feature_names_in_
    if names is None or len(names) != n_features:
        return [str(j) for j in range(n_features)]
    return [str(name) for name in names]


def _spread(X: Any) -> FloatArray:
    """Standard deviation of each column; gaps are passed over."""
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.asarray(np.sqrt(np.maximum(square - mean**2, 0.0)))
    return np.asarray(np.nanstd(np.asarray(X, dtype=np.float64), axis=0))
