"""Six examples: label aggregation with uniform costs need not be Pareto optimal (appendix)."""

from __future__ import annotations

from fractions import Fraction

import altair as alt
import numpy as np

import isonomy as iso
from isonomy.theory import bayes_scores, population_aucs, search, weak_orders
from paper._pages import Page, data, number, table
from paper._results import Result, Row, versions

KEYS, TOLERANCE = ("scorer",), 1e-9
ETA = ((100, 44), (20, 56), (62, 81), (44, 100), (56, 20), (81, 62))
G = (4, 0, 2, 5, 1, 3)
PAPER = [
    {
        "scorer": "f_opt",
        "scores": [1.78571, 0.72973, 1.86380, 1.78571, 0.72973, 1.86380],
        "auc_1": 0.65559,
        "auc_2": 0.65559,
    },
    {"scorer": "g", "scores": list(G), "auc_1": 0.65706, "auc_2": 0.65862},
]


def exact_auc(label: int, scores: np.ndarray) -> Fraction:
    """The AUC in fractions; pairs of an example with itself count one half."""
    eta = [Fraction(row[label], 100) for row in ETA]
    pairs = [(i, j) for i in range(6) for j in range(6)]
    step = {(i, j): Fraction(int(np.sign(scores[i] - scores[j])) + 1, 2) for i, j in pairs}
    right = sum(eta[i] * (1 - eta[j]) * step[i, j] for i, j in pairs)
    return right / sum(eta[i] * (1 - eta[j]) for i, j in pairs)


def row(name: str, scores: np.ndarray) -> Row:
    exact = [exact_auc(label, scores) for label in (0, 1)]
    return {
        "scorer": name,
        "scores": list(map(float, scores)),
        "auc_1": float(exact[0]),
        "auc_2": float(exact[1]),
        "exact_1": str(exact[0]),
        "exact_2": str(exact[1]),
        "dominated_by": dominating(exact),
    }


def dominating(exact: list[Fraction]) -> int:
    """How many of all 4,683 rankings of the six examples serve both labels better."""
    eta = np.array(ETA) / 100
    step = 0.5 * (1 + np.sign(weak_orders(6)[:, :, None] - weak_orders(6)[:, None, :]))
    aucs = []
    for e in eta.T:
        pairs = np.outer(e, 1 - e)
        aucs.append(np.einsum("rij,ij->r", step, pairs) / pairs.sum())
    return int(((aucs[0] > float(exact[0]) + 1e-12) & (aucs[1] > float(exact[1]) + 1e-12)).sum())


def run(*, quick: bool = False) -> Result:
    eta = np.array(ETA) / 100
    uniform, linear = iso.LabelAggregation(costs="uniform"), iso.LabelAggregation()
    f = bayes_scores(eta, uniform)
    rows = [row("f_opt", f), row("g", np.array(G)), row("linear costs", bayes_scores(eta, linear))]
    optimum = search(eta, uniform).value
    values = [iso.theory.population_objective_auc(eta, r["scores"], uniform) for r in rows]
    for found, value in zip(rows, values, strict=True):
        found["uniform_auc"] = value
        found["best_for_uniform_costs"] = bool(abs(value - optimum) < 1e-12)
    np.testing.assert_allclose(population_aucs(eta, f), [rows[0]["auc_1"], rows[0]["auc_2"]])
    return Result("example_pareto", {"eta": ETA, "per": 100}, rows, PAPER, versions=versions())


def render(result: Result) -> Page:
    printed = {r["scorer"]: r for r in result.paper}
    cell = {
        f"printed {k}": (lambda r, k=k: number(printed.get(r["scorer"], {}).get(f"auc_{k}"), 5))
        for k in (1, 2)
    }
    text = f"""
Two labels on six examples. The best scorer of label aggregation with *uniform* costs, f_opt, serves
both labels worse than the ranking g: it is not Pareto optimal. With linear costs that cannot
happen.

{
        table(
            result.rows,
            {
                "scorer": "scorer",
                "AUC 1": lambda r: f"{r['auc_1']:.6f} = {r['exact_1']}",
                "printed": cell["printed 1"],
                "AUC 2": lambda r: f"{r['auc_2']:.6f} = {r['exact_2']}",
                "printed ": cell["printed 2"],
                "best for uniform costs": lambda r: "yes" if r["best_for_uniform_costs"] else "no",
                "rankings that serve both better": "dominated_by",
            },
        )
    }

**Reproduced, with other digits.** The scores of f_opt are those printed (1.78571, 0.72973, 1.86380,
twice). The AUCs differ from the printed ones in the fourth place; ours are exact fractions, with
pairs of an example with itself counted one half. The conclusion stands: g dominates f_opt.
"""
    points = [{**r, "kind": "exact"} for r in result.rows]
    points += [{**r, "kind": "printed"} for r in result.paper]
    kinds = ["exact", "printed"]
    base = alt.Chart(data(points)).encode(
        x=alt.X(
            "auc_1:Q",
            title="AUC of label 1",
            scale=alt.Scale(zero=False, padding=25),
            axis=alt.Axis(tickCount=5),
        ),
        y=alt.Y("auc_2:Q", title="AUC of label 2", scale=alt.Scale(zero=False, padding=25)),
    )
    dots = base.mark_point(size=110, filled=True, opacity=1).encode(
        shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds)),
        color=alt.Color(
            "kind:N", title=None, scale=alt.Scale(domain=kinds, range=["#0a6ebd", "#8c959f"])
        ),
    )
    names = base.mark_text(dy=-13, fontSize=12).encode(text="scorer:N")
    title = "Up and right is better for both labels: g dominates f_opt"
    return Page(
        "Six examples: uniform costs can be dominated",
        text,
        (dots + names).properties(width=420, height=320, title=title),
    )
