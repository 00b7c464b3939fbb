"""Rankers and their preparation in a model file: parts fit each other, and what loads predicts.

Only what `fit` has learned is held against itself; an object that is not fitted has nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from isonomy._models.model_file_error import ModelFileError
from isonomy._models.schema import Node
from isonomy._rankers import N_BUCKETS, TableEncoder
from isonomy._rankers.blended import BlendRanker
from isonomy._rankers.linear import LinearRanker
from isonomy._rankers.neural import NeuralRanker

Array = Callable[[Node], NDArray[np.generic]]


class _Learned:
    """The attributes of an object, asked for by what they should be."""

    def __init__(self, node: Node, array: Array) -> None:
        self._node, self._array, self._attributes = node, array, node.attributes()

    def __contains__(self, name: str) -> bool:
        return name in self._attributes

    def numbers(
        self, name: str, *shape: int | None, kinds: str = "f", finite: bool = True
    ) -> NDArray[Any]:
        """An array of numbers of this shape; None is any length."""
        return self.numbers_of(self._get(name), name, shape, kinds, finite=finite)

    def is_sparse(self, name: str) -> bool:
        """Whether it is a sparse matrix, which is checked as such."""
        return self._get(name).loader == "SparseMatrixNode"

    def arrays(self, name: str) -> list[NDArray[Any]]:
        """A list of tables or rows of finite numbers."""
        return [self.numbers_of(each, name, None, "f") for each in self.items(name)]

    def items(self, name: str) -> list[Node]:
        """What a list or tuple holds."""
        found = self._get(name)
        if found.loader not in ("ListNode", "TupleNode"):
            raise self.wrong(name)
        return found.children

    def table(self, name: str) -> dict[str, Node]:
        """What a dictionary holds."""
        found = self._get(name)
        if found.loader != "DictNode":
            raise self.wrong(name)
        return found.attributes()

    def length(self, name: str) -> int:
        """The length of a row of numbers or texts."""
        found = self._get(name)
        plain = found.loader == "NdArrayNode" and "file" in found.state
        shape = self._array(found).shape if plain else (len(found.children) - 1,)
        if found.loader != "NdArrayNode" or len(shape) != 1:
            raise self.wrong(name)
        return int(shape[0])

    def value(self, name: str) -> Any:
        """A number, text, bool or None."""
        return self._get(name).scalar()

    def wrong(self, name: str) -> ModelFileError:
        """The error that names an attribute."""
        return ModelFileError(
            f"{self._node.path()}.{name} does not fit the rest of what it has learned."
        )

    def _get(self, name: str) -> Node:
        if name not in self._attributes:
            raise ModelFileError(f"{self._node.path()} lacks {name}.")
        return self._attributes[name]

    def numbers_of(
        self,
        node: Node,
        name: str,
        shape: tuple[int | None, ...] | None,
        kinds: str,
        *,
        finite: bool = True,
    ) -> NDArray[Any]:
        """The same of a node that is part of an attribute."""
        if node.loader != "NdArrayNode" or node.name != "ndarray" or "file" not in node.state:
            raise self.wrong(name)
        found: NDArray[Any] = self._array(node)
        fits = shape is None or (
            len(shape) == found.ndim
            and all(want in (None, have) for want, have in zip(shape, found.shape, strict=True))
        )
        if not fits or found.dtype.kind not in kinds:
            raise self.wrong(name)
        if finite and not np.isfinite(found).all():
            raise self.wrong(name)
        return found


def check_own(node: Node, array: Array) -> None:
    """Refuse a fitted object of these types whose parts do not fit each other."""
    if node.type not in _CHECKS:
        return
    check, fitted = _CHECKS[node.type]
    learned = _Learned(node, array)
    if fitted not in learned:
        return
    for name, wrong in check(learned):
        if wrong:
            raise learned.wrong(name)


Faults = Iterator[tuple[str, bool]]


def _linear(learned: _Learned) -> Faults:
    size = learned.numbers("coef_", None).size
    yield "coef_", not size
    yield "n_features_in_", learned.value("n_features_in_") != size


def _neural(learned: _Learned) -> Faults:
    if "coefs_" not in learned:
        return
    weights, intercepts = learned.arrays("coefs_"), learned.arrays("intercepts_")
    yield "coefs_", not weights or any(each.ndim != 2 for each in weights)
    yield "intercepts_", [each.shape for each in intercepts] != [each.shape[1:] for each in weights]
    widths = [*(each.shape[0] for each in weights), 1]
    yield "coefs_", widths[1:] != [each.shape[1] for each in weights]
    yield "n_features_in_", learned.value("n_features_in_") != widths[0]
    learned.numbers("mean_", widths[0])
    yield "scale_", not learned.numbers("scale_", widths[0]).all()


def _blend(learned: _Learned) -> Faults:
    estimators = learned.items("estimators_")
    weights = learned.numbers("coef_", len(estimators))
    used = [each.scalar() is not None for each in estimators]
    yield "estimators_", used != (weights > 0).tolist()
    yield "scale_", learned.value("scale_") not in ("logit", "probability")
    yield "label_names_", len(learned.items("label_names_")) != weights.size


def _encoder(learned: _Learned) -> Faults:
    names = [each.scalar() for each in learned.items("numeric_")]
    yield "numeric_", not all(isinstance(name, str) for name in names)
    if "dates_" in learned:
        yield "dates_", not {each.scalar() for each in learned.items("dates_")} <= {*names}
    learned.numbers("medians_", len(names))
    learned.numbers("incomplete_", len(names), kinds="b")
    yield "impute", type(learned.value("impute")) is not bool
    for values in learned.table("categories_").values():
        kinds = [each.scalar() for each in values.children]
        plain = all(each is None or isinstance(each, str) for each in kinds)
        yield (
            "categories_",
            values.loader != "ListNode" or not plain or len(set(kinds)) < len(kinds),
        )
    buckets, weights = learned.table("ngrams_"), learned.table("idf_")
    yield "idf_", list(buckets) != list(weights)
    for name, each in buckets.items():
        places = learned.numbers_of(each, "ngrams_", (None,), "i")
        yield "ngrams_", bool(places.size and not 0 <= places.min() <= places.max() < N_BUCKETS)
        yield "ngrams_", np.unique(places).size < places.size
        learned.numbers_of(weights[name], "idf_", (places.size,), "f")


def _scaler(learned: _Learned) -> Faults:
    n = learned.value("n_features_in_")
    yield "n_features_in_", type(n) is not int
    if learned.value("with_mean") is not False:
        learned.numbers("mean_", n, finite=False)
    if learned.value("with_std") is not False:
        yield "scale_", not learned.numbers("scale_", n, finite=False).all()


def _logistic(learned: _Learned) -> Faults:
    if learned.is_sparse("coef_"):
        # scipy compares its shape with that of X.
        return
    rows, width = learned.numbers("coef_", None, None).shape
    learned.numbers("intercept_", rows)
    n_classes = learned.length("classes_")
    yield "classes_", rows != (1 if n_classes == 2 else n_classes)
    yield "n_features_in_", learned.value("n_features_in_") != width


def _named(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


# By type: the check, and an attribute that only fitted ones have.
_CHECKS: dict[str, tuple[Callable[[_Learned], Faults], str]] = {
    _named(LinearRanker): (_linear, "coef_"),
    _named(NeuralRanker): (_neural, "mean_"),
    _named(BlendRanker): (_blend, "coef_"),
    _named(TableEncoder): (_encoder, "numeric_"),
    _named(StandardScaler): (_scaler, "n_features_in_"),
    _named(LogisticRegression): (_logistic, "coef_"),
}
