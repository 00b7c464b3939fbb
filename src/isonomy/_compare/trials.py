"""Train every method on every split, on all cores, with one answer for any number of them."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from threadpoolctl import ThreadpoolController

from isonomy._compare.methods import Method, fit_preparation, fit_ranker, preparation
from isonomy._compare.splits import Index, Split
from isonomy._core import (
    Conflicts,
    FloatArray,
    GroupWeight,
    Labels,
    LossAggregation,
    as_scores,
    check_lengths,
    preferences_for,
)
from isonomy._counting import Ranking
from isonomy._infra import progress, run
from isonomy._metrics import square


@dataclass(frozen=True, eq=False)
class Data:
    """Checked input: features in a type that can be sliced, labels, weights and groups."""

    X: Any
    Y: FloatArray
    names: tuple[str, ...]
    weight: FloatArray | None
    groups: NDArray[np.int64] | None
    group_weight: GroupWeight
    preprocessor: Any

    def rows(self, index: Index) -> tuple[Any, FloatArray, dict[str, Any]]:
        """Features, labels, and the weights and groups that there are, of some rows."""
        named = {"sample_weight": self.weight, "groups": self.groups}
        given = {key: values[index] for key, values in named.items() if values is not None}
        return _safe_indexing(self.X, index), self.Y[index], given


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method gave on a split.

    Attributes
    ----------
    failed : str or None
        Why it gave nothing.
    aucs : ndarray of shape (K,)
        AUC of each label on the test rows; NaN where one class is missing.
    conflicts : ndarray of shape (K, K)
        Conflict AUCs of the test rows.
    places : ndarray of shape (n_test,)
        Where each test row stands among them, from 0 (last) to 1.
    pull : ndarray of shape (K,) or None
        The weights that a worst-label ranker has given the labels.
    warned : tuple of str
        What was warned of.
    """

    failed: str | None = None
    aucs: FloatArray = field(default_factory=lambda: np.empty(0))
    conflicts: FloatArray = field(default_factory=lambda: np.empty(0))
    places: FloatArray = field(default_factory=lambda: np.empty(0))
    pull: FloatArray | None = None
    warned: tuple[str, ...] = ()


class Prepared:
    """A split's features, prepared once for all methods and forgotten after the last."""

    def __init__(self, data: Data, split: Split, uses: int) -> None:
        self.data, self.split, self.uses = data, split, uses
        self.lock = threading.Lock()
        self.made: dict[bool, tuple[Any, Any] | str] = {}
        self.sparse = False

    def features(self, method: Method) -> tuple[Any, Any]:
        """Training and test features as the method's ranker takes them."""
        with self.lock:
            if method.standardise not in self.made:
                self.made[method.standardise] = self._make(method)
            found = self.made[method.standardise]
        if isinstance(found, str):
            raise ValueError(found)
        return found

    def done(self) -> None:
        """One method fewer to wait for."""
        with self.lock:
            self.uses -= 1
            if self.uses == 0:
                self.made.clear()

    def _make(self, method: Method) -> tuple[Any, Any] | str:
        train, Y, _ = self.data.rows(self.split.train)
        test = _safe_indexing(self.data.X, self.split.test)
        try:
            steps = preparation(method, self.data.preprocessor)
            train = fit_preparation(steps, train, Y)
            for _, step in steps:
                test = step.transform(test)
        except Exception as error:  # noqa: BLE001 - any step of the user's may fail in any way.
            return f"Preparing the features failed. {told(error)}"
        self.sparse |= sparse.issparse(train)
        return train, test


def run_methods(
    data: Data,
    methods: list[Method],
    splits: list[Split],
    threads: int | None,
    extra: Sequence[Callable[[Prepared], Any]],
) -> tuple[list[list[Outcome]], list[Any], bool]:
    """Outcomes by method and split, what the extra tasks make of the first split, and
    whether the prepared features are sparse.

    `threads` None: one fit after the other, each with threads of its own.
    """
    first, *others = (Prepared(data, split, len(methods)) for split in splits)
    first.uses += len(extra)
    tasks: list[tuple[Callable[[Prepared], Any], Prepared]] = [(task, first) for task in extra]
    for prepared in [first, *others]:
        tasks += [(_Trial(method), prepared) for method in methods]
    controller = ThreadpoolController()

    def work(task: Callable[[Prepared], Any], prepared: Prepared) -> Any:
        # The cores are busy with other tasks, and sums have one order for any number of threads.
        with controller.limit(limits=None if threads is None else 1, user_api="openmp"):
            try:
                return task(prepared)
            finally:
                prepared.done()

    with warnings.catch_warnings(), controller.limit(limits=1, user_api="blas"):
        warnings.simplefilter("always")
        warnings.showwarning = _remember
        found = list(progress(run(work, tasks, threads or 1), len(tasks), "Comparing the methods"))
    outcomes = found[len(extra) :]
    table = [outcomes[m :: len(methods)] for m in range(len(methods))]
    return table, found[: len(extra)], first.sparse


@dataclass(frozen=True, eq=False)
class _Trial:
    """One method on one split."""

    method: Method

    def __call__(self, prepared: Prepared) -> Outcome:
        with remembered() as warned:
            try:
                return self._run(prepared, warned)
            except Exception as error:  # noqa: BLE001 - one method's failure is not the others'.
                return Outcome(failed=told(error), warned=tuple(warned))

    def _run(self, prepared: Prepared, warned: list[str]) -> Outcome:
        data, split = prepared.data, prepared.split
        train, test = prepared.features(self.method)
        _, Y, given = data.rows(split.train)
        ranker = fit_ranker(clone(self.method.ranker), train, Y, given)
        scores = as_scores(ranker.predict(test), name="predict(X)")
        check_lengths(X=split.test, **{"predict(X)": scores})
        aucs, conflicts = measured(data, split.test, scores)
        places = (stats.rankdata(scores) - 0.5) / scores.size
        pull = getattr(ranker, "label_weights_", None) if self.method.kind == "worst" else None
        return Outcome(None, aucs, conflicts, places, pull, tuple(warned))


def measured(data: Data, rows: Index, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """AUCs of the labels and conflict AUCs of some rows; NaN, silently, where undefined."""
    labels = Labels.from_table(data.Y[rows])
    n_labels = labels.n_labels

    def ratios(objective: Any) -> FloatArray:
        preferences = preferences_for(
            labels,
            objective,
            sample_weight=None if data.weight is None else data.weight[rows],
            groups=None if data.groups is None else data.groups[rows],
            group_weight=data.group_weight,
        )
        return Ranking(preferences, scores).pair_sums().ratios()

    if n_labels == 1:
        return ratios(LossAggregation()), np.full((1, 1), np.nan)
    conflicts = ratios(Conflicts())
    return ratios(LossAggregation()), square(conflicts, 1.0 - conflicts, n_labels)


_current = threading.local()


@contextmanager
def remembered() -> Iterator[list[str]]:
    """Collect what this thread warns of."""
    _current.warned = []
    try:
        yield _current.warned
    finally:
        _current.warned = None


def _remember(message: Warning | str, *_: Any, **__: Any) -> None:
    warned = getattr(_current, "warned", None)
    if warned is not None:
        warned.append(str(message))


def warnings_told(outcomes: list[Outcome]) -> tuple[str, ...]:
    """What a method warned of: each kind once, with the number of its splits."""
    kinds: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        # Messages that differ in their numbers alone are of one kind.
        found = {"".join(c for c in text if not c.isdigit()): text for text in outcome.warned}
        counts.update(found.keys())
        for kind, text in found.items():
            kinds.setdefault(kind, text)
    return tuple(
        f"In {counts[kind]} of {len(outcomes)} splits: {text}" for kind, text in kinds.items()
    )


def told(error: Exception) -> str:
    """An error in one paragraph: its first lines, and its type where that says more."""
    text = " ".join(str(error).split("\n\n")[0].split())
    known = isinstance(error, ValueError) and text
    return text if known else f"{type(error).__name__}: {text}".rstrip(": ")
