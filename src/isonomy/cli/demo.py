"""The demonstration: one search log, four ways to rank it, and who dictates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
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
    loss, label = demo.rankings[2:]
    intro = (
        f"A search log of {demo.n_train + demo.n_test:,} documents with two labels: "
        f"[b]{first}[/b] ({demo.priors[0]:.0%} of them) and [b]{second}[/b] "
        f"({demo.priors[1]:.0%}). One classifier per label, fitted on one half; four ways to "
        "rank the other half by their scores:"
    )
    outro = (
        f"[b]Who dictates?[/b] Take a document that is {first} but not {second}, and one that is "
        f"{second} but not {first}. Loss aggregation puts the {second} one first in "
        f"{_share(loss.conflict, 1, 0)} of such pairs: with equal weights, its rarity gives "
        f"[b]{second}[/b] {pull[1] / pull[0]:.0f} times the pull of [b]{first}[/b], 1/(pi(1-pi)). "
        "Label aggregation gives no label a bonus for being rare: "
        f"{_share(label.conflict, 1, 0)}.\n\n"
        "The AUCs alone do not show it: compare Diff, Min and the last column. And label "
        "aggregation is not always the fairer choice: measure on your own data."
    )
    # As text, so that numbers inside sentences are not coloured.
    before, after = Text.from_markup(intro + "\n"), Text.from_markup("\n" + outro)
    return Padding(Group(before, _table(demo), after), (1, 2))


def _table(demo: Demo) -> Table:
    """At most 76 columns wide, so that it fits where output is piped or a window small."""
    first, second = demo.labels
    table = Table(
        title=f"Held-out documents: {demo.n_test:,}, with 95% intervals",
        title_justify="left",
        title_style="dim",
        box=box.SIMPLE_HEAD,
        caption="Diff: gap between the AUCs. Min: the smaller one. The last column: share of "
        f"conflicts that {first} wins; 50% is equal standing.",
        caption_justify="left",
    )
    table.add_column("ranking by", no_wrap=True)
    for heading in (f"AUC\n{first}", f"AUC\n{second}", "Diff", "Min", f"{first}\nwins"):
        table.add_column(heading, justify="right", no_wrap=True)
    for ranked in demo.rankings:
        aucs = np.asarray(ranked.aucs.estimate)
        table.add_row(
            ranked.name,
            _auc(ranked.aucs, 0),
            _auc(ranked.aucs, 1),
            f"{np.ptp(aucs):.3f}",
            f"{aucs.min():.3f}",
            _conflict(ranked.conflict),
            end_section=ranked.name.startswith(second),
        )
    return table


def _auc(found: AUCIntervals, k: int) -> str:
    estimate, low, high = (np.asarray(x)[k] for x in (found.estimate, found.low, found.high))
    return f"{estimate:.3f}\n[dim]{low:.3f}-{high:.3f}[/dim]"


def _conflict(found: AUCIntervals) -> str:
    estimate, low, high = (np.asarray(x)[0, 1] for x in (found.estimate, found.low, found.high))
    colour = "green" if 0.1 < estimate < 0.9 else "red"
    return f"[{colour}]{estimate:.0%}[/{colour}]\n[dim]{low:.0%}-{high:.0%}[/dim]"


def _share(found: AUCIntervals, k: int, j: int) -> str:
    return f"{np.asarray(found.estimate)[k, j]:.0%}"
