"""The parts of a restored object, asked for by what prediction needs them to be."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils._param_validation import validate_parameter_constraints

from isonomy._models.allowed_types import is_listed
from isonomy._models.model_file_error import ModelFileError

# What an object does with rows: scores them, tells their classes, or makes other columns.
Role = Literal["ranker", "classifier", "transformer", "unknown"]
# What rows it takes: a matrix, a data frame, texts, dictionaries, or nobody knows.
Rows = Literal["matrix", "frame", "texts", "records", "unknown"]

_NAMES = "feature_names_in_"
_WIDTH = "n_features_in_"
# Where scikit-learn keeps what `set_output` was told.
_OUTPUT = "_sklearn_output_config"
_CONTAINERS = (None, "default", "pandas", "polars")
# Columns that a transformer may make of a row: a file of a few bytes can ask for any number.
WIDEST, WIDEST_SPARSE = 2**20, 2**31 - 1


@dataclass(frozen=True)
class Flow:
    """What goes into an object at prediction, and what comes out.

    Attributes
    ----------
    role : what it does
    rows : what rows it takes
    takes : number of columns that it takes; None: any
    gives : number of columns that a transformer makes; None: unknown
    sparse : whether these are a sparse matrix
    words : whether these may be words
    outputs : for a classifier, the classes of each label that it tells; None: unknown
    """

    role: Role = "unknown"
    rows: Rows = "unknown"
    takes: int | None = None
    gives: int | None = None
    sparse: bool = False
    words: bool = False
    outputs: tuple[NDArray[Any], ...] | None = None


Check = Callable[["Part"], Flow]


class Part:
    """An object that prediction uses, and where in the model it stands."""

    def __init__(self, value: Any, path: str, checks: dict[type, Check]) -> None:
        self.value, self.path, self._checks = value, path, checks
        self._own = vars(value) if hasattr(value, "__dict__") else {}

    def __contains__(self, name: str) -> bool:
        return name in self._own

    def wrong(self, name: str) -> ModelFileError:
        """The error that names an attribute."""
        return ModelFileError(f"{self.path}.{name} does not fit the rest of what it has learned.")

    def need(self, name: str, *, holds: bool) -> None:
        """Refuse an attribute that is not as it should be."""
        if not holds:
            raise self.wrong(name)

    def get(self, name: str) -> Any:
        """An attribute of its own."""
        if name not in self._own:
            raise ModelFileError(f"{self.path} lacks {name}.")
        return self._own[name]

    @cached_property
    def width(self) -> int:
        """The number of columns that it takes."""
        return self.whole(_WIDTH, least=1)

    def whole(self, name: str, *, least: int = 0) -> int:
        """A whole number."""
        found = self.get(name)
        self.need(
            name,
            holds=isinstance(found, int | np.integer)
            and not isinstance(found, bool)
            and bool(found >= least),
        )
        return int(found)

    def number(self, name: str) -> float:
        """A finite number."""
        found = self.get(name)
        self.need(name, holds=is_number(found) and bool(np.isfinite(found)))
        return float(found)

    def flag(self, name: str) -> bool:
        """True or False."""
        found = self.get(name)
        self.need(name, holds=isinstance(found, bool | np.bool_))
        return bool(found)

    def choice(self, name: str, *allowed: Any) -> Any:
        """One of some values."""
        found = self.get(name)
        self.need(name, holds=any(type(found) is type(one) and found == one for one in allowed))
        return found

    def numbers(
        self, name: str, *shape: int | None, kinds: str = "f", finite: bool = True
    ) -> NDArray[Any]:
        """An array of numbers of this shape; None is any length."""
        return self.as_numbers(self.get(name), name, *shape, kinds=kinds, finite=finite)

    def as_numbers(
        self, found: Any, name: str, *shape: int | None, kinds: str = "f", finite: bool = True
    ) -> NDArray[Any]:
        """The same of something that is part of an attribute."""
        fits = (
            type(found) is np.ndarray
            and found.dtype.kind in kinds
            and found.dtype.isnative
            and (found.dtype.kind != "f" or found.dtype.itemsize in (4, 8))
            and len(shape) == found.ndim
            and all(want in (None, have) for want, have in zip(shape, found.shape, strict=True))
            and not (finite and found.dtype.kind == "f" and not np.isfinite(found).all())
        )
        self.need(name, holds=fits)
        return np.asarray(found)

    def matrix(self, name: str, rows: int | None, columns: int | None) -> tuple[int, int]:
        """The shape of a matrix of finite numbers, dense or sparse."""
        found = self.get(name)
        if not sparse.issparse(found):
            n_rows, n_columns = self.numbers(name, rows, columns).shape
            return n_rows, n_columns
        self.need(
            name,
            holds=found.dtype in (np.float64, np.float32)
            and bool(np.isfinite(found.data).all())
            and rows in (None, found.shape[0])
            and columns in (None, found.shape[1]),
        )
        return int(found.shape[0]), int(found.shape[1])

    def items(self, name: str, *, least: int = 0) -> list[Any]:
        """What a list or tuple holds."""
        found = self.get(name)
        self.need(name, holds=isinstance(found, list | tuple) and len(found) >= least)
        return list(found)

    def texts(self, name: str) -> list[str]:
        """A list, tuple or array of texts."""
        found = self.get(name)
        rows = found.tolist() if type(found) is np.ndarray and found.ndim == 1 else found
        self.need(
            name,
            holds=isinstance(rows, list | tuple) and all(isinstance(one, str) for one in rows),
        )
        return list(rows)

    def table(self, name: str) -> dict[Any, Any]:
        """What a dictionary holds."""
        found = self.get(name)
        self.need(name, holds=isinstance(found, dict))
        return dict(found)

    def classes(self, found: Any, name: str = "classes_") -> NDArray[Any]:
        """Two or more classes, each once."""
        fits = type(found) is np.ndarray and found.ndim == 1 and found.size > 1
        self.need(name, holds=fits and found.dtype.kind in "biufUO")
        texts = found.dtype.kind == "O" and all(isinstance(one, str) for one in found)
        self.need(name, holds=texts or found.dtype.kind != "O")
        self.need(name, holds=len(set(found.tolist())) == found.size)
        # As scikit-learn has it; fractions are the values of a regression.
        self.need(name, holds=found.dtype.kind != "f" or bool((found == np.round(found)).all()))
        return np.asarray(found)

    def flow(self, found: Any, name: str) -> Flow:
        """What goes through an object that is part of this one."""
        return flow_of(found, f"{self.path}.{name}", self._checks)

    def flows(
        self, name: str, role: Role, *, least: int = 1, width: int | None = None
    ) -> list[Flow]:
        """The same of each object in a list, which all do the same with the same columns."""
        found = [
            self.flow(one, f"{name}[{i}]") for i, one in enumerate(self.items(name, least=least))
        ]
        for one in found:
            self.need(name, holds=one.role in (role, "unknown"))
        same_width(self, name, found, width)
        return found

    def tells_probabilities(self, found: Any, name: str) -> None:
        """Refuse a classifier that, as it is set, has no probabilities."""
        self.need(name, holds=has_method(found, "predict_proba"))


def same_width(
    part: Part, name: str, flows: Sequence[Flow], width: int | None = None
) -> int | None:
    """The number of columns that all of these take; None: any."""
    widths = {one.takes for one in flows if one.takes is not None} | (
        set() if width is None else {width}
    )
    part.need(name, holds=len(widths) < 2)
    return next(iter(widths), None)


def same_rows(part: Part, name: str, flows: Sequence[Flow]) -> Rows:
    """The kind of rows that all of these take."""
    kinds = {one.rows for one in flows if one.rows != "unknown"}
    part.need(name, holds=len(kinds) < 2)
    return next(iter(kinds), "unknown")


def layer_widths(part: Part, n_outputs: int) -> list[int]:
    """The widths of a network's layers, from its inputs on, after its matrices are compared."""
    weights = [part.as_numbers(one, "coefs_", None, None) for one in part.items("coefs_", least=1)]
    shifts = [part.as_numbers(one, "intercepts_", None) for one in part.items("intercepts_")]
    outputs = [one.shape[1] for one in weights]
    widths = [*(one.shape[0] for one in weights), n_outputs]
    part.need("intercepts_", holds=[one.size for one in shifts] == outputs)
    part.need("coefs_", holds=widths[1:] == outputs)
    part.need("n_features_in_", holds=part.width == widths[0])
    return widths


def is_named(found: Any, size: int) -> bool:
    """Whether it is a tuple of a name and what is named."""
    return isinstance(found, list | tuple) and len(found) == size and isinstance(found[0], str)


def is_number(value: Any) -> bool:
    """Whether it is a number, and no bool."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def has_method(value: Any, name: str) -> bool:
    """Whether an object has a method, as it is set."""
    try:
        return callable(getattr(value, name, None))
    except Exception:  # noqa: BLE001
        # Some ask their parts, which may be anything.
        return False


def flow_of(value: Any, path: str, checks: dict[type, Check]) -> Flow:
    """Check an object and all that it predicts with; types that only users trust are left alone."""
    kind = type(value)
    if kind not in checks:
        listed = is_listed("ObjectNode", kind.__module__, kind.__qualname__)
        if listed or not (has_method(value, "predict") or has_method(value, "transform")):
            raise ModelFileError(f"{path} is a {kind.__name__}, where something should predict.")
        return Flow()
    part = Part(value, path, checks)
    _check_no_shadows(value, path)
    if isinstance(value, BaseEstimator):
        _check_estimator(part)
    flow = checks[kind](part)
    if flow.gives is not None and flow.gives > (WIDEST_SPARSE if flow.sparse else WIDEST):
        raise ModelFileError(f"{path} makes {flow.gives:,} columns, more than a row may have.")
    return flow


def _check_no_shadows(value: Any, path: str) -> None:
    """No attribute may stand in for what its class has: defaults, tags, properties."""
    kind = type(value)
    known = {each.name for each in fields(kind)} if is_dataclass(kind) else set()
    for name in vars(value):
        if name not in known and inspect.getattr_static(kind, name, None) is not None:
            raise ModelFileError(f"{path} hides its {str(name)[:80]}.")


def _check_estimator(part: Part) -> None:
    """Settings, names of columns, and what form the output should have."""
    value = part.value
    try:
        value.get_params(deep=True)  # Those of parts that were never fitted, too.
        settings = value.get_params(deep=False)
        known = getattr(type(value), "_parameter_constraints", None)
        if known is not None:
            validate_parameter_constraints(known, settings, type(value).__name__)
    except Exception as error:
        raise ModelFileError(
            f"{part.path} has settings that it cannot have ({str(error)[:300]})."
        ) from error
    if _NAMES in part:
        names = part.get(_NAMES)
        objects = type(names) is np.ndarray and names.dtype.kind == "O"
        part.need(_NAMES, holds=objects and len(part.texts(_NAMES)) == part.width)
    if _OUTPUT in part:
        form = part.table(_OUTPUT)
        part.need(_OUTPUT, holds=set(form) <= {"transform"})
        part.need(_OUTPUT, holds=form.get("transform") in _CONTAINERS)


def takes_sparse(value: Any) -> bool:
    """Whether an estimator says that it takes sparse matrices."""
    return bool(get_tags(value).input_tags.sparse)
