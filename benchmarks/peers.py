"""The peers behind one interface: what they are given is made ready outside the timing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.timing import Contestant

# Peers that compute in float32, or sum up areas in it.
ROUGH = 1e-5

Array = NDArray[np.generic]


def absent() -> list[str]:
    """Peers that are not installed."""
    packages = {"torchmetrics": "torchmetrics", "torcheval": "torcheval", "polars-ds": "polars_ds"}
    return [name for name, module in packages.items() if find_spec(module) is None]


def scikit_learn(Y: Array, scores: Array, weight: Array | None = None) -> list[Contestant]:
    from sklearn.metrics import roc_auc_score

    columns = [np.ascontiguousarray(column) for column in Y.T]

    def run() -> list[float]:
        return [roc_auc_score(column, scores, sample_weight=weight) for column in columns]

    calls = "" if len(columns) == 1 else f", {len(columns)} calls"
    return [Contestant(f"scikit-learn roc_auc_score{calls}", run)]


def scipy(Y: Array, scores: Array) -> list[Contestant]:
    def one(label: Array) -> float:
        above, below = scores[label == 1], scores[label == 0]
        u = stats.mannwhitneyu(above, below, method="asymptotic").statistic
        return float(u / (above.size * below.size))

    columns = [np.ascontiguousarray(column) for column in Y.T]
    calls = "" if len(columns) == 1 else f", {len(columns)} calls"
    return [Contestant(f"scipy mannwhitneyu{calls}", lambda: [one(label) for label in columns])]


def torchmetrics(Y: Array, scores: Array) -> list[Contestant]:
    if (module := _module("torchmetrics.functional.classification")) is None:
        return []
    import torch

    labels, n_labels = torch.from_numpy(Y.astype(np.int64)), Y.shape[1]
    predictions = torch.from_numpy(scores)
    if n_labels == 1:
        label = labels[:, 0].contiguous()
        run: Callable[[], object] = lambda: module.binary_auroc(predictions, label)  # noqa: E731
        return [Contestant("torchmetrics binary_auroc", run, ROUGH)]
    repeated = predictions[:, None].expand(-1, n_labels)

    def run_all() -> object:
        return module.multilabel_auroc(repeated, labels, num_labels=n_labels, average="none")

    return [Contestant("torchmetrics multilabel_auroc", run_all, ROUGH)]


def torcheval(Y: Array, scores: Array, weight: Array | None = None) -> list[Contestant]:
    if (module := _module("torcheval.metrics.functional")) is None:
        return []
    import torch

    n_labels = Y.shape[1]

    def shaped(column: Array) -> object:
        """The same for every task; one task has no axis of its own."""
        tensor = torch.from_numpy(column)
        return tensor if n_labels == 1 else tensor.expand(n_labels, -1)

    labels = torch.from_numpy(np.ascontiguousarray(Y.T.astype(np.int64))).squeeze(0)
    predictions = shaped(scores)
    weights = None if weight is None else shaped(weight)

    def run() -> object:
        return module.binary_auroc(predictions, labels, num_tasks=n_labels, weight=weights)

    tasks = "" if n_labels == 1 else f", {n_labels} tasks"
    return [Contestant(f"torcheval binary_auroc{tasks}", run, ROUGH)]


def polars_ds(Y: Array, scores: Array) -> list[Contestant]:
    if (module := _module("polars_ds")) is None:
        return []
    import polars as pl

    frame = pl.DataFrame({str(k): column for k, column in enumerate(Y.T)} | {"score": scores})
    aucs = [module.query_roc_auc(str(k), "score").alias(str(k)) for k in range(Y.shape[1])]
    expressions = "" if len(aucs) == 1 else f", {len(aucs)} expressions"
    return [
        Contestant(f"polars-ds query_roc_auc{expressions}", lambda: frame.select(aucs).to_numpy())
    ]


def polars_ds_by_group(label: Array, scores: Array, groups: Array) -> list[Contestant]:
    """The mean of the groups' AUCs, groups of one class left out."""
    if (module := _module("polars_ds")) is None:
        return []
    import polars as pl

    frame = pl.DataFrame({"group": groups, "label": label, "score": scores})
    auc = module.query_roc_auc("label", "score").alias("auc")

    def run() -> float:
        aucs = frame.group_by("group").agg(auc)["auc"]
        return float(aucs.fill_nan(None).mean())

    return [Contestant("polars-ds query_roc_auc, group_by", run)]


def all_peers(Y: Array, scores: Array) -> list[Contestant]:
    """Every peer that has the AUC of one score against each of K labels."""
    makers = (scikit_learn, scipy, torchmetrics, torcheval, polars_ds)
    return [contestant for maker in makers for contestant in maker(Y, scores)]


def kendall(levels: Array, scores: Array) -> list[Contestant]:
    """Uniform-cost multipartite AUC from Kendall's tau, which counts the same pairs."""

    def run() -> float:
        tau = stats.kendalltau(levels, scores).statistic
        pairs = scores.size * (scores.size - 1) / 2
        untied = [
            pairs - (counts * (counts - 1) / 2).sum()
            for counts in (np.unique(x, return_counts=True)[1] for x in (levels, scores))
        ]
        return float(0.5 + 0.5 * tau * np.sqrt(untied[1] / untied[0]))

    return [Contestant("scipy kendalltau, rescaled", run)]


def somers(levels: Array, scores: Array) -> list[Contestant]:
    """Uniform-cost multipartite AUC from Somers' D."""
    return [
        Contestant("scipy somersd", lambda: 0.5 + 0.5 * stats.somersd(levels, scores).statistic)
    ]


def midrank_covariance(levels: Array, scores: Array) -> list[Contestant]:
    """Linear-cost multipartite AUC by hand: 1/2 + Cov(level, midrank) / mean cost."""

    def run() -> float:
        share = (stats.rankdata(scores) - 0.5) / scores.size
        counts = np.bincount(levels) / scores.size
        values = np.arange(counts.size)
        cost = np.maximum(values[:, None] - values, 0)
        slope = np.mean(levels * share) - np.mean(levels) * np.mean(share)
        return float(0.5 + slope / (counts @ cost @ counts))

    return [Contestant("by hand: scipy rankdata and a covariance", run)]


def delong_by_ranks(label: Array, scores: Array) -> list[Contestant]:
    """DeLong's standard error by hand: three rankings (Sun and Xu)."""

    def run() -> list[float]:
        above, below = scores[label == 1], scores[label == 0]
        p, q = above.size, below.size
        ranks = stats.rankdata(np.concatenate([above, below]))
        of_above = (ranks[:p] - stats.rankdata(above)) / q
        of_below = 1 - (ranks[p:] - stats.rankdata(below)) / p
        variance = of_above.var(ddof=1) / p + of_below.var(ddof=1) / q
        return [of_above.mean(), np.sqrt(variance)]

    return [Contestant("by hand: DeLong with scipy rankdata", run)]


def _module(name: str) -> ModuleType | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(name)
    except ModuleNotFoundError:
        return None
