"""Fitting classifiers to labels: on all rows, or on some to judge them on the others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GroupKFold
from sklearn.utils import _safe_indexing, check_random_state

from isonomy._core import FloatArray
from isonomy._infra import warn_user
from isonomy._rankers.plugin.classifiers import (
    Rows,
    Rungs,
    check_fitted,
    class_probabilities,
    learns_only_tables,
    learns_tables,
    reached_by,
    weight_name,
)

Split = tuple[Rows, Rows]


@dataclass(frozen=True, eq=False)
class Unit:
    """The labels that one classifier predicts and the rows that it is fitted or judged on."""

    labels: tuple[int, ...]
    rows: Rows
    joint: bool


@dataclass(frozen=True, eq=False)
class Task:
    """Rows, their labels (n, K) with NaN where missing, their weights, groups and names."""

    X: Any
    Y: FloatArray
    weight: FloatArray | None
    groups: NDArray[np.int64] | None
    names: tuple[str, ...]

    @property
    def n_labels(self) -> int:
        """Number of labels K."""
        return int(self.Y.shape[1])

    def rows_of(self, k: int) -> Rows:
        """Rows in which a label is observed and that count."""
        used = ~np.isnan(self.Y[:, k])
        return np.flatnonzero(used if self.weight is None else used & (self.weight > 0))

    def means(self) -> FloatArray:
        """Weighted mean of each label where it is observed; NaN where it never is."""
        means = np.full(self.n_labels, np.nan)
        for k in range(self.n_labels):
            rows = self.rows_of(k)
            if rows.size:
                weight = None if self.weight is None else self.weight[rows]
                means[k] = np.average(self.Y[rows, k], weights=weight)
        return means

    def target(self, unit: Unit, rows: Rows) -> NDArray[np.int64]:
        """The labels as a classifier takes them: 1-D for one, a table for a joint one."""
        table = self.values(unit, rows).astype(np.int64)
        return table if unit.joint else np.asarray(table[:, 0])

    def values(self, unit: Unit, rows: Rows) -> FloatArray:
        """Some rows of the unit's labels."""
        return np.asarray(self.Y[np.ix_(rows, np.array(unit.labels))])

    def fit(self, estimator: Any, unit: Unit, rows: Rows) -> Any:
        """A clone of the estimator, fitted to some rows."""
        name = None if self.weight is None else weight_name(estimator)
        options = {} if name is None or self.weight is None else {name: self.weight[rows]}
        return clone(estimator).fit(self.features(rows), self.target(unit, rows), **options)

    def features(self, rows: Rows) -> Any:
        """Some rows of X, in its own type."""
        return self.X if rows.size == len(self.Y) else _safe_indexing(self.X, rows)


@dataclass(frozen=True, eq=False)
class Fitted:
    """Classifiers, what each predicts, and the rungs of all labels."""

    classifiers: list[Any]
    units: list[Unit]
    rungs: Rungs

    def by_label(self) -> list[Any]:
        """A classifier per label, None for labels without; or the one for all labels."""
        if self.units[0].joint:
            return self.classifiers
        labels = [unit.labels[0] for unit in self.units]
        places = dict(zip(labels, self.classifiers, strict=True))
        return [places.get(k) for k in range(self.rungs.low.size)]


def sliceable(X: Any) -> Any:
    """X in a type of which some rows can be taken."""
    if sparse.issparse(X):
        return X.tocsr()
    return X if hasattr(X, "__getitem__") else np.asarray(X)


def fit_labels(task: Task, estimator: Any, counts: NDArray[np.bool_], joint: bool | None) -> Fitted:
    """Fit a classifier to each label that counts, or one to all labels."""
    n_labels = task.n_labels
    check_whole(task)
    if task.weight is not None and weight_name(estimator) is None:
        warn_user(
            f"{type(estimator).__name__} takes no sample weights: they count in the priors, but "
            "not in its probabilities."
        )
    if _is_joint(estimator, joint, n_labels):
        units = [Unit(tuple(range(n_labels)), complete_rows(task, estimator), True)]
    else:
        units = [Unit((k,), task.rows_of(k), False) for k in np.flatnonzero(counts).tolist()]
    classes = [np.empty(0)] * n_labels
    for unit in units:
        for k in unit.labels:
            classes[k] = np.unique(task.Y[unit.rows, k])
            check_classes(classes[k], task.names[k])
    fitted = [task.fit(estimator, unit, unit.rows) for unit in units]
    return Fitted(fitted, units, Rungs.of(classes))


def take_fitted(task: Task, estimator: Any) -> Fitted:
    """Fitted classifiers as they are: a list with one per label, or one for all labels."""
    n_labels = task.n_labels
    several = isinstance(estimator, list | tuple)
    classifiers = list(estimator) if several else [estimator]
    for one in classifiers:
        check_fitted(one)
    first = task.features(np.arange(min(len(task.Y), 1000)))
    found = [
        classes
        for one in classifiers
        for _, classes in class_probabilities(one, first, 1 if several else n_labels)
    ]
    if len(found) != n_labels:
        raise ValueError(
            f"Parameter `estimator` should predict the {n_labels} labels of `y`. Found a fitted "
            f"one that predicts {len(found)}. Pass a list of fitted classifiers, one per label, "
            "or one fitted to the table of all labels."
        )
    if several:
        units = [Unit((k,), task.rows_of(k), False) for k in range(n_labels)]
    else:
        units = [Unit(tuple(range(n_labels)), np.arange(len(task.Y)), n_labels > 1)]
    known = [known_classes(task, k, classes) for k, classes in enumerate(found)]
    return Fitted(classifiers, units, Rungs.of(known))


def _is_joint(estimator: Any, joint: bool | None, n_labels: int) -> bool:
    only = learns_only_tables(estimator)
    name = type(estimator).__name__
    if joint is None:
        return only
    if only and not joint:
        raise ValueError(
            "Parameter `joint` should be None or True for an estimator that learns all labels at "
            f"once. Found joint={joint!r} with {name}."
        )
    if joint and not (only or learns_tables(estimator)):
        raise ValueError(
            "Parameter `joint` = True needs an estimator that takes a table of labels. Found "
            f"{name}. Use joint=None, which fits one per label."
        )
    return bool(joint) and (only or n_labels > 1)


def complete_rows(task: Task, estimator: Any) -> Rows:
    """All rows that count, for a classifier of all labels."""
    missing = np.isnan(task.Y).any(axis=0)
    if missing.any():
        raise ValueError(
            f"Parameter `y` should hold every label of every row, because "
            f"{type(estimator).__name__} learns all labels at once. Found missing values in label "
            f"{task.names[int(missing.argmax())]!r}. Use a classifier of one label, which is "
            "fitted to the rows where it is observed."
        )
    return task.rows_of(0)


def check_classes(classes: FloatArray, name: str) -> None:
    """A label needs two classes to be learned."""
    if classes.size < 2:
        found = f"only one class, {classes[0]:g}" if classes.size else "no observed value"
        raise ValueError(
            f"Parameter `y` should hold both classes of every label. Found {found}, for label "
            f"{name!r}. Drop the label, or give it weight 0."
        )


def check_whole(task: Task) -> None:
    """Classes are whole numbers."""
    wrong = np.argwhere(np.rint(np.nan_to_num(task.Y, nan=0.5)) != task.Y)
    wrong = wrong[~np.isnan(task.Y[tuple(wrong.T)])]
    if len(wrong):
        row, k = wrong[0]
        raise ValueError(
            "Parameter `y` should hold whole numbers, the classes that a classifier learns. Found "
            f"{task.Y[row, k]:g} in label {task.names[k]!r}. Multiply or round it."
        )


def known_classes(task: Task, k: int, classes: NDArray[Any]) -> FloatArray:
    """A fitted classifier's classes, which should include those of its label."""
    name, seen = task.names[k], np.unique(task.Y[task.rows_of(k), k])
    if classes.dtype.kind not in "biuf":
        raise ValueError(
            f"Parameter `estimator` should be fitted to the numbers of `y`. Found the classes "
            f"{classes.tolist()} for label {name!r}. Fit it to 0 and 1."
        )
    values = classes.astype(np.float64)
    if not np.isin(seen, values).all():
        raise ValueError(
            f"Parameter `y` should hold classes that the fitted `estimator` knows: "
            f"{values.tolist()}. Found {seen[~np.isin(seen, values)][0]:g} in label {name!r}."
        )
    return values


def splits_of(task: Task, unit: Unit, cv: Any, random_state: Any) -> list[Split]:
    """Rows to fit and rows to judge, fold by fold; both classes of every label in each fit."""
    found = []
    for train, test in _folds(task, unit, cv, random_state):
        values = task.values(unit, train)
        if test.size and train.size and (values.min(axis=0) < values.max(axis=0)).all():
            found.append((train, test))
    return found


def _folds(task: Task, unit: Unit, cv: Any, random_state: Any) -> Iterator[Split]:
    rows = unit.rows
    if isinstance(cv, list):
        for train, test in cv:
            yield np.intersect1d(train, rows), np.intersect1d(test, rows)
        return
    for train, test in _positions(task, unit, cv, random_state):
        yield rows[train], rows[test]


def _positions(task: Task, unit: Unit, cv: Any, random_state: Any) -> Iterator[Split]:
    rows = unit.rows
    groups = None if task.groups is None else task.groups[rows]
    if hasattr(cv, "split"):
        yield from cv.split(task.features(rows), task.target(unit, rows), groups)
        return
    if groups is not None:
        n_groups = np.unique(groups).size
        if n_groups >= 2:
            yield from GroupKFold(min(cv, n_groups)).split(rows, groups=groups)
        return
    fold = stratified_folds(task.values(unit, rows), cv, random_state)
    for number in range(cv):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def stratified_folds(Y: FloatArray, n_folds: int, random_state: Any) -> Rows:
    """A fold for each row, by dealing out the rows of one label pattern after the other."""
    shuffled = np.arange(len(Y))
    if random_state is not None:
        check_random_state(random_state).shuffle(shuffled)
    order = shuffled[np.lexsort(Y[shuffled].T)]
    fold = np.empty(len(Y), np.int64)
    fold[order] = np.arange(len(Y)) % n_folds
    return fold


def out_of_fold(
    task: Task, estimator: Any, unit: Unit, rungs: Rungs, splits: list[Split], enough: int | None
) -> tuple[FloatArray, Rows]:
    """Probabilities of rows that the classifier has not seen, and the fold of each row.

    NaN and fold -1 where a row is in no fold; folds end once `enough` rows are judged.
    """
    reached = np.full((len(task.Y), rungs.of_labels(unit.labels).size), np.nan)
    fold = np.full(len(task.Y), -1)
    for number, (train, test) in enumerate(splits):
        with warnings.catch_warnings():
            # What the classifier has to say it says when it is fitted to all rows.
            warnings.simplefilter("ignore")
            fitted = task.fit(estimator, unit, train)
        reached[test] = reached_by(fitted, task.features(test), unit.labels, rungs)
        fold[test] = number
        if enough is not None and (fold >= 0).sum() >= enough:
            break
    return reached, fold
