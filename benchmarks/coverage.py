"""How often do the intervals hold the truth? A Markdown table."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from rich.console import Console
from scipy import special

import isonomy as iso
from benchmarks.targets import Target

LEVEL = 0.95
SIMULATIONS, QUICK_SIMULATIONS = 2000, 200
BOOTSTRAP_SIMULATIONS, BOOTSTRAP_SAMPLES = 500, 500
AUCS = (0.6, 0.8, 0.95)
CLASSES = ((100, 100), (20, 180), (10, 190))

Interval = tuple[float, float]


@dataclass(frozen=True)
class Scenario:
    """A way to draw data whose true AUC is known, and the interval made of it."""

    method: str
    data: str
    truth: float
    interval: Callable[[np.random.Generator], Interval]
    promised: bool = False
    simulations: int = SIMULATIONS


@dataclass(frozen=True)
class Coverage:
    """Shares of the intervals that hold the truth, or lie below or above it; mean width."""

    inside: float
    below: float
    above: float
    width: float
    simulations: int

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the coverage."""
        return float(np.sqrt(self.inside * (1 - self.inside) / self.simulations))


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print the table, row by row; the target is 93% to 97% with 100 items in each class."""

    def show(row: str) -> None:
        console.print(row, markup=False, highlight=False, soft_wrap=True)

    show("| interval | data | AUC | coverage | +- | too low | too high | mean width | runs |")
    show("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    targets = []
    for seed, scenario in enumerate(scenarios()):
        found = simulate(scenario, seed, quick=quick)
        show(
            f"| {scenario.method} | {scenario.data} | {scenario.truth:.3f} | {found.inside:.1%} "
            f"| {found.error:.1%} | {found.below:.1%} | {found.above:.1%} | {found.width:.3f} "
            f"| {found.simulations} |"
        )
        if scenario.promised:
            what = f"coverage, {scenario.data}, AUC {scenario.truth:g}: distance from 95%"
            away = 100 * abs(found.inside - LEVEL)
            targets.append(Target(what, away, 2.0, unit=" points"))
    return targets


def simulate(scenario: Scenario, seed: int, *, quick: bool) -> Coverage:
    """Draw data again and again, each time from a generator of its own."""
    times = QUICK_SIMULATIONS if quick else scenario.simulations
    with warnings.catch_warnings():
        # Small classes are what some scenarios are about.
        warnings.filterwarnings("ignore", "Fewer than", UserWarning)
        generators = np.random.default_rng(seed).spawn(times)
        bounds = np.array([scenario.interval(rng) for rng in generators])
    low, high = bounds.T
    below, above = np.mean(high < scenario.truth), np.mean(low > scenario.truth)
    return Coverage(1 - below - above, below, above, float(np.mean(high - low)), times)


def scenarios() -> Iterator[Scenario]:
    """All rows of the table."""
    for (positives, negatives), auc in product(CLASSES, AUCS):
        draw = binormal(auc, positives, negatives)
        yield Scenario(
            "DeLong",
            f"{positives} / {negatives}",
            auc,
            lambda rng, draw=draw: label_interval(*draw(rng)),
            promised=positives == negatives,
        )
    for positives, negatives in CLASSES:
        draw = binormal(0.99, positives, negatives)
        yield Scenario(
            "DeLong",
            f"{positives} / {negatives}",
            0.99,
            lambda rng, draw=draw: label_interval(*draw(rng)),
        )
    yield from weighted_scenarios()
    yield from grouped_scenarios()
    yield from objective_scenarios()
    for auc in AUCS:
        draw = binormal(auc, 100, 100)
        yield Scenario(
            "bootstrap",
            "100 / 100",
            auc,
            lambda rng, draw=draw: bootstrap_interval(*draw(rng), rng),
            simulations=BOOTSTRAP_SIMULATIONS,
        )


def weighted_scenarios() -> Iterator[Scenario]:
    """Two kinds of positives, drawn half and half; weights make them 3 to 1."""
    easy, hard = 0.9, 0.6
    truth = 0.75 * easy + 0.25 * hard

    def interval(rng: np.random.Generator, size: int) -> Interval:
        kind = rng.random(2 * size) < 0.5
        y = np.arange(2 * size) < size
        shift = np.where(kind, shift_for(easy), shift_for(hard))
        scores = rng.normal(size=2 * size) + y * shift
        return label_interval(y, scores, sample_weight=np.where(kind, 3.0, 1.0))

    for size in (100, 1000):
        yield Scenario(
            "DeLong, weights 1 and 3",
            f"{size} / {size}",
            truth,
            lambda rng, size=size: interval(rng, size),
        )


def grouped_scenarios() -> Iterator[Scenario]:
    """Groups with their own prior, their own level of scores and their own separation."""
    size, spread = 20, 0.5

    def interval(rng: np.random.Generator, auc: float, n_groups: int, weight: str) -> Interval:
        groups = np.repeat(np.arange(n_groups), size)
        shift = special.ndtri(auc) * np.sqrt(2 + spread**2) + spread * rng.normal(size=n_groups)
        y = rng.random(groups.size) < rng.beta(2, 4, n_groups)[groups]
        scores = (
            rng.normal(size=groups.size) + rng.normal(size=n_groups)[groups] + y * shift[groups]
        )
        return label_interval(y, scores, groups=groups, group_weight=weight)

    for n_groups, weight, auc in product((100, 20), ("pairs", "equal"), (0.8, 0.95)):
        yield Scenario(
            f"by group, {weight}",
            f"{n_groups} groups of {size}",
            auc,
            lambda rng, a=auc, g=n_groups, w=weight: interval(rng, a, g, w),
        )


def objective_scenarios() -> Iterator[Scenario]:
    """Two labels; rows drawn independently, so that the classes' sizes are random too."""
    patterns = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    shares = np.array([0.5, 0.1, 0.25, 0.15])
    cases = (
        ("LabelAggregation", iso.LabelAggregation(), (0.0, 0.8, 1.2, 2.0)),
        ("LabelAggregation, uniform", iso.LabelAggregation(costs="uniform"), (0.0, 0.8, 1.2, 2.0)),
        ("LossAggregation", iso.LossAggregation(), (0.0, 0.8, 1.2, 2.0)),
        ("LossAggregation, balanced", iso.LossAggregation("balanced"), (0.0, 0.8, 1.2, 2.0)),
        ("WorstLabel, one clearly worst", iso.WorstLabel(), (0.0, 0.0, 1.5, 1.5)),
    )
    for (name, objective, means), n in product(cases, (200, 1000)):
        yield _objective_scenario(name, objective, patterns, shares, np.array(means), n)
    even = np.array([0.5, 0.175, 0.175, 0.15])
    for n in (200, 1000):
        name = "WorstLabel, all equal"
        means = np.array([0.0, 1.0, 1.0, 2.0])
        yield _objective_scenario(name, iso.WorstLabel(), patterns, even, means, n)


def _objective_scenario(
    name: str,
    objective: iso.Objective,
    patterns: np.ndarray,
    shares: np.ndarray,
    means: np.ndarray,
    n: int,
) -> Scenario:
    def interval(rng: np.random.Generator) -> Interval:
        rows = rng.choice(len(patterns), n, p=shares)
        found = iso.auc_intervals(
            patterns[rows], rng.normal(size=n) + means[rows], objective=objective, level=LEVEL
        )
        return found.low, found.high

    preferences = objective.preferences(iso.Labels.from_table(patterns))
    above, below = (
        np.asarray(table, dtype=float)[preferences.codes]
        for table in (preferences.above, preferences.below)
    )
    order = special.ndtr((means[:, None] - means) / np.sqrt(2))
    pairs = np.outer(shares, shares)
    right = np.einsum("ir,ij,jr->r", above, pairs * order, below)
    total = np.einsum("ir,ij,jr->r", above, pairs, below)
    if preferences.mix.pooled:
        right, total = right.sum(keepdims=True), total.sum(keepdims=True)
    return Scenario(name, f"{n} rows, 2 labels", preferences.mix.value(right / total), interval)


def binormal(
    auc: float, positives: int, negatives: int
) -> Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]:
    """Normal scores, those of the positives shifted so that the AUC is as given."""
    y = np.arange(positives + negatives) < positives

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return y, rng.normal(size=y.size) + y * shift_for(auc)

    return draw


def shift_for(auc: float) -> float:
    """Distance of two normal distributions of variance 1 with this AUC."""
    return float(np.sqrt(2) * special.ndtri(auc))


def label_interval(y: np.ndarray, scores: np.ndarray, **options: object) -> Interval:
    """DeLong's interval of one label."""
    found = iso.auc_intervals(y, scores, level=LEVEL, **options)
    return found.low[0], found.high[0]


def bootstrap_interval(y: np.ndarray, scores: np.ndarray, rng: np.random.Generator) -> Interval:
    """The percentile interval over resampled items."""
    return label_interval(
        y, scores, method="bootstrap", n_resamples=BOOTSTRAP_SAMPLES, random_state=rng
    )
