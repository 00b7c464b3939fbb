"""What scikit-learn's classifiers and compositions need to predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import (
    CalibratedClassifierCV,
    _CalibratedClassifier,
    _SigmoidCalibration,
)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.tree._tree import Tree

from isonomy._models.fitted_parts import (
    Check,
    Flow,
    Part,
    has_method,
    is_named,
    is_number,
    layer_widths,
    same_rows,
    same_width,
)

_TREES = (DecisionTreeClassifier, ExtraTreeClassifier)


def _classes_of(part: Part) -> NDArray[Any]:
    try:
        found = part.value.classes_
    except Exception as error:
        raise part.wrong("classes_") from error
    return part.classes(found)


def _classifier(part: Part, classes: NDArray[Any]) -> Flow:
    return Flow("classifier", "matrix", part.width, outputs=(classes,))


def _linear(part: Part) -> Flow:
    classes = _classes_of(part)
    rows = 1 if classes.size == 2 else classes.size
    if getattr(part.get("coef_"), "ndim", 0) == 1 and rows == 1:
        part.numbers("coef_", part.width)
    else:
        part.matrix("coef_", rows, part.width)
    if is_number(part.get("intercept_")):
        part.number("intercept_")
    else:
        part.numbers("intercept_", rows)
    return _classifier(part, classes)


def _gaussian_bayes(part: Part) -> Flow:
    classes = _classes_of(part)
    part.numbers("theta_", classes.size, part.width)
    part.need("var_", holds=bool((part.numbers("var_", classes.size, part.width) > 0).all()))
    part.need("class_prior_", holds=bool((part.numbers("class_prior_", classes.size) >= 0).all()))
    return _classifier(part, classes)


def _discrete_bayes(part: Part) -> Flow:
    classes = _classes_of(part)
    part.numbers("feature_log_prob_", classes.size, part.width)
    part.numbers("class_log_prior_", classes.size)
    if isinstance(part.value, ComplementNB):
        part.numbers("feature_all_", part.width)
    return _classifier(part, classes)


def _network(part: Part) -> Flow:
    widths = layer_widths(part, part.whole("n_outputs_", least=1))
    part.need("n_layers_", holds=part.whole("n_layers_") == len(widths))
    kind = part.choice("out_activation_", "logistic", "softmax")
    classes, n_outputs = _classes_of(part), widths[-1]
    if n_outputs > 1 and kind == "logistic":
        part.need("classes_", holds=classes.size == n_outputs)
        return Flow("classifier", "matrix", part.width, outputs=(np.arange(2),) * n_outputs)
    part.need("classes_", holds=n_outputs == (1 if kind == "logistic" else classes.size))
    part.need("classes_", holds=kind == "softmax" or classes.size == 2)
    return _classifier(part, classes)


def _constant(part: Part) -> Flow:
    """Says the same of all rows, and does not look at them."""
    classes = part.classes(part.get("classes_"))
    part.need("n_outputs_", holds=part.whole("n_outputs_") == 1)
    part.need("n_classes_", holds=part.whole("n_classes_") == classes.size)
    part.numbers("class_prior_", classes.size)
    part.choice("_strategy", "prior")
    return Flow("classifier", outputs=(classes,))


# ---- trees


def _tree(part: Part) -> Flow:
    outputs = _outputs(part)
    tree = part.get("tree_")
    part.need("tree_", holds=type(tree) is Tree)
    part.need("n_features_in_", holds=part.width == tree.n_features)
    part.need("n_outputs_", holds=len(outputs) == tree.n_outputs)
    sizes = [one.size for one in outputs]
    part.need("n_classes_", holds=sizes == np.asarray(tree.n_classes).tolist())
    part.need("tree_", holds=bool(np.isfinite(tree.value).all()))
    return Flow("classifier", "matrix", part.width, outputs=outputs)


def _outputs(part: Part) -> tuple[NDArray[Any], ...]:
    """The classes of each label of a tree or forest."""
    number = part.whole("n_outputs_", least=1)
    several = part.get("classes_") if number > 1 else [part.get("classes_")]
    part.need("classes_", holds=isinstance(several, list) and len(several) == number)
    outputs = tuple(part.classes(one) for one in several)
    sizes = part.get("n_classes_") if number > 1 else [part.get("n_classes_")]
    if type(sizes) is np.ndarray:
        sizes = list(sizes)
    part.need("n_classes_", holds=isinstance(sizes, list) and len(sizes) == number)
    for size, classes in zip(sizes, outputs, strict=True):
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        part.need("n_classes_", holds=whole and size == classes.size)
    return outputs


def _forest(part: Part) -> Flow:
    outputs = _outputs(part)
    trees = part.items("estimators_", least=1)
    for place, tree in enumerate(trees):
        part.need("estimators_", holds=type(tree) in _TREES)
        flow = part.flow(tree, f"estimators_[{place}]")
        sizes = [one.size for one in flow.outputs or ()]
        part.need("estimators_", holds=sizes == [one.size for one in outputs])
        part.need("estimators_", holds=flow.takes == part.width)
    return Flow("classifier", "matrix", part.width, outputs=outputs)


def _histogram(part: Part) -> Flow:
    classes = _classes_of(part)
    n_trees = part.whole("n_trees_per_iteration_", least=1)
    two = classes.size == 2
    part.need("n_trees_per_iteration_", holds=n_trees == (1 if two else classes.size))
    loss = part.get("_loss")
    part.need("_loss", holds=type(loss).__name__ == _LOSSES[two][0])
    part.need("_loss", holds=type(getattr(loss, "link", None)).__name__ == _LOSSES[two][1])
    part.numbers("_baseline_prediction", 1, n_trees)
    mapper = part.get("_bin_mapper")
    gaps = getattr(mapper, "is_categorical_", None)
    part.as_numbers(gaps, "_bin_mapper", part.width, kinds="bu")
    part.need("_bin_mapper", holds=not np.any(gaps))
    part.need("_bin_mapper", holds=hasattr(mapper, "bin_thresholds_"))
    part.need("_n_features", holds=part.whole("_n_features") == part.width)
    for trees in part.items("_predictors", least=1):
        part.need("_predictors", holds=isinstance(trees, list) and len(trees) == n_trees)
        for tree in trees:
            part.need("_predictors", holds=type(tree) is TreePredictor)
            found = getattr(tree, "raw_left_cat_bitsets", None)
            sets = part.as_numbers(found, "_predictors", None, 8, kinds="u")
            part.need("_predictors", holds=sets.dtype == np.uint32)
            part.need("_predictors", holds=bool(np.isfinite(tree.nodes["value"]).all()))
    return _classifier(part, classes)


# By whether there are two classes: the loss of histogram gradient boosting, and its link.
_LOSSES = {
    True: ("HalfBinomialLoss", "LogitLink"),
    False: ("HalfMultinomialLoss", "MultinomialLogit"),
}


def _ada(part: Part) -> Flow:
    classes = _classes_of(part)
    flows = part.flows("estimators_", "classifier", width=part.width)
    weights = part.numbers("estimator_weights_", None)
    part.need("estimator_weights_", holds=weights.size >= len(flows) and weights.sum() > 0)
    part.need("n_classes_", holds=part.whole("n_classes_") == classes.size)
    for one in flows:
        part.need("estimators_", holds=one.outputs is None or _same_classes(one, classes))
    return Flow("classifier", same_rows(part, "estimators_", flows), part.width, outputs=(classes,))


def _same_classes(flow: Flow, classes: NDArray[Any]) -> bool:
    return (
        flow.outputs is not None
        and len(flow.outputs) == 1
        and np.array_equal(flow.outputs[0], classes)
    )


# ---- calibration


def _calibrated(part: Part) -> Flow:
    classes = _classes_of(part)
    flows = part.flows("calibrated_classifiers_", "classifier")
    for one in flows:
        part.need("calibrated_classifiers_", holds=_same_classes(one, classes))
    width = same_width(part, "calibrated_classifiers_", flows, _own_width(part))
    rows = same_rows(part, "calibrated_classifiers_", flows)
    return Flow("classifier", rows, width, outputs=(classes,))


def _calibrated_one(part: Part) -> Flow:
    classes = part.classes(part.get("classes"), "classes")
    part.choice("method", "sigmoid", "isotonic")
    calibrators = part.items("calibrators", least=1)
    part.need("calibrators", holds=len(calibrators) == (1 if classes.size == 2 else classes.size))
    for one in calibrators:
        inner = Part(one, f"{part.path}.calibrators", {})
        if type(one) is _SigmoidCalibration:
            inner.number("a_")
            inner.number("b_")
        else:
            part.need("calibrators", holds=type(one) is IsotonicRegression)
            at = inner.numbers("X_thresholds_", None)
            inner.need("X_thresholds_", holds=at.size > 0 and bool((at[1:] >= at[:-1]).all()))
            inner.numbers("y_thresholds_", at.size)
            inner.choice("out_of_bounds", "clip")
            inner.need("X_min_", holds=inner.number("X_min_") <= inner.number("X_max_"))
    flow = part.flow(part.get("estimator"), "estimator")
    told = any(
        has_method(part.get("estimator"), way) for way in ("decision_function", "predict_proba")
    )
    part.need("estimator", holds=flow.role in ("classifier", "unknown") and told)
    part.need("estimator", holds=flow.outputs is None or _same_classes(flow, classes))
    return Flow("classifier", flow.rows, flow.takes, outputs=(classes,))


# ---- several as one


def _own_width(part: Part) -> int | None:
    return part.width if "n_features_in_" in part else None


def _voting(part: Part) -> Flow:
    classes = _classes_of(part)
    flows = part.flows("estimators_", "classifier")
    part.choice("voting", "soft")
    named = part.items("estimators")
    part.need("estimators", holds=all(is_named(one, 2) for one in named))
    used = [one[1] for one in named if not (isinstance(one[1], str) and one[1] == "drop")]
    part.need("estimators", holds=len(used) == len(flows))
    for one, found in zip(part.items("estimators_"), flows, strict=True):
        part.tells_probabilities(one, "estimators_")
        sizes = None if found.outputs is None else [each.size for each in found.outputs]
        part.need("estimators_", holds=sizes in (None, [classes.size]))
    if part.get("weights") is not None:
        weights = part.get("weights")
        weights = weights.tolist() if type(weights) is np.ndarray else weights
        fits = isinstance(weights, list | tuple) and len(weights) == len(named)
        part.need("weights", holds=fits and all(is_number(one) and one >= 0 for one in weights))
        counted = [w for w, one in zip(weights, named, strict=True) if not isinstance(one[1], str)]
        part.need("weights", holds=0 < sum(counted) < np.inf)
    width = same_width(part, "estimators_", flows, _own_width(part))
    return Flow("classifier", same_rows(part, "estimators_", flows), width, outputs=(classes,))


def _multi_output(part: Part) -> Flow:
    flows = part.flows("estimators_", "classifier")
    for one in part.items("estimators_"):
        part.tells_probabilities(one, "estimators_")
    width = same_width(part, "estimators_", flows, _own_width(part))
    listed = part.items("classes_")
    part.need("classes_", holds=len(listed) == len(flows))
    outputs = tuple(part.classes(one) for one in listed)
    for one, classes in zip(flows, outputs, strict=True):
        part.need("classes_", holds=one.outputs is None or _same_classes(one, classes))
    return Flow("classifier", same_rows(part, "estimators_", flows), width, outputs=outputs)


def _chain(part: Part) -> Flow:
    several = part.items("estimators_", least=1)
    n = len(several)
    order = part.get("order_")
    order = order.tolist() if type(order) is np.ndarray else order
    part.need("order_", holds=isinstance(order, list) and all(type(one) is int for one in order))
    part.need("order_", holds=sorted(order) == list(range(n)))
    method = "predict"
    if "chain_method_" in part:
        method = part.choice(
            "chain_method_", "predict", "predict_proba", "predict_log_proba", "decision_function"
        )
    for place, one in enumerate(several):
        flow = part.flow(one, f"estimators_[{place}]")
        sizes = None if flow.outputs is None else [each.size for each in flow.outputs]
        part.need("estimators_", holds=flow.role in ("classifier", "unknown"))
        part.need("estimators_", holds=sizes in (None, [2]))
        part.need("estimators_", holds=has_method(one, "predict_proba") and has_method(one, method))
        part.need("estimators_", holds=flow.takes in (None, part.width + place))
    binary = tuple(np.arange(2) for _ in several)
    part.need("classes_", holds=len(part.items("classes_")) == n)
    return Flow("classifier", "matrix", part.width, outputs=binary)


def _search(part: Part) -> Flow:
    part.need("refit", holds=bool(part.get("refit")))
    return part.flow(part.get("best_estimator_"), "best_estimator_")


def _frozen(part: Part) -> Flow:
    return part.flow(part.get("estimator"), "estimator")


CLASSIFIER_CHECKS: dict[type, Check] = {
    **dict.fromkeys(
        (
            LinearDiscriminantAnalysis,
            LinearSVC,
            LogisticRegression,
            LogisticRegressionCV,
            Perceptron,
            RidgeClassifier,
            RidgeClassifierCV,
            SGDClassifier,
        ),
        _linear,
    ),
    DummyClassifier: _constant,
    GaussianNB: _gaussian_bayes,
    **dict.fromkeys((BernoulliNB, ComplementNB, MultinomialNB), _discrete_bayes),
    MLPClassifier: _network,
    **dict.fromkeys(_TREES, _tree),
    **dict.fromkeys((ExtraTreesClassifier, RandomForestClassifier), _forest),
    HistGradientBoostingClassifier: _histogram,
    AdaBoostClassifier: _ada,
    CalibratedClassifierCV: _calibrated,
    _CalibratedClassifier: _calibrated_one,
    VotingClassifier: _voting,
    MultiOutputClassifier: _multi_output,
    ClassifierChain: _chain,
    **dict.fromkeys((GridSearchCV, RandomizedSearchCV), _search),
    FrozenEstimator: _frozen,
}
