"""Checked rows of a boosted ranker: features, labels, weights, groups."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing

from isonomy._core import (
    GroupWeight,
    Labels,
    Objective,
    Preferences,
    as_groups,
    as_weight,
    check_lengths,
    preferences_for,
)
from isonomy._rankers.splitting import split_rows


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows; weights are float32, as engines keep them."""

    X: Any
    labels: Labels
    weight: NDArray[np.float32] | None
    groups: NDArray[np.int64] | None

    @classmethod
    def checked(
        cls,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        *,
        name: str = "",
    ) -> Rows:
        """Rows from what a user passed, X as an array already; `name` stands before X and y."""
        features, target = (f"{name}[0]", f"{name}[1]") if name else ("X", "y")
        labels = Labels.from_table(y, name=target)
        n = len(labels)
        sized: dict[str, Sized] = {features: range(X.shape[0]), target: labels}
        check_lengths(**sized)
        weight = None
        if as_weight(sample_weight, n) is not None:
            weight = _single(sample_weight)
        return cls(X, labels, weight, as_groups(groups, n))

    def preferences(self, objective: Objective, group_weight: GroupWeight) -> Preferences:
        """Who should stand above whom."""
        return preferences_for(
            self.labels,
            objective,
            sample_weight=self.weight,
            groups=self.groups,
            group_weight=group_weight,
        )

    def split(self, share: float, rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Rows to train on, and about `share` of them to stop by."""
        train, held_out = split_rows(
            self.labels.codes,
            self.groups,
            share,
            rng,
            cure="Pass `eval_set`, or leave `early_stopping` out.",
        )
        return self._take(train), self._take(held_out)

    def _take(self, index: NDArray[np.int64]) -> Rows:
        return Rows(
            _safe_indexing(self.X, index),
            replace(self.labels, codes=self.labels.codes[index]),
            None if self.weight is None else self.weight[index],
            None if self.groups is None else self.groups[index],
        )


def check_same_labels(train: Labels, other: Labels) -> None:
    """The rows to watch should carry the labels of training, in their order."""
    alike = train.n_labels == other.n_labels
    if not alike or (train.named and other.named and train.names != other.names):
        raise ValueError(
            f"Parameter `{other.parameter}` should hold the same labels as `y`, in the same order: "
            f"{_listed(train)}. Found {_listed(other)}."
        )


def _listed(labels: Labels) -> str:
    return ", ".join(labels.names[:20]) if labels.named else f"{labels.n_labels} without names"


def _single(sample_weight: ArrayLike | None) -> NDArray[np.float32]:
    """Weights as engines keep them."""
    with np.errstate(over="ignore", under="ignore"):
        weight = np.asarray(sample_weight, dtype=np.float64).astype(np.float32)
    if not np.isfinite(weight).all() or not weight.any():
        raise ValueError(
            "Parameter `sample_weight` should hold weights that float32, in which engines keep "
            "them, can hold: up to 3e38, and one of at least 1e-38. Scale them, such as "
            "`sample_weight / sample_weight.mean()`."
        )
    return weight
