"""What an audit looks at, checked: plain arrays of one length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import (
    Codes,
    FloatArray,
    GroupWeight,
    Labels,
    as_groups,
    as_scores,
    as_weight,
    check_choice,
    check_lengths,
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Label patterns, scores, and perhaps weights and groups of some rows.

    Attributes
    ----------
    codes, patterns, names
        As in `Labels`.
    weight, group, group_weight
        As in `Preferences`.
    """

    codes: Codes
    patterns: FloatArray
    names: tuple[str, ...]
    scores: FloatArray
    weight: FloatArray | None
    group: NDArray[np.int64] | None
    group_weight: GroupWeight

    @classmethod
    def checked(
        cls,
        Y: Any,
        y_score: Any,
        *,
        names: Any,
        sample_weight: Any,
        groups: Any,
        group_weight: GroupWeight,
    ) -> Rows:
        """What a user passed; trusted from here on."""
        labels = Labels.from_table(Y)
        labels = replace(labels, names=as_names(names, labels.names))
        labels.require_binary()
        scores = as_scores(y_score)
        check_lengths(Y=labels, y_score=scores)
        check_choice("group_weight", group_weight, ("pairs", "equal"))
        weight = as_weight(sample_weight, len(labels))
        group = as_groups(groups, len(labels))
        return cls(labels.codes, labels.patterns, labels.names, scores, weight, group, group_weight)

    def __len__(self) -> int:
        return int(self.codes.size)

    def take(self, rows: NDArray[np.int64]) -> Rows:
        """Some of the rows."""
        group = None
        if self.group is not None:
            group = np.unique(self.group[rows], return_inverse=True)[1].astype(np.int64)
        return replace(
            self,
            codes=self.codes[rows],
            scores=self.scores[rows],
            weight=None if self.weight is None else self.weight[rows],
            group=group,
        )

    @property
    def n_labels(self) -> int:
        """Number of labels K."""
        return len(self.names)

    @property
    def n_groups(self) -> int | None:
        """Number of groups; None where all pairs count."""
        return None if self.group is None else int(self.group.max()) + 1

    @property
    def masses(self) -> FloatArray:
        """The weight of each row."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @cached_property
    def yes(self) -> NDArray[np.bool_]:
        """Which patterns have each label, (L, K)."""
        return np.asarray(self.patterns == 1)

    @cached_property
    def no(self) -> NDArray[np.bool_]:
        """Which patterns are known not to have each label, (L, K)."""
        return np.asarray(self.patterns == 0)


def sums(codes: Codes, values: FloatArray, n_codes: int) -> FloatArray:
    """The sum of the values of each code."""
    return np.asarray(np.bincount(codes, values, n_codes), dtype=np.float64)


def as_names(names: Any, default: tuple[str, ...]) -> tuple[str, ...]:
    """One name per label, all different."""
    if names is None:
        return default
    if isinstance(names, str) or not isinstance(names, Sequence | np.ndarray):
        raise TypeError(
            f"Parameter `names` should be a list of names, one per label. Found {names!r}."
        )
    found = tuple(str(name) for name in names)
    if len(found) != len(default):
        raise ValueError(
            f"Parameter `names` should hold one name for each of the {len(default)} labels. "
            f"Found {len(found)}."
        )
    repeated = [name for name in found if found.count(name) > 1]
    if repeated:
        raise ValueError(
            "Parameter `names` should hold a different name for each label. "
            f"Found {repeated[0]!r} more than once."
        )
    return found
