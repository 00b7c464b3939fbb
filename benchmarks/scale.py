"""Beyond one machine: a linear fit on two Dask workers, and how narrow a sketch's bounds are."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

import isonomy as iso
from benchmarks.targets import Target
from isonomy._rankers.linear import PartRows, fit_partitions
from isonomy._rankers.linear import first_look as look

N_ROWS, QUICK_ROWS, N_FEATURES, N_PARTS = 2_000_000, 100_000, 20, 4
N_SKETCHED, QUICK_SKETCHED = 10_000_000, 1_000_000
# Pairs in doubt, as a share of all.
WIDEST = {64_000: 4e-4, 1_000_000: 3e-5}


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print both tables; the bounds' widths are promised."""
    _print_steps(console, QUICK_ROWS if quick else N_ROWS)
    return _widths(console, QUICK_SKETCHED if quick else N_SKETCHED)


class Watched:
    """Partitions that note what each question costs."""

    def __init__(self, partitions: Any) -> None:
        self.partitions, self.seconds, self.bytes = partitions, [], []

    def ask(self, question: Callable[[PartRows], Any]) -> Any:
        started = time.perf_counter()
        answer = self.partitions.ask(question)
        self.seconds.append(time.perf_counter() - started)
        self.bytes.append(len(pickle.dumps(question)) + len(pickle.dumps(answer)))
        return answer


class Here:
    """The same rows in this process."""

    def __init__(self, parts: list[PartRows]) -> None:
        self.parts = parts

    def ask(self, question: Callable[[PartRows], Any]) -> Any:
        answers = [question(part) for part in self.parts]
        return type(answers[0]).joined(answers)


def _print_steps(console: Console, n: int) -> None:
    import dask
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from isonomy._frames import ReadRows
    from isonomy.dask import DaskFrame

    names = [f"x{k}" for k in range(N_FEATURES)]
    read = ReadRows(tuple(names), ("click", "buy"))
    printed = Table(title=f"LinearRanker, {n:,} rows x {N_FEATURES}, 2 labels, 4 partitions")
    for heading in ("where", "questions", "seconds a question", "kB a question", "ours"):
        printed.add_column(heading, justify="left" if heading == "where" else "right")
    made = partial(_made, n // N_PARTS)
    parts = [read({name: t[name].to_numpy() for name in t}) for t in map(made, range(N_PARTS))]
    local = _fitted(Watched(Here(parts)), names)
    with (
        dask.config.set({"distributed.worker.memory.spill": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        frame = DaskFrame.of(dd.from_map(made, range(N_PARTS), meta=made(0).iloc[:0]))
        there = _fitted(Watched(frame.partitions(read, None)), names)
    for where, found in (("one process", local), ("two Dask workers", there)):
        typical = float(np.median(found.seconds))
        ours = float(np.median(local.seconds)) / 2 / typical if found is there else 1.0
        printed.add_row(
            where,
            str(len(found.seconds)),
            f"{typical:.3f}",
            f"{np.median(found.bytes) / 1e3:.1f}",
            f"{min(ours, 1.0):.0%}",
        )
    console.print(printed)
    console.print("ours: half of one process's time, over the time a question took on two workers")


def _made(n: int, number: int) -> pd.DataFrame:
    """One partition."""
    rng = np.random.default_rng(number)
    table = pd.DataFrame(
        rng.normal(size=(n, N_FEATURES)), columns=[f"x{k}" for k in range(N_FEATURES)]
    )
    for label, column in (("click", "x0"), ("buy", "x1")):
        table[label] = (table[column] + rng.logistic(size=n) > 1).astype(float)
    return table


def _fitted(watched: Watched, names: list[str]) -> Watched:
    facts = look(watched)
    # The first fit compiles.
    fit_partitions(iso.LinearRanker(), watched, facts, names, ["click", "buy"])
    watched.seconds.clear()
    watched.bytes.clear()
    fit_partitions(iso.LinearRanker(), watched, facts, names, ["click", "buy"])
    return watched


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
