"""Checked rows: what a user passed, looked at once and trusted from then on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core.codes import number_occurring
from isonomy._core.labels import Labels
from isonomy._core.objectives import Objective, check_objective
from isonomy._core.preferences import GroupWeight, Preferences
from isonomy._core.rows import check_row_counts, check_same_index, row_count
from isonomy._core.validation import (
    FloatArray,
    as_counts,
    as_groups,
    as_score_column,
    as_weight,
    check_choice,
    check_weight_range,
    extremes,
    refuse_missing_scores,
    scaled_weight,
)

NO_SCORES: FloatArray = np.empty(0)


@dataclass(frozen=True, eq=False)
class Items:
    """Rows with their labels and, where there are any, weights, groups, features or scores.

    Attributes
    ----------
    labels : Labels
        The labels of each row.
    sample_weight : ndarray of shape (n,) or None
        How much each row matters, in the user's units. `weight` has them scaled.
    count : ndarray of int64, shape (n,), or None
        How many identical items each row stands for.
    group : ndarray of int64, shape (n,), or None
        Number of each row's group; every number from 0 to the largest occurs.
    group_weight : {"pairs", "equal"}
        Whether groups weigh by their pairs, or each group with pairs the same.
    cluster : ndarray of int64, shape (n,), or None
        Number of the cluster of rows that vary together; all pairs count all the same.
    X : table or None
        Features, in any type of which rows can be taken.
    scores : ndarray of shape (n,)
        Scores without NaN; empty where there are none.

    Examples
    --------
    >>> from isonomy._core import Items, WorstLabel
    >>> items = Items.checked([[1, 0], [0, 1], [0, 0]], sample_weight=[2, 1, 1])
    >>> items.preferences(WorstLabel()).n_terms
    2
    >>> items.take([0, 2]).sample_weight
    array([2., 1.])
    """

    labels: Labels
    sample_weight: FloatArray | None = None
    count: NDArray[np.int64] | None = None
    group: NDArray[np.int64] | None = None
    group_weight: GroupWeight = "pairs"
    cluster: NDArray[np.int64] | None = None
    X: Any = None
    scores: FloatArray = field(default_factory=lambda: NO_SCORES)

    @classmethod
    def checked(
        cls,
        Y: Any,
        *,
        name: str = "Y",
        X: Any = None,
        y_score: Any = NO_SCORES,
        score_name: str = "y_score",
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        group_weight: GroupWeight = "pairs",
        clusters: ArrayLike | None = None,
    ) -> Items:
        """Check what a user passed. Rows are compared before anything is computed from them.

        `Items` as `Y` bring weights, counts and groups of their own and are not checked again;
        they get the features, with their `group_weight`, or the scores that are given.
        """
        if isinstance(Y, Items):
            if any(each is not None for each in (sample_weight, counts, groups, clusters)):
                raise TypeError("`Items` bring their own weights, counts, groups and clusters.")
            found = Y if X is None else Y._with_features(X, group_weight)
            return found if y_score is NO_SCORES else found.scored(y_score, name=score_name)
        check_choice("group_weight", group_weight, ("pairs", "equal"))
        beside = {"X": X, "sample_weight": sample_weight, "counts": counts, "groups": groups}
        check_same_index(**{name: Y, score_name: y_score}, **beside, clusters=clusters)
        if row_count(Y) is None:
            Y = Labels.from_table(Y, name=name)
        given = y_score is not NO_SCORES
        scores = as_score_column(y_score, name=score_name) if given else NO_SCORES
        name = Y.parameter if isinstance(Y, Labels) else name
        check_row_counts(**{name: Y, score_name: scores if given else None}, X=X)
        n = row_count(Y) or 0
        group = as_groups(groups, n)
        weight = as_weight(sample_weight, n)
        if weight is not None:
            check_weight_range(weight, group if group_weight == "equal" else None)
        cluster = as_groups(clusters, n, "clusters")
        if group is not None and cluster is not None:
            cluster_of_groups(group, cluster)
        count = as_counts(counts, n)
        labels = Labels.from_table(Y, name=name)
        found = cls(labels, weight, count, group, group_weight, cluster, X, scores)
        return found._with_no_score_missing(score_name) if given else found

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: ArrayLike) -> Items:
        """Some of the rows, by their numbers, in that order."""
        index = np.asarray(rows)
        return replace(
            self,
            labels=self.labels.take(index),
            sample_weight=None if self.sample_weight is None else self.sample_weight[index],
            count=None if self.count is None else self.count[index],
            group=_numbered_again(self.group, index),
            cluster=_numbered_again(self.cluster, index),
            X=None if self.X is None else take_features(self.X, index),
            scores=self.scores[index] if self.scores.size else self.scores,
        )

    def counted(self) -> Items:
        """The rows that stand for an item: those of count 0 are as if they were not there."""
        if self.count is None or self.count.all():
            return self
        return self.take(np.flatnonzero(self.count))

    def _with_features(self, X: Any, group_weight: GroupWeight) -> Items:
        check_row_counts(**{self.labels.parameter: self.labels, "X": X})
        if self.sample_weight is not None and group_weight != self.group_weight:
            check_weight_range(self.sample_weight, self.group if group_weight == "equal" else None)
        return replace(self, X=X, group_weight=group_weight)

    def scored(self, y_score: ArrayLike, *, name: str = "y_score") -> Items:
        """The same rows with these scores, which are checked."""
        scores = as_score_column(y_score, name=name)
        check_row_counts(**{self.labels.parameter: self.labels, name: scores})
        return replace(self, scores=scores)._with_no_score_missing(name)

    def _with_no_score_missing(self, name: str) -> Items:
        refuse_missing_scores(self.scores, self.score_ends, name=name)
        return self

    @cached_property
    def score_ends(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        return extremes(self.scores)

    def preferences(self, objective: Objective) -> Preferences:
        """What an objective wishes of these rows, with their weights and groups."""
        check_objective(objective)
        found = objective.preferences(self.counted_labels)
        if len(found) != len(self):
            raise ValueError(
                f"Parameter `objective` should give one code for each of the {len(self)} items. "
                f"Found {len(found)}; pass `labels.codes` on."
            )
        if found.group is not None and self.group is not None:
            raise ValueError(
                "Parameter `groups` cannot be used: the objective has groups of its own."
            )
        weight = self.pair_weight
        if found.weight is not None:
            weight = found.weight if weight is None else weight * found.weight
        group = found.group if self.group is None else self.group
        return found.on(weight, group, self.group_weight, self.count)

    @cached_property
    def counted_labels(self) -> Labels:
        """The labels as they count, with weights: a row of none has those of a row that has some.

        Otherwise a level that no item has would be one more term, as if it were there.
        """
        labels = self.labels
        if self.weight is not None:
            labels = labels.with_(weight=self.weight)
        nothing = np.zeros(len(self), np.bool_)
        for each in (self.sample_weight, self.count):
            if each is not None:
                nothing |= each == 0
        if not nothing.any() or nothing.all():
            return labels
        stand_in = np.where(nothing, np.argmin(nothing), np.arange(len(self)))
        return labels.take(stand_in).with_(weight=labels.weight)

    @cached_property
    def weight(self) -> FloatArray | None:
        """Weights, scaled by a power of two to a largest of about 1, times counts.

        That changes no ratio of sums; products of two neither overflow nor vanish.
        """
        return self._scaled(None)

    @cached_property
    def squared_weight(self) -> FloatArray | None:
        """The sum of the squared weights of the items that a row stands for; None: 1 each."""
        if self.weight is None or self.count is None:
            return None if self.weight is None else self.weight**2
        return np.asarray(self.weight**2 / np.maximum(self.count, 1))

    @property
    def n_items(self) -> int:
        """How many items there are: rows, or the sum of their counts."""
        return len(self) if self.count is None else int(self.count.sum())

    @cached_property
    def pair_weight(self) -> FloatArray | None:
        """What a row brings to the weight of a pair.

        As `weight`; scaled group by group where each counts the same, whatever its weights.
        """
        return self.weight if self.group_weight == "pairs" else self._scaled(self.group)

    @cached_property
    def gain_weight(self) -> FloatArray | None:
        """Weights of the items that rows stand for, scaled in each group as `pair_weight` is."""
        weight = self.sample_weight
        if weight is None:
            return None
        return scaled_weight(weight, self.group)

    def _scaled(self, group: NDArray[np.int64] | None) -> FloatArray | None:
        weight = self.sample_weight
        if weight is not None:
            weight = scaled_weight(weight, group)
        if self.count is None:
            return weight
        return np.asarray(self.count * (1.0 if weight is None else weight))

    @property
    def n_groups(self) -> int:
        """Number of groups; 1 where all pairs count."""
        return 1 if self.group is None else int(self.group.max()) + 1

    @property
    def given(self) -> dict[str, Any]:
        """Weights and groups, where there are any, by the names that `fit` has for them."""
        named = {"sample_weight": self.sample_weight, "groups": self.group}
        return {name: values for name, values in named.items() if values is not None}


def _numbered_again(
    numbers: NDArray[np.int64] | None, index: NDArray[Any]
) -> NDArray[np.int64] | None:
    """Numbers of some rows' groups or clusters, from 0 and without gaps."""
    if numbers is None:
        return None
    return number_occurring(numbers[index], int(numbers.max()) + 1)[0].astype(np.int64)


def cluster_of_groups(group: NDArray[np.int64], cluster: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cluster that each group lies in."""
    found = np.zeros(int(group.max()) + 1, np.int64)
    found[group] = cluster
    if (found[group] != cluster).any():
        raise ValueError(
            "Parameter `clusters` should hold whole groups, such as all queries of a user. Found a "
            "group in two clusters. (Only pairs inside a group count; its rows vary together.)"
        )
    return found


def take_features(X: Any, index: NDArray[Any]) -> Any:
    """Some rows of a table: an array, a sparse matrix or a data frame."""
    if isinstance(X, np.ndarray):
        return X[index]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, index)
