"""What a fitted model computes, as a formula of its features that other languages can say.

A formula is made of the classes below; `formula_of` finds that of a ranker, `ModelParts.of` what a
pipeline does to features before they reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logit
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from isonomy._core import AnyArray, FloatArray, LabelAggregation, is_missing
from isonomy._rankers import Ranker, TableEncoder
from isonomy._rankers.blended import EDGE, BlendRanker, FoldMean
from isonomy._rankers.boosted import BoostedClassifier, BoostedRanker, Trees
from isonomy._rankers.linear import LinearRanker
from isonomy._rankers.neural import NeuralRanker
from isonomy._rankers.plugin import EDGE as PLUG_IN_EDGE
from isonomy._rankers.plugin import PlugInRanker, Sigmoid


@dataclass(frozen=True, eq=False)
class Scaled:
    """`then` of standardised features, (x - mean) / scale."""

    mean: FloatArray
    scale: FloatArray
    then: Formula


@dataclass(frozen=True, eq=False)
class Filled:
    """`then` of features whose gaps are filled by `value`, and of which `flagged` were gaps.

    The flags, 1 or 0, stand after the features.
    """

    value: FloatArray
    flagged: NDArray[np.int64]
    then: Formula


@dataclass(frozen=True, eq=False)
class Linear:
    """x @ weight + intercept."""

    weight: FloatArray
    intercept: float = 0.0


@dataclass(frozen=True, eq=False)
class Forest:
    """A sum of trees."""

    trees: Trees


@dataclass(frozen=True, eq=False)
class Network:
    """Layers (weights, intercepts) with an activation between them; the last gives one number."""

    layers: tuple[tuple[AnyArray, AnyArray], ...]
    activation: str


@dataclass(frozen=True)
class Constant:
    """The same for all rows."""

    value: float


@dataclass(frozen=True, eq=False)
class Sum:
    """constant + sum of weight * part."""

    weights: tuple[float, ...]
    parts: tuple[Formula, ...]
    constant: float = 0.0


@dataclass(frozen=True)
class Clipped:
    """The part, but no less than -most and no more than most."""

    part: Formula
    most: float


@dataclass(frozen=True)
class Probability:
    """1 / (1 + exp(-part))."""

    part: Formula


@dataclass(frozen=True)
class LogProbability:
    """log of the probability: -log(1 + exp(-part))."""

    part: Formula


Formula: TypeAlias = (
    Scaled | Filled | Linear | Forest | Network | Constant | Sum | Clipped | Probability
    | LogProbability
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ModelParts:
    """A model as what it needs and what it computes.

    Attributes
    ----------
    encoder : TableEncoder or None
        What makes features of the raw table.
    ranker : Ranker
        The last step.
    formula : Formula
        The score of the features that come out of the encoder.
    n_features : int
        Their number.
    """

    encoder: TableEncoder | None
    ranker: Ranker
    formula: Formula
    n_features: int

    @classmethod
    def of(cls, model: Any) -> ModelParts:
        """The parts of a fitted ranker or pipeline; refuses, with the cure, what it cannot say."""
        steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
        if not isinstance(steps[-1], Ranker):
            raise TypeError(
                "Parameter `ranker` should be a fitted ranker of Isonomy, or a Pipeline that ends "
                f"in one. Found {type(steps[-1]).__name__}."
            )
        check_is_fitted(model, msg="Parameter `ranker` is not fitted. Call `fit` before it.")
        *before, ranker = steps
        encoder = None
        if before and isinstance(before[0], TableEncoder):
            encoder, *before = before
            if encoder.ngrams_:
                raise ValueError(
                    "Cannot export this model: it reads the columns "
                    f"{', '.join(map(repr, encoder.ngrams_))} as text, by hashes of their words, "
                    "which neither ONNX nor SQL can compute. Fit it without them (--text)."
                )
        formula = _scaled(before, formula_of(ranker))
        n_features = width(formula)
        if encoder is not None:
            n_features = len(encoder.get_feature_names_out())
        return cls(encoder, ranker, formula, n_features)

    def feature_names(self) -> list[str] | None:
        """Names of the columns of X, where there is no encoder and the model knows any."""
        names = getattr(self.ranker, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]


def width(formula: Formula) -> int:
    """Features that a formula is of."""
    if isinstance(formula, Linear):
        return int(formula.weight.size)
    if isinstance(formula, Forest):
        return formula.trees.n_features
    if isinstance(formula, Scaled):
        return int(formula.mean.size)
    if isinstance(formula, Filled):
        return int(formula.value.size)
    if isinstance(formula, Network):
        return int(formula.layers[0][0].shape[0])
    if isinstance(formula, Sum):
        return max((width(part) for part in formula.parts), default=0)
    return 0 if isinstance(formula, Constant) else width(formula.part)


def formula_of(ranker: Any) -> Formula:
    """The score of a fitted ranker."""
    if isinstance(ranker, LinearRanker):
        return Linear(np.asarray(ranker.coef_, np.float64))
    if isinstance(ranker, BoostedRanker):
        return Forest(ranker.trees_)
    if isinstance(ranker, NeuralRanker):
        if hasattr(ranker, "module_"):
            raise cannot_export(
                "NeuralRanker", "its network is a module of your own; use `torch.onnx.export`"
            )
        layers = tuple(zip(ranker.coefs_, ranker.intercepts_, strict=True))
        return Scaled(ranker.mean_, ranker.scale_, Network(layers, "relu"))
    if isinstance(ranker, BlendRanker):
        return _blend(ranker)
    if isinstance(ranker, PlugInRanker):
        return _plug_in(ranker)
    raise cannot_export(type(ranker).__name__, "its formula is not known here")


def cannot_export(what: str, why: str) -> ValueError:
    """The error for what has no formula here."""
    return ValueError(
        f"Cannot export this {what}: {why}. LinearRanker, BoostedRanker, NeuralRanker, and "
        "BlendRanker and PlugInRanker of LogisticRegression, MLPClassifier or boosted trees can be "
        "exported, alone or after the command line's preparation."
    )


def _scaled(steps: list[Any], formula: Formula) -> Formula:
    for step in reversed(steps):
        if isinstance(step, StandardScaler):
            n = step.n_features_in_
            mean = step.mean_ if step.with_mean else np.zeros(n)
            scale = step.scale_ if step.scale_ is not None else np.ones(n)
            formula = Scaled(np.asarray(mean), np.asarray(scale), formula)
        elif isinstance(step, SimpleImputer) and _fills_every_gap(step):
            flagged = step.indicator_.features_ if step.add_indicator else np.empty(0)
            formula = Filled(step.statistics_, flagged.astype(np.int64), formula)
        else:
            raise cannot_export(
                type(step).__name__, "as a step before the ranker it is not known here"
            )
    return formula


def _fills_every_gap(step: SimpleImputer) -> bool:
    """Whether gaps are NaN, and every column has a number to put there."""
    values = step.statistics_
    return bool(
        is_missing(step.missing_values) and values.dtype.kind == "f" and np.isfinite(values).all()
    )


def _blend(ranker: BlendRanker) -> Formula:
    most = float(logit(1.0 - EDGE))
    pairs = zip(ranker.coef_, ranker.estimators_, strict=True)
    used = [(float(weight), each) for weight, each in pairs if each is not None]
    parts: list[Formula] = [Clipped(logit_of(each), most) for _, each in used]
    if ranker.scale_ != "logit":
        parts = [Probability(each) for each in parts]
    return Sum(tuple(weight for weight, _ in used), tuple(parts))


def _plug_in(ranker: PlugInRanker) -> Formula:
    weights, steps = ranker.effective_weights_, ranker._steps
    counted = np.flatnonzero(ranker._counts if weights is None else weights > 0).tolist()
    places = [steps.of_labels([k]) for k in counted]
    if any(at.size != 1 or steps.gap[at] != 1.0 or steps.low[k] != 0.0
           for k, at in zip(counted, places, strict=True)):  # fmt: skip
        raise cannot_export("PlugInRanker", "its labels have more classes than 0 and 1")
    chances = [_probability(ranker, k, int(at[0])) for k, at in zip(counted, places, strict=True)]
    if weights is not None:
        return Sum(tuple(weights[counted].tolist()), tuple(chances))
    objective = ranker.objective_
    how = objective.how if isinstance(objective, LabelAggregation) else None
    if how in ("product", "any"):
        # log P(all) is a sum over the labels, and so is -log P(none).
        sign = 1.0 if how == "product" else -1.0
        most = float(logit(1.0 - PLUG_IN_EDGE))
        logits = (Clipped(one.part, most) for one in chances)
        parts = tuple(LogProbability(Sum((sign,), (one,))) for one in logits)
        return Sum((sign,) * len(parts), parts)
    raise cannot_export(
        "PlugInRanker", f"for {objective!r} its score is no weighted sum of probabilities"
    )


def _probability(ranker: PlugInRanker, k: int, step: int) -> Probability:
    """A label's probability, calibrated."""
    estimators = ranker.estimators_
    if len(estimators) == 1 and isinstance(estimators[0], MultiOutputClassifier):
        estimators = estimators[0].estimators_
    if len(estimators) != len(ranker.label_names_):
        raise cannot_export("PlugInRanker", "one classifier learns all its labels")
    found = logit_of(estimators[k])
    calibrator = ranker._calibrators[step]
    if calibrator is None:
        return Probability(found)
    if isinstance(calibrator, Sigmoid):
        most = float(logit(1.0 - calibrator.floor))
        return Probability(Sum((calibrator.slope,), (Clipped(found, most),), calibrator.intercept))
    raise cannot_export(
        "PlugInRanker", "the steps of isotonic calibration need more digits than float32 has"
    )


def logit_of(classifier: Any) -> Formula:
    """The logit of the probability of a positive, of a classifier of one binary label."""
    if isinstance(classifier, FrozenEstimator):
        return logit_of(classifier.estimator)
    if isinstance(classifier, BaseSearchCV):
        return logit_of(classifier.best_estimator_)
    if isinstance(classifier, Pipeline):
        return _scaled(
            [step for _, step in classifier.steps[:-1]], logit_of(classifier.steps[-1][1])
        )
    if isinstance(classifier, FoldMean):
        most, found = float(logit(1.0 - EDGE)), classifier.estimators_
        parts = tuple(Clipped(logit_of(each), most) for each in found)
        return Sum((1.0 / len(found),) * len(found), parts)
    if isinstance(classifier, BoostedClassifier):
        return Forest(classifier.trees_)
    if isinstance(classifier, DummyClassifier) and np.size(classifier.class_prior_) == 2:
        return Constant(float(logit(classifier.class_prior_[1])))
    if len(getattr(classifier, "classes_", ())) == 2:
        if isinstance(classifier, LogisticRegression):
            return _linear(classifier)
        if isinstance(classifier, MLPClassifier) and classifier.activation in ACTIVATIONS:
            layers = tuple(zip(classifier.coefs_, classifier.intercepts_, strict=True))
            return Network(layers, classifier.activation)
    raise cannot_export(
        type(classifier).__name__, "as a classifier of a label its formula is not known here"
    )


def _linear(classifier: LogisticRegression) -> Formula:
    weights = classifier.coef_
    # After `sparsify`.
    weights = weights.toarray() if sparse.issparse(weights) else weights
    return Linear(np.ravel(weights), float(np.ravel(classifier.intercept_)[0]))


# scikit-learn's names of activations, and ONNX's.
ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid", "identity": "Identity"}
