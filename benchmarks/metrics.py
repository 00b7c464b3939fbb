"""Speed of the exact metrics beside the peers."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

import isonomy as iso
from benchmarks import peers
from benchmarks.data import scores_and_labels
from benchmarks.targets import Target
from benchmarks.timing import Contestant, Result, race

N_ITEMS, QUICK_ITEMS = 1_000_000, 100_000
ROUNDS = 15
GROUP_SIZE = 10
BOOTSTRAP_ITEMS, BOOTSTRAP_SAMPLES = 10_000, 200
# scipy's somersd grows with the square of n.
SOMERS_ITEMS = 1_000


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print one table per metric; return the targets."""
    for name in peers.absent():
        console.print(f"{name} is not installed: skipped (`make bench` installs it).")
    n = QUICK_ITEMS if quick else N_ITEMS
    scores, labels = scores_and_labels(n, 8)
    contests = (one_label, eight_labels, delong, multipartite, weighted, grouped)
    targets = [target for contest in contests for target in contest(scores, labels, console)]
    many_levels(scores, labels, console)
    somers(console)
    bootstrap(console)
    return targets


def one_label(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    y = labels[:, 0].copy()
    found = _contest(
        f"AUC of one label, n = {scores.size:,}",
        scores,
        [Contestant("isonomy auc", lambda: [iso.auc(y, scores)])],
        peers.all_peers(y[:, None], scores),
        console,
    )
    return [
        _faster("auc, K = 1: faster than roc_auc_score", found, 20),
        _near_sort("auc, K = 1: time of np.sort", found),
    ]


def eight_labels(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    found = _contest(
        f"AUCs of eight labels (uint8), n = {scores.size:,}",
        scores,
        [Contestant("isonomy label_aucs", lambda: iso.label_aucs(labels, scores))],
        peers.all_peers(labels, scores),
        console,
    )
    return [
        _faster("label_aucs, K = 8: faster than 8 calls of roc_auc_score", found, 60),
        _near_sort("label_aucs, K = 8: time of np.sort", found),
    ]


def delong(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    y = labels[:, 0].copy()

    def ours() -> list[float]:
        found = iso.auc_intervals(y, scores)
        return [found.estimate[0], found.standard_error[0]]

    found = _contest(
        f"AUC with DeLong's standard error, one label, n = {scores.size:,}",
        scores,
        [Contestant("isonomy auc_intervals", ours)],
        [
            *peers.delong_by_ranks(y, scores),
            _other("isonomy auc_intervals, K = 8", lambda: _errors(labels, scores)),
        ],
        console,
    )
    return [_near_sort("auc_intervals, K = 1: time of np.sort", found)]


def multipartite(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    levels = labels.sum(axis=1)
    targets = []
    rivals = {"linear": peers.midrank_covariance, "uniform": peers.kendall}
    for costs, rival in rivals.items():
        ours = Contestant(
            "isonomy multipartite_auc",
            lambda costs=costs: iso.multipartite_auc(levels, scores, costs=costs),
        )
        title = f"Multipartite AUC, 9 levels, {costs} costs, n = {scores.size:,}"
        found = _contest(title, scores, [ours], rival(levels, scores), console)
        targets.append(_near_sort(f"multipartite_auc, 9 levels, {costs}: time of np.sort", found))
    return targets


def weighted(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    y = labels[:, 0].copy()
    weight = np.random.default_rng(1).random(scores.size)
    _contest(
        f"Weighted AUC, one label, n = {scores.size:,}",
        scores,
        [Contestant("isonomy auc", lambda: iso.auc(y, scores, sample_weight=weight))],
        [
            *peers.scikit_learn(y[:, None], scores, weight),
            *peers.torcheval(y[:, None], scores, weight),
        ],
        console,
    )
    return []


def grouped(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    y = labels[:, 0].copy()
    groups = np.arange(scores.size) // GROUP_SIZE
    _contest(
        f"Mean AUC over {scores.size // GROUP_SIZE:,} groups of {GROUP_SIZE}",
        scores,
        [
            Contestant(
                "isonomy auc, groups",
                lambda: iso.auc(y, scores, groups=groups, group_weight="equal"),
            )
        ],
        [
            *peers.polars_ds_by_group(y, scores, groups),
            _other(
                "isonomy auc_intervals, groups",
                lambda: iso.auc_intervals(y, scores, groups=groups).estimate,
            ),
        ],
        console,
    )
    return []


def many_levels(scores: np.ndarray, labels: np.ndarray, console: Console) -> None:
    """Real-valued levels: every item its own."""
    levels = labels.sum(axis=1) + np.random.default_rng(2).random(scores.size)
    _contest(
        f"Multipartite AUC, {scores.size:,} levels (real-valued), n = {scores.size:,}",
        scores,
        [
            Contestant(
                "isonomy multipartite_auc, uniform",
                lambda: iso.multipartite_auc(levels, scores, costs="uniform"),
            )
        ],
        [
            *peers.kendall(levels, scores),
            _other(
                "isonomy multipartite_auc, linear", lambda: iso.multipartite_auc(levels, scores)
            ),
        ],
        console,
        rounds=3,
    )


def somers(console: Console) -> None:
    scores, labels = scores_and_labels(SOMERS_ITEMS, 8)
    levels = labels.sum(axis=1)
    _contest(
        f"Uniform-cost multipartite AUC as Somers' D, n = {SOMERS_ITEMS:,}",
        scores,
        [
            Contestant(
                "isonomy multipartite_auc",
                lambda: iso.multipartite_auc(levels, scores, costs="uniform"),
            )
        ],
        peers.somers(levels, scores),
        console,
    )


def bootstrap(console: Console) -> None:
    """Intervals from resampled items; the peers need a loop of the user's own."""
    scores, labels = scores_and_labels(BOOTSTRAP_ITEMS, 8)
    y = labels[:, 0].copy()

    def ours() -> np.ndarray:
        found = iso.auc_intervals(
            y, scores, method="bootstrap", n_resamples=BOOTSTRAP_SAMPLES, random_state=0
        )
        return found.standard_error

    def loop() -> float:
        rng = np.random.default_rng(0)
        draws = rng.integers(0, scores.size, (BOOTSTRAP_SAMPLES, scores.size))
        return float(np.std([roc_auc_score(y[rows], scores[rows]) for rows in draws], ddof=1))

    _contest(
        f"Bootstrap of one AUC, {BOOTSTRAP_SAMPLES} resamples, n = {BOOTSTRAP_ITEMS:,}",
        scores,
        # Two random draws: the standard errors agree only roughly.
        [Contestant("isonomy auc_intervals, bootstrap", ours, 0.003)],
        [Contestant("loop over scikit-learn roc_auc_score", loop, 0.003)],
        console,
        rounds=5,
    )


def _contest(
    title: str,
    scores: np.ndarray,
    ours: list[Contestant],
    others: list[Contestant],
    console: Console,
    *,
    rounds: int = ROUNDS,
) -> list[Result]:
    """Race and print; the results begin with ours and np.sort."""
    floor = _other("np.sort of the scores", lambda: np.sort(scores))
    found = race([*ours, floor, *others], rounds=rounds)
    table = Table(title=title)
    headings = ("what", "ns per item", "ratio to np.sort", "ratio to ours", "answer differs by")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for result in found:
        difference = "" if result.difference is None else f"{result.difference:.0e}"
        table.add_row(
            result.name,
            f"{result.seconds / scores.size * 1e9:,.1f}",
            f"{result.seconds / found[1].seconds:,.2f}",
            f"{result.seconds / found[0].seconds:,.2f}",
            difference,
        )
    console.print(table)
    return found


def _other(name: str, run: object) -> Contestant:
    """A contestant whose answer is another one."""
    return Contestant(name, run, tolerance=None)


def _errors(labels: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return iso.auc_intervals(labels, scores).standard_error


def _faster(what: str, found: list[Result], limit: float) -> Target:
    peer = next(result for result in found if "roc_auc_score" in result.name)
    return Target(what, peer.seconds / found[0].seconds, limit, at_least=True)


def _near_sort(what: str, found: list[Result]) -> Target:
    return Target(what, found[0].seconds / found[1].seconds, 3)
