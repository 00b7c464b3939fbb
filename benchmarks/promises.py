"""Are promises kept? `compare(at_least=...)` and `Front.subject_to` on draws with known answers.

Every draw makes two labels of its own, with logits that are linear in the features: how far they
agree, how common and how predictable they are differs. The best that a linear ranker can do is
known, up to what 200,000 rows can tell: of the weighted sums of the true logits, the one that just
keeps the floor. Where between the ends of that front the floor stands is drawn too. Fresh rows then
judge what was fitted to 20,000: a promise costs the others standard errors, and with 6,000 rows
nearly twice as much. What no linear ranker can reach is told beside it: the best of all
rankings, which are weighted sums of the true probabilities.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from scipy.special import expit

import isonomy as iso
from benchmarks.targets import Target

N_DRAWS, QUICK_DRAWS = 100, 3
SEED = 31_000
ROWS, FRESH, LARGE = 20_000, 50_000, 200_000
N_FEATURES = 6
# Of the weights among which the best possible is looked for.
HALVINGS = 10
# Where between the ends of the front floors stand, in AUCs of the promised label.
FLOORS = (0.2, 0.8)
# A floor missed by less than this is told apart: nobody would notice.
SLIGHT = 0.002
Array = np.ndarray


@dataclass(frozen=True)
class Draw:
    """Two labels with known logits; the first is promised `floor`.

    The second may have `best` by a linear ranker, `bayes` by any.
    """

    directions: Array
    shifts: Array
    floor: float
    best: float
    bayes: float

    @classmethod
    def make(cls, rng: np.random.Generator) -> Draw:
        """A pair of labels, and a floor that can be kept."""
        angle = rng.uniform(np.pi / 3, 0.85 * np.pi)
        length = rng.uniform(1.0, 2.5, 2)
        first, second = np.linalg.qr(rng.normal(size=(N_FEATURES, 2)))[0].T
        directions = np.column_stack([first, np.cos(angle) * first + np.sin(angle) * second])
        directions *= length
        logits = rng.normal(size=(LARGE, N_FEATURES)) @ directions
        shifts = np.array([np.quantile(each, 1 - rng.uniform(0.1, 0.6)) for each in logits.T])
        logits = logits - shifts
        chance = expit(logits)
        Y = rng.random(chance.shape) < chance
        ends = [iso.auc(Y[:, 0], logits[:, k]) for k in (1, 0)]
        floor = round(ends[0] + rng.uniform(*FLOORS) * (ends[1] - ends[0]), 3)
        best, bayes = (second_at(floor, Y, pulls) for pulls in (logits, chance))
        return cls(directions, shifts, floor, best, bayes)

    def rows(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Features and labels."""
        X = rng.normal(size=(n, N_FEATURES))
        chance = expit(X @ self.directions - self.shifts)
        return X, (rng.random(chance.shape) < chance).astype(np.uint8)


def second_at(floor: float, Y: Array, pulls: Array) -> float:
    """AUC of the second label by the weighted sum that gives the first one the floor."""
    scaled = pulls / pulls.std(axis=0)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        aucs = iso.label_aucs(Y, scaled @ [middle, 1 - middle])
        low, high = (middle, high) if aucs[0] < floor else (low, middle)
    return float(aucs[1])


Ranker = Callable[[Array], Array]


def by_compare(X: Array, Y: Array, floor: float) -> tuple[Ranker, str]:
    """The recommended method, fitted to all rows."""
    found = iso.compare(
        X,
        Y,
        at_least={0: floor},
        family="linear",
        methods=["mean", "worst"],
        repeats=1,
        tradeoffs=False,
        random_state=0,
    )
    return found.fit_best(X, Y).predict, found.recommended


def by_front(X: Array, Y: Array, floor: float) -> tuple[Ranker, str]:
    """The weights of the front that keep the floor; the ranker that was seen to keep it."""
    # Fresh rows report here: most of the others may choose.
    front = iso.pareto.trace(X, Y, validation_size=0.5, test_size=0.1, random_state=0)
    try:
        choice = front.subject_to({0: floor})
    except ValueError:
        return front.preferred([1, 0]).ranker.predict, "out of reach"
    return choice.ranker.predict, "weights"


WAYS = {"compare(at_least=)": by_compare, "Front.subject_to": by_front}


@dataclass(frozen=True)
class Judged:
    """What one way gave on fresh rows: beyond the floor, and behind the best of the other label."""

    spare: float
    behind: float
    behind_bayes: float
    taken: str


def judged(draw: Draw, seed: int) -> dict[str, Judged]:
    """Both ways on the same rows, judged by the same fresh rows."""
    rng = np.random.default_rng([seed, 1])
    X, Y = draw.rows(ROWS, rng)
    fresh, truth = draw.rows(FRESH, rng)
    found = {}
    for name, way in WAYS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            predict, taken = way(X, Y, draw.floor)
        first, second = iso.label_aucs(truth, predict(fresh))
        found[name] = Judged(first - draw.floor, draw.best - second, draw.bayes - second, taken)
    return found


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print a row per way; targets are those of promises."""
    n_draws = QUICK_DRAWS if quick else int(os.environ.get("ISONOMY_DRAWS", N_DRAWS))
    begun = time.perf_counter()
    draws = [
        judged(Draw.make(np.random.default_rng([SEED + number, 0])), SEED + number)
        for number in range(n_draws)
    ]
    print(
        "| | kept | to .002 | worst | to spare | other label behind the best linear | worst | "
        "behind any | taken |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|---|")
    targets = []
    for name in WAYS:
        found = [draw[name] for draw in draws]
        spare = np.array([each.spare for each in found])
        behind = np.array([each.behind for each in found])
        kept = float((spare >= 0).mean())
        taken = [each.taken for each in found]
        often = sorted(set(taken), key=lambda way: -taken.count(way))
        cells = [
            name,
            f"{kept:.0%}",
            f"{(spare >= -SLIGHT).mean():.0%}",
            f"{spare.min():+.4f}",
            f"{spare.mean():+.4f}",
            f"{behind.mean():.4f} +- {behind.std() / np.sqrt(n_draws):.4f}",
            f"{behind.max():.4f}",
            f"{np.mean([each.behind_bayes for each in found]):.4f}",
            ", ".join(f"{way} {taken.count(way)}" for way in often),
        ]
        print(f"| {' | '.join(cells)} |", flush=True)
        targets += [
            Target(f"{name}: promises kept on fresh rows", kept, 0.9, True, ""),
            Target(f"{name}: other label behind the best", behind.mean(), 0.01, unit=""),
        ]
    console.print(f"[dim]{n_draws} draws: {time.perf_counter() - begun:.0f} s[/dim]")
    return targets
