"""What engines hand to an objective or a metric: two orders of arguments, one meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import (
    AnyArray,
    FloatArray,
    GroupWeight,
    Items,
    LabelAggregation,
    Objective,
    OneLabel,
    check_objective,
    check_row_counts,
    labels_of_packed,
    named_labels,
)
from isonomy.boosting._packed_groups import packed_groups


@dataclass(frozen=True, eq=False)
class CallbackArguments:
    """Scores, and what the rows of a data set carry.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        Finite.
    label : ndarray of shape (n,)
        Packed labels.
    weight : ndarray of shape (n,) or None
    sizes : ndarray of shape (groups,) or None
        How many rows each group has, in order.
    group_id : ndarray of uint64, shape (n,), or None
        Each row's group, where `pack_groups` packed it.
    """

    scores: FloatArray
    label: AnyArray
    weight: AnyArray | None
    sizes: AnyArray | None
    group_id: NDArray[np.uint64] | None = None

    @property
    def rows(self) -> tuple[AnyArray | None, ...]:
        """All but the scores."""
        return self.label, self.weight, self.sizes, self.group_id

    @property
    def grouped(self) -> bool:
        """Whether there are groups."""
        return self.sizes is not None or self.group_id is not None

    def group(self, n: int) -> NDArray[np.int64]:
        """The number of each of the n rows' group; without groups, all rows are one."""
        if self.group_id is not None:
            return np.unique(self.group_id, return_inverse=True)[1].astype(np.int64)
        return numbers_of_sizes(self.sizes, n)

    def items(self, group_weight: GroupWeight) -> Items:
        """The rows, checked."""
        labels = labels_of_packed(self.label)
        groups = self.group(len(labels)) if self.grouped else None
        return Items.checked(
            labels, sample_weight=self.weight, groups=groups, group_weight=group_weight
        )


def read(a: Any, b: Any, weight: Any = None, group: Any = None) -> CallbackArguments:
    """Take (scores, data set), as `train` and `cv` pass, or (labels, scores, ...), as wrappers."""
    group_id = None
    if hasattr(b, "get_label"):
        scores, label, weight, group = a, b.get_label(), b.get_weight(), b.get_group()
        group_id = packed_groups(b)
    else:
        label, scores = a, b
    given = CallbackArguments(
        finite_scores(scores), np.asarray(label), _some(weight), _some(group), group_id
    )
    if given.label.ndim:
        check_row_counts(label=given.label, scores=given.scores)
    return given


def refuse_group_weights(given: CallbackArguments) -> None:
    """XGBoost keeps one weight per group beside groups, so weights of rows never arrive."""
    if given.sizes is not None and given.weight is not None:
        raise ValueError(
            "Parameter `weight` should be left out where an XGBoost DMatrix has groups: XGBoost "
            f"keeps one weight per group there (found {given.weight.size}), not per row. Pass "
            "`**isonomy.boosting.pack_groups(groups)` in place of `qid`, or use "
            '`BoostedRanker(engine="xgboost")`: both take groups and weights.'
        )


def finite_scores(scores: Any) -> FloatArray:
    """Scores of a round as float64, if a loss can take them."""
    values = np.ascontiguousarray(scores, dtype=np.float64)
    if values.size == 0:
        return np.empty(0)
    if values.ndim != 1:
        raise ValueError(
            f"An objective for several labels ranks by one score per row. Found scores of shape "
            f"{values.shape}: pack the labels into one column by `pack_labels`, and use "
            "LGBMRegressor, LGBMRanker or XGBRegressor, not a classifier."
        )
    # A NaN or an infinity makes the sum one too; a sum that overflows needs the second look.
    if not np.isfinite(values.sum()) and not np.isfinite(values).all():
        raise ValueError(
            "The scores have become infinite or NaN: training diverges. Lower the learning rate, "
            "raise the regularisation (of engines lambda_l2, min_child_weight), or use the "
            "logistic surrogate."
        )
    return values


def check_nameless(objective: Objective | None) -> Objective:
    """The objective, if packed labels can serve it: they have numbers, not names."""
    chosen = LabelAggregation() if objective is None else objective
    check_objective(chosen)
    if isinstance(chosen, OneLabel) and isinstance(chosen.label, str):
        raise ValueError(
            f"Parameter `objective` should give the label's column number, such as `OneLabel(0)`: "
            f"packed labels have no names. Found {chosen.label!r}. `BoostedRanker` takes names."
        )
    weights = getattr(chosen, "weights", None)
    if isinstance(weights, Mapping) and named_labels(weights):
        raise ValueError(
            "Parameter `objective` should have weights by the labels' column numbers, such as "
            f"{{0: 1, 1: 2}}: packed labels have no names. Found {named_labels(weights)[0]!r}. "
            "`BoostedRanker` takes names."
        )
    return chosen


def _some(values: Any) -> AnyArray | None:
    """None for what is not there: XGBoost says it by an empty array."""
    return None if values is None or np.size(values) == 0 else np.asarray(values)


def numbers_of_sizes(sizes: AnyArray | None, n: int) -> NDArray[np.int64]:
    """Group numbers of n rows from the groups' sizes; without groups, all rows are one."""
    if sizes is None:
        return np.zeros(n, np.int64)
    if sizes.sum() != n:
        raise ValueError(
            f"Parameter `group` should hold the sizes of the groups, which sum to the {n} rows. "
            f"Found a sum of {sizes.sum()}."
        )
    return np.repeat(np.arange(sizes.size), sizes)
