"""One weight per label: in their order, or by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from isonomy._core.labels import Labels
from isonomy._core.validation import as_label_weights, suggestion

LabelWeights: TypeAlias = "Sequence[float] | Mapping[str | int, float]"


def as_weights_or_names(
    weights: LabelWeights | None,
) -> tuple[float, ...] | dict[str | int, float] | None:
    """Finite weights >= 0, not all 0: a tuple, or a dict by the labels' names and numbers."""
    if not isinstance(weights, Mapping):
        return as_label_weights(weights)
    for key in weights:
        whole = isinstance(key, int | np.integer) and not isinstance(key, bool | np.bool_)
        if not whole and not isinstance(key, str):
            raise TypeError(
                "Parameter `weights` should have labels' names, or the numbers of their columns, "
                f"as keys. Found {key!r}."
            )
    # Through a list, so that numbers are checked in one place.
    values = as_label_weights(list(weights.values())) or ()
    keys = [str(key) if isinstance(key, str) else int(key) for key in weights]
    return dict(zip(keys, values, strict=True))


def as_summable_weights(
    weights: LabelWeights | None,
) -> tuple[float, ...] | dict[str | int, float] | None:
    """The same for levels that are sums of them, which must not overflow."""
    found = as_weights_or_names(weights)
    values = list(found.values() if isinstance(found, dict) else found or ())
    if not math.isfinite(sum(values)):
        raise ValueError(
            "Parameter `weights` should have a finite sum: levels are sums of weights. Found "
            f"{values}. Divide all of them by the largest."
        )
    return found


def weights_for(weights: LabelWeights | None, labels: Labels) -> tuple[float, ...]:
    """One weight per label, in the labels' order; 1 each by default.

    Examples
    --------
    >>> labels = Labels.from_table([[0, 1], [1, 0]])
    >>> weights_for({1: 2.0, 0: 1.0}, labels)
    (1.0, 2.0)
    """
    if weights is None:
        return (1.0,) * labels.n_labels
    if isinstance(weights, Mapping):
        return _by_name(weights, labels)
    if len(weights) != labels.n_labels:
        raise ValueError(
            f"Parameter `weights` should hold one number for each of the {labels.n_labels} labels. "
            f"Found {len(weights)}."
        )
    return tuple(weights)


def label_column(label: Any, labels: Labels, parameter: str) -> int:
    """The number of a label's column, by its name or number; an error where there is none."""
    names = labels.names
    if isinstance(label, str):
        if labels.named and label in names:
            return names.index(label)
        if not labels.named:
            cure = "Pass the labels as a data frame, or give the label's column number."
        else:
            cure = f"The labels are {', '.join(map(repr, names))}.{suggestion(label, names)}"
        raise ValueError(f"Parameter `{parameter}` names no label: found {label!r}. {cure}")
    if isinstance(label, bool | np.bool_) or not isinstance(label, int | np.integer):
        raise TypeError(f"Parameter `{parameter}` should be a number or a name. Found {label!r}.")
    if not 0 <= label < len(names):
        raise ValueError(
            f"Parameter `{parameter}` should lie in 0..{len(names) - 1}. Found {label}."
        )
    return int(label)


def named_labels(weights: LabelWeights | str | None) -> list[str]:
    """The names by which weights are given, if they are."""
    keys = weights if isinstance(weights, Mapping) else ()
    return [key for key in keys if isinstance(key, str)]


def _by_name(weights: Mapping[str | int, float], labels: Labels) -> tuple[float, ...]:
    found: dict[int, float] = {}
    for key, weight in weights.items():
        column = label_column(key, labels, "weights")
        if column in found:
            raise ValueError(
                "Parameter `weights` should name each label once. Found "
                f"{labels.names[column]!r} by its name and by its number."
            )
        found[column] = weight
    lacking = [name for k, name in enumerate(labels.names) if k not in found]
    if lacking:
        raise ValueError(
            "Parameter `weights` should hold a weight for every label. Found none for "
            f"{', '.join(map(repr, lacking))}. Give 0 to a label that should not count."
        )
    return tuple(found[k] for k in range(labels.n_labels))
