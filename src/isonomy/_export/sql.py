"""A linear or blended model as a SQL expression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from isonomy._core import FloatArray
from isonomy._export.formula import (
    Clipped,
    Constant,
    Formula,
    Linear,
    LogProbability,
    ModelParts,
    Probability,
    Scaled,
    Sum,
)
from isonomy._rankers import MISSING, TableEncoder

_LARGEST_EXPONENT = 700.0


def to_sql(ranker: Any, *, columns: Sequence[str] | None = None) -> str:
    """The score of a linear or blended model as a SQL expression of a table's columns.

    Standard SQL in double precision, for `SELECT *, <expression> AS score FROM ...`. Missing
    values are NULL; models that `isonomy fit` and `compare` saved also take words such as NA for
    missing, and surrounding blanks for nothing.

    Parameters
    ----------
    ranker : ranker or Pipeline
        `LinearRanker` (also what `blend` returns), `BlendRanker` and `PlugInRanker` of logistic
        regressions; alone, after `StandardScaler`, or in the pipelines of the command line.
    columns : sequence of str, optional
        Names of the features, in order; needed where the model was fitted to an array.

    Returns
    -------
    str
        The expression.

    Raises
    ------
    TypeError
        If `ranker` is no ranker.
    ValueError
        If it is not fitted, or no sum of its features: trees and networks go by `to_onnx`.

    See Also
    --------
    to_onnx

    Examples
    --------
    >>> import isonomy as iso
    >>> X, Y = [[0.0, 2.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> ranker = iso.LinearRanker(l2=0.01, surrogate="square").fit(X, Y)
    >>> print(iso.to_sql(ranker, columns=["age", "price"]))
    3.10...e-01 * CAST("age" AS DOUBLE PRECISION)
    + -1.94...e-01 * CAST("price" AS DOUBLE PRECISION)
    """
    parts = ModelParts.of(ranker)
    if parts.encoder is not None:
        features: list[_Column] = _encoded(parts.encoder)
    else:
        names = list(columns) if columns is not None else parts.feature_names()
        if names is None:
            # Names would not help a model that is no sum.
            _emit(parts.formula, [])
            raise ValueError(
                "Parameter `columns` should name the features, because the model was fitted to an "
                f"array and does not know them. Found None; pass {parts.n_features} names."
            )
        if len(names) != parts.n_features:
            raise ValueError(
                f"Parameter `columns` should name the {parts.n_features} features. Found "
                f"{len(names)}."
            )
        features = [_Number(_quoted(str(name)), j) for j, name in enumerate(names)]
    return _emit(parts.formula, features)


class _Number:
    """A number, by itself or with its gaps filled; `gap` is the feature that says where."""

    def __init__(
        self, value: str, at: int, median: float | None = None, gap: int | None = None
    ) -> None:
        self._value = f"CAST({value} AS DOUBLE PRECISION)"
        self._at, self._median, self._gap = at, median, gap

    def terms(self, weight: FloatArray) -> list[str]:
        """What it adds to a weighted sum of features."""
        value, found = self._value, []
        if self._median is not None:
            value = f"COALESCE({value}, {_number(self._median)})"
        if weight[self._at]:
            found.append(f"{_number(weight[self._at])} * {value}")
        if self._gap is not None and weight[self._gap]:
            found.append(
                f"CASE WHEN {self._value} IS NULL THEN {_number(weight[self._gap])} "
                f"ELSE {_number(0.0)} END"
            )
        return found


class _Words:
    """Words of few kinds, a feature each."""

    def __init__(self, name: str, at: int, values: list[str | None]) -> None:
        self._name, self._at, self._values = name, at, values

    def terms(self, weight: FloatArray) -> list[str]:
        """What it adds to a weighted sum of features."""
        text = f"TRIM(CAST({self._name} AS VARCHAR))"
        cases = []
        for k, value in enumerate(self._values):
            known = f"{text} = {_literal(value)}" if value is not None else _missing(text)
            if weight[self._at + k]:
                cases.append(f"WHEN {known} THEN {_number(weight[self._at + k])}")
        return [f"CASE {' '.join(cases)} ELSE {_number(0.0)} END"] if cases else []


_Column = _Number | _Words


def _encoded(encoder: TableEncoder) -> list[_Column]:
    found: list[_Column] = []
    at = len(encoder.numeric_)
    for j, name in enumerate(encoder.numeric_):
        gap = None
        if encoder.impute and encoder.incomplete_[j]:
            gap, at = at, at + 1
        median = float(encoder.medians_[j]) if encoder.impute else None
        value = _quoted(name)
        # Models of earlier versions do not tell which of their numbers were dates.
        if name in getattr(encoder, "dates_", ()):
            value = f"EXTRACT(EPOCH FROM CAST({value} AS TIMESTAMP)) / 86400e0"
        found.append(_Number(value, j, median, gap))
    for name, values in encoder.categories_.items():
        found.append(_Words(_quoted(name), at, values))
        at += len(values)
    return found


def _emit(formula: Formula, features: list[_Column]) -> str:
    if isinstance(formula, Scaled):
        if not isinstance(inner := formula.then, Linear | Sum | Constant):
            raise _no_sum()
        return _emit(_unscaled(formula, inner), features)
    if isinstance(formula, Linear):
        terms = [term for each in features for term in each.terms(formula.weight)]
        if formula.intercept or not terms:
            terms.append(_number(formula.intercept))
        return "\n+ ".join(terms)
    if isinstance(formula, Constant):
        return _number(formula.value)
    if isinstance(formula, Sum):
        terms = [
            f"{_number(weight)} * ({_emit(part, features)})"
            for weight, part in zip(formula.weights, formula.parts, strict=True)
        ]
        if formula.constant or not terms:
            terms.append(_number(formula.constant))
        return "\n+ ".join(terms)
    if isinstance(formula, Clipped):
        if isinstance(formula.part, Clipped) and formula.part.most <= formula.most:
            return _emit(formula.part, features)
        most = _number(formula.most)
        return f"LEAST(GREATEST({_emit(formula.part, features)}, -{most}), {most})"
    if isinstance(formula, Probability):
        # Some databases refuse to find the exponential of a large number.
        part = Clipped(formula.part, _LARGEST_EXPONENT)
        return f"1e0 / (1e0 + EXP(-({_emit(part, features)})))"
    if isinstance(formula, LogProbability):
        return f"-LN(1e0 + EXP(-({_emit(formula.part, features)})))"
    raise _no_sum()


def _no_sum() -> ValueError:
    return ValueError(
        "Cannot write this model as SQL: it is made of trees, of a network or of columns whose "
        "gaps scikit-learn's `SimpleImputer` fills, not of sums of columns. Export it to ONNX: "
        "`to_onnx`, or `isonomy export MODEL --out model.onnx`."
    )


def _unscaled(scaled: Scaled, formula: Formula) -> Formula:
    """The same of features as they are: weights take up the scales, intercepts the means."""
    if isinstance(formula, Linear):
        weight = formula.weight / scaled.scale
        return Linear(weight, float(formula.intercept - weight @ scaled.mean))
    if isinstance(formula, Sum):
        parts = tuple(_unscaled(scaled, part) for part in formula.parts)
        return Sum(formula.weights, parts, formula.constant)
    if isinstance(formula, Clipped):
        return Clipped(_unscaled(scaled, formula.part), formula.most)
    if isinstance(formula, Probability):
        return Probability(_unscaled(scaled, formula.part))
    if isinstance(formula, LogProbability):
        return LogProbability(_unscaled(scaled, formula.part))
    if isinstance(formula, Scaled):
        mean = scaled.mean + scaled.scale * formula.mean
        return _unscaled(Scaled(mean, scaled.scale * formula.scale, formula.then), formula.then)
    return formula


def _missing(text: str) -> str:
    words = ", ".join(_literal(word) for word in MISSING)
    return f"{text} IS NULL OR {text} IN ({words})"


def _number(value: float) -> str:
    """With an exponent, or databases would take it for a decimal of few digits."""
    if not math.isfinite(value):
        raise ValueError(f"Cannot export this model: it has the weight {value}.")
    return np.format_float_scientific(value, trim="-")


def _quoted(name: str) -> str:
    if not name:
        raise ValueError("Cannot export this model: SQL has no column without a name. Name it.")
    return '"' + _without_zero(name).replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + _without_zero(text).replace("'", "''") + "'"


def _without_zero(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"Cannot export this model: SQL has no way to write {text!r}.")
    return text
