"""Speed of training on all pairs: losses, linear rankers, and the whole Pareto front.

Losses are held to one thread and timed by the processor time: what one free core would need, also
while other work is running. `pair_loss`, whole fits and the table of threads have all cores and are
timed by the clock on the wall, as users wait for them.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import special
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import isonomy as iso
from benchmarks.targets import Target
from benchmarks.timing import Contestant, Result, race
from isonomy._infra.threads import default_threads
from isonomy._pairsums import surrogate_sums
from isonomy._pairsums.layout import PairLayout, arrange
from isonomy.surrogates import SURROGATES

N_ITEMS, QUICK_ITEMS = 1_000_000, 100_000
ROUNDS = 9
# What LibAUC's own examples use is smaller; larger batches see more of the pairs.
BATCH = 1024
WIDE = (1_000_000, 50)
QUICK_WIDE = (100_000, 50)
BANK_SIZE = 45_211
BANK_FEATURES = ("age", "balance", "day", "duration", "campaign", "pdays", "previous")
N_WEIGHTS = 101
# Of the time of one logistic regression: for the mean of the labels, and for the worst of them.
BANK_LIMITS, WIDE_LIMITS = (1.0, 3.0), (0.5, 1.5)

Features = np.ndarray
Labels = np.ndarray


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print one table per question; return the targets."""
    n = QUICK_ITEMS if quick else N_ITEMS
    X, Y, origin = bank()
    targets = [
        *losses(n, console),
        *pair_losses(n, console),
        *ten_times_more(n, console),
        *libauc(n, console),
        *fits(origin, X, Y, console, limits=BANK_LIMITS),
        *fits("made up", *made_up(*(QUICK_WIDE if quick else WIDE)), console, limits=WIDE_LIMITS),
        *front(origin, X, Y, console),
    ]
    threads(n, console)
    return targets


def losses(n: int, console: Console) -> list[Target]:
    """Loss and gradient on one thread."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=n)
    outlier = scores.copy()
    outlier[n // 2] = 1e12
    one, eight = comparisons(n, 1), comparisons(n, 8)
    y = rng.integers(0, 2, n).astype(np.float64)
    votes = rng.random((n, 20)) < 0.5
    layouts = {size: comparisons(n, 1, size) for size in (10, 30, 100, 300, 1000)}
    runs = {
        "logistic, K = 1": lambda: loss_and_gradient(one, scores),
        "pointwise logistic loss and gradient, numpy": lambda: pointwise(scores, y),
        "logistic, K = 8": lambda: loss_and_gradient(eight, scores),
        "logistic, K = 1, one outlier at 1e12": lambda: loss_and_gradient(one, outlier),
        "logistic, K = 1, and Hessian diagonal": lambda: with_hessian(one, scores),
        **{
            f"{name}, K = 1": lambda name=name: loss_and_gradient(one, scores, name)
            for name in SURROGATES
            if name != "logistic"
        },
        "squared hinge, K = 8": lambda: loss_and_gradient(eight, scores, "squared_hinge"),
    }
    for size in layouts:
        runs[f"logistic, K = 1, groups of {size}"] = lambda layout=layouts[size]: loss_and_gradient(
            layout, scores
        )
    many = arrange(np.arange(n), votes, ~votes)
    runs["logistic, K = 20, as many patterns as rows"] = lambda: loss_and_gradient(many, scores)
    found = dict(zip(runs, _race(runs, rounds=ROUNDS), strict=True))
    title = f"Loss and gradient over all pairs, one thread, n = {n:,}"
    _print(title, list(found.values()), n, console)
    ours, far = found["logistic, K = 1"], found["logistic, K = 1, one outlier at 1e12"]
    targets = [
        Target("logistic loss and gradient: with one outlier", far.seconds / ours.seconds, 2)
    ]
    limits = {
        "logistic, K = 1": 20,
        "logistic, K = 1, groups of 100": 60,
        "logistic, K = 1, groups of 300": 70,
        "logistic, K = 20, as many patterns as rows": 120,
        "hinge, K = 1": 50,
    }
    for name, limit in limits.items():
        taken = found[name].seconds / n * 1e9
        targets.append(Target(f"loss and gradient, {name}", taken, limit, unit=" ns an item"))
    return targets


def pair_losses(n: int, console: Console) -> list[Target]:
    """`pair_loss` from labels to gradient, on all cores and by the clock on the wall."""
    rng = np.random.default_rng(5)
    scores, Y = rng.normal(size=n), (rng.random((n, 8)) < 0.5).astype(np.uint8)
    y, target = np.ascontiguousarray(Y[:, 0]), Y[:, 0].astype(np.float64)
    many = (rng.random((n, 20)) < 0.5).astype(np.uint8)
    one, peer, eight = "pair_loss, K = 1", "pointwise loss, numpy", "pair_loss, K = 8"
    runs = {
        one: lambda: iso.pair_loss(y, scores),
        peer: lambda: pointwise(scores, target),
        eight: lambda: iso.pair_loss(Y, scores),
        "pair_loss, K = 20": lambda: iso.pair_loss(many, scores),
        "pair_loss, K = 20, one term each": lambda: iso.pair_loss(
            many, scores, iso.LossAggregation()
        ),
        "pair_loss, hinge": lambda: iso.pair_loss(y, scores, surrogate="hinge"),
        "pair_loss, squared hinge": lambda: iso.pair_loss(y, scores, surrogate="squared_hinge"),
    }
    for size in (100, 300):
        groups = np.arange(n) // size
        runs[f"pair_loss, groups of {size}"] = lambda groups=groups: iso.pair_loss(
            y, scores, groups=groups
        )
    contestants = [
        Contestant(name, lambda call=call: _forget(call()), None) for name, call in runs.items()
    ]
    results = race(contestants, rounds=2 * ROUNDS)
    _print(f"pair_loss, n = {n:,}, all cores, seconds on the wall", results, n, console)
    found = {result.name: result.seconds for result in results}
    limits = {
        "pair_loss, K = 20": 120,
        "pair_loss, K = 20, one term each": 120,
        "pair_loss, hinge": 50,
        "pair_loss, groups of 100": 60,
        "pair_loss, groups of 300": 70,
    }
    return [
        Target("pair_loss: time of the pointwise one in numpy", found[one] / found[peer], 0.45),
        Target("pair_loss: K = 8 against K = 1", found[eight] / found[one], 1.6),
        *(
            Target(name, found[name] / n * 1e9, limit, unit=" ns an item")
            for name, limit in limits.items()
        ),
    ]


def ten_times_more(n: int, console: Console) -> list[Target]:
    """Whether the time grows with n alone."""
    runs = {}
    for size in (n // 10, n, 10 * n):
        layout, scores = comparisons(size, 1), np.random.default_rng(1).normal(size=size)
        runs[f"{size:,}"] = lambda layout=layout, scores=scores: loss_and_gradient(layout, scores)
    found = _race(runs, rounds=2 * ROUNDS)
    table = Table(title="Logistic loss and gradient, K = 1, one thread: linear in n")
    for heading in ("n", "seconds", "times the one before"):
        table.add_column(heading, justify="right")
    ratios = ["", *(f"{b.seconds / a.seconds:.1f}" for a, b in pairwise(found))]
    for result, ratio in zip(found, ratios, strict=True):
        table.add_row(result.name, f"{result.seconds:.4f}", ratio)
    console.print(table)
    return [Target("ten times as many items", found[2].seconds / found[1].seconds, 11)]


def threads(n: int, console: Console) -> None:
    """What more threads bring, by the clock on the wall.

    It shows the other work on the machine too, so there is no target to hold it to.
    """
    most = default_threads(10 * n)
    sizes = {size: (comparisons(size, 1), np.random.default_rng(1).normal(size=size))
             for size in (n, 10 * n)}  # fmt: skip

    def contestant(size: int, count: int) -> Contestant:
        layout, scores = sizes[size]
        name = f"n = {size:,}, {count} thread{'s' if count > 1 else ''}"
        return Contestant(
            name, lambda: _forget(loss_and_gradient(layout, scores, threads=count)), None
        )

    for layout, scores in sizes.values():
        one, many = (loss_and_gradient(layout, scores, threads=count) for count in (1, most))
        if one[0] != many[0] or not np.array_equal(one[1], many[1]):
            raise AssertionError("The number of threads changes the result.")
    counts = sorted({1, 2, most})
    contestants = [contestant(size, count) for size in sizes for count in counts]
    with threadpool_limits(1):
        found = race(contestants, rounds=2 * ROUNDS)
    _print("Threads: loss and gradient, K = 1, seconds on the wall", found, None, console)
    large = found[len(counts) :]
    console.print(
        f"At n = {10 * n:,} two threads are {large[0].seconds / large[1].seconds:.2f}x as fast as "
        "one; all give the same bits."
    )


def libauc(n: int, console: Console) -> list[Target]:
    """One pass of a loss that lists the pairs of a batch, against all pairs of all items."""
    if find_spec("libauc") is None:
        console.print(
            "libauc is not installed: skipped. `pip install --no-deps libauc` adds it without "
            "touching torch."
        )
        return []
    try:
        import torch
        from libauc.losses import PairwiseAUCLoss
    except ImportError as error:
        console.print(f"libauc cannot be imported ({error}): skipped.")
        return []
    rng = np.random.default_rng(2)
    scores, y = rng.normal(size=n), rng.integers(0, 2, n)
    layout = arrange(y, np.array([[False], [True]]), np.array([[True], [False]]))
    # Both on one thread; the batches are made outside the timing.
    torch.set_num_threads(1)
    tensors = (torch.from_numpy(x).split(BATCH) for x in (scores, y))
    batches = [(part.clone().requires_grad_(), label) for part, label in zip(*tensors, strict=True)]
    loss = PairwiseAUCLoss(surr_loss="logistic")

    def one_pass() -> float:
        total = 0.0
        for part, label in batches:
            value = loss(part, label)
            value.backward()
            total += value.item() / len(batches)
        return total

    def ours() -> float:
        return loss_and_gradient(layout, scores)[0]

    # Batches see a sample of the pairs, so the answers agree only roughly.
    contestants = [
        Contestant("isonomy, all pairs, one thread", ours, 0.05),
        Contestant(f"LibAUC PairwiseAUCLoss, batches of {BATCH}", one_pass, 0.05),
    ]
    found = race(contestants, rounds=3, clock=time.process_time)
    _print(f"One pass over n = {n:,} scores, logistic, loss and gradient", found, n, console)
    what = "one pass: faster than LibAUC's pairwise logistic loss"
    return [Target(what, found[1].seconds / found[0].seconds, 50, at_least=True)]


def fits(
    origin: str, X: Features, Y: Labels, console: Console, *, limits: tuple[float, float]
) -> list[Target]:
    """A linear ranker from all pairs, and a pointwise logistic regression.

    Each as it comes, on all cores. AUCs are those of the same rows: so few weights cannot overfit
    so many.
    """
    if (linear := _optional("LinearRanker", console)) is None:
        return []
    models: dict[str, object] = {}

    def keep(name: str, fit: Callable[[], object]) -> Callable[[], None]:
        return lambda: models.update({name: fit()})

    ours, peer, both, worst = (
        "LinearRanker, one label",
        "scikit-learn LogisticRegression, one label",
        f"LinearRanker, all {Y.shape[1]} labels aggregated",
        f"LinearRanker, the worst of {Y.shape[1]} labels",
    )
    runs = {
        ours: keep(ours, lambda: linear(iso.OneLabel(0)).fit(X, Y)),
        peer: keep(peer, lambda: LogisticRegression().fit(X, Y[:, 0])),
        both: keep(both, lambda: linear().fit(X, Y)),
        worst: keep(worst, lambda: linear(iso.WorstLabel()).fit(X, Y)),
    }
    contestants = [
        Contestant(name, lambda run=run: _forget(run()), None) for name, run in runs.items()
    ]
    found = race(contestants, rounds=5)
    seconds = {result.name: result.seconds for result in found}
    aucs = {name: iso.auc(Y[:, 0], model.decision_function(X)) for name, model in models.items()}
    shape = f"{X.shape[0]:,} x {X.shape[1]} ({origin})"
    table = Table(title=f"Fitting, {shape}, all cores, seconds on the wall")
    table.add_column("what")
    for heading in ("seconds", "ratio to the first", "AUC of the first label"):
        table.add_column(heading, justify="right")
    for result in found:
        ratio = f"{result.seconds / found[0].seconds:.2f}"
        table.add_row(result.name, f"{result.seconds:.4f}", ratio, f"{aucs[result.name]:.5f}")
    console.print(table)
    mean_limit, worst_limit = limits
    return [
        Target(
            f"LinearRanker, {shape}: time of LogisticRegression",
            seconds[both] / seconds[peer],
            mean_limit,
        ),
        Target(
            f"LinearRanker(WorstLabel()), {shape}: time of LogisticRegression",
            seconds[worst] / seconds[peer],
            worst_limit,
        ),
        Target(
            f"LinearRanker(WorstLabel()), {shape}: time of LinearRanker()",
            seconds[worst] / seconds[both],
            3,
        ),
        Target(
            f"LinearRanker, {shape}: AUC below LogisticRegression",
            aucs[peer] - aucs[ours],
            0.0005,
            unit="",
        ),
    ]


def front(origin: str, X: Features, Y: Labels, console: Console) -> list[Target]:
    """The whole front of two labels for the price of a grid of single fits."""
    if (pareto := _optional("pareto", console)) is None:
        return []
    runs = {
        f"pareto.trace, {N_WEIGHTS} weights, with intervals": lambda: len(
            pareto.trace(X, Y, n_points=N_WEIGHTS, random_state=0).aucs
        ),
        "scikit-learn LogisticRegression, one fit": lambda: (
            LogisticRegression().fit(X, Y[:, 0]).n_iter_
        ),
    }
    found = _race(runs, rounds=5)
    _print(f"The front of two labels, {len(X):,} x {X.shape[1]} ({origin})", found, None, console)
    what = f"pareto.trace, {N_WEIGHTS} weights: time of one LogisticRegression"
    return [Target(what, found[0].seconds / found[1].seconds, 60)]


def comparisons(n: int, n_labels: int, group_size: int | None = None) -> PairLayout:
    """Fair independent labels, perhaps in groups."""
    bits = ((np.arange(2**n_labels)[:, None] >> np.arange(n_labels)) & 1).astype(bool)
    codes = np.random.default_rng(n_labels).integers(0, 2**n_labels, n)
    group = None if group_size is None else np.arange(n) // group_size
    return arrange(codes, bits, ~bits, group=group)


def loss_and_gradient(
    layout: PairLayout, scores: np.ndarray, name: str = "logistic", *, threads: int = 1
) -> tuple[float, np.ndarray]:
    """The mean over terms of N / D, and its gradient."""
    sums = surrogate_sums(layout, scores, SURROGATES[name], threads=threads)
    share = 1.0 / np.maximum(layout.pairs, 1.0) / layout.pairs.size
    return float(sums.values() @ share), sums.gradient(share)


def with_hessian(layout: PairLayout, scores: np.ndarray) -> np.ndarray:
    sums = surrogate_sums(layout, scores, SURROGATES["logistic"], threads=1)
    share = 1.0 / layout.pairs
    return sums.values() @ share, sums.gradient(share), sums.hessian_diagonal(share)


def pointwise(scores: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """An ordinary logistic loss and its gradient, by plain numpy."""
    decay = np.exp(-np.abs(scores))
    value = (np.log1p(decay) + np.maximum(scores, 0.0) - y * scores).mean()
    probability = np.where(scores > 0.0, 1.0, decay) / (1.0 + decay)
    return float(value), (probability - y) / scores.size


def bank() -> tuple[Features, Labels, str]:
    """Seven numeric features, standardised, and two labels; made up where the file is absent."""
    default = Path(__file__).parents[2] / "shared" / "data"
    path = Path(os.environ.get("ISONOMY_DATA", default)) / "bank" / "bank-full.csv"
    if not path.exists():
        return *made_up(BANK_SIZE, len(BANK_FEATURES)), "made up; set ISONOMY_DATA for bank"
    with path.open() as lines:
        rows = list(csv.DictReader(lines, delimiter=";"))
    X = np.array([[float(row[name]) for name in BANK_FEATURES] for row in rows])
    Y = np.array([[row["housing"] == "yes", row["loan"] == "yes"] for row in rows]).astype(int)
    return (X - X.mean(axis=0)) / X.std(axis=0), Y, "bank"


def made_up(n: int, n_features: int) -> tuple[Features, Labels]:
    """Normal features and two labels that they predict."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, n_features))
    pull = X @ (rng.normal(size=(n_features, 2)) / np.sqrt(n_features))
    return X, (rng.random((n, 2)) < special.expit(pull - [0.0, 1.5])).astype(int)


def _optional(name: str, console: Console) -> object | None:
    """A name of the package, or a word on why not."""
    try:
        return getattr(iso, name)
    except (AttributeError, ImportError) as error:
        console.print(f"{name} cannot be had ({error}): skipped.")
        return None


def _race(runs: dict[str, Callable[[], object]], *, rounds: int) -> list[Result]:
    """Answers of different things are not compared."""
    contestants = [
        Contestant(name, lambda run=run: _forget(run()), None) for name, run in runs.items()
    ]
    with threadpool_limits(1):
        return race(contestants, rounds=rounds, clock=time.process_time)


def _forget(answer: object) -> float:
    del answer
    return 0.0


def _print(title: str, found: list[Result], n: int | None, console: Console) -> None:
    table = Table(title=title)
    table.add_column("what")
    for heading in ("ns per item" if n else "seconds", "ratio to the first"):
        table.add_column(heading, justify="right")
    for result in found:
        time = f"{result.seconds / n * 1e9:,.1f}" if n else f"{result.seconds:.3f}"
        table.add_row(result.name, time, f"{result.seconds / found[0].seconds:,.2f}")
    console.print(table)
