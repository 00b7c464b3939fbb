"""Beyond one machine: fits on Dask workers, and how narrow a sketch's bounds are."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from rich.console import Console
from rich.table import Table

import isonomy as iso
from benchmarks.targets import Target
from isonomy._frames import ReadRows
from isonomy._pairsums import CellMoments, usual_width
from isonomy._rankers.linear import PartRows, fit_partitions
from isonomy._rankers.linear import first_look as look
from isonomy.dask import DaskFrame
from isonomy.surrogates import SURROGATES

N_ROWS, QUICK_ROWS, N_FEATURES, N_PARTS = 2_000_000, 100_000, 20, 4
N_SKETCHED, QUICK_SKETCHED = 10_000_000, 1_000_000
N_BOOSTED, BOOSTED_ROUNDS = 20_000, 50
# Pairs in doubt, as a share of all.
WIDEST = {64_000: 4e-4, 1_000_000: 3e-5}
# Largest difference of scores between one worker and several.
SAME_SCORES = 1e-4


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print all tables; the bounds' widths, and that boosted models agree, are promised."""
    n = QUICK_ROWS if quick else N_ROWS
    _print_steps(console, n)
    _print_moments(console, n // N_PARTS)
    targets = _boosted(console)
    return targets + _widths(console, QUICK_SKETCHED if quick else N_SKETCHED)


@dataclass(frozen=True)
class TimedAnswer:
    """An answer, and the seconds that were spent on it and what it was joined from."""

    answer: Any
    seconds: float

    @classmethod
    def joined(cls, parts: Sequence[TimedAnswer]) -> TimedAnswer:
        """Of all partitions."""
        started = time.perf_counter()
        answer = type(parts[0].answer).joined([part.answer for part in parts])
        spent = time.perf_counter() - started
        return cls(answer, spent + sum(part.seconds for part in parts))


@dataclass(frozen=True)
class Timed:
    """A question that notes its time."""

    question: Callable[[PartRows], Any]

    def __call__(self, rows: PartRows) -> TimedAnswer:
        """The answer of some rows."""
        started = time.perf_counter()
        return TimedAnswer(self.question(rows), time.perf_counter() - started)


class Watched:
    """Partitions that note what each question costs."""

    def __init__(self, partitions: Any) -> None:
        self.partitions = partitions
        self.seconds: list[float] = []
        self.ours: list[float] = []
        self.bytes: list[int] = []

    def ask(self, question: Callable[[PartRows], Any]) -> Any:
        started = time.perf_counter()
        found = self.partitions.ask(Timed(question))
        self.seconds.append(time.perf_counter() - started)
        self.ours.append(found.seconds)
        self.bytes.append(len(pickle.dumps(question)) + len(pickle.dumps(found.answer)))
        return found.answer


class Here:
    """The same rows in this process."""

    def __init__(self, parts: list[PartRows]) -> None:
        self.parts = parts

    def ask(self, question: Callable[[PartRows], Any]) -> Any:
        answers = [question(part) for part in self.parts]
        return type(answers[0]).joined(answers)


def _print_steps(console: Console, n: int) -> None:
    printed = Table(title=f"LinearRanker, {N_FEATURES} features, {N_PARTS} partitions: a question")
    for heading in ("rows", "labels", "where", "questions", "seconds", "kB", "ours"):
        printed.add_column(heading, justify="left" if heading == "where" else "right")
    for n_rows, n_labels in ((n, 2), (n // 4, 2), (n // 4, 6)):
        labels = _labels(n_labels)
        read = ReadRows(tuple(FEATURES), tuple(labels))
        made = partial(_made, n_rows // N_PARTS, n_labels)
        parts = [read({name: t[name].to_numpy() for name in t}) for t in map(made, range(N_PARTS))]
        rows = {"one process": (_fitted(Watched(Here(parts)), labels), 1)}
        for n_workers in (1, 2):
            with _cluster(n_workers):
                frame = DaskFrame.of(dd.from_map(made, range(N_PARTS), meta=made(0).iloc[:0]))
                watched = _fitted(Watched(frame.partitions(read, None)), labels)
            rows[f"{n_workers} Dask worker{'s' * (n_workers > 1)}"] = watched, n_workers
        for where, (found, n_workers) in rows.items():
            ours = sum(found.ours) / sum(found.seconds) / n_workers
            cells = (len(found.seconds), f"{np.median(found.seconds):.3f}")
            kilobytes = np.median(found.bytes) / 1e3
            printed.add_row(
                f"{n_rows:,}",
                str(n_labels),
                where,
                *map(str, cells),
                f"{kilobytes:.1f}",
                f"{ours:.0%}",
            )
    console.print(printed)
    console.print("ours: seconds of our own computation, over those that passed on all workers")


@contextmanager
def _cluster(n_workers: int) -> Iterator[Any]:
    """Processes of one thread each."""
    with (
        dask.config.set({"distributed.worker.memory.spill": False}),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


FEATURES = [f"x{k}" for k in range(N_FEATURES)]


def _labels(n_labels: int) -> list[str]:
    return [f"label_{k}" for k in range(n_labels)]


def _made(n: int, n_labels: int, number: int) -> pd.DataFrame:
    """One partition."""
    rng = np.random.default_rng(number)
    table = pd.DataFrame(rng.normal(size=(n, N_FEATURES)), columns=FEATURES)
    for k, label in enumerate(_labels(n_labels)):
        table[label] = (table[FEATURES[k]] + rng.logistic(size=n) > 1).astype(float)
    return table


def _fitted(watched: Watched, labels: list[str]) -> Watched:
    facts = look(watched)
    # The first fit compiles.
    fit_partitions(iso.LinearRanker(), watched, facts, FEATURES, labels)
    for noted in (watched.seconds, watched.ours, watched.bytes):
        noted.clear()
    fit_partitions(iso.LinearRanker(), watched, facts, FEATURES, labels)
    return watched


def _print_moments(console: Console, n: int) -> None:
    """What a partition finds out for a question, as scores spread and labels are more."""
    printed = Table(title=f"Moments of a partition of {n:,} rows")
    for heading in ("scores from -s to s", "bins", "patterns", "milliseconds", "kB"):
        printed.add_column(heading, justify="right")
    rng = np.random.default_rng(0)
    weight = np.ones(n)
    for spread, n_patterns in ((5, 4), (10, 4), (40, 4), (10, 16), (10, 64)):
        scores, codes = rng.uniform(-spread, spread, n), rng.integers(0, n_patterns, n)
        width = usual_width(SURROGATES["logistic"])
        seconds = []
        for _ in range(4):
            started = time.perf_counter()
            found = CellMoments.of(scores, codes.astype(np.int32), weight, n_patterns, width)
            seconds.append(time.perf_counter() - started)
        printed.add_row(
            str(spread),
            str(found.bins.size),
            str(n_patterns),
            f"{1e3 * min(seconds):.0f}",
            f"{len(pickle.dumps(found)) / 1e3:.0f}",
        )
    console.print(printed)


def _boosted(console: Console) -> list[Target]:
    """XGBoost on one, two and three workers: how far apart the scores are, with groups and not."""
    rng = np.random.default_rng(0)
    # Few values, so that XGBoost's own bins do not depend on the partitions.
    X = np.round(rng.normal(size=(N_BOOSTED, 5)), 1)
    table = pd.DataFrame(X, columns=FEATURES[:5])
    labels = _labels(2)
    table[labels] = (X[:, :2] + rng.logistic(size=(N_BOOSTED, 2)) > [0.0, 1.5]).astype(float)
    table["query"] = rng.integers(0, N_BOOSTED // 20, N_BOOSTED)
    table = table.sort_values([labels[0], "x0"], ignore_index=True)
    settings: dict[str, Any] = {"engine": "xgboost", "n_rounds": BOOSTED_ROUNDS, "n_jobs": 1}
    settings["params"] = {"tree_method": "hist"}
    printed = Table(title=f"BoostedRanker(engine='xgboost'), {N_BOOSTED:,} rows in 6 partitions")
    for heading in ("groups", "workers", "largest difference of scores", "range of scores"):
        printed.add_column(heading, justify="right")
    worst = 0.0
    for groups in (None, "query"):
        given = {} if groups is None else {"groups": table[groups]}
        direct = iso.BoostedRanker(**settings).fit(table[FEATURES[:5]], table[labels], **given)
        expected = direct.predict(table[FEATURES[:5]])
        for n_workers in (1, 2, 3):
            with _cluster(n_workers):
                frame = dd.from_pandas(table, npartitions=6, sort=False)
                found = iso.dask.fit(
                    iso.BoostedRanker(**settings),
                    frame,
                    features=FEATURES[:5],
                    labels=labels,
                    groups=groups,
                )
            apart = float(np.abs(found.predict(table[FEATURES[:5]]) - expected).max())
            worst = max(worst, apart)
            cells = (groups or "none", str(n_workers), f"{apart:.1g}", f"{np.ptp(expected):.3f}")
            printed.add_row(*cells)
    console.print(printed)
    what = "XGBoost on 1, 2 and 3 workers: largest difference of scores to one machine"
    return [Target(what, worst, SAME_SCORES, unit="")]


def _widths(console: Console, n: int) -> list[Target]:
    rng = np.random.default_rng(0)
    score = 1 / (1 + np.exp(-rng.normal(size=n)))
    y = (rng.random(n) < score).astype(np.uint8)
    exact = iso.auc(y, score)
    printed = Table(title=f"AUCSketch, sigmoid scores, one label, n = {n:,}")
    for heading in ("max_bytes", "ranges", "high - low", "value - exact", "ns a row"):
        printed.add_column(heading, justify="right")
    targets = []
    for max_bytes, widest in WIDEST.items():
        started = time.perf_counter()
        sketch = iso.AUCSketch(["y"], max_bytes=max_bytes)
        for start in range(0, n, 1_000_000):
            rows = slice(start, start + 1_000_000)
            sketch.add(y[rows], score[rows])
        bounds = sketch.label_aucs()
        spent = (time.perf_counter() - started) / n * 1e9
        low, high, value = (float(np.ravel(e)[0]) for e in (bounds.low, bounds.high, bounds.value))
        assert low <= exact <= high
        ranges = sketch.table().first_cell.size
        printed.add_row(
            f"{max_bytes:,}",
            f"{ranges:,}",
            f"{high - low:.2g}",
            f"{value - exact:.1g}",
            f"{spent:.0f}",
        )
        what = f"width of the bound, {max_bytes:,} bytes, n = {n:,}"
        targets.append(Target(what, high - low, widest, unit=""))
    console.print(printed)
    return targets
