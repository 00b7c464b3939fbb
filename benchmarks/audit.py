"""Speed of `audit` beside scikit-learn's AUCs alone, and how often its intervals are right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import optimize, special

import isonomy as iso
from benchmarks import peers
from benchmarks.data import scores_and_labels
from benchmarks.targets import Target
from benchmarks.timing import Contestant, race
from isonomy._audit import Estimate

N_ITEMS, QUICK_ITEMS = 1_000_000, 100_000
ROUNDS = 5
SIMULATIONS, QUICK_SIMULATIONS = 1000, 100
TOP = 0.1


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print a table of times and one of coverages; return the targets."""
    targets = speed(QUICK_ITEMS if quick else N_ITEMS, console)
    return targets + coverage(QUICK_SIMULATIONS if quick else SIMULATIONS, console)


def speed(n: int, console: Console) -> list[Target]:
    """The whole audit against eight AUCs without intervals."""
    scores, labels = scores_and_labels(n, 8)
    segment = np.random.default_rng(1).integers(0, 20, n)
    found = race(
        [
            Contestant("isonomy audit, 8 labels", lambda: iso.audit(labels, scores).aucs),
            *peers.scikit_learn(labels, scores),
            Contestant("np.sort of the scores", lambda: np.sort(scores), None),
            Contestant(
                "isonomy audit, 8 labels, by 20 segments",
                lambda: iso.audit(labels, scores, by=segment).aucs,
            ),
        ],
        rounds=ROUNDS,
    )
    table = Table(title=f"audit with all intervals and the conflict matrix, n = {n:,}")
    for heading in ("what", "seconds", "ratio to ours"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for result in found:
        ratio = result.seconds / found[0].seconds
        table.add_row(result.name, f"{result.seconds:.3f}", f"{ratio:.2f}")
    console.print(table)
    each, others = (
        found[0].seconds / n * 1e9,
        {result.name: result.seconds / found[0].seconds for result in found[1:]},
    )
    what = "audit, K = 8: faster than 8 calls of roc_auc_score"
    return [
        Target("audit, K = 8", each, 120, unit=" ns", nanoseconds=each, peers=others),
        Target(what, found[1].seconds / found[0].seconds, 1, at_least=True),
    ]


@dataclass(frozen=True)
class World:
    """Rows with one of the patterns of three labels, and normal scores around its mean."""

    name: str
    shares: np.ndarray
    means: np.ndarray

    patterns = np.arange(8)[:, None] >> np.arange(3) & 1

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        rows = rng.choice(8, n, p=self.shares)
        return self.patterns[rows], rng.normal(size=n) + self.means[rows]

    def truths(self) -> dict[str, float]:
        """Min, Diff, the share of label 0 in the top, and its effective weight."""
        order = special.ndtr((self.means[:, None] - self.means) / np.sqrt(2))
        pairs = np.outer(self.shares, self.shares)
        above, below = self.patterns, 1 - self.patterns
        total = np.einsum("ir,ij,jr->r", above, pairs, below)
        aucs = np.einsum("ir,ij,jr->r", above, pairs * order, below) / total
        cut = optimize.brentq(lambda t: self.shares @ special.ndtr(self.means - t) - TOP, -9, 9)
        top = self.shares * special.ndtr(self.means - cut)
        pull = 1 / total / (1 / total).sum()
        return {
            "Min": aucs.min(),
            "Diff": np.ptp(aucs),
            "share in the top 10%": top @ self.patterns[:, 0] / top.sum(),
            "effective weight": pull[0],
        }


FOUND: dict[str, Callable[[iso.Audit], Estimate]] = {
    "Min": lambda audit: audit.minimum,
    "Diff": lambda audit: audit.diff,
    "share in the top 10%": lambda audit: audit.labels[0].top[2].share,
    "effective weight": lambda audit: audit.labels[0].effective_weight,
}


def worlds() -> Iterator[World]:
    """Labels served alike, nearly alike, and one clearly worst."""
    patterns, even = World.patterns, np.array([0.4, 0.1, 0.1, 0.075, 0.1, 0.075, 0.075, 0.075])
    yield World("all AUCs equal", even, patterns @ [0.8, 0.8, 0.8])
    yield World("nearly equal", even, patterns @ [0.8, 0.75, 0.7])
    yield World("one clearly worst", even, patterns @ [1.2, 1.0, 0.0])


def coverage(simulations: int, console: Console) -> list[Target]:
    """How often 95% intervals hold the truth; at least 93% is promised for Min and Diff."""

    def show(row: str) -> None:
        console.print(row, markup=False, highlight=False, soft_wrap=True)

    show("| data | rows | number | truth | coverage | +- | too low | too high | mean width |")
    show("|---|--:|---|--:|--:|--:|--:|--:|--:|")
    targets = []
    for seed, world in enumerate(worlds()):
        for n in (200, 1000):
            generators = np.random.default_rng(seed).spawn(simulations)
            audits = [iso.audit(*world.draw(rng, n)) for rng in generators]
            for name, truth in world.truths().items():
                bounds = [(FOUND[name](audit).low, FOUND[name](audit).high) for audit in audits]
                low, high = np.array(bounds).T
                below, above = np.mean(high < truth - 1e-12), np.mean(low > truth + 1e-12)
                inside = 1 - below - above
                error = np.sqrt(inside * (1 - inside) / simulations)
                show(
                    f"| {world.name} | {n} | {name} | {truth:.3f} | {inside:.1%} | {error:.1%} "
                    f"| {below:.1%} | {above:.1%} | {np.mean(high - low):.3f} |"
                )
                if name in ("Min", "Diff") and n == 1000:
                    what = f"coverage of {name}, {world.name}, n = 1,000"
                    targets.append(Target(what, 100 * inside, 93, at_least=True, unit="%"))
    return targets
