"""A fitted classifier for each label, and what each says of rows that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from isonomy._core import FloatArray, Items, take_features
from isonomy._rankers.plugin import weight_name
from isonomy._rankers.splitting import Index, row_folds

# With more rows than this a sample is enough to find settings and weights.
MANY_ROWS = 100_000
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
    unseen : bool
        Whether somebody asks for the logits of rows that are held out.
    """

    X: Any
    y: FloatArray
    weight: FloatArray | None
    fold: Index
    unseen: bool = True

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
        weight = None if self.weight is None else self.weight[rows]
        return self.features(rows), self.y[rows], weight

    def features(self, rows: Index) -> Any:
        """The features of some rows."""
        return take_features(self.X, rows)

    def take(self, rows: Index) -> LabelRows:
        """Some of the rows, with the folds that they have."""
        return LabelRows(*self.part(rows), self.fold[rows], self.unseen)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.fold.max()) + 1


class LabelLearner(Protocol):
    """How a label's classifier is found."""

    def learn(self, rows: LabelRows) -> tuple[Any, FloatArray]:
        """A classifier fitted to all rows, and the logits of each row by one that left it out.

        The logits may be 0 where nobody asks for them.
        """


@dataclass(frozen=True)
class OneClassifier:
    """Any classifier, taken as it is."""

    estimator: Any

    def learn(self, rows: LabelRows) -> tuple[Any, FloatArray]:
        """Fit it to all rows and, where the logits are asked for, to all but each fold."""
        found = np.zeros(len(rows.y))
        if rows.unseen:
            found = out_of_fold(rows, lambda _: self.estimator)
        return fit_classifier(self.estimator, *rows.part(rows.training())), found


@dataclass(frozen=True, eq=False)
class LabelModels:
    """One classifier per label, or several kinds of them.

    Attributes
    ----------
    classifiers : list
        Fitted to all rows, label by label, the first kind's before the next.
        None for labels that were left out.
    parents : ndarray of int, shape (K,)
        The label on whose positives alone each label's classifiers were fitted; -1: on all rows.
    logits : ndarray of shape (n, K) or (n, kinds x K)
        What they say of rows that they have not seen, in the order of `classifiers`.
    rows : ndarray of int or None
        Which rows the logits are of; None: all.
    """

    classifiers: list[Any]
    parents: NDArray[np.int64]
    logits: FloatArray
    rows: Index | None = None

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
        unseen: bool = True,
    ) -> LabelModels:
        """Fit them to these rows: all labels, or `only` one.

        `known` has those of labels with the same parents already. Of very many rows a sample
        finds the settings and the logits; the classifiers are fitted to all. `unseen` False: the
        logits are nobody's business.
        """
        n_labels = items.labels.n_labels
        if parents is None:
            parents = np.full(n_labels, -1, np.int64)
        rows = known.rows if known is not None else sample_rows(items, rng)
        if rows is not None:
            part = cls.fit(
                items.take(rows),
                learner,
                n_folds=n_folds,
                rng=rng,
                parents=parents,
                known=None if known is None else replace(known, rows=None),
                only=only,
                unseen=unseen,
            )
            return replace(part._refitted(items, known), rows=rows)
        # One group alone cannot be parted: its rows are.
        one_group = items.group is not None and items.n_groups < n_folds
        dealt = replace(items, group=None) if one_group else items
        fold = row_folds(dealt, n_folds, rng)
        weight = _row_weight(items)
        classifiers, columns = [], []
        for k, parent in enumerate(parents):
            if only not in (None, k):
                found, column = None, np.zeros(len(items))
            elif known is not None and parent == known.parents[k]:
                found, column = known.classifiers[k], known.logits[:, k]
            else:
                y = _taught(items, k, parent)
                found, column = learner.learn(LabelRows(items.X, y, weight, fold, unseen))
            classifiers.append(found)
            columns.append(column)
        return cls(classifiers, parents, np.column_stack(columns))

    @classmethod
    def joined(cls, kinds: Sequence[LabelModels]) -> LabelModels:
        """Several kinds of classifiers of the same labels and rows."""
        classifiers = [each for kind in kinds for each in kind.classifiers]
        return replace(
            kinds[0],
            classifiers=classifiers,
            logits=np.hstack([kind.logits for kind in kinds]),
        )

    def after(self, steps: Sequence[tuple[str, Any]]) -> LabelModels:
        """The same classifiers, each with the fitted steps that made its features."""
        if not steps:
            return self
        classifiers = [
            None if each is None else Pipeline([*steps, ("classify", each)])
            for each in self.classifiers
        ]
        return replace(self, classifiers=classifiers)

    def lesson(self, items: Items, k: int) -> LabelRows:
        """What a label's classifiers learned from, without the features."""
        return _lesson(replace(items, X=None), k, int(self.parents[k]))

    def _refitted(self, items: Items, known: LabelModels | None) -> LabelModels:
        """The same classifiers fitted to all rows, but for those that are `known`."""
        classifiers = []
        for k, (each, parent) in enumerate(zip(self.classifiers, self.parents, strict=True)):
            again = each is not None and (known is None or parent != known.parents[k])
            classifiers.append(
                fit_classifier(each, *_all_rows(items, k, parent)) if again else each
            )
        return replace(self, classifiers=classifiers)


def sample_rows(items: Items, rng: np.random.Generator | None) -> Index | None:
    """Some of very many rows, whole groups where there are groups; None where all will do."""
    if len(items) <= MANY_ROWS:
        return None
    rng = np.random.default_rng(0) if rng is None else rng
    if items.group is None:
        return np.sort(rng.choice(len(items), MANY_ROWS, replace=False))
    order = rng.permutation(items.n_groups)
    sizes = np.bincount(items.group)[order]
    kept = order[: max(int(np.searchsorted(np.cumsum(sizes), MANY_ROWS)), 2)]
    rows = np.flatnonzero(np.isin(items.group, kept))
    return rows if rows.size < len(items) else None


def _row_weight(items: Items) -> FloatArray | None:
    weight = items.sample_weight
    if items.count is None:
        return weight
    return np.asarray(items.count * (1.0 if weight is None else weight), np.float64)


def _taught(items: Items, k: int, parent: int) -> FloatArray:
    """A label as its classifier learns it: NaN where the label that it waits for is not there."""
    patterns = items.labels.patterns
    y = patterns[:, k] if parent < 0 else np.where(patterns[:, parent] == 1, patterns[:, k], np.nan)
    return np.asarray(y[items.labels.codes])


def _lesson(items: Items, k: int, parent: int) -> LabelRows:
    no_folds = np.empty(0, np.int64)
    return LabelRows(items.X, _taught(items, k, parent), _row_weight(items), no_folds)


def _all_rows(items: Items, k: int, parent: int) -> tuple[Any, FloatArray, FloatArray | None]:
    rows = _lesson(items, k, parent)
    training = rows.training()
    return rows.part(training) if training.size < len(items) else (rows.X, rows.y, rows.weight)


def out_of_fold(rows: LabelRows, estimator: Any) -> FloatArray:
    """Logits of each row by `estimator(fold)` fitted to the other folds."""
    found = np.zeros(len(rows.y))
    for fold in range(rows.n_folds):
        fitted = fit_classifier(estimator(fold), *rows.part(rows.training(but=fold)))
        held_out = rows.held_out(fold)
        if held_out.size:
            found[held_out] = logits([fitted], rows.features(held_out))[:, 0]
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
