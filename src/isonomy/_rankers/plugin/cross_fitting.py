"""Fitting classifiers to labels: on all rows, or on some to judge them on the others."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from isonomy._core import FloatArray, Items, Labels
from isonomy._infra import warn_user
from isonomy._rankers.items_to_fit import as_features
from isonomy._rankers.plugin.classifiers import (
    check_fitted,
    class_probabilities,
    learns_only_tables,
    learns_tables,
    reached_by,
    weight_name,
)
from isonomy._rankers.plugin.ordinal_steps import OrdinalSteps
from isonomy._rankers.splitting import Index, Split, given_splits, row_folds


@dataclass(frozen=True, eq=False)
class LabelUnit:
    """The labels that one classifier predicts and the rows that it is fitted or judged on."""

    labels: tuple[int, ...]
    rows: Index
    joint: bool

    def values(self, items: Items) -> FloatArray:
        """The unit's labels in some items, (n, its labels)."""
        return np.asarray(items.labels.table[:, list(self.labels)])

    def fit(self, estimator: Any, items: Items) -> Any:
        """A clone of the estimator, fitted to some items: 1-D for one label, else a table."""
        weight = items.sample_weight
        name = None if weight is None else weight_name(estimator)
        target = self.values(items).astype(np.int64)
        return clone(estimator).fit(
            items.X,
            target if self.joint else target[:, 0],
            **({} if name is None else {name: weight}),
        )


@dataclass(frozen=True, eq=False)
class FittedClassifiers:
    """Classifiers, what each predicts, and the ordinal steps of all labels."""

    classifiers: list[Any]
    units: list[LabelUnit]
    steps: OrdinalSteps

    def by_label(self) -> list[Any]:
        """A classifier per label, None for labels without; or the one for all labels."""
        if self.units[0].joint:
            return self.classifiers
        labels = [unit.labels[0] for unit in self.units]
        places = dict(zip(labels, self.classifiers, strict=True))
        return [places.get(k) for k in range(self.steps.low.size)]


def sliceable(X: Any) -> Any:
    """X in a type of which some rows can be taken."""
    if isinstance(X, list | tuple):
        return X
    if not hasattr(X, "__getitem__") and not hasattr(X, "tocsr"):
        X = np.asarray(X)
    return as_features(X, any_shape=True)


def observed_rows(items: Items, k: int) -> Index:
    """Rows in which a label is observed and that count."""
    observed = ~np.isnan(items.labels.patterns[:, k])[items.labels.codes]
    weight = items.sample_weight
    return np.flatnonzero(observed if weight is None else observed & (weight > 0))


def label_means(items: Items) -> FloatArray:
    """Weighted mean of each label where it is observed; NaN where it never is."""
    means = np.full(items.labels.n_labels, np.nan)
    for k in range(means.size):
        rows = observed_rows(items, k)
        if rows.size:
            weight = None if items.sample_weight is None else items.sample_weight[rows]
            means[k] = np.average(_observed(items, k), weights=weight)
    return means


def fit_labels(
    items: Items, estimator: Any, counts: NDArray[np.bool_], joint: bool | None
) -> FittedClassifiers:
    """Fit a classifier to each label that counts, or one to all labels."""
    labels = items.labels
    check_whole(labels)
    if items.sample_weight is not None and weight_name(estimator) is None:
        warn_user(
            f"{type(estimator).__name__} takes no sample weights: they count in the priors, but "
            "not in its probabilities."
        )
    if _is_joint(estimator, joint, labels.n_labels):
        units = [LabelUnit(tuple(range(labels.n_labels)), complete_rows(items, estimator), True)]
    else:
        numbers = np.flatnonzero(counts).tolist()
        units = [LabelUnit((k,), observed_rows(items, k), False) for k in numbers]
    classes = [np.empty(0)] * labels.n_labels
    for unit in units:
        for k in unit.labels:
            classes[k] = np.unique(_observed(items, k))
            check_classes(classes[k], labels.names[k])
    fitted = [unit.fit(estimator, _part(items, unit.rows)) for unit in units]
    return FittedClassifiers(fitted, units, OrdinalSteps.of(classes))


def take_fitted(items: Items, estimator: Any) -> FittedClassifiers:
    """Fitted classifiers as they are: a list with one per label, or one for all labels."""
    n_labels = items.labels.n_labels
    several = isinstance(estimator, list | tuple)
    classifiers = list(estimator) if several else [estimator]
    for one in classifiers:
        check_fitted(one)
    first = _part(items, np.arange(min(len(items), 1000))).X
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
        units = [LabelUnit((k,), observed_rows(items, k), False) for k in range(n_labels)]
    else:
        units = [LabelUnit(tuple(range(n_labels)), np.arange(len(items)), n_labels > 1)]
    known = [known_classes(items, k, classes) for k, classes in enumerate(found)]
    return FittedClassifiers(classifiers, units, OrdinalSteps.of(known))


def _part(items: Items, rows: Index) -> Items:
    return items if rows.size == len(items) else items.take(rows)


def _observed(items: Items, k: int) -> FloatArray:
    """A label's values in the rows where it is observed and that count."""
    labels = items.labels
    return np.asarray(labels.patterns[labels.codes[observed_rows(items, k)], k])


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


def complete_rows(items: Items, estimator: Any) -> Index:
    """All rows that count, for a classifier of all labels."""
    missing = np.isnan(items.labels.patterns[items.labels.occurs]).any(axis=0)
    if missing.any():
        raise ValueError(
            f"Parameter `y` should hold every label of every row, because "
            f"{type(estimator).__name__} learns all labels at once. Found missing values in label "
            f"{items.labels.names[int(missing.argmax())]!r}. Use a classifier of one label, which "
            "is fitted to the rows where it is observed."
        )
    return observed_rows(items, 0)


def check_classes(classes: FloatArray, name: str) -> None:
    """A label needs two classes to be learned."""
    if classes.size < 2:
        found = f"only one class, {classes[0]:g}" if classes.size else "no observed value"
        raise ValueError(
            f"Parameter `y` should hold both classes of every label. Found {found}, for label "
            f"{name!r}. Drop the label, or give it weight 0."
        )


def check_whole(labels: Labels) -> None:
    """Classes are whole numbers."""
    patterns = labels.patterns[labels.occurs]
    wrong = np.argwhere(~np.isnan(patterns) & (np.rint(patterns) != patterns))
    if len(wrong):
        row, k = wrong[0]
        raise ValueError(
            "Parameter `y` should hold whole numbers, the classes that a classifier learns. Found "
            f"{patterns[row, k]:g} in label {labels.names[k]!r}. Multiply or round it."
        )


def known_classes(items: Items, k: int, classes: NDArray[Any]) -> FloatArray:
    """A fitted classifier's classes, which should include those of its label."""
    name, seen = items.labels.names[k], np.unique(_observed(items, k))
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


def folds_of(items: Items, n_folds: int, random_state: Any) -> Index:
    """A fold for each row, in the order of the rows where `random_state` is None."""
    rng = None if random_state is None else check_random_state(random_state)
    return row_folds(items, n_folds, rng)


def splits_of(items: Items, unit: LabelUnit, cv: Any, random_state: Any) -> list[Split]:
    """Rows to fit and rows to judge, fold by fold; both classes of every label in each fit."""
    rows = unit.rows
    if isinstance(cv, list):
        given = given_splits(cv, items, parameter="cv", whole_groups=False)
        found = [Split(np.intersect1d(s.train, rows), np.intersect1d(s.test, rows)) for s in given]
    else:
        part = replace(items, X=None).take(rows)
        part = replace(part, labels=Labels.from_table(unit.values(part)))
        if hasattr(cv, "split"):
            splits = given_splits(cv, part, parameter="cv", whole_groups=False)
        else:
            fold = folds_of(part, cv, random_state)
            splits = [
                Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(cv)
            ]
        found = [Split(rows[s.train], rows[s.test]) for s in splits]
    values = unit.values(items)
    return [
        split
        for split in found
        if split.test.size
        and split.train.size
        and (values[split.train].min(axis=0) < values[split.train].max(axis=0)).all()
    ]


def out_of_fold(
    items: Items,
    estimator: Any,
    unit: LabelUnit,
    steps: OrdinalSteps,
    splits: list[Split],
    *,
    enough: int | None,
) -> tuple[FloatArray, Index]:
    """Probabilities of rows that the classifier has not seen, and the fold of each row.

    NaN and fold -1 where a row is in no fold; folds end once `enough` rows are judged.
    """
    reached = np.full((len(items), steps.of_labels(unit.labels).size), np.nan)
    fold = np.full(len(items), -1)
    for number, split in enumerate(splits):
        with warnings.catch_warnings():
            # What the classifier has to say it says when it is fitted to all rows.
            warnings.simplefilter("ignore")
            fitted = unit.fit(estimator, items.take(split.train))
        reached[split.test] = reached_by(fitted, items.take(split.test).X, unit.labels, steps)
        fold[split.test] = number
        if enough is not None and (fold >= 0).sum() >= enough:
            break
    return reached, fold
