"""A graph of ONNX operators, grown node by node."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from isonomy import __version__
from isonomy._core import AnyArray
from isonomy._infra import LazyModule

onnx: Any = LazyModule("onnx", "onnx", "`to_onnx`")

ML = "ai.onnx.ml"
# Old enough for most runtimes; trees need a newer set of operators for machine learning.
_OPSET, _ML_OPSET, _ML_OPSET_OF_TREES = 17, 4, 5
_FORMAT, _FORMAT_OF_TREES = 8, 10
SCORE = "score"


class Graph:
    """Operators, constants and inputs; every value has a name."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: dict[str, Any] = {}
        self._has_trees = False

    def add_input(self, name: str, width: int, *, text: bool = False) -> str:
        """A column, or a matrix, of so many columns; rows are free."""
        if not name or name == SCORE or name in self._inputs or name.startswith(_PREFIX):
            raise ValueError(
                f"Cannot export this model: its column {name!r} has a name that an ONNX input "
                "cannot have here. Rename it and fit again."
            )
        kinds = onnx.TensorProto
        kind = kinds.STRING if text else kinds.FLOAT
        self._inputs[name] = onnx.helper.make_tensor_value_info(name, kind, ["rows", width])
        return name

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        """The name of an array."""
        name = f"{_PREFIX}c{len(self._constants)}"
        array = np.ascontiguousarray(value, dtype)
        self._constants.append(onnx.numpy_helper.from_array(array, name))
        return name

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """The name of what an operator gives."""
        name = f"{_PREFIX}{kind}{len(self._nodes)}"
        self._append(kind, inputs, name, domain, attributes)
        return name

    def trees(self, X: str, **attributes: AnyArray | int) -> str:
        """The sum of an ensemble of trees, (rows, 1)."""
        self._has_trees = True
        tensors = ("nodes_splits", "nodes_modes", "leaf_weights", "membership_values")
        values = {
            name: onnx.numpy_helper.from_array(value, name)
            if name in tensors
            else np.asarray(value).tolist()
            for name, value in attributes.items()
        }
        return self.op("TreeEnsemble", X, domain=ML, **values)

    def finished(self, score: str, facts: dict[str, Any]) -> bytes:
        """The model's bytes; `score` has shape (rows, 1)."""
        self._append("Reshape", (score, self.constant([-1], np.int64)), SCORE, "", {})
        helper = onnx.helper
        output = helper.make_tensor_value_info(SCORE, onnx.TensorProto.FLOAT, ["rows"])
        inputs = list(self._inputs.values())
        graph = helper.make_graph(self._nodes, "isonomy", inputs, [output], self._constants)
        trees = self._has_trees
        model = helper.make_model(
            graph,
            producer_name="isonomy",
            producer_version=__version__,
            opset_imports=[
                helper.make_opsetid("", _OPSET),
                helper.make_opsetid(ML, _ML_OPSET_OF_TREES if trees else _ML_OPSET),
            ],
        )
        model.ir_version = _FORMAT_OF_TREES if trees else _FORMAT
        texts = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in facts.items()
        }
        helper.set_model_props(model, texts)
        onnx.checker.check_model(model, full_check=True)
        return bytes(model.SerializeToString(deterministic=True))

    def _append(
        self, kind: str, inputs: tuple[str, ...], out: str, domain: str, attributes: dict[str, Any]
    ) -> None:
        node = onnx.helper.make_node(kind, inputs, [out], name=out, domain=domain, **attributes)
        self._nodes.append(node)


# Begins the names of all values but inputs and the score.
_PREFIX = "isonomy/"
