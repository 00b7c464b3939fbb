"""Coverage beyond one label and plain rows, and the sizes of tests."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TypeAlias, TypeVar

import numpy as np
from scipy import special

import isonomy as iso
from benchmarks.score_distributions import DISTRIBUTIONS, normal

RUNS, QUICK_RUNS = 2000, 100
TEST_RUNS, SEGMENT_RUNS, SPLIT_RUNS = 4000, 2000, 200

T = TypeVar("T")
Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Case:
    """How often an interval holds the truth, or lies below or above it."""

    data: str
    what: str
    truth: float
    below: float
    above: float
    width: float
    runs: int

    @property
    def inside(self) -> float:
        return 1 - self.below - self.above

    def __str__(self) -> str:
        return (
            f"| {self.data} | {self.what} | {self.truth:.3f} | {self.inside:.1%} "
            f"| {self.below:.1%} | {self.above:.1%} | {self.width:.3f} | {self.runs} |"
        )


@dataclass(frozen=True)
class FalseAlarm:
    """How often a test rejects what is true."""

    test: str
    data: str
    rate: float
    runs: int

    def __str__(self) -> str:
        return f"| {self.test} | {self.data} | {self.rate:.1%} | {self.runs} |"


def simulate(
    data: str,
    what: str,
    truth: float,
    interval: Callable[[np.random.Generator], Interval],
    runs: int,
) -> Case:
    """Draw data again and again, each time from a generator of its own."""
    bounds = np.array(repeated(interval, runs, 7))
    low, high = bounds[~np.isnan(bounds).any(axis=1)].T
    below, above = np.mean(high < truth - 1e-12), np.mean(low > truth + 1e-12)
    return Case(data, what, truth, below, above, float(np.mean(high - low)), len(low))


def rejections(
    test: str, data: str, rejects: Callable[[np.random.Generator], bool], runs: int, seed: int
) -> FalseAlarm:
    """The same for a test."""
    return FalseAlarm(test, data, float(np.mean(repeated(rejects, runs, seed))), runs)


def repeated(find: Callable[[np.random.Generator], T], runs: int, seed: int) -> list[T]:
    """What is found in each of so many draws, each from a generator of its own."""
    with warnings.catch_warnings():
        # Small samples are what this is about.
        warnings.simplefilter("ignore", UserWarning)
        return [find(np.random.default_rng([seed, run])) for run in range(runs)]


def cases(quick: bool) -> Iterator[Callable[[], Case]]:
    """All rows of the second table, as tasks."""
    runs = QUICK_RUNS if quick else RUNS
    for (name, draw), sizes, truth in product(
        (("normal", normal), ("unequal spread", DISTRIBUTIONS["unequal spread"])),
        ((10, 10), (10, 100)),
        (0.6, 0.9),
    ):
        conflict = partial(conflict_interval, draw(truth), sizes)
        data = f"conflict, {name}, {sizes[0]}/{sizes[1]}"
        yield partial(simulate, data, "conflict AUC", truth, conflict, runs)
    for n_groups, weight, auc in product((20, 50), ("pairs", "equal"), (0.8, 0.95)):
        grouped = partial(group_interval, auc, n_groups, weight)
        data = f"{n_groups} groups of 20, {weight}"
        yield partial(simulate, data, "AUC inside groups", auc, grouped, runs)
    for n_clusters, alike, auc in product((30, 100), (0.2, 0.8), (0.8, 0.95)):
        clustered = partial(cluster_interval, auc, n_clusters, alike, 0.0)
        data = f"{n_clusters} clusters of 10, correlation {alike:g}"
        yield partial(simulate, data, "AUC of all pairs", auc, clustered, runs)
    for auc in (0.8, 0.95):
        uneven = partial(cluster_interval, auc, 25, 0.9, 1.0)
        data = "25 clusters of lognormal sizes, correlation 0.9"
        yield partial(simulate, data, "AUC of all pairs", auc, uneven, runs)
    for sizes, auc in product(((100, 100), (20, 180)), (0.6, 0.8, 0.95)):
        weighted = partial(weighted_interval, auc, sizes)
        data = f"{sizes[0]}/{sizes[1]}, lognormal weights"
        yield partial(simulate, data, "weighted AUC", auc, weighted, runs)
    for world, n in product(worlds(), (500, 1000, 3000)):
        for what in ("Min", "Diff"):
            yield partial(
                simulate,
                f"{world.name}, {n} rows",
                what,
                world.truth(what),
                world.interval(what, n),
                runs,
            )
    for (name, objective), n in product(OBJECTIVES.items(), (200, 1000)):
        truth = LABELLED.objective(objective)
        interval = partial(objective_interval, objective, n)
        yield partial(simulate, f"{n} rows, 2 labels", name, truth, interval, runs)
    for (name, slopes), what in product(LEARNT.items(), ("Min", "Diff")):
        runs = QUICK_RUNS if quick else SPLIT_RUNS
        data = f"compare, {name}, {LEARNT_ROWS} rows"
        yield partial(learnt_case, data, slopes, what, runs)


def conflict_interval(draw: Callable, sizes: tuple[int, int], rng: np.random.Generator) -> Interval:
    """Rows with the first label only, with the second only, and 50 with none."""
    patterns = np.repeat([[1, 0], [0, 1], [0, 0]], [*sizes, 50], axis=0)
    first, second = draw(rng, (sizes[0],), True), draw(rng, (sizes[1],), False)
    scores = np.concatenate([first, second, rng.normal(-1, 1, 50)])
    found = iso.conflict_intervals(patterns, scores)
    return found.low[0, 1], found.high[0, 1]


def group_interval(
    auc: float, n_groups: int, weight: str, rng: np.random.Generator, size: int = 20
) -> Interval:
    """Groups with their own prior, their own level of scores and their own separation."""
    spread = 0.5
    groups = np.repeat(np.arange(n_groups), size)
    shift = special.ndtri(auc) * np.sqrt(2 + spread**2) + spread * rng.normal(size=n_groups)
    y = rng.random(groups.size) < rng.beta(2, 4, n_groups)[groups]
    scores = rng.normal(size=groups.size) + rng.normal(size=n_groups)[groups] + y * shift[groups]
    return label_interval(y, scores, groups=groups, group_weight=weight)


def cluster_interval(
    auc: float, n_clusters: int, alike: float, spread: float, rng: np.random.Generator
) -> Interval:
    """Users with their own share of positives; scores of one user are correlated.

    `spread` is the standard deviation of the logarithm of their rows.
    """
    sizes = np.maximum(np.round(10 * np.exp(spread * rng.normal(size=n_clusters))), 1)
    clusters = np.repeat(np.arange(n_clusters), sizes.astype(int))
    y = rng.random(clusters.size) < rng.beta(1, 3, n_clusters)[clusters]
    scores = np.sqrt(alike) * rng.normal(size=n_clusters)[clusters]
    scores += np.sqrt(1 - alike) * rng.normal(size=clusters.size)
    return label_interval(y, scores + y * np.sqrt(2) * special.ndtri(auc), clusters=clusters)


def weighted_interval(auc: float, sizes: tuple[int, int], rng: np.random.Generator) -> Interval:
    """Weights that have nothing to do with scores."""
    y = np.arange(sum(sizes)) < sizes[0]
    scores = rng.normal(size=y.size) + y * np.sqrt(2) * special.ndtri(auc)
    return label_interval(y, scores, sample_weight=rng.lognormal(0, 1, y.size))


def label_interval(y: np.ndarray, scores: np.ndarray, **options: object) -> Interval:
    """The interval of one label's AUC."""
    found = iso.auc_intervals(y, scores, **options)
    return found.low[0], found.high[0]


@dataclass(frozen=True)
class World:
    """Rows with one of some label patterns, and normal scores around its mean."""

    name: str
    patterns: np.ndarray
    shares: np.ndarray
    means: np.ndarray

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        rows = rng.choice(len(self.shares), n, p=self.shares)
        return self.patterns[rows], rng.normal(size=n) + self.means[rows]

    def objective(self, objective: iso.Objective) -> float:
        """The true AUC."""
        preferences = objective.preferences(iso.Labels.from_table(self.patterns))
        above, below = (
            np.asarray(table, dtype=float)[preferences.codes]
            for table in (preferences.above, preferences.below)
        )
        order = special.ndtr((self.means[:, None] - self.means) / np.sqrt(2))
        pairs = np.outer(self.shares, self.shares)
        right = np.einsum("ir,ij,jr->r", above, pairs * order, below)
        total = np.einsum("ir,ij,jr->r", above, pairs, below)
        if preferences.mix.pooled:
            right, total = right.sum(keepdims=True), total.sum(keepdims=True)
        return preferences.mix.value(right / total)

    def truth(self, what: str) -> float:
        """The true Min or Diff."""
        n_labels = self.patterns.shape[1]
        aucs = [self.objective(iso.OneLabel(k)) for k in range(n_labels)]
        return min(aucs) if what == "Min" else max(aucs) - min(aucs)

    def interval(self, what: str, n: int) -> Callable[[np.random.Generator], Interval]:
        def found(rng: np.random.Generator) -> Interval:
            audit = iso.audit(*self.draw(rng, n))
            estimate = audit.minimum if what == "Min" else audit.diff
            # Now and then a sample lacks the rare label; then there is nothing to cover.
            missing = np.isnan(audit.aucs).any()
            return (np.nan, np.nan) if missing else (estimate.low, estimate.high)

        return found


def worlds() -> Iterator[World]:
    """Two labels, one of which 1% of the rows have."""
    patterns = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    shares = np.array([0.594, 0.396, 0.006, 0.004])
    yield World("1% label, served worst", patterns, shares, patterns @ [1.5, 0.3])
    yield World("1% label, served best", patterns, shares, patterns @ [0.8, 2.5])
    yield World("1% label, served alike", patterns, shares, patterns @ [1.0, 1.0])


LABELLED = World(
    "two labels",
    np.array([[0, 0], [0, 1], [1, 0], [1, 1]]),
    np.array([0.5, 0.1, 0.25, 0.15]),
    np.array([0.0, 0.8, 1.2, 2.0]),
)
OBJECTIVES: dict[str, iso.Objective] = {
    "LabelAggregation": iso.LabelAggregation(),
    "LossAggregation": iso.LossAggregation(),
    "LossAggregation, balanced": iso.LossAggregation("balanced"),
    "WorstLabel": iso.WorstLabel(),
}


def objective_interval(objective: iso.Objective, n: int, rng: np.random.Generator) -> Interval:
    """Of an objective's AUC; the classes' sizes are random too."""
    found = iso.auc_intervals(*LABELLED.draw(rng, n), objective=objective)
    return found.low, found.high


# Slopes of two labels' log-odds in three features.
LEARNT = {
    "labels alike": np.array([[0.8, 0.2], [0.2, 0.8], [0.3, 0.3]]),
    "one label worse": np.array([[1.2, 0.2], [0.2, 0.4], [0.5, 0.3]]),
}
LEARNT_ROWS = 400


def learnt_case(data: str, slopes: np.ndarray, what: str, runs: int) -> Case:
    """Min or Diff of a ranker that is learnt, over the splits of `compare`."""
    return simulate(
        data, what, learnt_truth(slopes, what), partial(split_interval, slopes, what), runs
    )


def learnt_truth(slopes: np.ndarray, what: str) -> float:
    """Of the expected AUCs of rankers trained on as many rows as a split trains on."""
    rng = np.random.default_rng(0)
    fresh, labels = learnt_rows(slopes, 50_000, rng)
    found = []
    for _ in range(100):
        ranker = iso.LinearRanker().fit(*learnt_rows(slopes, 4 * LEARNT_ROWS // 5, rng))
        found.append(iso.label_aucs(labels, ranker.predict(fresh)))
    aucs = np.mean(found, axis=0)
    return float(aucs.min() if what == "Min" else np.ptp(aucs))


def learnt_rows(
    slopes: np.ndarray, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels."""
    X = rng.normal(size=(n, len(slopes)))
    return X, rng.random((n, 2)) < special.expit(X @ slopes - 1)


def split_interval(slopes: np.ndarray, what: str, rng: np.random.Generator) -> Interval:
    """What `compare` says of one method."""
    X, Y = learnt_rows(slopes, LEARNT_ROWS, rng)
    result = iso.compare(
        X,
        Y,
        methods=["mean"],
        family="linear",
        tune=False,
        tradeoffs=False,
        random_state=0,
        n_jobs=1,
    )
    found = result.methods[0].min if what == "Min" else result.methods[0].diff
    return float(found.low), float(found.high)


def false_alarms(quick: bool) -> Iterator[Callable[[], FalseAlarm]]:
    """All rows of the third table, as tasks: nothing differs, and nobody dictates."""
    runs = QUICK_RUNS if quick else TEST_RUNS
    for sizes, auc in product(((100, 100), (20, 180), (10, 190), (5, 500)), (0.6, 0.8, 0.95)):
        data = f"{sizes[0]}/{sizes[1]}, AUC {auc:g}"
        yield partial(rejections, "compare_scores", data, partial(same_scores, auc, sizes), runs, 8)
    for sizes in ((10, 10), (10, 100), (20, 20), (50, 50)):
        data = f"true conflict AUC .9, {sizes[0]}/{sizes[1]}"
        yield partial(rejections, "dictated", data, partial(dictated, sizes), runs, 9)
    for size, auc in product((35, 100, 300), (0.8, 0.95, 0.99)):
        runs = QUICK_RUNS if quick else SEGMENT_RUNS // (1 if size < 300 else 2)
        data = f"5 segments, {size} of {5 * size} positive in each, AUC {auc:g}"
        yield partial(rejections, "segments", data, partial(same_segments, auc, size), runs, 10)


def dictated(sizes: tuple[int, int], rng: np.random.Generator) -> bool:
    """Whether a label that wins 90% of its conflicts surely wins more."""
    return conflict_interval(normal(0.9), sizes, rng)[0] > 0.9


def same_scores(auc: float, sizes: tuple[int, int], rng: np.random.Generator) -> bool:
    """Whether two scores of one AUC, correlated by a half, are told apart."""
    y = np.arange(sum(sizes)) < sizes[0]
    shared, *own = np.sqrt(0.5) * rng.normal(size=(3, y.size))
    first, second = (shared + each + y * np.sqrt(2) * special.ndtri(auc) for each in own)
    return bool(iso.compare_scores(y, first, second).p_value[0] < 0.05)


def same_segments(auc: float, size: int, rng: np.random.Generator) -> bool:
    """Whether segments of one AUC are told apart, if they are tested at all."""
    segment = np.repeat(np.arange(5), 5 * size)
    y = np.tile(np.arange(5 * size) < size, 5)
    found = iso.audit(y, rng.normal(size=y.size) + y * np.sqrt(2) * special.ndtri(auc), by=segment)
    return any(test.differs for test in found.segment_tests)
