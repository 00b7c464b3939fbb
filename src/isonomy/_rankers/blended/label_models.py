"""A fitted classifier for each label, and what each says of rows that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import clone

from isonomy._core import FloatArray, Items
from isonomy._rankers.plugin import weight_name
from isonomy._rankers.splitting import Index, row_folds

# Logits are taken of probabilities no closer to 0 and 1 than this.
EDGE = 1e-12


@dataclass(frozen=True, eq=False)
class LabelRows:
    """The rows for one label's classifier.

    Attributes
    ----------
    X : table of n rows
    y : ndarray of shape (n,)
        The label; NaN where the row teaches nothing of it.
    weight : ndarray of shape (n,) or None
    fold : ndarray of int, shape (n,)
        The part in which each row is held out.
    """

    X: Any
    y: FloatArray
    weight: FloatArray | None
    fold: Index

    def training(self, but: int | None = None) -> Index:
        """Rows that teach, but for those of one fold."""
        known = ~np.isnan(self.y)
        if self.weight is not None:
            known &= self.weight > 0
        return np.flatnonzero(known if but is None else known & (self.fold != but))

    def held_out(self, fold: int) -> Index:
        """All rows of a fold, whether they teach or not."""
        return np.flatnonzero(self.fold == fold)

    def part(self, rows: Index) -> tuple[Any, FloatArray, FloatArray | None]:
        """Features, label and weights of some rows."""
        return self.X[rows], self.y[rows], None if self.weight is None else self.weight[rows]

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.fold.max()) + 1


class LabelLearner(Protocol):
    """How a label's classifier is found."""

    def learn(self, rows: LabelRows) -> tuple[Any, FloatArray]:
        """A classifier fitted to all rows, and the logits of each row by one that left it out."""


@dataclass(frozen=True)
class OneClassifier:
    """Any classifier, taken as it is."""

    estimator: Any

    def learn(self, rows: LabelRows) -> tuple[Any, FloatArray]:
        """Fit it to all but each fold, then to all rows."""
        return fit_classifier(self.estimator, *rows.part(rows.training())), out_of_fold(
            rows, lambda _: self.estimator
        )


@dataclass(frozen=True, eq=False)
class LabelModels:
    """One classifier per label.

    Attributes
    ----------
    classifiers : list
        Fitted to all rows, label by label.
        None for labels that were left out.
    parents : ndarray of int, shape (K,)
        The label on whose positives alone each label's classifier was fitted; -1: on all rows.
    logits : ndarray of shape (n, K)
        What they say of rows that they have not seen.
    """

    classifiers: list[Any]
    parents: NDArray[np.int64]
    logits: FloatArray

    @classmethod
    def fit(
        cls,
        items: Items,
        learner: LabelLearner,
        *,
        n_folds: int,
        rng: np.random.Generator | None,
        parents: NDArray[np.int64] | None = None,
        known: LabelModels | None = None,
        only: int | None = None,
    ) -> LabelModels:
        """Fit them to these rows: all labels, or `only` one.

        `known` has those of labels with the same parents already.
        """
        n_labels = items.labels.n_labels
        if parents is None:
            parents = np.full(n_labels, -1, np.int64)
        # One group alone cannot be parted: its rows are.
        one_group = items.group is not None and items.n_groups < n_folds
        dealt = replace(items, group=None) if one_group else items
        fold = row_folds(dealt, n_folds, rng)
        table = items.labels.table
        weight = items.sample_weight
        if items.count is not None:
            weight = np.asarray(items.count * (1.0 if weight is None else weight), np.float64)
        classifiers, columns = [], []
        for k, parent in enumerate(parents):
            if only not in (None, k):
                found, column = None, np.zeros(len(items))
            elif known is not None and parent == known.parents[k]:
                found, column = known.classifiers[k], known.logits[:, k]
            else:
                y = table[:, k]
                if parent >= 0:
                    y = np.where(table[:, parent] == 1, y, np.nan)
                found, column = learner.learn(LabelRows(items.X, y, weight, fold))
            classifiers.append(found)
            columns.append(column)
        return cls(classifiers, parents, np.column_stack(columns))


def out_of_fold(rows: LabelRows, estimator: Any) -> FloatArray:
    """Logits of each row by `estimator(fold)` fitted to the other folds."""
    found = np.zeros(len(rows.y))
    for fold in range(rows.n_folds):
        fitted = fit_classifier(estimator(fold), *rows.part(rows.training(but=fold)))
        held_out = rows.held_out(fold)
        if held_out.size:
            found[held_out] = logits([fitted], rows.X[held_out])[:, 0]
    return found


def fit_classifier(
    estimator: Any, X: Any, y: FloatArray, weight: FloatArray | None, **options: Any
) -> Any:
    """A fitted copy; one that always says the same where there is only one class."""
    if np.unique(y).size < 2:
        from sklearn.dummy import DummyClassifier

        return DummyClassifier().fit(np.zeros((2, 1)), [0, 1])
    name = weight_name(estimator)
    if weight is not None and name is not None:
        options[name] = weight
    return clone(estimator).fit(X, y, **options)


def logits(classifiers: Sequence[Any], X: Any) -> FloatArray:
    """The logit of each classifier's probability of a positive, (n, K)."""
    columns = [np.asarray(each.predict_proba(X))[:, -1] for each in classifiers]
    return np.asarray(logit(np.clip(np.column_stack(columns), EDGE, 1.0 - EDGE)))
