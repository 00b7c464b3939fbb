"""Each label's AUC under the best scorers, as the second label gets rarer (appendix)."""

from __future__ import annotations

import altair as alt

from paper._pages import Page, number, table
from paper._population import SAMPLES, TAUS, population, sampled, shown
from paper._results import Result, versions
from paper.figure_pi2_sweep import drawn

KEYS, TOLERANCE = ("kind", "tau", "pi_2", "objective"), 1e-6


def run(*, quick: bool = False) -> Result:
    rows = population(quick=quick) + sampled(quick=quick)
    settings = {"taus": TAUS, "samples": SAMPLES, "weights": [1, 1]}
    paper = [{"claim": "AUCs behind the gaps of figure_pi2_sweep", "numbers": "none printed"}]
    return Result("figure_pi2_sweep_aucs", settings, rows, paper, versions=versions())


def render(result: Result) -> Page:
    rows = [r for r in result.rows if r["kind"] == "population"]
    by_key = {(r["tau"], r["pi_2"], r["objective"]): r for r in rows}
    chosen = [(tau, pi) for tau in ("1", "5", "10", "50", "inf") for pi in (0.1, 0.4)]
    lines = []
    for tau, pi in chosen:
        key = "inf" if tau == "inf" else float(tau)
        loss, label = by_key[key, pi, "LoA"], by_key[key, pi, "LaA"]
        lines.append({"tau": shown(tau)[4:], "pi": pi, "loss": loss, "label": label})
    text = f"""
The AUCs behind [the gaps](figure_pi2_sweep.md). Axes do not start at 0, and each panel has its own.

{
        table(
            lines,
            {
                "τ": "tau",
                "pi_2": lambda r: number(r["pi"], 1),
                "rho": lambda r: number(r["loss"]["rho"], 6),
                "LoA AUC 1": lambda r: number(r["loss"]["auc_1"], 6),
                "LoA AUC 2": lambda r: number(r["loss"]["auc_2"], 6),
                "LaA AUC 1": lambda r: number(r["label"]["auc_1"], 6),
                "LaA AUC 2": lambda r: number(r["label"]["auc_2"], 6),
            },
        )
    }

**Reproduced.** The paper prints no numbers. Loss aggregation serves the rare second label better
and
the balanced first one worse than label aggregation does, at every τ; which of the two is further
from balance depends on pi_2.
"""
    chart = alt.vconcat(
        drawn(result.rows, "auc_1", "AUC of label 1"),
        drawn(result.rows, "auc_2", "AUC of label 2"),
    )
    return Page("Each label's AUC under the best scorers", text, chart, ppi=64)
