"""How often do the intervals hold the truth, and how often do the tests see what is not there?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from time import perf_counter
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from scipy import stats

import isonomy as iso
from benchmarks.coverage_cases import cases, false_alarms
from benchmarks.score_distributions import DISTRIBUTIONS, Draw
from benchmarks.targets import Target
from isonomy._counting import Spread
from isonomy._metrics import logit_bounds, shrunk_wilson

T = TypeVar("T")

LEVEL = 0.95
RUNS, QUICK_RUNS = 4000, 200
AUCS = (0.6, 0.8, 0.95, 0.99)
SIZES = ((100, 100), (50, 50), (40, 400), (20, 180), (10, 190), (10, 10), (5, 500))
# Least coverage of a cell, in percent: binary scores take few values, so that it jumps.
LEAST, LEAST_BINARY, LEAST_ELSEWHERE = 92.0, 90.0, 92.5
MOST_FALSE = {"compare_scores": 6.0, "dictated": 4.0, "segments": 7.0}


@dataclass(frozen=True)
class Cell:
    """Shares of runs whose interval holds the truth, by "auto" and by DeLong's; mean widths."""

    scores: str
    sizes: tuple[int, int]
    auc: float
    coverage: float
    delong: float
    width: float
    delong_width: float

    def __str__(self) -> str:
        return f"{self.scores}, {self.sizes[0]}/{self.sizes[1]}, AUC {self.auc:g}"


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print all tables, the worst cell first; return the targets."""

    def show(text: str = "") -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    start = perf_counter()
    n_runs = QUICK_RUNS if quick else RUNS
    grid = enumerate(product(DISTRIBUTIONS, AUCS, SIZES))
    cells = list(on_all_cores(partial(cell, *each, n_runs, seed) for seed, each in grid))
    worst = min(cells, key=lambda each: each.coverage)
    show(
        f"Worst of {len(cells)} cells: {worst.coverage:.1%} ({worst}); DeLong's on the logit scale "
        f"{min(each.delong for each in cells):.1%} in its worst. {n_runs:,} runs a cell, "
        f"seeds 0 to {len(cells) - 1}."
    )
    show_cells(cells, show)
    found = cell_targets(cells)
    show("\n| data | what | truth | coverage | too low | too high | mean width | runs |")
    show("|---|---|--:|--:|--:|--:|--:|--:|")
    for case in on_all_cores(cases(quick)):
        show(str(case))
        what = f"coverage, {case.data}, {case.what}"
        found.append(Target(what, 100 * case.inside, LEAST_ELSEWHERE, True, "%"))
    show("\n| test at 5% | data | rejected | runs |")
    show("|---|---|--:|--:|")
    for alarm in on_all_cores(false_alarms(quick)):
        show(str(alarm))
        what = f"{alarm.test} rejects, {alarm.data}"
        found.append(Target(what, 100 * alarm.rate, MOST_FALSE[alarm.test], unit="%"))
    show(f"\n{perf_counter() - start:.0f} s.")
    return [] if quick else found


def on_all_cores(tasks: Iterable[Callable[[], T]]) -> Iterator[T]:
    """What the tasks give, in their order."""
    found: Iterator[T] = Parallel(n_jobs=-1, return_as="generator")(
        delayed(task)() for task in tasks
    )
    return found


def cell(name: str, auc: float, sizes: tuple[int, int], n_runs: int, seed: int) -> Cell:
    """Intervals of many draws at once, by the same formula as `auc_intervals`, which is checked."""
    draw = DISTRIBUTIONS[name](auc)
    estimate, spread = drawn(draw, sizes, n_runs, np.random.default_rng(seed))
    low, high = shrunk_wilson(estimate, spread, LEVEL)
    old_low, old_high = logit_bounds(estimate, spread.error, LEVEL)
    return Cell(
        name,
        sizes,
        auc,
        float(np.mean((low <= auc) & (auc <= high))),
        float(np.mean((old_low <= auc) & (auc <= old_high))),
        float(np.mean(high - low)),
        float(np.nanmean(old_high - old_low)),
    )


def drawn(
    draw: Draw, sizes: tuple[int, int], n_runs: int, rng: np.random.Generator
) -> tuple[np.ndarray, Spread]:
    """AUCs of samples of these sizes, and the spread of their placements."""
    m, n = sizes
    positive, negative = draw(rng, (n_runs, m), True), draw(rng, (n_runs, n), False)
    ranks = stats.rankdata(np.concatenate([positive, negative], axis=1), axis=1)
    upper = (ranks[:, :m] - stats.rankdata(positive, axis=1)) / n
    lower = 1 - (ranks[:, m:] - stats.rankdata(negative, axis=1)) / m
    none, one = np.zeros(n_runs), np.ones(n_runs)
    spread = Spread(
        size=np.stack([m * one, n * one, none]),
        variance=np.stack([upper.var(axis=1, ddof=1) / m, lower.var(axis=1, ddof=1) / n, none]),
        scale=np.stack([one / m, one / n, none]),
        smallest=min(m, n) * one,
        covariance=np.empty((0, 0)),
    )
    y = np.arange(m + n) < m
    first = iso.auc_intervals(y, np.concatenate([positive[0], negative[0]]), level=LEVEL)
    low, high = shrunk_wilson(upper.mean(axis=1), spread, LEVEL)
    assert np.allclose([first.low[0], first.high[0]], [low[0], high[0]], atol=1e-9)
    return upper.mean(axis=1), spread


def show_cells(cells: list[Cell], show: object) -> None:
    """One row per distribution and sizes, one column per AUC: coverage, and DeLong's beside it."""
    assert callable(show)
    show("\n| scores | sizes | " + " | ".join(f"AUC {auc:g}" for auc in AUCS) + " |")
    show("|---|--:|" + "--:|" * len(AUCS))
    for name, sizes in product(DISTRIBUTIONS, SIZES):
        row = [each for each in cells if (each.scores, each.sizes) == (name, sizes)]
        columns = " | ".join(f"{100 * each.coverage:.1f} ({100 * each.delong:.1f})" for each in row)
        show(f"| {name} | {sizes[0]}/{sizes[1]} | {columns} |")


def cell_targets(cells: list[Cell]) -> list[Target]:
    """What is promised of every cell, and of those with 100 in each class up to .95."""
    least = {
        "binary scores": [each for each in cells if each.scores == "binary"],
        "other scores": [each for each in cells if each.scores != "binary"],
    }
    found = []
    for name, some in least.items():
        worst = min(some, key=lambda each: each.coverage)
        limit = LEAST_BINARY if name.startswith("binary") else LEAST
        found.append(Target(f"worst cell: {worst}", 100 * worst.coverage, limit, True, "%"))
    large = [each for each in cells if each.sizes == (100, 100) and each.auc <= 0.95]
    for pick, limit, at_least in ((min, 94.0, True), (max, 97.0, False)):
        edge = pick(large, key=lambda each: each.coverage)
        found.append(Target(f"100/100: {edge}", 100 * edge.coverage, limit, at_least, "%"))
    ratio = float(np.mean([each.width / each.delong_width for each in large]))
    found.append(Target("100/100: mean width, to DeLong's", ratio, 1.02))
    return found
