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
from isonomy._core.kernels.radix import sort_parts

N_ITEMS, QUICK_ITEMS = 1_000_000, 100_000
ROUNDS = 15
# Members of a group, and how many ns an item may take.
GROUP_SIZES = {10: 60, 100: 40}
N_LEVELS = 100_000
BOOTSTRAP_ITEMS, BOOTSTRAP_SAMPLES = 10_000, 200
# scipy's somersd grows with the square of n.
SOMERS_ITEMS = 1_000


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print one table per metric; return the targets."""
    for name in peers.absent():
        console.print(f"{name} is not installed: skipped (`make bench` installs it).")
    n = QUICK_ITEMS if quick else N_ITEMS
    scores, labels = scores_and_labels(n, 8)
    contests = (
        *(one_label, eight_labels, gaps, twenty_labels, sixty_four_labels, conflicts),
        *(delong, multipartite, weighted, grouped, many_levels),
    )
    targets = [target for contest in contests for target in contest(scores, labels, console)]
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
        _faster("auc, K = 1: faster than roc_auc_score", found, 25),
        _near_sort("auc, K = 1: time of np.sort", found),
    ]


def eight_labels(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    bits = scores.view(np.uint64)

    def by_digits() -> np.ndarray:
        words = bits.copy()
        sort_parts(words, np.array([0, words.size]))
        return words

    found = _contest(
        f"AUCs of eight labels (uint8), n = {scores.size:,}",
        scores,
        [Contestant("isonomy label_aucs", lambda: iso.label_aucs(labels, scores))],
        [*peers.all_peers(labels, scores), _other("sort of the scores by digits", by_digits)],
        console,
    )
    sort = min(found[1].seconds, found[-1].seconds)
    what = "label_aucs, K = 8: time of np.sort or a sort by digits, the faster one"
    return [
        _faster("label_aucs, K = 8: faster than 8 calls of roc_auc_score", found, 60),
        _measured(what, found[0].seconds / sort, found, scores.size, 1.3),
    ]


def gaps(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    """Each label of a tenth of the rows is missing."""
    Y = labels.astype(np.float64)
    Y[np.random.default_rng(3).random(Y.shape) < 0.1] = np.nan
    columns = [np.flatnonzero(~np.isnan(column)) for column in Y.T]
    parts = [(Y[rows, k], scores[rows]) for k, rows in enumerate(columns)]
    found = _contest(
        f"AUCs of eight labels (float64, 10% missing), n = {scores.size:,}",
        scores,
        [Contestant("isonomy label_aucs", lambda: iso.label_aucs(Y, scores))],
        [
            Contestant(
                "scikit-learn roc_auc_score, 8 calls", lambda: [roc_auc_score(*p) for p in parts]
            )
        ],
        console,
    )
    return [_nanoseconds("label_aucs, K = 8, float64 with 10% gaps", found, scores.size, 40)]


def twenty_labels(scores: np.ndarray, _: np.ndarray, console: Console) -> list[Target]:
    return [_many_labels(20, scores, console, 60)]


def sixty_four_labels(scores: np.ndarray, _: np.ndarray, console: Console) -> list[Target]:
    return [_many_labels(64, scores, console, 120)]


def _many_labels(n_labels: int, scores: np.ndarray, console: Console, limit: float) -> Target:
    rng = np.random.default_rng(n_labels)
    chance = np.linspace(0.5, 1.5, n_labels) * scores[:, None]
    Y = (rng.random((scores.size, n_labels)) < 0.6 * chance).astype(np.uint8)
    found = _contest(
        f"AUCs of {n_labels} labels (uint8), n = {scores.size:,}",
        scores,
        [Contestant("isonomy label_aucs", lambda: iso.label_aucs(Y, scores))],
        peers.scikit_learn(Y, scores),
        console,
    )
    return _nanoseconds(f"label_aucs, K = {n_labels}", found, scores.size, limit)


def conflicts(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    first, second = np.triu_indices(labels.shape[1], k=1)
    rows = [
        np.flatnonzero(labels[:, k] != labels[:, j]) for k, j in zip(first, second, strict=True)
    ]
    parts = [(labels[part, k], scores[part]) for k, part in zip(first, rows, strict=True)]
    found = _contest(
        f"Conflict AUCs of eight labels, n = {scores.size:,}",
        scores,
        [
            Contestant(
                "isonomy conflict_aucs", lambda: iso.conflict_aucs(labels, scores)[first, second]
            )
        ],
        [
            Contestant(
                "scikit-learn roc_auc_score, 28 calls", lambda: [roc_auc_score(*p) for p in parts]
            )
        ],
        console,
    )
    return [_nanoseconds("conflict_aucs, K = 8", found, scores.size, 50)]


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
    found = _contest(
        f"Weighted AUC, one label, n = {scores.size:,}",
        scores,
        [Contestant("isonomy auc", lambda: iso.auc(y, scores, sample_weight=weight))],
        [
            *peers.scikit_learn(y[:, None], scores, weight),
            *peers.torcheval(y[:, None], scores, weight),
        ],
        console,
    )
    return [_nanoseconds("auc, weighted", found, scores.size, 40)]


def grouped(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    y = labels[:, 0].copy()
    targets = []
    for size, limit in GROUP_SIZES.items():
        groups = np.arange(scores.size) // size
        found = _contest(
            f"Mean AUC over {scores.size // size:,} groups of {size}",
            scores,
            [
                Contestant(
                    "isonomy auc, groups",
                    lambda groups=groups: iso.auc(y, scores, groups=groups, group_weight="equal"),
                )
            ],
            [
                *peers.polars_ds_by_group(y, scores, groups),
                _other(
                    "isonomy auc_intervals, groups",
                    lambda groups=groups: iso.auc_intervals(y, scores, groups=groups).estimate,
                ),
            ],
            console,
        )
        targets.append(_nanoseconds(f"auc, groups of {size}", found, scores.size, limit))
    return targets


def many_levels(scores: np.ndarray, labels: np.ndarray, console: Console) -> list[Target]:
    """Real-valued levels: 100,000 of them."""
    raw = labels.sum(axis=1) + np.random.default_rng(2).random(scores.size)
    levels = np.floor(raw * N_LEVELS / 9) / 7
    targets = []
    for costs, limit in (("linear", 60), ("uniform", 200)):
        ours = Contestant(
            f"isonomy multipartite_auc, {costs}",
            lambda costs=costs: iso.multipartite_auc(levels, scores, costs=costs),
        )
        kendall = peers.kendall(levels, scores)
        if costs == "linear":
            kendall = [_other(each.name, each.run) for each in kendall]
        title = f"Multipartite AUC, {N_LEVELS:,} levels (real-valued), n = {scores.size:,}"
        found = _contest(title, scores, [ours], kendall, console, rounds=7)
        what = f"multipartite_auc, 1e5 real levels, {costs}"
        targets.append(_nanoseconds(what, found, scores.size, limit))
        faster = found[2].seconds / found[0].seconds
        what = f"{what}: faster than scipy's kendalltau"
        targets.append(_measured(what, faster, found, scores.size, 1, at_least=True))
    return targets


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
    faster = peer.seconds / found[0].seconds
    return _measured(what, faster, found, None, limit, at_least=True)


def _near_sort(what: str, found: list[Result]) -> Target:
    return _measured(what, found[0].seconds / found[1].seconds, found, None, 3)


def _nanoseconds(what: str, found: list[Result], n: int, limit: float) -> Target:
    return _measured(what, found[0].seconds / n * 1e9, found, n, limit, unit=" ns")


def _measured(
    what: str,
    measured: float,
    found: list[Result],
    n: int | None,
    limit: float,
    *,
    at_least: bool = False,
    unit: str = "x",
) -> Target:
    """A target, with how long all others took."""
    return Target(
        what,
        measured,
        limit,
        at_least=at_least,
        unit=unit,
        nanoseconds=None if n is None else found[0].seconds / n * 1e9,
        peers={each.name: each.seconds / found[0].seconds for each in found[1:]},
    )
