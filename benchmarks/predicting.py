"""Speed of `BoostedRanker.predict`, by its arrays, beside the engines that grew the trees.

One thread each, timed by processor time; the engines answer through their own Python interface,
from numpy arrays, and answers must agree to the last bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import isonomy as iso
from benchmarks.targets import Target
from benchmarks.timing import Contestant, race

ROWS, QUICK_ROWS = 1_000_000, 50_000
FEATURES, TRAINED_ON = 20, 20_000
ONE_ROW_CALLS = 200
ROUNDS = 5


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print a table for each engine; its own speed is the target, on one row and on many."""
    X = np.random.default_rng(0).normal(size=(QUICK_ROWS if quick else ROWS, FEATURES))
    gaps = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    targets = []
    for engine, own in (("lightgbm", by_lightgbm), ("xgboost", by_xgboost)):
        if find_spec(engine) is None:
            console.print(f"{engine} is not installed: skipped. `pip install 'isonomy[boost]'`")
            continue
        table = Table(title=f"100 rounds of {engine}, {FEATURES} features")
        for heading in ("rows", "ours", engine, "ratio"):
            table.add_column(heading, justify="left" if heading == "rows" else "right")
        for name, rows in (("no gaps", X), ("a fifth is missing", gaps)):
            ranker = trained(engine, rows)
            for size in (1, len(rows)):
                ours, theirs = raced(ranker, own(ranker), rows[:size])
                case = f"{size:,}, {name}"
                table.add_row(
                    case, *(f"{t * 1e3:.3f} ms" for t in (ours, theirs)), f"{ours / theirs:.2f}"
                )
                targets.append(Target(f"predict beside {engine}, {case}", ours / theirs, 1.0))
        console.print(table)
    return targets


def trained(engine: str, X: np.ndarray) -> iso.BoostedRanker:
    """100 rounds with the engine's own sizes of trees."""
    rows = np.nan_to_num(X[:TRAINED_ON])
    noise = np.random.default_rng(2).logistic(size=(len(rows), 2))
    Y = rows[:, :2] * rows[:, 2:4] + rows[:, 4:6] + noise > 0.5
    ranker = iso.BoostedRanker(engine=engine, n_jobs=1, random_state=0)
    return ranker.fit(X[:TRAINED_ON], Y)


def raced(ranker: Any, own: Callable[[Any], Any], X: np.ndarray) -> tuple[float, float]:
    """Seconds of a call, ours and the engine's."""
    calls = ONE_ROW_CALLS if len(X) == 1 else 1

    def repeated(predict: Callable[[Any], Any]) -> Callable[[], Any]:
        return lambda: [predict(X) for _ in range(calls)][-1]

    results = race(
        [
            Contestant("ours", repeated(ranker.predict), 0.0),
            Contestant(ranker.engine, repeated(own), 0.0),
        ],
        rounds=ROUNDS,
        clock=time.process_time,
    )
    return results[0].seconds / calls, results[1].seconds / calls


def by_lightgbm(ranker: Any) -> Callable[[Any], Any]:
    """The booster's own call."""
    return lambda X: ranker.booster_.predict(X, num_threads=1)


def by_xgboost(ranker: Any) -> Callable[[Any], Any]:
    """The booster's quickest call, which makes no `DMatrix`."""
    ranker.booster_.set_param({"nthread": 1})
    return lambda X: ranker.booster_.inplace_predict(X, predict_type="margin")
