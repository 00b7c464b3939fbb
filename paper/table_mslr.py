"""Clicks and relevance on Microsoft's learning-to-rank data, with errors by query."""

from __future__ import annotations

from functools import cache

import altair as alt
import numpy as np

import isonomy as iso
from isonomy.datasets import Loaded, load_mslr
from paper._errors import LEAD, PAIRED, PAIRS, clearly, pooled
from paper._methods import BEYOND, Fit, beyond_the_paper, linear, of_the_paper, standardised
from paper._mlp import mlp, query_mlp
from paper._one_test import compared, evaluated
from paper._pages import COLOURS, Page, data, number, signed, table, with_error
from paper._results import Result, Row, versions
from paper._trials import tried

KEYS, TOLERANCE = ("direction", "pairs", "objective", "training", "seed"), 0.01
NAMES = ("click", "relevance")
COLUMNS = ("auc_click", "auc_relevance", "diff_auc", "min_auc")
L2 = 1e-2
# Seeds of perceptrons: on the full data their spread is far below the errors of anything else.
SEEDS = {"full": 1, "samples": 3}
# As TF-Ranking's example has it; its steps are for 19,000 queries, and here there are 43.
NETWORK = {
    "hidden": (256, 128, 64),
    "lists": 32,
    "documents": 100,
    "rate": 0.01,
    "dropout": 0.5,
}
STEPS = {"full": 100_000, "samples": 50}
# The same layers on batches of any rows, whose pairs cross queries.
ROW_NETWORK = {"hidden": (256, 128, 64), "epochs": 10, "batch": 500, "dropout": 0.5}
QUERIES, ROWS, LINEAR = WHO = "MLP by query", "MLP", "linear"
# Weights of clicks and relevance in loss aggregation; 1:1 is 'LoA'.
WEIGHTS = ((9, 1), (3, 1), (1, 3), (1, 9), (1, 27))
SWEEP = {f"LoA {a}:{b}": iso.LossAggregation([a, b]) for a, b in WEIGHTS}
# Whether both labels together serve a label better than itself alone.
HELPS = (("LaA", "click"), ("LaA", "relevance"), ("LoA", "click"), ("LoA", "relevance"))
PAPER = [
    {
        "objective": objective,
        "auc_click": click,
        "auc_relevance": relevance,
        "diff_auc": diff,
        "min_auc": least,
    }
    for objective, click, relevance, diff, least in (
        ("click", 0.74, 0.61, 0.13, 0.61),
        ("relevance", 0.70, 0.67, 0.03, 0.67),
        ("LaA", 0.73, 0.68, 0.05, 0.68),
        ("LoA", 0.73, 0.67, 0.06, 0.67),
    )
]
DIFFERENCES = """
- Batch normalisation on the inputs and on every layer, layers of 256, 128 and 64, one dropout of a
  half before the output, Adagrad at .01, 32 queries of up to 100 documents a step, pairs within a
  query: as there. The optimiser's and the normalisation's own constants are torch's.
- Steps: {steps:,}; there 100,000, for 19,000 queries. Few queries are soon learned by heart.
- Inputs: columns 1 to 133 as sign(x) log(1 + |x|), standardised. The paper names column 134
  (clicks) alone as left out; 135 and 136 count clicks on the document and time spent there, which
  would tell most of the click label.
- The loss is the objective's own, normalised over the pairs of the batch, not a mean of lists.
- Click: column 134 above 0; relevance: judgement of at least 1. The paper does not say.
- AUCs over all pairs, as the paper's seem to be; those within queries stand below.
"""


@cache
def parts() -> tuple[bool, Loaded, Loaded]:
    """Whether these are the full data, and two parts of them."""
    try:
        both = [load_mslr(part, which="WEB30K", download=False) for part in ("train", "test")]
    except FileNotFoundError:
        both = [load_mslr(part, which="sample") for part in ("train", "test")]
        return False, *both
    return True, *both


def size() -> str:
    return "full" if parts()[0] else "samples"


def inputs(train: Loaded, test: Loaded) -> tuple[np.ndarray, np.ndarray]:
    logs = [np.sign(part.X) * np.log1p(np.abs(part.X)) for part in (train, test)]
    return standardised(*(log.astype(np.float64) for log in logs))


def trial(direction: str, seed: int, *, quick: bool = False) -> list[Row]:
    _, first, second = parts()
    train, test = (first, second) if direction == "train to test" else (second, first)
    X, X_test = inputs(train, test)
    scores = {}
    for (name, training), method in methods(seed, train.groups).items():
        if quick and training != LINEAR and (name, training) != ("LaA", ROWS):
            continue
        scores[name, training] = method(X, train.Y)(X_test)
    rows = []
    # All pairs count, and queries vary together; or only pairs within a query.
    for pairs, unit in (("all", "clusters"), ("within queries", "groups")):
        units = {unit: test.groups}
        key = {"direction": direction, "pairs": pairs, "seed": seed}
        for (name, training), found in scores.items():
            row = {**key, "objective": name, "training": training}
            rows.append(row | evaluated(test.Y, found, NAMES, **units))
        for ours, theirs in (*PAIRS, *HELPS):
            for training in dict.fromkeys(training for _, training in scores):
                both = [scores.get((name, training)) for name in (ours, theirs)]
                if both[0] is not None and both[1] is not None:
                    row = {**key, "objective": PAIRED.format(ours, theirs), "training": training}
                    rows.append(row | compared(test.Y, *both, NAMES, **units))
    return rows


def methods(seed: int, queries: np.ndarray) -> dict[tuple[str, str], Fit]:
    """Perceptrons differ by seed; the others are solved to their optimum, once."""
    objectives = of_the_paper(*NAMES)
    network = {**NETWORK, "steps": STEPS[size()], "seed": seed}
    made = {
        (name, QUERIES): query_mlp(objective, queries, **network)
        for name, objective in {**objectives, **SWEEP}.items()
    }
    made |= {
        (name, ROWS): mlp(objective, seed=seed, **ROW_NETWORK)
        for name, objective in {**objectives, **BEYOND}.items()
    }
    if seed == 0:
        both = {**objectives, **SWEEP}
        made |= {(name, LINEAR): linear(objective, L2) for name, objective in both.items()}
        for name, method in beyond_the_paper(seed, L2).items():
            made[name, name.split()[0] if " " in name else LINEAR] = method
    return made


def run(*, quick: bool = False) -> Result:
    full, first, second = parts()
    directions = ["train to test"] if full else ["train to test", "test to train"]
    seeds = list(range(SEEDS[size()]))
    steps = [(direction, seed) for seed in seeds for direction in directions]
    trials = trial(*steps[0], quick=True) if quick else tried("table_mslr", steps, trial)
    rows = pooled(trials, KEYS[:-1], COLUMNS)
    settings = {
        "full data": full,
        "data": [first.origin, second.origin],
        "queries": [len(np.unique(part.groups)) for part in (first, second)],
        "shares of positives": np.vstack([first.Y, second.Y]).mean(axis=0),
        "features": "columns 1 to 133, sign(x) log(1 + |x|), standardised",
        "click": "column 134 > 0",
        "relevance": "judgement >= 1",
        "network": {**NETWORK, "steps": STEPS[size()]},
        "network on rows": ROW_NETWORK,
        "l2": L2,
    }
    return Result("table_mslr", settings, rows, PAPER, seeds, trials, versions("torch", "lightgbm"))


def chosen(result: Result, direction: str, pairs: str = "all") -> dict[tuple[str, str], Row]:
    """Rows by objective and training."""
    return {
        (r["objective"], r["training"]): r
        for r in result.rows
        if (r["direction"], r["pairs"]) == (direction, pairs)
    }


def main_table(result: Result, direction: str) -> str:
    by = chosen(result, direction)
    lines: list[Row] = []
    for printed in result.paper:
        name = printed["objective"]
        lines += [{"who": who, **by[name, who]} for who in WHO]
        lines.append({"who": "paper", **printed})
    lines += [{"who": who, "lead": True, **by[LEAD, who]} for who in WHO]
    columns = {"objective": "objective", "": "who"}
    for key in COLUMNS:
        columns[key.replace("_", " ")] = lambda r, key=key: (
            number(r[key], 2)
            if r["who"] == "paper"
            else (signed if "lead" in r else with_error)(key)(r)
        )
    return table(lines, columns)


def sweep_table(result: Result, direction: str) -> str:
    """Weights of loss aggregation, from all on clicks to all on relevance."""
    by = chosen(result, direction)
    equal = sum(a > b for a, b in WEIGHTS)
    order = [*list(SWEEP)[:equal], "LoA", *list(SWEEP)[equal:]]
    lines = [{"objective": name} for name in ("click", *order, "relevance", "LaA")]
    columns: dict[str, object] = {"objective": "objective"}
    for who in (QUERIES, LINEAR):
        for key in COLUMNS[:2]:
            columns[f"{who}: {key.replace('_', ' ')}"] = lambda r, who=who, key=key: with_error(
                key
            )(by[r["objective"], who])
    return table(lines, columns)


def within_table(result: Result, direction: str) -> str:
    by = chosen(result, direction, "within queries")
    lines = [
        {"who": who, "lead": name == LEAD, **by[name, who]}
        for name in ("click", "relevance", "LaA", "LoA", LEAD)
        for who in (QUERIES, LINEAR)
    ]
    columns = {"objective": "objective", "": "who"}
    for key in COLUMNS:
        columns[key.replace("_", " ")] = lambda r, key=key: (signed if r["lead"] else with_error)(
            key
        )(r)
    return table(lines, columns)


def sure(result: Result, objective: str, columns: tuple[str, ...]) -> str:
    """In how many settings a lead is above and below 0 by two standard errors."""
    found = [
        clearly(r, column)
        for r in result.rows
        for column in columns
        if (r["objective"], r["pairs"]) == (objective, "all")
    ]
    return f"{found.count(1)} up and {found.count(-1)} down of {len(found)}"


def dominance(result: Result) -> str:
    """Where both AUCs of one aggregation are larger than those of the other."""
    words = []
    for r in result.rows:
        if (r["objective"], r["pairs"]) != (LEAD, "all"):
            continue
        signs = {r[column] > 0 for column in COLUMNS[:2]}
        how = (
            "a trade" if len(signs) == 2 else "LaA dominates" if True in signs else "LoA dominates"
        )
        surely = all(clearly(r, column) for column in COLUMNS[:2])
        words.append(f"{r['direction']}, {r['training']}: {how}{'' if surely else ' (not surely)'}")
    return "; ".join(words)


def render(result: Result) -> Page:
    full = result.settings["full data"]
    directions = list(dict.fromkeys(r["direction"] for r in result.rows))
    sections = [
        f"## {d.capitalize()}\n\n{main_table(result, d)}\n\n"
        f"Other weights of clicks and relevance in loss aggregation, between the single labels:\n\n"
        f"{sweep_table(result, d)}\n\nPairs within queries only:\n\n{within_table(result, d)}"
        for d in directions
    ]
    queries = " and ".join(map(str, result.settings["queries"]))
    status = (
        f"These are the paper's data ({queries} queries)."
        if full
        else "**Not the paper's data.** The full MSLR-WEB30K (3.8 million rows, 3.8 GB) was "
        f"not here; two samples of 5,000 rows ({queries} queries) stand in for it. One is trained "
        "on and the other tested on, in both directions."
    )
    text = f"""
{"; ".join(result.settings["data"])}. Perceptrons: {len(result.seeds)} seeds; linear rankers have
one optimum.

{status}

**Errors are by query**: documents of a query vary together, so a query is the unit, not a document.
The variance of a perceptron's mean is that of the queries and what the seeds add. Rows 'LaA - LoA'
are paired, on the same documents by `compare_scores`: where both scores err alike, their errors are
smaller than those of the two rows apart.

**What the claims come to here.** '{QUERIES}' has the settings of TF-Ranking's example, which the
paper names. No AUC of its four rows is further from the printed one than {distance(result)}.

- 'Label aggregation has the largest smallest AUC': its lead over loss aggregation is
  {lead(result, "min_auc")}; the lead in the difference (lower is better) is
  {lead(result, "diff_auc")}.
- 'Label aggregation Pareto-dominates loss aggregation with equal weights': {dominance(result)}.
- 'Clicks are always easier to rank than relevance': {easier(result)}.
- 'Learning on both labels helps on each alone', by two standard errors: clicks,
  label aggregation less training on clicks, {sure(result, "LaA - click", COLUMNS[:1])}, loss
  aggregation {sure(result, "LoA - click", COLUMNS[:1])}; relevance, label aggregation less training
  on relevance, {sure(result, "LaA - relevance", COLUMNS[1:2])}, loss aggregation
  {sure(result, "LoA - relevance", COLUMNS[1:2])}.
- 'Loss aggregation over-optimises one metric, depending on the weights': by the perceptron by
  query, {spread(result)}. Label aggregation is one of these weights, a = pi (1 - pi), as a metric:
  about 1:{relevance_weight(result):.0f} here, and stands beside that row.

{chr(10).join(s + chr(10) for s in sections)}
## What differs from TF-Ranking's example

{DIFFERENCES.format(steps=result.settings["network"]["steps"]).strip()}
"""
    return Page("Clicks and relevance (MSLR)", text, drawn(result))


def relevance_weight(result: Result) -> float:
    """With which loss aggregation orders scorers as label aggregation does; that of clicks is 1."""
    click, relevance = (p * (1 - p) for p in result.settings["shares of positives"])
    return float(relevance / click)


def distance(result: Result) -> str:
    """The largest difference of the AUCs of TF-Ranking's settings from the printed ones."""
    words = []
    for direction in dict.fromkeys(r["direction"] for r in result.rows):
        by = chosen(result, direction)
        off = [
            abs(by[p["objective"], QUERIES][c] - p[c]) for p in result.paper for c in COLUMNS[:2]
        ]
        words.append(f"{max(off):.3f} ({direction})")
    return " and ".join(words)


def lead(result: Result, column: str) -> str:
    """Of label over loss aggregation, with the paper's settings and with the others."""
    found = [r for r in result.rows if (r["objective"], r["pairs"]) == (LEAD, "all")]
    return "; ".join(
        f"{signed(column)(r)} ({r['direction']}, {r['training']})"
        for r in sorted(found, key=lambda r: WHO.index(r["training"]))
    )


def easier(result: Result) -> str:
    found = [r for r in result.rows if r["pairs"] == "all" and " - " not in r["objective"]]
    yes = sum(r["auc_click"] > r["auc_relevance"] for r in found)
    return f"in {yes} of {len(found)} rows of the result"


def spread(result: Result) -> str:
    """How far the weights move the two AUCs, on either side of equal weights."""
    first, *_, last = SWEEP
    words = []
    for direction in dict.fromkeys(r["direction"] for r in result.rows):
        by = chosen(result, direction)
        for start, end in ((first, "LoA"), ("LoA", last)):
            moves = [by[end, QUERIES][c] - by[start, QUERIES][c] for c in COLUMNS[:2]]
            weights = [name.removeprefix("LoA").strip() or "1:1" for name in (start, end)]
            words.append(
                f"{direction}, from {weights[0]} to {weights[1]} {moves[0]:+.3f} for clicks and "
                f"{moves[1]:+.3f} for relevance"
            )
    return "; ".join(words)


def drawn(result: Result) -> alt.FacetChart:
    names = [p["objective"] for p in result.paper]
    points = [
        {**r, "who": r["training"]}
        for r in result.rows
        if r["pairs"] == "all" and r["training"] in WHO and r["objective"] in names
    ]
    directions = list(dict.fromkeys(r["direction"] for r in result.rows))
    points += [{**p, "who": "printed", "direction": d} for p in result.paper for d in directions]
    who = ["printed", *WHO]
    return (
        alt.Chart(data(points))
        .mark_point(size=110, strokeWidth=2, opacity=1)
        .encode(
            x=alt.X(
                "auc_click:Q", title="AUC click", scale=alt.Scale(zero=False, nice=True, padding=8)
            ),
            y=alt.Y(
                "auc_relevance:Q",
                title="AUC relevance",
                scale=alt.Scale(zero=False, nice=True, padding=8),
            ),
            shape=alt.Shape(
                "who:N",
                title=None,
                scale=alt.Scale(domain=who, range=["cross", "square", "circle", "triangle-up"]),
            ),
            color=alt.Color(
                "objective:N",
                title="trained on",
                scale=alt.Scale(
                    domain=names,
                    range=[COLOURS[c] for c in ("first", "second", "LaA", "LoA")],
                ),
            ),
        )
        .properties(width=300, height=300)
        .facet(alt.Column("direction:N", title=None, sort=directions))
    )
