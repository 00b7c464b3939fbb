"""The bank data as the share of mortgages varies: difference and smallest of the two AUCs."""

from __future__ import annotations

import altair as alt

from paper._bank import NAMES, RECIPES, TRIALS, evaluated, split
from paper._errors import FIFTH, LEAD, clearly, leads, summary
from paper._methods import BEYOND, BOTH, linear
from paper._pages import COLOURS, Page, data, number, signed, table, with_error
from paper._results import Result, Row, versions
from paper._trials import tried

KEYS, TOLERANCE = ("recipe", "share", "objective", "seed"), 2e-3
SHARES = tuple(round(0.1 * step, 1) for step in range(1, 10))
QUICK = ((0.2, "literal"), (0.9, "closest"))
METHODS = {**BOTH, **BEYOND}
CLAIM = "label aggregation fares better in the higher skewness regime"


def trial(recipe: str, share: float, seed: int) -> list[Row]:
    parts = split(recipe, share, seed)
    key = {"recipe": recipe, "share": share, "seed": seed}
    return [
        {**key, "objective": name, **evaluated(linear(objective), parts)}
        for name, objective in METHODS.items()
    ]


def run(*, quick: bool = False) -> Result:
    steps = [(r, share, seed) for seed in range(TRIALS) for r in RECIPES for share in SHARES]
    if quick:
        trials = [row for share, recipe in QUICK for row in trial(recipe, share, 0)]
    else:
        trials = tried("figure_bank_sweep", steps, trial)
    keys = ("recipe", "share", "objective")
    rows = summary(trials, keys, NAMES, overlap=FIFTH)
    rows += leads(trials, keys, NAMES, overlap=FIFTH)
    settings = {"recipes": RECIPES, "shares": SHARES, "held out": 0.2, "training": "LinearRanker"}
    settings["overlap of trials"] = FIFTH
    paper = [{"claim": CLAIM, "numbers": "none printed, but those of table_bank at 0.9"}]
    seeds = list(range(TRIALS))
    return Result("figure_bank_sweep", settings, rows, paper, seeds, trials, versions())


def comparison(rows: list[Row], recipe: str) -> list[Row]:
    """Label beside loss aggregation at each share, and which is better by two standard errors."""
    found = {(r["share"], r["objective"]): r for r in rows if r["recipe"] == recipe}
    lines = []
    for share in SHARES:
        lead = found[share, LEAD]
        line = {"share": share, "lead": lead}
        line |= {name: found[share, name] for name in BOTH}
        line |= {
            "diff": BETTER[-clearly(lead, "diff_auc")],
            "min": BETTER[clearly(lead, "min_auc")],
        }
        lines.append(line)
    return lines


# By the sign of label aggregation's lead.
BETTER = {1: "LaA", -1: "LoA", 0: "neither"}


def listed(lines: list[Row], what: str, who: str) -> str:
    """The shares at which one of the two is clearly better."""
    return ", ".join(f"{line['share']:.1f}" for line in lines if line[what] == who) or "none"


def render(result: Result) -> Page:
    lines = {recipe: comparison(result.rows, recipe) for recipe in RECIPES}
    sections = []
    for recipe in RECIPES:
        columns = {"share of mortgages": lambda r: number(r["share"], 1)}
        for key, heading in (("diff_auc", "diff AUC"), ("min_auc", "min AUC")):
            for name in BOTH:
                columns[f"{heading} {name}"] = lambda r, name=name, key=key: with_error(key)(
                    r[name]
                )
            columns[f"{heading} LaA - LoA"] = lambda r, key=key: signed(key)(r["lead"])
        columns |= {"better on diff": "diff", "better on min": "min"}
        sections.append(f"## The {recipe} recipe\n\n{table(lines[recipe], columns)}")
    text = f"""
As in [the table](table_bank.md), for other shares of customers with a mortgage; {TRIALS} trials
each. Errors are corrected for the customers that trials share (Nadeau and Bengio). Bars are two of
them; every panel has its own axis. The paired leads, label less loss aggregation, are surer than
the two means beside them; 'better' wants two standard errors of the lead.

**Reproduced where the paper looks, and there is a crossover.** Label aggregation has the larger
smallest AUC at shares {listed(lines["closest"], "min", "LaA")} with the closest recipe and
{listed(lines["literal"], "min", "LaA")} with the literal one; loss aggregation at
{listed(lines["closest"], "min", "LoA")} and {listed(lines["literal"], "min", "LoA")}. At the others
nothing is sure. The reason is in alpha = 1 / (pi (1 - pi)): equal weights favour the more skewed
label. Up to a share of about .84 that is `loan` (16%), which is harder to predict, so loss
aggregation helps the label that is served worse; at .9 it is `mortgage`, which is served better
already. Trained for the smallest AUC itself, `worst` is the most balanced nearly everywhere.

{sections[0]}

{sections[1]}
"""
    return Page("Bank marketing as the share of mortgages varies", text, drawn(result.rows))


def drawn(rows: list[Row]) -> alt.FacetChart:
    points = [
        {
            "recipe": r["recipe"] + " recipe",
            "share": r["share"],
            "objective": r["objective"],
            "what": heading,
            "value": r[key],
            "low": r[key] - 2 * r[f"{key}_se"],
            "high": r[key] + 2 * r[f"{key}_se"],
        }
        for r in rows
        if r["objective"] in METHODS
        for key, heading in (
            ("diff_auc", "difference of the AUCs (lower is better)"),
            ("min_auc", "smallest AUC (higher is better)"),
        )
    ]
    names = list(METHODS)
    base = alt.Chart().encode(
        x=alt.X("share:Q", title="share of mortgages", scale=alt.Scale(domain=[0.05, 0.95])),
        color=alt.Color(
            "objective:N",
            title=None,
            scale=alt.Scale(domain=names, range=[COLOURS[name] for name in names]),
        ),
    )
    lines = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False))
    )
    bars = base.mark_rule().encode(y="low:Q", y2="high:Q")
    return (
        alt.layer(lines, bars, data=data(points))
        .properties(width=300, height=210)
        .facet(
            column=alt.Column("recipe:N", title=None),
            row=alt.Row("what:N", title=None, header=alt.Header(labelLimit=300)),
        )
        .resolve_scale(y="independent")
    )
