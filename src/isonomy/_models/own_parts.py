"""What Isonomy's rankers and their parts need to predict."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from isonomy import _core
from isonomy._models.fitted_parts import (
    Check,
    Flow,
    Part,
    is_number,
    layer_widths,
    same_rows,
    same_width,
)
from isonomy._rankers import N_BUCKETS, TableEncoder
from isonomy._rankers.blended import BlendRanker, FoldMean
from isonomy._rankers.boosted import BoostedClassifier, BoostedRanker, SummedLambdaRanker, Trees
from isonomy._rankers.linear import LinearRanker
from isonomy._rankers.neural import NeuralRanker
from isonomy._rankers.plugin import Isotonic, OrdinalSteps, PlugInRanker, Sigmoid
from isonomy.theory import formula_scores

_BINARY = np.arange(2)


def _linear(part: Part) -> Flow:
    part.numbers("coef_", part.width)
    return Flow("ranker", "matrix", part.width)


def _neural(part: Part) -> Flow:
    # A network of one's own is code, and not saved.
    part.need("module_", holds="module_" not in part)
    widths = layer_widths(part, 1)
    part.numbers("mean_", widths[0])
    part.need("scale_", holds=bool(part.numbers("scale_", widths[0]).all()))
    return Flow("ranker", "matrix", part.width)


def _boosted(part: Part) -> Flow:
    _check_trees(part)
    if "top" in part and part.get("top") is not None:
        part.whole("top", least=1)
    categories = part.table("categories_")
    for name, values in categories.items():
        part.need("categories_", holds=isinstance(name, str) and isinstance(values, list))
        part.need("categories_", holds=all(isinstance(one, str | int | float) for one in values))
    if "feature_names_in_" in part:
        part.need("categories_", holds=set(categories) <= set(part.texts("feature_names_in_")))
    else:
        part.need("categories_", holds=not categories)
    return Flow("ranker", "frame" if categories else "matrix", part.width)


def _boosted_classifier(part: Part) -> Flow:
    _check_trees(part)
    return Flow("classifier", "matrix", part.width, outputs=(_BINARY,))


def _check_trees(part: Part) -> None:
    trees = part.get("trees_")
    part.need("trees_", holds=type(trees) is Trees)
    part.need("n_features_in_", holds=part.width == trees.n_features)
    if "feature_importances_" in part:
        part.numbers("feature_importances_", part.width)


def _fold_mean(part: Part) -> Flow:
    return _mean_of_classifiers(part, "estimators_", range(len(part.items("estimators_", least=1))))


def _blend(part: Part) -> Flow:
    weights = part.numbers("coef_", len(part.items("estimators_")))
    part.choice("scale_", "logit", "probability")
    n_labels = len(part.texts("label_names_"))
    # Of several kinds of classifiers each has one per label.
    part.need("label_names_", holds=n_labels > 0 and weights.size % n_labels == 0)
    most = np.finfo(np.float64).max / max(weights.size, 1)
    part.need("coef_", holds=bool(((weights >= 0) & (weights <= most)).all()))
    used = [one is not None for one in part.items("estimators_")]
    part.need("estimators_", holds=used == (weights > 0).tolist())
    found = _mean_of_classifiers(part, "estimators_", np.flatnonzero(used).tolist())
    width = part.width if "n_features_in_" in part else None
    part.need("n_features_in_", holds=width is None or found.takes in (None, width))
    return Flow("ranker", found.rows, found.takes if width is None else width)


def _mean_of_classifiers(part: Part, name: str, places: Any) -> Flow:
    """Classifiers of one label each, of which the last class is the positive one."""
    several = part.items(name)
    flows = []
    for place in places:
        flows.append(part.flow(several[place], f"{name}[{place}]"))
        part.tells_probabilities(several[place], name)
        outputs = flows[-1].outputs
        part.need(name, holds=flows[-1].role in ("classifier", "unknown"))
        part.need(name, holds=outputs is None or len(outputs) == 1)
    return Flow(
        "classifier",
        same_rows(part, name, flows),
        same_width(part, name, flows),
        outputs=(_BINARY,),
    )


def _plug_in(part: Part) -> Flow:
    n_labels = len(part.texts("label_names_"))
    part.need("label_names_", holds=n_labels > 0)
    part.flag("_named")
    steps = _steps(part, n_labels)
    units, several = part.items("_units"), part.items("_fitted")
    part.need("_fitted", holds=len(units) == len(several) > 0)
    seen: list[int] = []
    flows = []
    for unit, one in zip(units, several, strict=True):
        labels = _row_numbers(part, unit, n_labels)
        seen += labels
        flows.append(_unit(part, one, len(labels)))
        part.need("_steps", holds=steps.of_labels(labels).size > 0)
    part.need("_units", holds=len(set(seen)) == len(seen))
    calibrators = part.items("_calibrators")
    part.need("_calibrators", holds=len(calibrators) == steps.label.size)
    for one in calibrators:
        _check_calibrator(part, one)
    _check_weights(part, n_labels)
    width = part.width if "n_features_in_" in part else None
    return Flow(
        "ranker", same_rows(part, "_fitted", flows), same_width(part, "_fitted", flows, width)
    )


def _row_numbers(part: Part, unit: Any, n: int) -> list[int]:
    rows = unit.tolist() if type(unit) is np.ndarray else unit
    part.need("_units", holds=isinstance(rows, list | tuple) and len(rows) > 0)
    part.need("_units", holds=all(type(one) is int and 0 <= one < n for one in rows))
    return list(rows)


def _unit(part: Part, classifier: Any, n_labels: int) -> Flow:
    flow = part.flow(classifier, "_fitted")
    part.need("_fitted", holds=flow.role in ("classifier", "unknown"))
    part.tells_probabilities(classifier, "_fitted")
    if flow.outputs is None:
        return flow
    part.need("_fitted", holds=len(flow.outputs) == n_labels)
    for classes in flow.outputs:
        part.need("_fitted", holds=_are_numbers(classes))
    return flow


def _are_numbers(classes: Any) -> bool:
    try:
        return bool(np.isfinite(classes.astype(np.float64)).all())
    except (TypeError, ValueError):
        return False


def _steps(part: Part, n_labels: int) -> OrdinalSteps:
    steps: OrdinalSteps = part.get("_steps")
    part.need("_steps", holds=type(steps) is OrdinalSteps)
    inner = Part(steps, f"{part.path}._steps", {})
    label = inner.numbers("label", None, kinds="i")
    part.need("_steps", holds=bool(((label >= 0) & (label < n_labels)).all()))
    for name in ("value", "gap"):
        inner.numbers(name, label.size)
    inner.numbers("low", n_labels, finite=False)
    return steps


def _check_calibrator(part: Part, found: Any) -> None:
    inner = Part(found, f"{part.path}._calibrators", {})
    if type(found) is Sigmoid:
        for name in ("slope", "intercept"):
            inner.number(name)
        inner.need("floor", holds=0.0 < inner.number("floor") < 0.5)
    elif type(found) is Isotonic:
        at = inner.numbers("at", None)
        inner.numbers("value", at.size)
        inner.need("at", holds=at.size > 0 and bool((at[1:] >= at[:-1]).all()))
    else:
        part.need("_calibrators", holds=found is None)


def _check_weights(part: Part, n_labels: int) -> None:
    """The score is a weighted sum, or a formula that the objective has."""
    objective = part.get("objective_")
    _check_objective(part, objective)
    if part.get("effective_weights_") is not None:
        weights = part.numbers("effective_weights_", n_labels)
        part.need("effective_weights_", holds=bool((weights >= 0).all() and weights.any()))
        return
    try:
        probe = part.value._space(np.full((2, n_labels), 0.5))
        found = formula_scores(probe, objective, None)
    except Exception:  # noqa: BLE001
        found = None
    part.need("objective_", holds=found is not None and np.shape(found) == (2,))


def _check_objective(part: Part, objective: Any) -> None:
    """What its class would have made of its fields."""
    kind = type(objective)
    part.need("objective_", holds=kind.__module__ == _core.Objective.__module__)
    try:
        given = {each.name: getattr(objective, each.name) for each in fields(kind)}
        again = kind(**given)
    except Exception as error:
        raise part.wrong("objective_") from error
    part.need("objective_", holds=_same(vars(again), vars(objective)))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and (one == other or (is_number(one) and one != one))


def _encoder(part: Part) -> Flow:
    names = part.texts("numeric_")
    left_out = part.table("dropped_")
    texts = all(isinstance(one, str) for pair in left_out.items() for one in pair)
    part.need("dropped_", holds=texts)
    n_gaps = int(part.numbers("incomplete_", len(names), kinds="b").sum())
    part.numbers("medians_", len(names))
    if "dates_" in part:
        part.need("dates_", holds=set(part.texts("dates_")) <= set(names))
    width = len(names) + (n_gaps if part.flag("impute") else 0)
    for name, values in part.table("categories_").items():
        part.need("categories_", holds=isinstance(name, str) and isinstance(values, list))
        part.need("categories_", holds=all(one is None or isinstance(one, str) for one in values))
        part.need("categories_", holds=len(set(values)) == len(values))
        width += len(values)
    buckets, weights = part.table("ngrams_"), part.table("idf_")
    part.need("idf_", holds=list(buckets) == list(weights))
    for name, found in buckets.items():
        part.need("ngrams_", holds=isinstance(name, str))
        places = part.as_numbers(found, "ngrams_", None, kinds="i")
        part.need("ngrams_", holds=bool(((places >= 0) & (places < N_BUCKETS)).all()))
        part.need("ngrams_", holds=np.unique(places).size == places.size)
        part.as_numbers(weights[name], "idf_", places.size)
        width += places.size
    part.need("numeric_", holds=width > 0)
    return Flow("transformer", "frame", gives=width, sparse=bool(buckets))


OWN_CHECKS: dict[type, Check] = {
    LinearRanker: _linear,
    NeuralRanker: _neural,
    BoostedRanker: _boosted,
    SummedLambdaRanker: _boosted,
    BoostedClassifier: _boosted_classifier,
    FoldMean: _fold_mean,
    BlendRanker: _blend,
    PlugInRanker: _plug_in,
    TableEncoder: _encoder,
}
