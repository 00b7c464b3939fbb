"""Results as JSON documents, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def jsonable(value: Any) -> Any:
    """Dicts for dataclasses, lists for tuples and arrays, None for NaN and infinity.

    Examples
    --------
    >>> import numpy as np
    >>> jsonable({"aucs": np.array([0.5, np.nan]), "labels": ("a", "b")})
    {'aucs': [0.5, None], 'labels': ['a', 'b']}
    """
    if is_dataclass(value):
        return {each.name: jsonable(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: jsonable(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        # An array or a number of numpy, which `isonomy --help` should not have to load.
        return jsonable(value.tolist())
    if isinstance(value, list | tuple):
        return [jsonable(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_jsonable(kind: type[T], document: Any) -> T:
    """The dataclass of which `jsonable` made this document: NaN for None, tuples for lists.

    Raises KeyError, TypeError, ValueError or AttributeError where it is no such document.
    """
    found: T = _read(kind, document)
    return found


def _read(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        kinds = _field_types(kind)
        # A part that was not known yet when the document was written is as if it were not there.
        optional = {
            name
            for name, each in kinds.items()
            if isinstance(each, UnionType) and any(map(is_dataclass, get_args(each)))
        }
        wrong = (kinds.keys() ^ value.keys()) - (optional - value.keys())
        if wrong:
            raise KeyError(min(wrong))
        return kind(**{name: _read(kinds[name], value.get(name)) for name in kinds})
    if isinstance(kind, UnionType) and value is not None:
        return _read(get_args(kind)[0], value)
    if get_origin(kind) is tuple:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise TypeError(f"found {type(value).__name__} in place of a list")
        return tuple(_read(get_args(kind)[0], each) for each in value)
    if kind is float:
        return math.nan if value is None else float(value)
    if get_origin(kind) is Literal and value not in get_args(kind):
        raise ValueError(f"found {value!r}")
    if kind in (bool, int, str) and type(value) is not kind:
        raise TypeError(f"found {type(value).__name__} in place of {kind.__name__}")
    return value


@cache
def _field_types(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}
