"""What a ranking is to be good at: one number of the labels' AUCs, larger is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from isonomy._core import (
    FloatArray,
    LossAggregation,
    Objective,
    OneLabel,
    WorstLabel,
    floors_by_label,
    numbers_by_label,
    suggestion,
)
from isonomy._infra import listed

GoalKind: TypeAlias = Literal["min", "mean", "values", "promises"]
# Values that a sentence lists.
MOST_VALUES = 8
# What `goal` may be called by name.
NAMED = ("min", "mean")


@dataclass(frozen=True)
class Goal:
    """What the recommended method is to be best at.

    Attributes
    ----------
    kind : {"min", "mean", "values", "promises"}
        The smallest AUC of the labels, their mean, their mean weighed by what they are worth,
        or the mean of the labels without a promise among methods that keep all promises.
    names : tuple of str
        The labels.
    values : tuple of float
        What each label's AUC is worth, for "values".
    floors : tuple of (int, float)
        The promised labels and their least AUCs, for "promises".
    """

    kind: GoalKind
    names: tuple[str, ...]
    values: tuple[float, ...] = ()
    floors: tuple[tuple[int, float], ...] = ()

    def value(self, aucs: FloatArray) -> FloatArray:
        """The goal of AUCs (..., K); promises are not looked at."""
        if self.kind == "min":
            return np.asarray(aucs.min(axis=-1))
        return np.asarray(aucs @ self.weights)

    @property
    def weights(self) -> FloatArray:
        """What each label's AUC counts in the mean; they sum to 1. Not for "min"."""
        if self.kind == "values":
            worth = np.array(self.values)
        else:
            promised = {label for label, _ in self.floors}
            worth = np.array([float(k not in promised) for k in range(len(self.names))])
            if not worth.any():
                worth[:] = 1.0
        return np.asarray(worth / worth.sum())

    def linear(self, aucs: FloatArray) -> FloatArray:
        """The goal of every split, (..., S), such that its mean is the goal of the mean AUCs.

        The smallest AUC is that of the label whose mean is the smallest: minima of splits
        would be too low by chance.
        """
        if self.kind != "min":
            return self.value(aucs)
        means = np.nan_to_num(mean_of_defined(aucs), nan=np.inf)
        worst = means.argmin(axis=-1)
        return np.asarray(np.take_along_axis(aucs, worst[..., None, None], axis=-1)[..., 0])

    def broken(self, aucs: FloatArray, spare: FloatArray | float = 0.0) -> FloatArray:
        """How far AUCs (..., K) fall short of the promise that is broken most; 0: all are kept.

        `spare` (..., K) is by how much more they should be kept.
        """
        short = np.zeros(aucs.shape[:-1])
        spare = np.broadcast_to(spare, aucs.shape)
        for label, floor in self.floors:
            short = np.maximum(short, floor + spare[..., label] - aucs[..., label])
        return short

    @property
    def objective(self) -> Objective:
        """What rankers are tuned by: an objective whose AUC is the goal."""
        if self.kind == "min":
            return WorstLabel()
        worth = self.weights
        if np.count_nonzero(worth) == 1:
            return OneLabel(int(worth.argmax()))
        return LossAggregation(worth.tolist())

    @property
    def alone(self) -> int | None:
        """The only label that counts, where the user's values say so."""
        worth = np.array(self.values)
        return int(worth.argmax()) if np.count_nonzero(worth) == 1 else None

    @property
    def noun(self) -> str:
        """What it is called in a sentence."""
        if len(self.names) == 1:
            return "AUC"
        if self.kind == "promises":
            promised = {label for label, _ in self.floors}
            rest = [repr(name) for k, name in enumerate(self.names) if k not in promised]
            if len(rest) == 1:
                return f"AUC of {rest[0]}"
            return "mean AUC of the other labels" if rest else "mean AUC"
        if self.kind == "values":
            worth = zip(self.names, self.values, strict=True)
            parts = [f"{name} {value:g}" for name, value in worth if value > 0]
            return f"AUC by your values ({listed(parts, MOST_VALUES)})"
        return "smallest AUC" if self.kind == "min" else "mean AUC"

    @property
    def heading(self) -> str:
        """What it is called over a column."""
        return {"min": "Min", "mean": "Mean", "values": "Value", "promises": "Others"}[self.kind]

    @property
    def promise(self) -> str:
        """The promises in words."""
        return joined([f"{self.names[k]!r} at {floor:g}" for k, floor in self.floors])


def joined(parts: Sequence[str]) -> str:
    """Parts of a sentence: commas between them, and 'and' before the last.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def mean_of_defined(aucs: FloatArray) -> FloatArray:
    """Means over the splits, the last axis but one, of those that define an AUC; NaN for none."""
    defined = ~np.isnan(aucs)
    count = defined.sum(axis=-2)
    total = np.where(defined, aucs, 0.0).sum(axis=-2)
    nowhere = np.full(total.shape, np.nan)
    return np.asarray(np.divide(total, count, out=nowhere, where=count > 0))


def check_goal(goal: Any, at_least: Any, names: Sequence[str]) -> Goal:
    """The goal that a user asks for, for labels of these names."""
    labels = tuple(names)
    if at_least is not None:
        if goal != "min":
            raise ValueError(
                "Parameters `goal` and `at_least` should not both be given: with promises the goal "
                "is the mean AUC of the other labels. Leave `goal` out."
            )
        floors = floors_by_label(at_least, labels, "at_least")
        return Goal("promises", labels, floors=tuple(floors.items()))
    if isinstance(goal, str) and goal in NAMED:
        return Goal("min" if goal == "min" else "mean", labels)
    if isinstance(goal, Mapping):
        worth = numbers_by_label(goal, labels, "goal")
        values = tuple(worth.get(k, 0.0) for k in range(len(labels)))
        if min(values) < 0 or max(values) <= 0:
            raise ValueError(
                "Parameter `goal` should hold values >= 0, at least one of them positive. "
                f"Found {dict(goal)!r}."
            )
        return Goal("values", labels, values=values)
    hint = suggestion(goal, NAMED) if isinstance(goal, str) else ""
    raise ValueError(
        "Parameter `goal` should be 'min', 'mean', or a dict of labels and what their AUCs are "
        f"worth, such as {{'click': 1, 'buy': 30}}. Found {goal!r}.{hint}"
    )
