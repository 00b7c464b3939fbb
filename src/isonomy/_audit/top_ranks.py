"""How each group's first ranks serve the labels, and who wins the conflicts that reach them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from isonomy._audit.estimate import Estimate, estimates
from isonomy._core import ConflictPairs, Items, check_count, cluster_of_groups
from isonomy._counting import ListValues, top_pair_shares
from isonomy._metrics import ndcgs_of, shrunk_wilson

DEFAULT_TOP = 10


@dataclass(frozen=True)
class TopConflict:
    """Two labels, and who wins the conflicts that reach the top.

    Attributes
    ----------
    first, second : str
        The labels.
    auc : Estimate
        Over pairs in a group, of an item with the first label only and one with the second only,
        at least one of which stands in the first ranks: the share that the first label wins.
    """

    first: str
    second: str
    auc: Estimate


@dataclass(frozen=True)
class TopRanks:
    """The first ranks of each group.

    Attributes
    ----------
    k : int
        How many ranks.
    ndcgs : tuple of Estimate
        nDCG of each label there, the mean over groups that have a positive.
    conflicts : tuple of TopConflict
        One per pair of labels.
    """

    k: int
    ndcgs: tuple[Estimate, ...]
    conflicts: tuple[TopConflict, ...]


def as_top(top: int | None, *, grouped: bool) -> int | None:
    """How many ranks to look at: none without groups."""
    if top is None:
        return DEFAULT_TOP if grouped else None
    check_count("top", top)
    if not grouped:
        raise ValueError(
            "Parameter `top` needs groups: it is about the first ranks of each list (query). Found "
            "none. Pass `groups`, or leave `top` out; shares of the whole ranking are shown anyway."
        )
    return int(top)


def top_ranks(items: Items, k: int, level: float) -> TopRanks:
    """nDCGs and conflicts in the first k ranks of each group."""
    names = items.labels.names
    ndcgs = _bounded(items, ndcgs_of(items, k), level)
    conflicts: list[Estimate] = []
    if len(names) > 1:
        pairs = top_pair_shares(items, items.preferences(ConflictPairs()), k)
        conflicts = _bounded(items, pairs, level)
    found = zip(combinations(names, 2), conflicts, strict=True)
    return TopRanks(k, tuple(ndcgs), tuple(TopConflict(*both, auc) for both, auc in found))


def _bounded(items: Items, lists: ListValues, level: float) -> list[Estimate]:
    cluster = None
    if items.cluster is not None and items.group is not None:
        cluster = cluster_of_groups(items.group, items.cluster)
    means, spread = lists.means(), lists.spread(cluster)
    low, high = shrunk_wilson(means, spread, level)
    unknown = np.isnan(means)
    return estimates(
        means, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high), spread.error
    )
