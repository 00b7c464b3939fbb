"""The demonstration: one search log, four ways to rank it, and who dictates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from sklearn.linear_model import LogisticRegression

from isonomy import datasets
from isonomy._intervals import AUCIntervals, auc_intervals, conflict_intervals
from isonomy._preferences import FloatArray


@dataclass(frozen=True, eq=False)
class Ranked:
    """One way to rank the held-out documents, measured."""

    name: str
    aucs: AUCIntervals
    conflict: AUCIntervals


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demonstration found.

    Attributes
    ----------
    labels : tuple of str
        Names of the two labels.
    priors : ndarray of shape (2,)
        Their shares of positives in the training half.
    rankings : list of Ranked
        By each label's score, then loss-aggregated, then label-aggregated.
    n_train, n_test : int
        Numbers of documents.
    """

    labels: tuple[str, ...]
    priors: FloatArray
    rankings: list[Ranked]
    n_train: int
    n_test: int


def run_demo(n_samples: int = 20_000) -> Demo:
    """Fit one classifier per label, combine their probabilities, measure on the other half.

    The combinations are the Bayes-optimal ones: sum_k p_k / (pi_k (1 - pi_k)) for loss
    aggregation with equal weights, sum_k p_k for label aggregation.
    """
    log = datasets.make_search_log(n_samples)
    half = n_samples // 2
    X, Y = log.X[:half], log.Y[:half]
    # Weak regularisation: the labels are nearly certain given the features.
    models = [LogisticRegression(C=100.0, max_iter=1000).fit(X, y) for y in Y.T]
    p = np.column_stack([model.predict_proba(log.X[half:])[:, 1] for model in models])
    priors = Y.mean(axis=0)
    first, second = log.label_names
    scores = {
        f"{first} alone": p[:, 0],
        f"{second} alone": p[:, 1],
        "loss aggregation": p @ (1 / (priors * (1 - priors))),
        "label aggregation": p.sum(axis=1),
    }
    held_out = log.Y[half:]
    rankings = [
        Ranked(name, auc_intervals(held_out, score), conflict_intervals(held_out, score))
        for name, score in scores.items()
    ]
    return Demo(log.label_names, priors, rankings, half, n_samples - half)


def render_demo(demo: Demo) -> RenderableType:
    """The table, and in words what it says."""
    first, second = demo.labels
    pull = 1 / (demo.priors * (1 - demo.priors))
    intro = (
        f"A search log of {demo.n_train + demo.n_test:,} documents with two labels: "
        f"[b]{first}[/b] ({demo.priors[0]:.0%} of them) and [b]{second}[/b] "
        f"({demo.priors[1]:.0%}).\nOne classifier per label, fitted on one half; four ways to "
        "rank the other half by their scores:"
    )
    loss, label = demo.rankings[2:]
    winner = _share(loss.conflict, 1, 0)
    outro = (
        f"[b]Who dictates?[/b] Where a document is {first} but not {second} and another is "
        f"{second} but not {first},\nloss aggregation ranks it {second}'s way {winner} of the "
        f"time: with equal weights, its rarity gives [b]{second}[/b] {pull[1] / pull[0]:.0f} times "
        f"the pull\nof [b]{first}[/b], 1/(pi(1-pi)). Label aggregation gives neither label a bonus "
        f"for being rare: {_share(label.conflict, 1, 0)}.\n\n"
        "The AUCs alone would not show it: look at the last column. And label aggregation is\n"
        "not always the fairer one: measure on your own data."
    )
    return Padding(Group(intro, "", _table(demo), "", outro), (1, 2))


def _table(demo: Demo) -> Table:
    first, second = demo.labels
    table = Table(title=f"Held-out documents: {demo.n_test:,}", title_justify="left")
    table.add_column("ranking by")
    table.add_column(f"AUC {first}\n[dim]95% interval[/dim]", justify="right")
    table.add_column(f"AUC {second}\n[dim]95% interval[/dim]", justify="right")
    table.add_column("Diff\n[dim]lower is fairer[/dim]", justify="right")
    table.add_column("Min\n[dim]higher is fairer[/dim]", justify="right")
    table.add_column(f"{first} wins conflicts\n[dim]50% is fair[/dim]", justify="right")
    for ranked in demo.rankings:
        aucs = np.asarray(ranked.aucs.estimate)
        table.add_row(
            ranked.name,
            _interval(ranked.aucs, 0),
            _interval(ranked.aucs, 1),
            f"{np.ptp(aucs):.3f}",
            f"{aucs.min():.3f}",
            _conflict(ranked.conflict),
            end_section=ranked.name.startswith(second),
        )
    return table


def _interval(found: AUCIntervals, k: int) -> str:
    estimate, low, high = (np.asarray(x)[k] for x in (found.estimate, found.low, found.high))
    return f"{estimate:.3f} [dim]{low:.3f}-{high:.3f}[/dim]"


def _conflict(found: AUCIntervals) -> str:
    low, high = np.asarray(found.low)[0, 1], np.asarray(found.high)[0, 1]
    lopsided = high < 0.1 or low > 0.9
    colour = "red" if lopsided else "green"
    return f"[{colour}]{_share(found, 0, 1)}[/{colour}] [dim]{low:.0%}-{high:.0%}[/dim]"


def _share(found: AUCIntervals, k: int, j: int) -> str:
    return f"{np.asarray(found.estimate)[k, j]:.0%}"
