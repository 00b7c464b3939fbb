"""Columns of a table as ONNX inputs, and the matrix of features that is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray
from isonomy._export.onnx_graph import ML, Graph, onnx
from isonomy._rankers import MISSING, TableEncoder

# Beyond this float32 has no place for every whole number.
_MOST_WHOLE = 2**24


def encoded_matrix(graph: Graph, encoder: TableEncoder) -> str:
    """What `TableEncoder.transform` gives, from one input for each column."""
    parts = []
    if encoder.numeric_:
        numbers = graph.op(
            "Concat", *(graph.add_input(name, 1) for name in encoder.numeric_), axis=1
        )
        if encoder.impute:
            parts.append(
                filled(graph, numbers, encoder.medians_, np.flatnonzero(encoder.incomplete_))
            )
        else:
            parts.append(numbers)
    for name, values in encoder.categories_.items():
        parts.append(_one_hot(graph, graph.add_input(name, 1, text=True), values))
    return graph.op("Concat", *parts, axis=1)


def category_matrix(graph: Graph, names: list[str], categories: dict[str, list[Any]]) -> str:
    """Numbers, and categories by their numbers, NaN for those not seen in training."""
    parts = []
    for name in names:
        if name not in categories:
            parts.append(graph.add_input(name, 1))
        else:
            parts.append(_codes(graph, name, categories[name]))
    return graph.op("Concat", *parts, axis=1)


def filled(graph: Graph, numbers: str, value: FloatArray, flagged: NDArray[np.int64]) -> str:
    """Numbers with a value in every gap, and after them which of the flagged columns had one."""
    missing = graph.op("IsNaN", numbers)
    found = graph.op("Where", missing, graph.constant(value[None]), numbers)
    if not flagged.size:
        return found
    some = graph.op("Gather", missing, graph.constant(flagged, np.int64), axis=1)
    return graph.op("Concat", found, graph.op("Cast", some, to=onnx.TensorProto.FLOAT), axis=1)


def _one_hot(graph: Graph, column: str, values: list[str | None]) -> str:
    codes = {value: k for k, value in enumerate(values) if value is not None}
    if None in values:
        codes |= dict.fromkeys(MISSING, values.index(None))
    found = graph.op(
        "LabelEncoder",
        column,
        domain=ML,
        keys_strings=list(codes),
        values_int64s=list(codes.values()),
        default_int64=-1,
    )
    places = graph.constant(np.arange(len(values))[None], np.int64)
    return graph.op("Cast", graph.op("Equal", found, places), to=onnx.TensorProto.FLOAT)


def _codes(graph: Graph, name: str, values: list[Any]) -> str:
    codes = [float(k) for k in range(len(values))]
    text = all(isinstance(value, str) for value in values)
    if not text and not all(
        isinstance(value, int | float) and abs(value) <= _MOST_WHOLE for value in values
    ):
        raise ValueError(
            f"Cannot export this model: the categories of {name!r} are neither all text nor all "
            f"numbers up to {_MOST_WHOLE:,}. Make them text, `.astype(str).astype('category')`, "
            "and fit again."
        )
    keys: dict[str, Any] = (
        {"keys_strings": values} if text else {"keys_floats": [float(value) for value in values]}
    )
    column = graph.add_input(name, 1, text=text)
    return graph.op(
        "LabelEncoder", column, domain=ML, values_floats=codes, default_float=float("nan"), **keys
    )
