"""Relevant or recent: the paper's example of a dictator in information retrieval (appendix)."""

from __future__ import annotations

import altair as alt
import numpy as np

import isonomy as iso
from isonomy.datasets import make_search_log
from isonomy.theory import bayes_scores, dictator, population_aucs
from paper._pages import COLOURS, Page, data, number, table
from paper._results import Result, Row, versions

KEYS, TOLERANCE = ("labels", "objective"), 2e-3
PRIORS = (0.4, 0.01)
METHODS = {"LoA": iso.LossAggregation(), "LaA": iso.LabelAggregation()}
PAPER = [
    {
        "labels": "certain",
        "objective": "LoA",
        "alpha_relevant": 4.17,
        "alpha_recent": 101.01,
        "dictator": "recent",
    },
    {"labels": "certain", "objective": "LaA", "dictator": None},
]


def certain(name: str, objective: iso.Objective) -> Row:
    """Labels certain given the document, as in the text: four kinds of documents."""
    kinds = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], float)
    mass = np.prod(np.where(kinds > 0, PRIORS, 1 - np.array(PRIORS)), axis=1)
    found = dictator(kinds, objective, mu=mass)
    scores = bayes_scores(kinds, objective, mu=mass)
    aucs = population_aucs(kinds, scores, mu=mass)
    alpha = [1 / (p * (1 - p)) for p in PRIORS] if name == "LoA" else [1.0, 1.0]
    return {
        "labels": "certain",
        "objective": name,
        "alpha_relevant": alpha[0],
        "alpha_recent": alpha[1],
        "dictator": None if found.label is None else ("relevant", "recent")[found.label],
        "recent_wins": 0.5 * (1 + float(np.sign(scores[2] - scores[1]))),
        "auc_relevant": aucs[0],
        "auc_recent": aucs[1],
    }


def on_log(name: str, objective: iso.Objective) -> list[Row]:
    """Uncertain labels of the same priors: the best scorer, and one that was trained."""
    log = make_search_log(40_000)
    half = len(log.Y) // 2
    held = log.Y[half:]
    alpha = iso.theory.effective_weights(log.Y[:half], objective)
    ranker = iso.LinearRanker(objective).fit(log.X[:half], log.Y[:half])
    scorers = {
        "search log, best scorer": bayes_scores(log.eta, objective)[half:],
        "search log, trained": ranker.predict(log.X[half:]),
    }
    rows = []
    for labels, scores in scorers.items():
        aucs = iso.label_aucs(held, scores)
        rows.append(
            {
                "labels": labels,
                "objective": name,
                "alpha_relevant": alpha[0],
                "alpha_recent": alpha[1],
                "dictator": None,
                "recent_wins": iso.conflict_aucs(held, scores)[1, 0],
                "auc_relevant": aucs[0],
                "auc_recent": aucs[1],
            }
        )
    return rows


def run(*, quick: bool = False) -> Result:
    rows = [certain(*method) for method in METHODS.items()]
    rows += [row for method in METHODS.items() for row in on_log(*method)]
    settings = {"priors": PRIORS, "log": "make_search_log(40_000), half held out, LinearRanker"}
    return Result("example_dictatorship", settings, rows, PAPER, [0], versions=versions())


def render(result: Result) -> Page:
    text = f"""
40% of the documents are `relevant`, 1% are `recent`, and loss aggregation weighs both labels alike.

{
        table(
            result.rows,
            {
                "labels": "labels",
                "objective": "objective",
                "alpha relevant": lambda r: number(r["alpha_relevant"], 2),
                "alpha recent": lambda r: number(r["alpha_recent"], 2),
                "dictator": lambda r: r["dictator"] or "none",
                "recent wins conflicts": lambda r: f"{100 * r['recent_wins']:.1f}%",
                "AUC relevant": "auc_relevant",
                "AUC recent": "auc_recent",
            },
        )
    }

**Reproduced.** Printed: alpha = 4.17 and 101.01, `recent` dictates under loss aggregation; label
aggregation has no dictator (it ties the two kinds of documents). The other rows go beyond the text:
a generated log with the same priors and labels that are not certain (alpha as shares). The best
scorer of loss aggregation lets `recent` win nearly every conflict; a linear ranker trained on it
three quarters, because its features cannot separate the two labels as well. Label aggregation
errs to the other side there: the rare label loses most conflicts, and its AUC is low.
"""
    chart = (
        alt.Chart(data(result.rows), title="How often does the rare label win a conflict?")
        .mark_bar(size=22)
        .encode(
            y=alt.Y("objective:N", title=None),
            x=alt.X(
                "recent_wins:Q",
                title="share of conflicts that 'recent' wins (half: equal standing)",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            color=alt.Color(
                "objective:N",
                legend=None,
                scale=alt.Scale(domain=["LaA", "LoA"], range=[COLOURS["LaA"], COLOURS["LoA"]]),
            ),
            row=alt.Row("labels:N", title=None, header=alt.Header(labelAngle=0, labelAlign="left")),
        )
        .properties(width=380, height=70)
    )
    return Page("A dictator in information retrieval", text, chart)
