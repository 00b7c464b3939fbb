"""Beyond the paper: which surrogate losses get the order right, and what it matters in practice."""

from __future__ import annotations

import altair as alt
import numpy as np

import isonomy as iso
from isonomy.datasets import make_search_log
from isonomy.surrogates import SURROGATES
from isonomy.theory import bayes_scores, population_objective_auc
from paper._bank import bank
from paper._errors import FIFTH, standard_error
from paper._methods import boosted, linear, standardised
from paper._minimisers import minimisers, pair_weights, wrongly_ordered
from paper._pages import COLOURS, Page, data, number, signed, table
from paper._results import Result, Row, versions
from paper._trials import tried

KEYS, TOLERANCE = ("kind", "labels", "law", "surrogate", "trained_for"), 1e-6
POINTS, SPACES = 4, 500
# How class probabilities are drawn: anywhere, or near 0 and 1.
LAWS = {"uniform": (1.0, 1.0), "near certain": (0.3, 0.3)}
LABELS = (2, 3)
CONVEX = ("logistic", "exponential", "square", "squared_hinge")
LAA, LOA = iso.LabelAggregation(), iso.LossAggregation()
# What is minimised, and the metric that it should serve.
TRAINED = {
    "LaA": (LAA, LAA),
    "SoftLabel()": (iso.SoftLabel(), LAA),
    "LoA": (LOA, LOA),
    'SoftLabel("rarity")': (iso.SoftLabel("rarity"), LOA),
}
# Real rows: the better of each pair of losses should be known by the metric of its aggregation.
SPLITS = {"linear": 8, "boosted": 5}
ROWS = 20_000
# Splits of the bank share its rows; every search log is a fresh draw.
OVERLAP = {"bank": FIFTH, "search log": 0.0}
COUNTEREXAMPLES = {
    "LoA": ([[0.7, 0.01], [0.4, 0.85], [0.99, 0.2]], [0.88, 0.02, 0.10]),
    "LaA": ([[0.8, 0.5], [0.01, 0.6], [0.99, 0.05]], [0.01, 0.96, 0.03]),
}


def spaces(labels: int, law: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Class probabilities and masses of random points."""
    rng = np.random.default_rng([labels, list(LAWS).index(law)])
    drawn = []
    for _ in range(SPACES):
        eta = rng.beta(*LAWS[law], (POINTS, labels)).clip(1e-3, 1 - 1e-3)
        drawn.append((eta, rng.dirichlet(np.ones(POINTS))))
    return drawn


def space_row(labels: int, law: str, surrogate: str, name: str) -> Row:
    """Over random spaces: how often the least loss has a wrong order, and what that costs."""
    objective, metric = TRAINED[name]
    drawn = spaces(labels, law)
    weights = np.array([pair_weights(objective, eta, mu) for eta, mu in drawn])
    lost, wrong = [], 0
    for f, (eta, mu) in zip(minimisers(weights, SURROGATES[surrogate]), drawn, strict=True):
        best = bayes_scores(eta, metric, mu=mu)
        wrong += wrongly_ordered(f, best)
        value, reached = (population_objective_auc(eta, s, metric, mu=mu) for s in (best, f))
        lost.append(value - reached)
    return {
        "kind": "spaces",
        "labels": labels,
        "law": law,
        "surrogate": surrogate,
        "trained_for": name,
        "spaces": SPACES,
        "wrong": wrong,
        "mean_loss": float(np.mean(lost)),
        "worst_loss": float(np.max(lost)),
    }


def counterexample_row(name: str) -> Row:
    """The least logistic loss on three points, beside the best scores."""
    (objective, _), (eta, mu) = TRAINED[name], map(np.array, COUNTEREXAMPLES[name])
    found = minimisers(pair_weights(objective, eta, mu)[None], SURROGATES["logistic"])[0]
    best = bayes_scores(eta, objective, mu=mu)
    return {
        "kind": "counterexample",
        "labels": 2,
        "law": "three points",
        "surrogate": "logistic",
        "trained_for": name,
        "best": best.tolist(),
        "minimiser": (found - found[0]).tolist(),
        "auc_best": population_objective_auc(eta, best, objective, mu=mu),
        "auc_minimiser": population_objective_auc(eta, found, objective, mu=mu),
    }


def split(source: str, seed: int) -> tuple[np.ndarray, ...]:
    """X and Y for training and testing: a split of the bank data, or a fresh search log."""
    if source == "search log":
        log = make_search_log(ROWS, random_state=seed)
        X, Y, order = log.X, log.Y, np.arange(ROWS)
    else:
        X, Y = bank("literal").X, bank("literal").Y
        order = np.random.default_rng(seed).permutation(len(X))
    test, train = np.split(order, [len(order) // 5])
    return (*standardised(X[train], X[test]), Y[train], Y[test])


def trial(source: str, model: str, seed: int) -> list[Row]:
    X, X_test, Y, Y_test = split(source, seed)
    make = linear if model == "linear" else boosted
    rows = []
    for name, (objective, metric) in TRAINED.items():
        scores = make(objective)(X, Y)(X_test)
        rows.append(
            {"source": source, "model": model, "seed": seed, "trained_for": name}
            | {"metric": "LaA" if metric is LAA else "LoA"}
            | {"auc": iso.objective_auc(Y_test, scores, metric)}
            | {"min_auc": float(iso.label_aucs(Y_test, scores).min())}
        )
    return rows


def real_rows(trials: list[Row]) -> list[Row]:
    """What the soft label gains over its aggregation, split by split."""
    found: dict[tuple[str, str, str, str], dict[int, Row]] = {}
    for row in trials:
        key = (row["source"], row["model"], row["metric"], row["trained_for"])
        found.setdefault(key, {})[row["seed"]] = row
    rows = []
    for (source, model, metric, name), by_seed in found.items():
        if name != metric:
            continue
        soft = "SoftLabel()" if metric == "LaA" else 'SoftLabel("rarity")'
        theirs = found[source, model, metric, soft]
        row: Row = {"kind": "real", "labels": 2, "law": source, "surrogate": model}
        row |= {"trained_for": name, "splits": len(by_seed)}
        for column in ("auc", "min_auc"):
            gains = [theirs[seed][column] - by_seed[seed][column] for seed in sorted(by_seed)]
            row[column] = float(np.mean([each[column] for each in by_seed.values()]))
            row[f"{column}_gain"] = float(np.mean(gains))
            row[f"{column}_gain_se"] = standard_error(gains, OVERLAP[source])
        rows.append(row)
    return rows


def run(*, quick: bool = False) -> Result:
    if quick:
        names = [(2, "uniform", "logistic", name) for name in list(TRAINED)[2:]]
        rows, trials = [space_row(*each) for each in names], []
    else:
        rows = [
            space_row(labels, law, surrogate, name)
            for labels in LABELS
            for law in LAWS
            for surrogate in CONVEX
            for name in TRAINED
        ]
        steps = [
            (source, model, seed)
            for source in OVERLAP
            for model, splits in SPLITS.items()
            for seed in range(splits)
        ]
        trials = tried("beyond_surrogates", steps, trial)
    rows += [counterexample_row(name) for name in COUNTEREXAMPLES]
    rows += real_rows(trials)
    settings = {"points": POINTS, "spaces": SPACES, "laws": LAWS, "search_log_rows": ROWS}
    paper = [{"claim": "surrogate losses are left to future work", "numbers": "none printed"}]
    seeds = list(range(max(SPLITS.values())))
    return Result("beyond_surrogates", settings, rows, paper, seeds, trials, versions("lightgbm"))


def verdict(real: list[Row]) -> str:
    """The worst and the best of what soft labels bring, in words."""
    worst, best = (pick(real, key=lambda row: row["auc_gain"]) for pick in (min, max))
    clear = [row for row in real if abs(row["auc_gain"]) > 2 * row["auc_gain_se"]]
    lower = sum(row["auc_gain"] < 0 for row in clear)
    return (
        f"From {worst['auc_gain']:+.4f} ({worst['law']}, {worst['surrogate']}) to "
        f"{best['auc_gain']:+.4f} ({best['law']}, {best['surrogate']}): by more than two standard "
        f"errors the soft label is worse in {lower} and better in {len(clear) - lower} of "
        f"{len(real)} settings."
    )


def _total(rows: list[Row], surrogate: str, name: str) -> Row:
    chosen = [
        r
        for r in rows
        if (r["kind"], r["surrogate"], r["trained_for"]) == ("spaces", surrogate, name)
    ]
    n = sum(r["spaces"] for r in chosen)
    return {
        "surrogate": surrogate,
        "trained_for": name,
        "spaces": n,
        "wrong": sum(r["wrong"] for r in chosen),
        "mean_loss": sum(r["mean_loss"] * r["spaces"] for r in chosen) / n,
        "worst_loss": max(r["worst_loss"] for r in chosen),
    }


def render(result: Result) -> Page:
    totals = [_total(result.rows, surrogate, name) for surrogate in CONVEX for name in TRAINED]
    columns = {
        "surrogate": "surrogate",
        "loss of": "trained_for",
        "wrong order": lambda r: f"{r['wrong']} of {r['spaces']} ({r['wrong'] / r['spaces']:.1%})",
        "mean loss of AUC": lambda r: f"{r['mean_loss']:.5f}",
        "worst": lambda r: f"{r['worst_loss']:.4f}",
    }
    parts = [r for r in result.rows if r["kind"] == "spaces" and r["surrogate"] == "logistic"]
    detail = {
        "labels": "labels",
        "probabilities": "law",
        "loss of": "trained_for",
        "wrong order": lambda r: f"{r['wrong']} of {r['spaces']}",
        "worst": lambda r: f"{r['worst_loss']:.4f}",
    }
    examples = [r for r in result.rows if r["kind"] == "counterexample"]
    three = {
        "loss of": "trained_for",
        "best scores": lambda r: ", ".join(number(x, 2) for x in r["best"]),
        "logistic minimiser": lambda r: ", ".join(number(x, 2) for x in r["minimiser"]),
        "AUC of the best": lambda r: number(r["auc_best"]),
        "of the minimiser": lambda r: number(r["auc_minimiser"]),
    }
    real = [r for r in result.rows if r["kind"] == "real"]
    gains = {
        "data": "law",
        "model": "surrogate",
        "metric": "trained_for",
        "its own loss": lambda r: number(r["auc"]),
        "soft label less its own loss": signed("auc_gain", 4),
        "the same, smallest AUC": signed("min_auc_gain", 4),
        "splits": "splits",
    }
    text = f"""
The paper leaves surrogate losses to future work. Here each pair loss is minimised exactly on random
spaces of {POINTS} points, over all scores, without a model in between, and the order that comes out
is compared with the best one. [The page on surrogates](../../docs/surrogates.md) has the proofs.

**The pair losses of label and of loss aggregation can have the wrong order at their minimum,
those of `SoftLabel` never have.** `SoftLabel()` is compared with the best scores of label
aggregation, `SoftLabel("rarity")` with those of loss aggregation.

{table(totals, columns)}

By kind of space, for the logistic loss:

{table(parts, detail)}

Two of them with three points:

{table(examples, three)}

## Real rows: no free lunch

Held-out AUCs in the aggregation's own metric, of models trained by its own logistic loss and by the
soft label's. {verdict(real)} Consistency speaks of a model that can fit anything on rows without
end; what a linear model cannot fit is not its subject. (Errors of bank are corrected for splits
that share rows; each search log is a fresh draw.)

{table(real, gains)}
"""
    return Page("Which surrogate gets the order right", text, drawn(totals))


def drawn(totals: list[Row]) -> alt.Chart:
    """The share of spaces with a wrong order."""
    rows = [{**row, "share": row["wrong"] / row["spaces"]} for row in totals]
    colours = [COLOURS["LaA"], "#79b8ff", COLOURS["LoA"], "#f0b48a"]
    return (
        alt.Chart(data(rows), title="Random spaces in which the least loss has a wrong order")
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="share of spaces", axis=alt.Axis(format="%")),
            y=alt.Y("surrogate:N", title=None, sort=list(CONVEX)),
            yOffset=alt.YOffset("trained_for:N", sort=list(TRAINED)),
            color=alt.Color(
                "trained_for:N",
                title="loss of",
                sort=list(TRAINED),
                scale=alt.Scale(domain=list(TRAINED), range=colours),
            ),
        )
        .properties(width=420, height=alt.Step(14))
    )
