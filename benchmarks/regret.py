"""Is the recommendation right? Its regret, and what a good engineer gets in ten lines.

Every data set is drawn several times. `compare` sees one part; the other part, which nothing was
chosen by, judges the recommended method, every other method of the same table, and rivals that
anybody would try first: one LightGBM per label, stopped early on a fifth of the rows, and the mean
of the probabilities, logits or ranks, or the weighted sum that is best on that fifth.

The best of fifteen methods on a few fresh rows is in part the luckiest: their largest Min is above
that of any of them. So regret is told by halves, too: how far behind the method that is best on one
half of the fresh rows the recommended one is on the other half.
"""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from scipy.stats import rankdata

import isonomy as iso
from benchmarks.decision_data import MADE, REAL, Draw, draw, logits_of
from benchmarks.targets import Target

N_DRAWS, QUICK_DRAWS = 10, 2
# What the rule of `compare` allows a simpler or milder method to be behind.
TOLERANCE = 0.002
SEED = 20_000
Array = np.ndarray


@dataclass(frozen=True)
class Judged:
    """One draw: AUCs (K,) of the fresh rows, and (2, K) of their halves.

    `high`: the recommended one's may be this large.
    """

    recommended: str
    said_chance: bool
    high: Array
    methods: dict[str, Array]
    halves: dict[str, Array]
    rivals: dict[str, Array]
    dominated_by: str | None

    @property
    def own(self) -> Array:
        return self.methods[self.recommended]

    @property
    def regret(self) -> float:
        """Smallest AUC of the best joint method of the table, less the recommended one's."""
        return float(max(self.methods[name].min() for name in self.joint) - self.own.min())

    @property
    def joint(self) -> list[str]:
        """The methods that leave no label out."""
        return [name for name in self.methods if " alone" not in name]

    @property
    def regret_by_halves(self) -> float:
        """The same, behind the method that is best on the other half."""
        own = self.halves[self.recommended].min(axis=1)
        best = [max(self.joint, key=lambda name: self.halves[name][h].min()) for h in (0, 1)]
        return float(np.mean([self.halves[best[1 - h]][h].min() - own[h] for h in (0, 1)]))


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print a row per data set and the worst draw; targets are those of the recommendation."""
    n_draws = QUICK_DRAWS if quick else int(os.environ.get("ISONOMY_DRAWS", N_DRAWS))
    seed = int(os.environ.get("ISONOMY_SEED", SEED))
    chosen = os.environ.get("ISONOMY_SETS")
    names = chosen.split(",") if chosen else [*MADE, *REAL]
    print(
        "| data | regret, mean | worst | by halves | Min | best rival's | lead +- s.e. | "
        "dominated | surely below chance, unsaid | taken |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    regrets: list[float] = []
    behind, dominated, unsaid = [], 0, 0
    for name in names:
        begun = time.perf_counter()
        try:
            found = [judged(draw(name, seed + number)) for number in range(n_draws)]
        except FileNotFoundError:
            console.print(f"{name}: no such data; set ISONOMY_DATA to the folder that holds them.")
            continue
        regrets += [each.regret for each in found]
        row = _row(name, found)
        behind.append(row.lead + row.error)
        dominated += sum(each.dominated_by is not None for each in found)
        unsaid += sum(_unsaid(each) for each in found)
        print(row.text, flush=True)
        console.print(f"[dim]{name}: {time.perf_counter() - begun:.0f} s[/dim]")
    return [
        Target(
            "regret of the recommendation, mean over all draws", np.mean(regrets), 0.005, unit=""
        ),
        Target("draws in which a dominated method was taken", dominated, 0, unit=""),
        Target("draws with a Min surely below chance and no word of it", unsaid, 0, unit=""),
        Target("lead over the best rival + 1 s.e., worst data set", min(behind), 0, True, ""),
    ]


def judged(rows: Draw) -> Judged:
    """Compare on one part, judge by the other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"groups": rows.known.groups}
        found = iso.compare(rows.known.X, rows.known.Y, tradeoffs=False, random_state=0, **options)
        names = [each.name for each in found.methods if each.failed is None]
        scores = {
            name: found.fit_best(rows.known.X, rows.known.Y, name=name, **options).predict(
                rows.fresh.X
            )
            for name in names
            if name != "chance"
        }
        aucs = {name: _aucs(rows, score) for name, score in scores.items()}
        others = {name: _aucs(rows, score) for name, score in rivals(rows).items()}
    return Judged(
        found.recommended,
        not found.decision.beyond_luck,
        np.asarray(
            iso.auc_intervals(
                rows.fresh.Y, scores[found.recommended], groups=rows.fresh.groups
            ).high
        ),
        aucs,
        {name: _half_aucs(rows, score) for name, score in scores.items()},
        others,
        _dominator(rows, scores, found.recommended),
    )


def rivals(rows: Draw) -> dict[str, Array]:
    """What a good engineer does in ten lines."""
    import lightgbm

    rng = np.random.default_rng(0)
    unit = np.arange(len(rows.known.Y)) if rows.known.groups is None else rows.known.groups
    ids = rng.permutation(np.unique(unit))
    held_out = np.isin(unit, ids[: ids.size // 5])
    probability, watched = [], []
    for y in rows.known.Y.T:
        model = lightgbm.LGBMClassifier(n_estimators=300, num_threads=1, verbosity=-1)
        model.fit(
            rows.known.X[~held_out],
            y[~held_out],
            eval_set=[(rows.known.X[held_out], y[held_out])],
            eval_metric="auc",
            callbacks=[lightgbm.early_stopping(20, verbose=False)],
        )
        probability.append(model.predict_proba(rows.fresh.X)[:, 1])
        watched.append(model.predict_proba(rows.known.X[held_out])[:, 1])
    fresh, known = logits_of(np.column_stack(probability)), logits_of(np.column_stack(watched))
    groups = None if rows.known.groups is None else rows.known.groups[held_out]
    weights = rng.dirichlet(np.ones(rows.known.Y.shape[1]), 200)
    tuned = max(
        weights,
        key=lambda w: np.nanmin(iso.label_aucs(rows.known.Y[held_out], known @ w, groups=groups)),
    )
    return {
        "mean probability": np.mean(probability, axis=0),
        "mean logit": fresh.mean(axis=1),
        "mean rank": np.mean([rankdata(each) for each in probability], axis=0),
        "tuned sum": fresh @ tuned,
    }


def _aucs(rows: Draw, scores: Array) -> Array:
    return iso.label_aucs(rows.fresh.Y, scores, groups=rows.fresh.groups)


def _half_aucs(rows: Draw, scores: Array) -> Array:
    """AUCs of two halves of the fresh rows (of their queries), (2, K)."""
    Y, groups = rows.fresh.Y, rows.fresh.groups
    unit = np.arange(len(Y)) if groups is None else np.unique(groups, return_inverse=True)[1]
    halves = [np.flatnonzero(unit % 2 == half) for half in (0, 1)]
    return np.array(
        [
            iso.label_aucs(Y[half], scores[half], groups=None if groups is None else groups[half])
            for half in halves
        ]
    )


def _dominator(rows: Draw, scores: dict[str, Array], taken: str) -> str | None:
    """A method that is better on every label, beyond noise and beyond the rule's tolerance.

    Beyond the noise of all the methods that are looked at: of fifteen, one is often better by
    chance at .05.
    """
    others = [name for name in scores if name != taken and " alone" not in name]
    for name in others:
        score = scores[name]
        found = iso.compare_scores(rows.fresh.Y, score, scores[taken], groups=rows.fresh.groups)
        ahead = np.asarray(found.difference) > TOLERANCE
        if (ahead & (np.asarray(found.p_value) < 0.05 / len(others))).all():
            return name
    return None


def _unsaid(each: Judged) -> bool:
    """A label is surely below chance, and nobody said so."""
    return bool(each.high.min() < 0.5 and not each.said_chance)


@dataclass(frozen=True)
class _Row:
    text: str
    lead: float
    error: float


def _row(name: str, found: list[Judged]) -> _Row:
    regret = np.array([each.regret for each in found])
    own = np.array([each.own.min() for each in found])
    by_rival = {
        rival: np.array([each.rivals[rival].min() for each in found]) for rival in found[0].rivals
    }
    rival = max(by_rival, key=lambda key: by_rival[key].mean())
    lead = own - by_rival[rival]
    error = lead.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.nan
    taken = [each.recommended for each in found]
    most = max(set(taken), key=taken.count)
    cells = [
        name,
        f"{regret.mean():.4f}",
        f"{regret.max():.4f}",
        f"{np.mean([each.regret_by_halves for each in found]):.4f}",
        f"{own.mean():.3f}",
        f"{by_rival[rival].mean():.3f} ({rival})",
        f"{lead.mean():+.4f} +- {error:.4f}",
        str(sum(each.dominated_by is not None for each in found)),
        str(sum(_unsaid(each) for each in found)),
        f"{most} ({taken.count(most)} of {len(taken)})",
    ]
    return _Row(f"| {' | '.join(cells)} |", float(lead.mean()), float(error))
