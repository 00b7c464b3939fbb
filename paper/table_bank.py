"""The bank data with 90% mortgages: each objective, in 25 trials."""

from __future__ import annotations

import altair as alt

from paper._bank import NAMES, RECIPES, TRIALS, evaluated, split
from paper._errors import FIFTH, LEAD, leads, summary
from paper._methods import (
    ADAM_RATE,
    BOOST_ROUNDS,
    BOOST_TRIALS,
    adam,
    beyond_the_paper,
    linear,
    of_the_paper,
)
from paper._pages import COLOURS, INK, Page, data, signed, table, with_error
from paper._results import Result, Row, versions
from paper._trials import tried

KEYS, TOLERANCE = ("recipe", "objective", "training", "seed"), 2e-3
SHARE = 0.9
PAPER = [
    {
        "objective": objective,
        "auc_mortgage": mortgage,
        "auc_mortgage_se": mortgage_se,
        "auc_loan": loan,
        "auc_loan_se": loan_se,
        "diff_auc": diff,
        "diff_auc_se": diff_se,
        "min_auc": least,
        "min_auc_se": least_se,
    }
    for objective, mortgage, mortgage_se, loan, loan_se, diff, diff_se, least, least_se in (
        ("mortgage", 0.637, 0.004, 0.523, 0.002, 0.113, 0.004, 0.523, 0.002),
        ("loan", 0.550, 0.005, 0.573, 0.002, 0.023, 0.005, 0.550, 0.005),
        ("LaA", 0.616, 0.003, 0.562, 0.002, 0.054, 0.005, 0.562, 0.002),
        ("LoA", 0.626, 0.003, 0.555, 0.002, 0.071, 0.005, 0.555, 0.002),
    )
]
COLUMNS = ("auc_mortgage", "auc_loan", "diff_auc", "min_auc")


def trial(recipe: str, seed: int) -> list[Row]:
    parts = split(recipe, SHARE, seed)
    ours = of_the_paper(*NAMES)
    methods = {(name, "LinearRanker"): linear(objective) for name, objective in ours.items()}
    methods |= {(name, trainer(name)): method for name, method in beyond_the_paper(seed).items()}
    methods |= {(name, "Adam"): adam(objective) for name, objective in ours.items()}
    return [
        {"recipe": recipe, "objective": name, "training": training, "seed": seed}
        | evaluated(method, parts)
        for (name, training), method in methods.items()
    ]


def trainer(name: str) -> str:
    return {"plug-in": "PlugInRanker", "boosted": "BoostedRanker"}.get(
        name.split()[0], "LinearRanker"
    )


def run(*, quick: bool = False) -> Result:
    steps = [(recipe, seed) for seed in range(TRIALS) for recipe in RECIPES]
    trials = trial(*steps[1]) if quick else tried("table_bank", steps, trial)
    keys = ("recipe", "objective", "training")
    rows = summary(trials, keys, NAMES, overlap=FIFTH)
    rows += leads(trials, keys, NAMES, overlap=FIFTH)
    settings = {
        "recipes": RECIPES,
        "share of mortgages": SHARE,
        "held out": 0.2,
        "overlap of trials": FIFTH,
        "adam": f"100 epochs of all pairs, rate {ADAM_RATE}",
        "boosting": f"{BOOST_ROUNDS} rounds, learning rate 0.05, 15 leaves; {BOOST_TRIALS} trials",
    }
    seeds = list(range(TRIALS))
    return Result("table_bank", settings, rows, PAPER, seeds, trials, versions("lightgbm"))


def disagreement(rows: list[Row]) -> float:
    """The largest difference between an AUC by Adam and by the linear ranker."""
    by = {(r["recipe"], r["objective"], r["training"]): r for r in rows}
    return max(
        abs(row[column] - by[recipe, objective, "LinearRanker"][column])
        for (recipe, objective, training), row in by.items()
        if training == "Adam"
        for column in COLUMNS[:2]
    )


def distance(rows: list[Row], recipe: str) -> float:
    """The largest difference of the eight AUCs from the printed ones."""
    ours = {
        r["objective"]: r for r in rows if r["recipe"] == recipe and r["training"] == "LinearRanker"
    }
    return max(abs(ours[p["objective"]][c] - p[c]) for p in PAPER for c in COLUMNS[:2])


def verdict(rows: list[Row]) -> str:
    """How sure the leads of label over loss aggregation are."""
    found = []
    for r in rows:
        if (r["objective"], r["training"]) == (LEAD, "LinearRanker"):
            times = [abs(r[c] / r[f"{c}_se"]) for c in ("min_auc", "diff_auc")]
            found.append(f"{r['recipe']}: {times[0]:.1f} and {times[1]:.1f} standard errors")
    return "; ".join(found)


def render(result: Result) -> Page:
    names = [p["objective"] for p in PAPER]
    sections = []
    for recipe in RECIPES:
        here = [r for r in result.rows if r["recipe"] == recipe]
        main = [r for r in here if r["objective"] in names and r["training"] == "LinearRanker"]
        lines = []
        for ours, printed in zip(main, PAPER, strict=True):
            lines += [{"who": "ours", **ours}, {"who": "paper", **printed}]
        columns = {"objective": "objective", "": "who"}
        columns |= {column.replace("_", " "): with_error(column) for column in COLUMNS}
        (lead,) = (r for r in here if (r["objective"], r["training"]) == (LEAD, "LinearRanker"))
        paired = ", ".join(f"{c.replace('_', ' ')} {signed(c)(lead)}" for c in COLUMNS)
        sections.append(
            f"## The {recipe} recipe: {RECIPES[recipe]}\n\n{table(lines, columns)}\n\n"
            f"Label less loss aggregation, trial by trial: {paired}. Largest difference of the "
            f"eight AUCs from the printed ones: {distance(result.rows, recipe):.3f}."
        )
    text = f"""
UCI bank marketing, 90% of the customers with a mortgage, 80/20 split, {TRIALS} trials; mean ±
standard error. The trials split the same customers, so our errors are corrected for what they share
(Nadeau and Bengio), which makes them {(1 + FIFTH * TRIALS) ** 0.5:.1f} times the plain ones, s /
sqrt({TRIALS}); the printed ones are as printed. The paper says 'numerical features' and no more, so
there are two recipes.

{sections[0]}

{sections[1]}

**The closest recipe reproduces the table; the literal one its conclusions.** With both, label
aggregation has the larger smallest AUC and the smaller difference than loss aggregation
({verdict(result.rows)}). The closest recipe was
found by searching over transformations for one whose results agree with the printed ones, so the
agreement is no independent evidence. AUC(mortgage) and AUC(loan) trade off as printed.

Adam for 100 epochs on all pairs and the linear ranker's optimum agree: no mean AUC differs by
more than
{disagreement(result.rows):.4f}. Methods beyond the paper are on [a page of their own](beyond.md).
"""
    return Page("Bank marketing at 90% mortgages", text, drawn(result))


def drawn(result: Result) -> alt.Chart:
    """Every objective in the plane of the two AUCs, beside the printed place."""
    names = [p["objective"] for p in PAPER]
    points = [
        {**r, "who": r["recipe"] + " recipe"}
        for r in result.rows
        if r["training"] == "LinearRanker" and r["objective"] in names
    ]
    points += [{**p, "who": "printed"} for p in PAPER]
    who = ["printed", "closest recipe", "literal recipe"]
    colours = ["first", "second", "LaA", "LoA"]
    return (
        alt.Chart(
            data(points),
            title="Up and right is better; on the diagonal both labels are served alike",
        )
        .mark_point(size=110, strokeWidth=2, opacity=1, color=INK)
        .encode(
            x=alt.X(
                "auc_mortgage:Q",
                title="AUC mortgage",
                scale=alt.Scale(domain=[0.47, 0.66], nice=False),
            ),
            y=alt.Y(
                "auc_loan:Q", title="AUC loan", scale=alt.Scale(domain=[0.47, 0.66], nice=False)
            ),
            shape=alt.Shape(
                "who:N",
                title=None,
                scale=alt.Scale(domain=who, range=["cross", "circle", "triangle-up"]),
            ),
            color=alt.Color(
                "objective:N",
                title="trained on",
                scale=alt.Scale(domain=names, range=[COLOURS[c] for c in colours]),
            ),
        )
        + alt.Chart(data([{"a": 0.47, "b": 0.66}]))
        .mark_rule(strokeDash=[4, 4], color=COLOURS["first"])
        .encode(x="a:Q", y="a:Q", x2="b:Q", y2="b:Q")
    ).properties(width=400, height=400)
