"""What it costs when labels or scores arrive in another form than uint8 and float64."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from rich.console import Console
from rich.table import Table

import isonomy as iso
from benchmarks.data import scores_and_labels
from benchmarks.targets import Target
from benchmarks.timing import Contestant, race

N_ITEMS, QUICK_ITEMS = 1_000_000, 100_000
ROUNDS = 9


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print a table of label forms and one of score forms; there is no target."""
    scores, labels = scores_and_labels(QUICK_ITEMS if quick else N_ITEMS, 8)
    label_forms(scores, labels, console)
    score_forms(scores, labels, console)
    return []


def label_forms(scores: np.ndarray, labels: np.ndarray, console: Console) -> None:
    missing = labels.astype(np.float64)
    missing[np.random.default_rng(1).random(labels.shape) < 0.1] = np.nan
    forms: dict[str, object] = {"uint8": labels}
    forms |= {
        "bool": labels.astype(bool),
        "uint8, Fortran order": np.asfortranarray(labels),
        "int64": labels.astype(np.int64),
        "int64, Fortran order": np.asfortranarray(labels.astype(np.int64)),
        "float32": labels.astype(np.float32),
        "float64": labels.astype(np.float64),
        "float64, Fortran order": np.asfortranarray(labels.astype(np.float64)),
        "float64, 10% missing": missing,
    }
    if find_spec("pandas"):
        import pandas as pd

        forms["pandas, uint8"] = pd.DataFrame(labels)
        forms["pandas, int64"] = pd.DataFrame(labels.astype(np.int64))
        forms["pandas, float64"] = pd.DataFrame(labels.astype(np.float64))
    if find_spec("polars"):
        import polars as pl

        forms["polars, UInt8"] = pl.DataFrame(labels)
        forms["polars, Int64"] = pl.DataFrame(labels.astype(np.int64))
    _print_forms(
        f"label_aucs, K = 8, n = {scores.size:,}: the form of Y",
        {form: lambda Y=Y: iso.label_aucs(Y, scores) for form, Y in forms.items()},
        scores,
        console,
    )


def score_forms(scores: np.ndarray, labels: np.ndarray, console: Console) -> None:
    logits = np.log(scores / (1 - scores))
    forms = {
        "float64 in (0, 1)": scores,
        "float64, both signs": logits,
        "float32 in (0, 1)": scores.astype(np.float32),
        "rounded to 0.01 (ties)": np.round(scores, 2),
        "int64, 1,000 values": (scores * 1000).astype(np.int64),
        "sorted already": np.sort(scores),
        "all equal": np.full(scores.size, 0.5),
        "both signs, 1e-300 to 1e300": np.sign(logits) * 10 ** (300 * (2 * scores - 1)),
    }
    _print_forms(
        f"label_aucs, K = 8, n = {scores.size:,}: the form of the scores",
        {form: lambda s=s: iso.label_aucs(labels, s) for form, s in forms.items()},
        scores,
        console,
    )


def _print_forms(title: str, runs: dict[str, object], scores: np.ndarray, console: Console) -> None:
    """Each form beside the first."""
    floor = Contestant("np.sort of the scores", lambda: np.sort(scores), None)
    contestants = [floor, *(Contestant(form, run, None) for form, run in runs.items())]
    sort, plain, *rest = race(contestants, rounds=ROUNDS)
    table = Table(title=title)
    for heading in ("what", "ns per item", "ratio to np.sort", "more than the first, ns per item"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for result in (plain, *rest, sort):
        more = (result.seconds - plain.seconds) / scores.size * 1e9
        table.add_row(
            result.name,
            f"{result.seconds / scores.size * 1e9:,.1f}",
            f"{result.seconds / sort.seconds:.2f}",
            "" if result is sort else f"{more:.1f}",
        )
    console.print(table)
