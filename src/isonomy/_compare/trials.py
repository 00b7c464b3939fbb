"""Train every method on every split, on all cores, with one answer for any number of them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse, stats
from threadpoolctl import ThreadpoolController

from isonomy._compare.fitting import (
    FitSettings,
    SharedModels,
    fit_preparation,
    fit_ranker,
    preparation,
)
from isonomy._compare.methods import Method
from isonomy._core import ConflictPairs, FloatArray, Items, LossAggregation, WorstLabel
from isonomy._counting import top_pair_shares
from isonomy._infra import (
    bars_shown,
    collected_warnings,
    one_blas_thread,
    progress,
    run,
    warnings_by_thread,
)
from isonomy._metrics import ndcgs_of, ratios_of, square
from isonomy._rankers import Split, as_features

# With groups, nDCG looks at so many ranks of each.
TOP = 10


@dataclass(frozen=True, eq=False)
class SplitResult:
    """What a method gave on a split.

    Attributes
    ----------
    aucs : ndarray of shape (K,)
        AUC of each label on the test rows; NaN where one class is missing.
    conflicts : ndarray of shape (K, K)
        Conflict AUCs of the test rows.
    ndcgs : ndarray of shape (K,)
        With groups: nDCG of each label in the first ten of each; otherwise NaN.
    top_conflicts : ndarray of shape (K, K)
        With groups: conflict AUCs of the pairs with an item in the first ten of each.
    places : ndarray of shape (n_test,)
        Where each test row stands among them, from 0 (last) to 1.
    label_weights : ndarray of shape (K,) or None
        The weights a_k that a worst-label ranker has found.
    """

    aucs: FloatArray
    conflicts: FloatArray
    ndcgs: FloatArray
    top_conflicts: FloatArray
    places: FloatArray
    label_weights: FloatArray | None


@dataclass(frozen=True, eq=False)
class Attempt:
    """What a task gave, or why it failed, and what it warned of."""

    value: Any
    failed: str | None
    warned: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Trials:
    """Everything that was tried.

    Attributes
    ----------
    methods : list of Method
    splits : list of Split
    attempts : list of lists of Attempt
        A SplitResult each, by method and split.
    tradeoffs : list of Attempt
        What the other tasks made of the first split.
    sparse_features : bool
        Whether the prepared features are sparse.
    """

    methods: list[Method]
    splits: list[Split]
    attempts: list[list[Attempt]]
    tradeoffs: list[Attempt]
    sparse_features: bool


class SplitRows:
    """A split's rows, and their features prepared once for all tasks and forgotten after the last.

    `train` and `test` have no features of their own: methods differ in how they prepare them.
    """

    def __init__(self, items: Items, split: Split, n_tasks: int) -> None:
        self.items, self.split, self.n_tasks = items, split, n_tasks
        self.lock = threading.Lock()
        self.taken: tuple[Items, Items] | None = None
        self.prepared: dict[tuple[int, bool], tuple[Any, Any] | str] = {}
        self.sparse_features = False

    def parts(self, method: Method) -> tuple[Items, Items]:
        """Training and test rows, with features as the method's ranker takes them."""
        key = id(method.prepare), method.standardise
        with self.lock:
            train, test = self._bare()
            if key not in self.prepared:
                self.prepared[key] = self._prepare(method)
            found = self.prepared[key]
        if isinstance(found, str):
            raise ValueError(found)
        return replace(train, X=found[0]), replace(test, X=found[1])

    def bare_test(self) -> Items:
        """The test rows without features."""
        with self.lock:
            return self._bare()[1]

    def task_done(self) -> None:
        """One task fewer to wait for."""
        with self.lock:
            self.n_tasks -= 1
            if self.n_tasks == 0:
                self.prepared.clear()
                self.taken = None

    def _bare(self) -> tuple[Items, Items]:
        if self.taken is None:
            bare = replace(self.items, X=None)
            self.taken = bare.take(self.split.train), bare.take(self.split.test)
        return self.taken

    def _prepare(self, method: Method) -> tuple[Any, Any] | str:
        steps = preparation(method)
        train, test = self.items.take(self.split.train), self.items.take(self.split.test)
        try:
            train_features = fit_preparation(steps, train.X, train.labels.table)
            test_features = test.X
            for _, step in steps:
                test_features = step.transform(test_features)
        except Exception as error:  # noqa: BLE001 - any step of the user's may fail in any way.
            return f"Preparing the features failed. {error_text(error)}"
        self.sparse_features |= sparse.issparse(train_features)
        return tuple(as_features(each, any_shape=True) for each in (train_features, test_features))


Task: TypeAlias = Callable[[SplitRows], Any]


def run_trials(
    items: Items,
    methods: list[Method],
    splits: list[Split],
    tradeoff_tasks: Sequence[Task],
    *,
    settings: FitSettings,
    threads: int | None,
) -> Trials:
    """Each method on each split, and the trade-offs on the first.

    Methods that share classifiers are one task. `threads` None: one fit after the other, each
    with threads of its own.
    """
    together = _together(methods)
    first, *others = (SplitRows(items, split, len(together)) for split in splits)
    first.n_tasks += len(tradeoff_tasks)
    tasks: list[tuple[Task, SplitRows]] = [(task, first) for task in tradeoff_tasks]
    tasks += [
        (partial(_measure_on_split, [methods[m] for m in some], settings), rows)
        for rows in [first, *others]
        for some in together
    ]
    controller = ThreadpoolController()

    def work(task: Task, rows: SplitRows) -> Attempt:
        # The cores are busy with other tasks, and sums have one order for any number of threads.
        limit = None if threads is None else 1
        with bars_shown(False), controller.limit(limits=limit, user_api="openmp"):
            try:
                return _attempt(task, rows)
            finally:
                rows.task_done()

    title = f"{len(methods) - 1} methods x {len(splits)} splits of {len(items):,} rows"
    with warnings_by_thread(), one_blas_thread():
        found = list(progress(run(work, tasks, threads or 1), len(tasks), title, at_once=True))
    tradeoffs, measured = found[: len(tradeoff_tasks)], found[len(tradeoff_tasks) :]
    attempts: list[list[Attempt]] = [[] for _ in methods]
    for number, attempt in enumerate(measured):
        for place, m in enumerate(together[number % len(together)]):
            attempts[m].append(attempt.value[place] if attempt.failed is None else attempt)
    return Trials(methods, splits, attempts, tradeoffs, first.sparse_features)


def _together(methods: list[Method]) -> list[list[int]]:
    """Methods, by number, that are tried in one task: those that share classifiers."""
    shared: dict[str, list[int]] = {}
    alone = []
    for m, method in enumerate(methods):
        if method.from_classifiers and method.family is not None:
            shared.setdefault(method.family.base.key, []).append(m)
        else:
            alone.append([m])
    # The longest first, so that none is left over at the end.
    return [*shared.values(), *alone]


def _attempt(task: Task, rows: SplitRows) -> Attempt:
    """One task's failure is not the others'."""
    with collected_warnings() as warned:
        try:
            return Attempt(task(rows), None, tuple(warned))
        except Exception as error:  # noqa: BLE001 - rankers of the user's may fail in any way.
            return Attempt(None, error_text(error), tuple(warned))


def _measure_on_split(
    methods: list[Method], settings: FitSettings, rows: SplitRows
) -> list[Attempt]:
    """Train on one side, measure on the other."""
    shared = SharedModels(settings, unseen=any(method.blends for method in methods))
    heard: tuple[str, ...] = ()
    family = methods[0].family
    if family is not None and methods[0].from_classifiers:
        with collected_warnings() as warned:
            shared.of(family.base, rows.parts(methods[0])[0], funnel=False)
        heard = tuple(warned)
    found = [_attempt(partial(_measure, method, settings, shared), rows) for method in methods]
    return [replace(attempt, warned=(*heard, *attempt.warned)) for attempt in found]


def _measure(
    method: Method, settings: FitSettings, shared: SharedModels, rows: SplitRows
) -> SplitResult:
    if method.entry.learns == "nothing":
        test = rows.bare_test()
        scored = test.scored(np.zeros(len(test)))
        ranker = None
    else:
        train, test = rows.parts(method)
        ranker = fit_ranker(method, train, settings, shared)
        scored = test.scored(ranker.predict(test.X), name="predict(X)")
    aucs, conflicts = label_and_conflict_aucs(scored)
    places = (stats.rankdata(scored.scores) - 0.5) / len(scored)
    learned = isinstance(method.objective, WorstLabel)
    weights = getattr(ranker, "label_weights_", None) if learned else None
    return SplitResult(aucs, conflicts, *first_ranks(scored), places, weights)


def first_ranks(items: Items) -> tuple[FloatArray, FloatArray]:
    """Of the first ranks of each group: nDCG of each label (K,), and conflict AUCs (K, K).

    NaN, silently, where undefined.
    """
    n_labels = items.labels.n_labels
    ndcgs, conflicts = np.full(n_labels, np.nan), np.full((n_labels, n_labels), np.nan)
    if items.group is None:
        return ndcgs, conflicts
    if n_labels > 1:
        won = top_pair_shares(items, items.preferences(ConflictPairs()), TOP).means()
        conflicts = square(won, 1.0 - won, n_labels)
    return ndcgs_of(items, TOP).means(), conflicts


def label_and_conflict_aucs(items: Items) -> tuple[FloatArray, FloatArray]:
    """AUCs of the labels (K,) and conflict AUCs (K, K); NaN, silently, where undefined."""
    aucs = ratios_of(items, LossAggregation())[1]
    n_labels = items.labels.n_labels
    if n_labels == 1:
        return aucs, np.full((1, 1), np.nan)
    conflicts = ratios_of(items, ConflictPairs())[1]
    return aucs, square(conflicts, 1.0 - conflicts, n_labels)


def warning_notes(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """What a method warned of: each kind once, with the number of its splits."""
    kinds: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for attempt in attempts:
        # Messages that differ in their numbers alone are of one kind.
        found = {"".join(c for c in text if not c.isdigit()): text for text in attempt.warned}
        counts.update(found.keys())
        for kind, text in found.items():
            kinds.setdefault(kind, text)
    return tuple(
        f"In {counts[kind]} of {len(attempts)} splits: {text}" for kind, text in kinds.items()
    )


def error_text(error: Exception) -> str:
    """An error in one paragraph: its first lines, and its type where that says more."""
    text = " ".join(str(error).split("\n\n")[0].split())
    known = isinstance(error, ValueError) and text
    return text if known else f"{type(error).__name__}: {text}".rstrip(": ")
