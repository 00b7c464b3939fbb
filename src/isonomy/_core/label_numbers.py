"""A number for some of the labels, by their names or columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from isonomy._core.validation import suggestion


def numbers_by_label(given: Any, names: Sequence[str], parameter: str) -> dict[int, float]:
    """Finite numbers of some labels, by the labels' columns.

    Examples
    --------
    >>> numbers_by_label({"buy": 30, 0: 1}, ("click", "buy"), "goal")
    {1: 30.0, 0: 1.0}
    """
    if not isinstance(given, Mapping) or not given:
        raise TypeError(
            f"Parameter `{parameter}` should be a dict of labels and numbers, such as "
            f"{{{names[0]!r}: 0.75}}. Found {given!r}."
        )
    found: dict[int, float] = {}
    for label, number in given.items():
        k = _column(label, names, parameter)
        if (
            isinstance(number, bool)
            or not isinstance(number, Real)
            or not np.isfinite(float(number))
        ):
            raise TypeError(
                f"Parameter `{parameter}` should hold numbers. Found {number!r} for label "
                f"{label!r}."
            )
        if k in found:
            raise ValueError(f"Parameter `{parameter}` names label {names[k]!r} twice.")
        found[k] = float(number)
    return found


def floors_by_label(given: Any, names: Sequence[str], parameter: str) -> dict[int, float]:
    """The least AUCs of some labels, by the labels' columns, in their order."""
    floors = numbers_by_label(given, names, parameter)
    for label, floor in floors.items():
        if not 0 < floor < 1:
            raise ValueError(
                f"Parameter `{parameter}` should hold AUCs between 0 and 1, such as 0.75. "
                f"Found {floor:g} for label {names[label]!r}."
            )
    return dict(sorted(floors.items()))


def _column(label: Any, names: Sequence[str], parameter: str) -> int:
    if isinstance(label, str) and label in names:
        return list(names).index(label)
    whole = isinstance(label, int | np.integer) and not isinstance(label, bool)
    if whole and 0 <= label < len(names):
        return int(label)
    raise ValueError(
        f"Parameter `{parameter}` should name labels: {', '.join(map(repr, names))}. "
        f"Found {label!r}.{suggestion(str(label), list(names))}"
    )
