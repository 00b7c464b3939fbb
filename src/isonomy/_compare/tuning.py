"""How rankers and classifiers find their own settings inside the rows they may learn from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.special import xlog1py, xlogy
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from isonomy._compare.goals import Goal, mean_of_defined
from isonomy._core import FloatArray, Items, LossAggregation
from isonomy._infra import collected_warnings
from isonomy._metrics import ratios_of
from isonomy._rankers import Index, Split, fit_to_items, row_folds
from isonomy._rankers.blended import FoldMean, LabelRows, fit_classifier, logits
from isonomy._rankers.boosted import BoostedClassifier

# Penalties of a linear ranker on standardised features, from the strongest.
PENALTIES = (1.0, 0.1, 1e-2, 1e-3, 1e-6)
# Trial fits need not be exact.
TRIAL_TOLERANCE = 1e-6
# The same for a logistic regression, whose loss is a sum: C = 1 / (penalty x rows).
CLASSIFIER_PENALTIES = (0.3, 0.03, 3e-3, 3e-4, 3e-5)
# A setting later on the path has to be better by this much, or the earlier one is taken: of AUC
# for rankers, of the log loss explained for classifiers.
LEAST_GAIN, LEAST_EXPLAINED = 2e-4, 1e-3
# More rows tell nothing new about a penalty: so many, per feature, and of the rarest class.
ENOUGH_ROWS, ENOUGH_PER_FEATURE, ENOUGH_OF_A_CLASS = 15_000, 50, 300
# Boosting: rounds at most, rounds without a gain, and the sizes of trees that are tried.
ROUNDS, PATIENCE = 300, 20
SIZES: tuple[dict[str, Any], ...] = (
    {"num_leaves": 8, "learning_rate": 0.1},
    {"num_leaves": 31, "learning_rate": 0.1},
)
# Parts that are held out in turn inside the training rows.
FOLDS = 3
# With more rows than this one of the parts is enough.
ONE_PART_ROWS = 10_000


def n_inner_folds(items: Items) -> int:
    """How many parts are held out in turn inside the training rows."""
    return min(FOLDS, items.n_groups) if items.group is not None else FOLDS


class Tuner(Protocol):
    """How a family's rankers find their settings."""

    def fit(self, ranker: Any, items: Items, goal: Goal, seed: int) -> Any:
        """A copy of the ranker, with the settings that serve the goal best, fitted to all rows."""


@dataclass(frozen=True)
class NoTuner:
    """The ranker as it is."""

    def fit(self, ranker: Any, items: Items, goal: Goal, seed: int) -> Any:
        """Fit a copy."""
        return fit_to_items(clone(ranker), items.X, items)


@dataclass(frozen=True)
class PenaltyPath:
    """A linear ranker's `l2`, along a path from strong to weak, each fit from the one before."""

    def fit(self, ranker: Any, items: Items, goal: Goal, seed: int) -> Any:
        """Choose on inner folds (of some of the rows where there are many), fit to all."""
        rng = np.random.default_rng(seed)
        rows = None
        if items.group is None:
            rows = some_rows(items.X, items.labels.table, rng)
        part = items if rows is None else items.take(rows)
        values = np.full((1, len(PENALTIES)), np.nan)
        if n_inner_folds(part) > 1:
            values = np.array([self._path(ranker, part, each, goal) for each in _splits(part, rng)])
        best = _first_best(mean_of_defined(values), PENALTIES, LEAST_GAIN)
        # The more rows, the weaker the best penalty.
        best *= len(part) / len(items)
        return fit_to_items(clone(ranker).set_params(l2=best), items.X, items)

    def _path(self, ranker: Any, items: Items, split: Split, goal: Goal) -> FloatArray:
        train, test = items.take(split.train), items.take(split.test)
        trial = clone(ranker).set_params(warm_start=True, tol=TRIAL_TOLERANCE)
        found = np.full(len(PENALTIES), np.nan)
        for i, penalty in enumerate(PENALTIES):
            with collected_warnings():
                fit_to_items(trial.set_params(l2=penalty), train.X, train)
            found[i] = goal_of(test, trial.predict(test.X), goal)
            # Past the best one there is nothing to find.
            if i > 1 and found[i] < np.fmax.reduce(found) - 0.01 and found[i] < found[i - 1]:
                found[i + 1 :] = found[i]
                break
        return found


@dataclass(frozen=True)
class EarlyStopping:
    """A boosted ranker's size of trees and number of rounds."""

    def fit(self, ranker: Any, items: Items, goal: Goal, seed: int) -> Any:
        """Choose both on held-out rows; then as many rounds on all rows.

        Where no part of the rows has the goal both in it and beside it, the ranker as it is.
        """
        parts = _measurable_parts(items, goal, seed)
        if parts is None:
            return NoTuner().fit(ranker, items, goal, seed)
        train, test = parts
        trials = []
        for size in SIZES:
            trial = clone(ranker).set_params(
                params={**size, **(ranker.params or {})},
                n_rounds=ROUNDS,
                patience=PATIENCE,
                eval_metric=goal.objective,
                n_jobs=1,
            )
            trial.fit(train.X, train, eval_set=(test.X, test))
            trials.append((goal_of(test, trial.predict(test.X), goal), trial))
        best = max(range(len(trials)), key=lambda i: (np.nan_to_num(trials[i][0]), -i))
        chosen = trials[best][1]
        final = clone(ranker).set_params(
            params=chosen.params, n_rounds=max(chosen.best_iteration_, 1), n_jobs=1
        )
        return final.fit(items.X, items)


@dataclass(frozen=True)
class TunedLogistic:
    """A logistic regression per label, with the penalty of the best probabilities.

    Not of the best AUC: where a label is nearly certain given its features, every penalty orders
    the items alike, and only a weak one is as sure of them as a blend has to know.
    """

    def learn(self, rows: LabelRows) -> tuple[LogisticRegression, FloatArray]:
        """Walk the path on every fold, or on one of some rows; the folds' models say the logits."""
        found, start = np.zeros(len(rows.y)), None
        if len(rows.y) < ONE_PART_ROWS:
            paths = [self._path(rows, fold, CLASSIFIER_PENALTIES) for fold in range(rows.n_folds)]
            values = [_explained(rows, fold, path) for fold, (path, _) in enumerate(paths)]
            best = _chosen_penalty(mean_of_defined(np.array(values)))
            column = CLASSIFIER_PENALTIES.index(best)
        else:
            chosen = some_rows(rows.X, rows.y[:, None], np.random.default_rng(0))
            some = rows if chosen is None else rows.take(chosen)
            best = _chosen_penalty(
                _explained(some, 0, self._path(some, 0, CLASSIFIER_PENALTIES)[0])
            )
            best *= len(some.y) / len(rows.y)
            folds = range(rows.n_folds if rows.unseen else 0)
            paths = [self._path(rows, fold, (best,)) for fold in folds]
            column, start = 0, paths[0][1] if paths else None
        for fold, (path, _) in enumerate(paths):
            found[rows.held_out(fold)] = path[:, column]
        return self._fit(rows, rows.training(), best, start), found

    def _path(
        self, rows: LabelRows, fold: int, penalties: tuple[float, ...]
    ) -> tuple[FloatArray, LogisticRegression | None]:
        """Logits of a fold's rows by each penalty, and the last regression."""
        training, held_out = rows.training(but=fold), rows.held_out(fold)
        columns, start = [], None
        for penalty in penalties:
            fitted = self._fit(rows, training, penalty, start)
            start = fitted if isinstance(fitted, LogisticRegression) else None
            columns.append(logits([fitted], rows.features(held_out))[:, 0])
        return np.column_stack(columns), start

    def _fit(
        self,
        rows: LabelRows,
        training: Any,
        penalty: float,
        start: LogisticRegression | None = None,
    ) -> Any:
        estimator = start
        if estimator is None:
            estimator = LogisticRegression(max_iter=1000, tol=1e-4, warm_start=True)
        X, y, weight = rows.part(training)
        if np.unique(y).size < 2:
            return fit_classifier(estimator, X, y, weight)
        total = len(y) if weight is None else weight.sum()
        estimator.set_params(C=1.0 / (penalty * total))
        with collected_warnings():
            return estimator.fit(X, y, sample_weight=weight)


@dataclass(frozen=True)
class TunedBoosting:
    """Boosted trees per label, with the size and the rounds of the best probabilities."""

    seed: int

    def learn(self, rows: LabelRows) -> tuple[FoldMean, FloatArray]:
        """Stop by each fold in turn; its size of trees is chosen on the first.

        The folds' own models are kept, and say together what new rows have: a model of all rows
        would not be as sure of itself as those by which a blend was balanced, and where labels
        oppose each other a blend tips over by little.
        """
        found, kept = np.zeros(len(rows.y)), []
        size = SIZES[0]
        for fold in range(rows.n_folds):
            sizes = SIZES if fold == 0 else (size,)
            trials = [self._stopped(rows, fold, each) for each in sizes]
            values = [value for value, _, _ in trials]
            best = int(np.argmax(np.nan_to_num(values)))
            size, (_, fitted, scores) = sizes[best], trials[best]
            found[rows.held_out(fold)] = scores
            kept.append(fitted)
        rounds = np.mean([getattr(each, "best_iteration_", 1) for each in kept])
        return FoldMean(self._classifier(size, max(round(float(rounds)), 1))).take(kept), found

    def _stopped(
        self, rows: LabelRows, fold: int, size: dict[str, Any]
    ) -> tuple[float, Any, FloatArray]:
        held_out = rows.held_out(fold)
        watched = held_out[~np.isnan(rows.y[held_out])]
        options: dict[str, Any] = {}
        if np.unique(rows.y[watched]).size == 2:
            options["eval_set"] = rows.part(watched)
        estimator = self._classifier(size, ROUNDS if options else 100)
        part = rows.part(rows.training(but=fold))
        if np.unique(part[1]).size < 2:
            options = {}
        fitted = fit_classifier(estimator, *part, **options)
        scores = logits([fitted], rows.features(held_out))[:, 0]
        return float(_explained(rows, fold, scores[:, None])[0]), fitted, scores

    def _classifier(self, size: dict[str, Any], n_rounds: int) -> BoostedClassifier:
        return BoostedClassifier(
            params=size, n_rounds=n_rounds, patience=PATIENCE, random_state=self.seed, n_jobs=1
        )


def some_rows(X: Any, Y: FloatArray, rng: np.random.Generator) -> Index | None:
    """Rows, in their order, that are enough to choose a penalty by; None: all."""
    enough = max(ENOUGH_ROWS, ENOUGH_PER_FEATURE * X.shape[1])
    rarest = min(np.count_nonzero(Y == 0, axis=0).min(), np.count_nonzero(Y == 1, axis=0).min())
    enough = max(enough, ENOUGH_OF_A_CLASS * len(Y) // max(int(rarest), 1))
    if len(Y) <= enough:
        return None
    return np.sort(rng.choice(len(Y), enough, replace=False))


def goal_of(items: Items, scores: FloatArray, goal: Goal) -> float:
    """The goal's value of scores of these rows; NaN where a label has one class."""
    return float(goal.value(ratios_of(items.scored(scores), LossAggregation())[1]))


def _splits(items: Items, rng: np.random.Generator) -> Iterator[Split]:
    """Inner folds; the first of three alone where there are many rows."""
    n_folds = n_inner_folds(items)
    fold = row_folds(replace(items, X=None), n_folds, rng)
    for f in range(n_folds if len(items) < ONE_PART_ROWS else 1):
        yield Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f))


def _measurable_parts(items: Items, goal: Goal, seed: int) -> tuple[Items, Items] | None:
    """Rows to train on and rows held out, the first that hold both classes of the labels."""
    if n_inner_folds(items) < 2:
        return None
    for split in _splits(items, np.random.default_rng(seed)):
        parts = items.take(split.train), items.take(split.test)
        if not any(np.isnan(goal_of(part, np.zeros(len(part)), goal)) for part in parts):
            return parts
    return None


def _explained(rows: LabelRows, fold: int, scores: FloatArray) -> FloatArray:
    """Share of the label's log loss in a fold that each column of logits saves a constant.

    NaN where the fold has one class.
    """
    held_out = rows.held_out(fold)
    known = ~np.isnan(rows.y[held_out])
    y = rows.y[held_out][known]
    weight = np.ones(y.size) if rows.weight is None else rows.weight[held_out][known]
    if np.unique(y[weight > 0]).size < 2:
        return np.full(scores.shape[1], np.nan)
    prior = np.average(y, weights=weight)
    of_prior = -(xlogy(prior, prior) + xlog1py(1.0 - prior, -prior))
    losses = np.logaddexp(0.0, np.where(y[:, None] == 1, -scores[known], scores[known]))
    return np.asarray(1.0 - np.average(losses, axis=0, weights=weight) / of_prior)


def _chosen_penalty(explained: FloatArray) -> float:
    return _first_best(explained, CLASSIFIER_PENALTIES, LEAST_EXPLAINED)


def _first_best(values: FloatArray, settings: tuple[float, ...], least_gain: float) -> float:
    """The first setting that is nearly the best; the middle one where nothing is defined."""
    if np.isnan(values).all():
        return settings[len(settings) // 2]
    return settings[int(np.flatnonzero(values >= np.nanmax(values) - least_gain)[0])]
