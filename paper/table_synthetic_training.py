"""Difference of the labels' AUCs for perceptrons on synthetic data (appendix)."""

from __future__ import annotations

import altair as alt

from isonomy.datasets import Generated, make_synthetic_training
from isonomy.theory import bayes_scores
from paper._methods import BEYOND, Fit, aucs, beyond_the_paper, of_the_paper, summary
from paper._mlp import mlp
from paper._pages import COLOURS, GREY, Page, data, number, table, with_error
from paper._results import Result, Row, versions
from paper._trials import tried

KEYS, TOLERANCE = ("pi_2", "objective", "training", "seed"), 0.02
PRIORS = (0.5, 0.6, 0.7, 0.8, 0.9)
NAMES = ("y1", "y2")
TAU, TRAIN, TEST = 20.0, 8000, 2000
SEEDS, BEST_SEEDS = 5, 200
NETWORK = {"hidden": (256, 256), "epochs": 50, "batch": 512, "rate": 1e-3}
PAPER = [
    {"pi_2": prior, "objective": objective, "diff_auc": value}
    for objective, values in {
        "y1": (0.53, 0.44, 0.52, 0.56, 0.50),
        "y2": (0.49, 0.46, 0.50, 0.54, 0.45),
        "LaA": (0.06, 0.04, 0.08, 0.07, 0.07),
        "LoA": (0.05, 0.13, 0.09, 0.11, 0.10),
    }.items()
    for prior, value in zip(PRIORS, values, strict=True)
]
BEST = "true probabilities"


def drawn(prior: float, seed: int) -> Generated:
    return make_synthetic_training(TRAIN + TEST, tau=TAU, prior=prior, random_state=seed)


def methods(seed: int) -> dict[tuple[str, str], Fit]:
    objectives = {**of_the_paper(*NAMES), **BEYOND}
    made = {(name, "MLP"): mlp(o, seed=seed, **NETWORK) for name, o in objectives.items()}
    for name, method in beyond_the_paper(seed).items():
        if name not in BEYOND:
            made[name, name.split()[0]] = method
    return made


def trial(prior: float, seed: int, *, quick: bool = False) -> list[Row]:
    made = drawn(prior, seed)
    rows = []
    for (name, training), method in methods(seed).items():
        if quick and training == "MLP" and name != "LaA":
            continue
        scores = method(made.X[:TRAIN], made.Y[:TRAIN])(made.X[TRAIN:])
        key = {"pi_2": prior, "objective": name, "training": training, "seed": seed}
        rows.append({**key, **aucs(made.Y[TRAIN:], scores, NAMES)})
    return rows


def best(prior: float, seed: int) -> list[Row]:
    """The best scorers, from the true probabilities, on the same kind of data."""
    made = drawn(prior, seed)
    rows = []
    for name, objective in of_the_paper(*NAMES).items():
        scores = bayes_scores(made.eta, objective)[TRAIN:]
        key = {"pi_2": prior, "objective": name, "training": BEST, "seed": seed}
        rows.append({**key, **aucs(made.Y[TRAIN:], scores, NAMES)})
    return rows


def run(*, quick: bool = False) -> Result:
    if quick:
        return gathered(trial(0.9, 0, quick=True))
    steps = [(prior, seed) for seed in range(SEEDS) for prior in PRIORS]
    return gathered(tried("table_synthetic_training", steps, trial))


def gathered(trials: list[Row]) -> Result:
    keys = ("pi_2", "objective", "training")
    rows = summary(trials, keys, NAMES)
    if len(rows) > 10:
        many = [row for prior in PRIORS for seed in range(BEST_SEEDS) for row in best(prior, seed)]
        rows += summary(many, keys, NAMES)
    settings = {
        "tau": TAU,
        "rows": [TRAIN, TEST],
        "network": NETWORK,
        "seeds of the best scorers": BEST_SEEDS,
    }
    seeds = sorted({row["seed"] for row in trials})
    return Result(
        "table_synthetic_training",
        settings,
        rows,
        PAPER,
        seeds,
        trials,
        versions("torch", "lightgbm"),
    )


def render(result: Result) -> Page:
    by = {(r["objective"], r["training"], r["pi_2"]): r for r in result.rows}
    printed = {(r["objective"], r["pi_2"]): r["diff_auc"] for r in result.paper}

    def lines(key: str) -> list[Row]:
        made = []
        for name in of_the_paper(*NAMES):
            for who, training in (("ours, MLP", "MLP"), ("best scorer", BEST)):
                cells = {p: with_error(key, 2)(by[name, training, p]) for p in PRIORS}
                made.append({"objective": name, "": who, **cells})
            if key == "diff_auc":
                cells = {p: number(printed[name, p], 2) for p in PRIORS}
                made.append({"objective": name, "": "paper", **cells})
        return made

    columns = {"objective": "objective", " ": ""}
    columns |= {f"π₂ = {prior}": (lambda r, p=prior: r[p]) for prior in PRIORS}
    lead = [
        by["LoA", BEST, prior]["diff_auc"] - by["LaA", BEST, prior]["diff_auc"] for prior in PRIORS
    ]
    leads = ", ".join(f"{value:+.3f}" for value in lead)
    n = len(result.seeds)
    text = f"""
A perceptron (three layers, 256 wide, 50 epochs) on {TRAIN:,} generated items, evaluated on
{TEST:,}; {n}
seeds, each with its own directions of the labels; mean ± standard error. |AUC(y1) - AUC(y2)|:

{table(lines("diff_auc"), columns)}

The smaller of the two AUCs:

{table(lines("min_auc"), columns)}

**Differs where it must: the data are not determined by the text.** It names two and four random
vectors, no intercept although π₂ varies, no τ, and no number of seeds. Ours: two directions, an
intercept solved for π₂, τ = {TAU:g}. The printed gaps of the single labels (.44 to .56) are those
of about a right angle between the labels. How much the labels agree is drawn at random and moves
every entry by more than the methods differ, so {n} seeds say little. The best scorers, from the
true probabilities and over {BEST_SEEDS} seeds, say more: loss aggregation's gap minus label
aggregation's is {leads} for π₂ = .5 to .9. Label aggregation is the more balanced one in the middle
only; at .9 it is loss aggregation. Methods beyond the paper are on
[a page of their own](beyond.md).
"""
    return Page("Synthetic training data", text, chart(result, printed))


def chart(result: Result, printed: dict[tuple[str, float], float]) -> alt.FacetChart:
    who = {"MLP": "ours, MLP", BEST: "ours, best scorer"}
    points = [
        {
            "pi_2": r["pi_2"],
            "objective": r["objective"],
            "who": who[r["training"]],
            "value": r["diff_auc"],
            "low": r["diff_auc"] - 2 * (r["diff_auc_se"] or 0),
            "high": r["diff_auc"] + 2 * (r["diff_auc_se"] or 0),
        }
        for r in result.rows
        if r["training"] in who and r["objective"] in ("LaA", "LoA", *NAMES)
    ]
    points += [
        {"pi_2": prior, "objective": name, "who": "printed", "value": value}
        for (name, prior), value in printed.items()
    ]
    order = ["printed", "ours, MLP", "ours, best scorer"]
    base = alt.Chart().encode(
        x=alt.X("pi_2:Q", title="prior of label 2", scale=alt.Scale(domain=[0.47, 0.93])),
        color=alt.Color(
            "who:N",
            title=None,
            scale=alt.Scale(domain=order, range=[GREY, COLOURS["LoA"], COLOURS["LaA"]]),
        ),
    )
    marks = base.mark_line(point=alt.OverlayMarkDef(filled=True, size=45)).encode(
        y=alt.Y("value:Q", title="|AUC(y1) - AUC(y2)|", scale=alt.Scale(domainMin=0))
    )
    bars = base.mark_rule(clip=True).encode(y="low:Q", y2="high:Q")
    return (
        alt.layer(marks, bars, data=data(points))
        .properties(width=190, height=200)
        .facet(alt.Column("objective:N", title="trained on", sort=["y1", "y2", "LaA", "LoA"]))
    )
