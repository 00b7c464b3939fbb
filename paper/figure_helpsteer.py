"""Coherence with each of the other ratings of answers, by the skewness of the other."""

from __future__ import annotations

from functools import cache

import altair as alt
import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import train_test_split

from isonomy.datasets import Loaded, load_helpsteer
from paper._methods import (
    BEYOND,
    Fit,
    aucs,
    beyond_the_paper,
    linear,
    of_the_paper,
    paired,
    standardised,
    summary,
)
from paper._pages import COLOURS, Page, data, number, table, with_error
from paper._results import Result, Row, versions
from paper._trials import tried

KEYS, TOLERANCE = ("second", "objective", "seed"), 5e-3
NAMES = ("first", "second")
# 2^16 columns of hashed words and pairs of words.
L2, TRIALS, COLUMNS = 1e-3, 25, 2**16


@cache
def texts() -> tuple[Loaded, Loaded] | None:
    """HelpSteer's training and validation texts, where they are here."""
    try:
        return tuple(load_helpsteer(part, download=False) for part in ("train", "validation"))
    except FileNotFoundError:
        return None


@cache
def statistics() -> Loaded:
    return load_helpsteer("statistics")


@cache
def hashed() -> tuple[object, object]:
    found = texts()
    vectors = HashingVectorizer(n_features=COLUMNS, ngram_range=(1, 2), alternate_sign=False)
    return tuple(vectors.transform(part.X) for part in found)


def split(other: int, seed: int) -> tuple[object, ...]:
    """X and Y for training and testing: as HelpSteer has it, or a random fifth held out."""
    found = texts()
    if found is not None:
        return (*hashed(), *(part.Y[:, [0, other]] for part in found))
    rows = np.arange(len(statistics()))
    labels = statistics().Y[:, [0, other]]
    train, test = train_test_split(rows, test_size=0.2, random_state=seed, stratify=labels[:, 1])
    # Some answers have no verb and so an infinite ratio to verbs: 0 in its place.
    X = np.where(np.isfinite(statistics().X), statistics().X, 0.0)
    X = np.sign(X) * np.log1p(np.abs(X))
    return (*standardised(X[train], X[test]), labels[train], labels[test])


def trial(other: int, seed: int) -> list[Row]:
    X, X_test, Y, Y_test = split(other, seed)
    name = statistics_or_texts().label_names[other]
    return [
        {"second": name, "objective": objective, "seed": seed}
        | aucs(Y_test, method(X, Y)(X_test), NAMES)
        for objective, method in methods(seed).items()
    ]


def methods(seed: int) -> dict[str, Fit]:
    named = of_the_paper(*NAMES)
    return {name: linear(o, L2) for name, o in named.items()} | beyond_the_paper(seed, L2)


def statistics_or_texts() -> Loaded:
    found = texts()
    return statistics() if found is None else found[0]


def run(*, quick: bool = False) -> Result:
    loaded = statistics_or_texts()
    trials_each = TRIALS if texts() is None else 1
    steps = [(other, seed) for seed in range(trials_each) for other in range(1, 5)]
    if quick:
        trials = [row for step in steps[:4] for row in trial(*step)]
    else:
        trials = tried("figure_helpsteer", steps, trial)
    shares = dict(zip(loaded.label_names, loaded.Y.mean(axis=0).tolist(), strict=True))
    rows = [
        {**row, "pi_second": shares[row["second"]]}
        for row in summary(trials, ("second", "objective"), NAMES)
    ]
    settings = {
        "data": loaded.origin,
        "first": "coherence",
        "shares of positives": shares,
        "texts": texts() is not None,
        "l2": L2,
        "held out": "as published" if texts() is not None else 0.2,
    }
    paper = [
        {"claim": "label aggregation yields the lowest difference across all settings"},
        {"claim": "coherence is the closest to balance"},
    ]
    seeds = list(range(trials_each))
    return Result("figure_helpsteer", settings, rows, paper, seeds, trials, versions("lightgbm"))


def by_skewness(result: Result) -> list[str]:
    """The second labels, from the most skewed to the least."""
    shares = result.settings["shares of positives"]
    others = [name for name in shares if name != "coherence"]
    return sorted(others, key=lambda name: -abs(shares[name] - 0.5))


def render(result: Result) -> Page:
    found = {(r["second"], r["objective"]): r for r in result.rows}
    shares = result.settings["shares of positives"]
    lines = []
    for second in by_skewness(result):
        label, loss = found[second, "LaA"], found[second, "LoA"]
        lines.append({"second": second, "pi": shares[second], "LaA": label, "LoA": loss})
    columns = {"second label": "second", "its share": lambda r: number(r["pi"], 3)}
    for key, heading in (("diff_auc", "diff AUC"), ("min_auc", "min AUC")):
        for name in ("LaA", "LoA"):
            columns[f"{heading} {name}"] = lambda r, n=name, k=key: with_error(k)(r[n])
    ours = "These are the paper's data; the features (hashed words and pairs of words) are ours."
    others = f"""
**Not the paper's data.** HelpSteer's texts were not here; people's ratings of 3,005 answers of
HelpSteer2, with statistics of the text in place of the text, stand in for them. Coherence is not
balanced there ({shares["coherence"]:.2f} of the answers have the best rating), and only 11 answers
have the best complexity.
""".strip()
    real = result.settings["texts"]
    text = f"""
{result.settings["data"]}. Label 1 is coherence, label 2 each of the others, positive where the
rating is 4. Linear rankers, {len(result.seeds)} splits, mean ± standard error. In the picture bars
are two standard errors, and every panel has its own axis.

{ours if real else others}

{table(lines, columns)}

**{"See above" if real else "Data not here; what stands in for them differs"}.** The paper finds
label aggregation's difference the smaller for every second label. Here, by two standard errors of
the paired differences: {compared(result, "diff")}. On the smallest AUC: {compared(result, "min")}.
"""
    return Page("Coherence and the other ratings (HelpSteer)", text, drawn(result))


def compared(result: Result, what: str) -> str:
    """For which second labels each aggregation is clearly better, and for which none is."""
    values: dict[str, dict[str, dict[int, float]]] = {}
    for row in result.trials:
        pair = (row["auc_first"], row["auc_second"])
        good = min(pair) if what == "min" else -abs(pair[0] - pair[1])
        values.setdefault(row["second"], {}).setdefault(row["objective"], {})[row["seed"]] = good
    verdicts: dict[str, list[str]] = {"label aggregation": [], "loss aggregation": [], "none": []}
    for second in by_skewness(result):
        found = paired(values[second]["LaA"], values[second]["LoA"])
        clear = found["lead_se"] is not None and abs(found["lead"]) > 2 * found["lead_se"]
        winner = "label aggregation" if found["lead"] > 0 else "loss aggregation"
        verdicts[winner if clear else "none"].append(second)
    return "; ".join(
        f"{'neither' if who == 'none' else who} is better for {', '.join(names)}"
        for who, names in verdicts.items()
        if names
    )


def drawn(result: Result) -> alt.FacetChart:
    shares = result.settings["shares of positives"]
    names = ["LaA", "LoA", *BEYOND]
    title = {name: f"{name} ({100 * shares[name]:.1f}%)" for name in shares}
    points = [
        {
            "second": title[r["second"]],
            "objective": r["objective"],
            "what": heading,
            "value": r[key],
            "low": r[key] - 2 * (r[f"{key}_se"] or 0),
            "high": r[key] + 2 * (r[f"{key}_se"] or 0),
        }
        for r in result.rows
        for key, heading in (
            ("diff_auc", "difference of the AUCs (lower is better)"),
            ("min_auc", "smallest AUC (higher is better)"),
        )
        if r["objective"] in names
    ]
    order = [title[name] for name in by_skewness(result)]
    base = alt.Chart().encode(
        y=alt.Y("objective:N", title=None, sort=names, axis=None),
        color=alt.Color(
            "objective:N",
            title=None,
            scale=alt.Scale(domain=names, range=[COLOURS[name] for name in names]),
        ),
    )
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("value:Q", title=None, scale=alt.Scale(zero=False))
    )
    bars = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    return (
        alt.layer(bars, dots, data=data(points))
        .properties(width=290, height=72)
        .facet(
            row=alt.Row(
                "second:N",
                title="second label (share of positives)",
                sort=order,
                header=alt.Header(labelAngle=0, labelAlign="left"),
            ),
            column=alt.Column("what:N", title=None),
        )
        .resolve_scale(x="independent")
    )
