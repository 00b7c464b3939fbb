"""Classifiers of several labels, in all the forms in which scikit-learn has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.exceptions import NotFittedError
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import InputTags, get_tags
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from isonomy._core import FloatArray
from isonomy._rankers.plugin.ordinal_steps import OrdinalSteps


def class_probabilities(
    fitted: Any, X: Any, n_labels: int
) -> list[tuple[FloatArray, NDArray[Any]]]:
    """P(class | x) and the classes, for each label that a classifier predicts.

    Takes a list of K arrays (n, C), one array (n, C) for one label, or (n, K) with the
    probability of each of K binary labels.
    """
    found = fitted.predict_proba(X)
    classes = getattr(fitted, "classes_", None)
    if isinstance(found, list):
        several = classes if isinstance(classes, list) else [None] * len(found)
        return [
            (np.asarray(p, dtype=np.float64), _classes(c, np.shape(p)[1]))
            for p, c in zip(found, several, strict=True)
        ]
    table = np.asarray(found, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.shape[1] > 1 and (n_labels == 1 or _is_binary(fitted, table)):
        return [(table, _classes(classes, table.shape[1]))]
    return [(np.column_stack([1.0 - p, p]), np.arange(2)) for p in table.T]


def _classes(classes: Any, size: int) -> NDArray[Any]:
    return np.arange(size) if classes is None else np.asarray(classes)


def _is_binary(fitted: Any, table: FloatArray) -> bool:
    """Whether (n, 2) probabilities are those of the two classes of one label."""
    return (
        table.shape[1] == 2
        and not isinstance(getattr(fitted, "classes_", None), list)
        and bool(np.allclose(table.sum(axis=1), 1.0))
    )


def reached_by(fitted: Any, X: Any, labels: Sequence[int], steps: OrdinalSteps) -> FloatArray:
    """P(Y_k >= value | x) for the steps of a classifier's labels, (n, their number)."""
    columns = []
    for k, (p, classes) in zip(labels, class_probabilities(fitted, X, len(labels)), strict=True):
        columns += [
            p[:, classes.astype(np.float64) >= value].sum(axis=1)
            for value in steps.value[steps.label == k]
        ]
    return np.asarray(np.clip(np.column_stack(columns), 0.0, 1.0))


def learns_only_tables(estimator: Any) -> bool:
    """Whether an estimator takes a table of labels and nothing else."""
    inner = _inner(estimator)
    if inner is not None and not isinstance(estimator, MultiOutputClassifier | ClassifierChain):
        return learns_only_tables(inner)
    return not get_tags(estimator).target_tags.single_output


def learns_tables(estimator: Any) -> bool:
    """Whether an estimator says that it takes a table of labels."""
    tags = get_tags(estimator)
    several = tags.classifier_tags is not None and tags.classifier_tags.multi_label
    return bool(tags.target_tags.multi_output or several)


def weight_name(estimator: Any) -> str | None:
    """The name under which an estimator's `fit` takes sample weights; None if it does not."""
    inner = _inner(estimator)
    if inner is None:
        return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None
    if get_config()["enable_metadata_routing"]:
        routing = get_routing_for_object(estimator)
        return "sample_weight" if routing.consumes("fit", ["sample_weight"]) else None
    name = weight_name(inner)
    if name is None or not isinstance(estimator, Pipeline):
        return name
    return f"{estimator.steps[-1][0]}__{name}"


def _inner(estimator: Any) -> Any:
    """The estimator to which a pipeline, a search or a multi-output wrapper hands weights on."""
    if isinstance(estimator, Pipeline):
        return estimator.steps[-1][1]
    if isinstance(estimator, BaseSearchCV | MultiOutputClassifier | ClassifierChain):
        return estimator.estimator
    return None


def check_classifier(estimator: Any) -> None:
    """An instance with `fit` and `predict_proba`."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        cure = f"Pass an instance, `{estimator.__name__}()`." if isinstance(estimator, type) else ""
        raise TypeError(
            "Parameter `estimator` should be a classifier such as `LogisticRegression()`. "
            f"Found {estimator!r}. {cure}".rstrip()
        )
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            "Parameter `estimator` should have `predict_proba`. Found "
            f"{type(estimator).__name__}, which has not. Wrap it: "
            f"`CalibratedClassifierCV({type(estimator).__name__}(...))`."
        )


def input_tags_of(estimators: Sequence[Any]) -> InputTags:
    """What all of some classifiers take, by their own word."""
    told = [
        get_tags(each).input_tags
        for each in estimators
        if hasattr(each, "__sklearn_tags__") and not isinstance(each, type)
    ]
    if not told:
        return InputTags()
    # What one of them asks of its rows, all rows have to have.
    some = ("positive_only", "pairwise")
    of = {field.name: any if field.name in some else all for field in fields(InputTags)}
    return InputTags(
        **{name: how(getattr(each, name) for each in told) for name, how in of.items()}
    )


def check_fitted(estimator: Any) -> None:
    """Raise unless an estimator is fitted."""
    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        raise NotFittedError(
            "Parameter `estimator` should be fitted where prefit=True. Found "
            f"{type(estimator).__name__}, which is not. Fit it first; `clone` and `GridSearchCV` "
            "forget what it has learned unless it is wrapped in `FrozenEstimator`."
        ) from error
