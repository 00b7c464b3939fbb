"""Training for the top of the list: nDCG@10 of two labels on MSLR's samples, by query.

All learners get the same trees (LightGBM's), rounds and splits. Errors are those of repeated
splits of the same queries, corrected for their overlap (Nadeau and Bengio).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import lightgbm
import numpy as np
from rich.console import Console
from rich.table import Table

import isonomy as iso
from benchmarks.targets import Target
from isonomy.datasets import load_mslr

TOP = 10
SPLITS, QUICK_SPLITS, TEST_SHARE = 10, 2, 0.25
ROUNDS, QUICK_ROUNDS = 60, 10
TREES = {"learning_rate": 0.05, "num_leaves": 15, "deterministic": True, "force_row_wise": True}

Predict: TypeAlias = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Queries:
    """Rows of some queries."""

    X: np.ndarray
    Y: np.ndarray
    groups: np.ndarray

    @classmethod
    def loaded(cls) -> Queries:
        """Both samples together."""
        parts = [load_mslr(part, which="sample") for part in ("train", "test")]
        groups = np.concatenate([each.groups + k * 10**9 for k, each in enumerate(parts)])
        X, Y = (np.vstack([getattr(each, name) for each in parts]) for name in ("X", "Y"))
        order = np.argsort(groups, kind="stable")
        return cls(X[order], Y[order], groups[order])

    def take(self, chosen: np.ndarray) -> Queries:
        """Those of some queries."""
        rows = np.isin(self.groups, chosen)
        return Queries(self.X[rows], self.Y[rows], self.groups[rows])


def lambdarank(rows: Queries, label: np.ndarray, rounds: int) -> Predict:
    """LightGBM's own objective, cut a little after the ranks that count, as its manual advises."""
    sizes = np.unique(rows.groups, return_counts=True)[1]
    params = {**TREES, "objective": "lambdarank", "lambdarank_truncation_level": TOP + 3}
    params |= {"verbosity": -1, "seed": 0, "num_threads": 1, "label_gain": [0, 1, 2]}
    booster = lightgbm.train(params, lightgbm.Dataset(rows.X, label, group=sizes), rounds)
    return lambda X: np.asarray(booster.predict(X))


def ours(rows: Queries, objective: Any, rounds: int, **options: Any) -> Predict:
    """The same trees on the objective's pairs."""
    ranker = iso.BoostedRanker(
        objective, params=TREES, n_rounds=rounds, random_state=0, n_jobs=1, **options
    )
    return ranker.fit(rows.X, rows.Y, groups=rows.groups).predict


MEAN, LOSS, WORST = iso.LabelAggregation(), iso.LossAggregation(), iso.WorstLabel()
EQUAL = {"top": TOP, "group_weight": "equal"}
BASELINE = "LambdaRank, summed label"
METHODS: dict[str, Callable[[Queries, int], Predict]] = {
    BASELINE: lambda q, n: lambdarank(q, q.Y.sum(axis=1), n),
    "LambdaRank, click": lambda q, n: lambdarank(q, q.Y[:, 0], n),
    "LambdaRank, relevance": lambda q, n: lambdarank(q, q.Y[:, 1], n),
    "label aggregation, all pairs": lambda q, n: ours(q, MEAN, n),
    "label aggregation, top=10": lambda q, n: ours(q, MEAN, n, top=TOP),
    "label aggregation, top=10, equal": lambda q, n: ours(q, MEAN, n, **EQUAL),
    "loss aggregation, top=10, equal": lambda q, n: ours(q, LOSS, n, **EQUAL),
    "worst label, top=10, equal": lambda q, n: ours(q, WORST, n, **EQUAL),
}


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print nDCG@10 of both labels, and leads over LambdaRank on the summed label."""
    try:
        data = Queries.loaded()
    except FileNotFoundError:
        console.print("mslr: no such data; set ISONOMY_DATA to the folder that holds them.")
        return []
    n_splits, rounds = (QUICK_SPLITS, QUICK_ROUNDS) if quick else (SPLITS, ROUNDS)
    queries = np.unique(data.groups)
    n_test = round(TEST_SHARE * queries.size)
    found: dict[str, list[np.ndarray]] = {name: [] for name in METHODS}
    for seed in range(n_splits):
        shuffled = np.random.default_rng(seed).permutation(queries)
        test, train = data.take(shuffled[:n_test]), data.take(shuffled[n_test:])
        for name, method in METHODS.items():
            score = method(train, rounds)(test.X)
            ndcgs = iso.label_ndcgs(test.Y, score, k=TOP, groups=test.groups)
            found[name].append(np.append(ndcgs, ndcgs.mean()))
        console.print(f"{seed + 1} of {n_splits} splits", style="dim")
    correction = np.sqrt(1 / n_splits + n_test / (queries.size - n_test))
    console.print(_table(found, correction, f"{len(data.X):,} rows, {queries.size} queries"))
    return []


def _table(found: dict[str, list[np.ndarray]], correction: float, size: str) -> Table:
    table = Table(title=f"nDCG@{TOP} on MSLR's samples ({size}), mean ± corrected standard error")
    table.add_column("method")
    for heading in ("click", "relevance", "both", "lead: click", "relevance", "both"):
        table.add_column(heading, justify="right")
    baseline = np.array(found[BASELINE])
    for name, values in found.items():
        each = np.array(values)
        lead = each - baseline
        cells = [_cell(each[:, k], correction) for k in range(3)]
        cells += ["" if name == BASELINE else _cell(lead[:, k], correction, "+") for k in range(3)]
        table.add_row(name, *cells)
    return table


def _cell(values: np.ndarray, correction: float, sign: str = "") -> str:
    return f"{values.mean():{sign}.3f} ± {correction * values.std(ddof=1):.3f}"
