"""Partial AUCs: the part of the ROC curve with few false positives, and its errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Items, LossAggregation, Preferences, gram, sum_codes
from isonomy._counting import ListValues, Ranking, Spread, effective_size, partial_areas


def check_max_fpr(max_fpr: object) -> None:
    """A false positive rate above 0, up to 1; or None."""
    if max_fpr is None:
        return
    number = isinstance(max_fpr, int | float | np.number) and not isinstance(max_fpr, bool)
    if not number or not 0 < max_fpr <= 1:  # type: ignore[operator]
        raise ValueError(
            "Parameter `max_fpr` should be a false positive rate above 0 and up to 1, such as "
            f"0.1, or None for the whole curve. Found {max_fpr!r}."
        )


def partial_aucs(items: Items, max_fpr: float) -> tuple[Preferences, ListValues]:
    """Mean true positive rate up to `max_fpr` of each group (or of all rows) and label."""
    preferences = items.preferences(LossAggregation())
    ranking = Ranking(preferences, items.scores)
    values, pairs = partial_areas(ranking, items.labels, float(max_fpr))
    weight = (pairs > 0).astype(np.float64) if items.group_weight == "equal" else pairs
    return preferences, ListValues(values, weight)


def standardised(mean_rate: FloatArray, max_fpr: float) -> FloatArray:
    """McClish's scale, on which chance has 1/2 and perfection 1."""
    return np.asarray(0.5 * (1 + (mean_rate - max_fpr / 2) / (1 - max_fpr / 2)))


def partial_spread(items: Items, preferences: Preferences, max_fpr: float) -> Spread:
    """Errors of the mean rates of ungrouped rows, by the influence of each item.

    A positive counts by the share of the allowed negatives that it outranks. A negative that is
    allowed counts by the positives above it, less those at the end of the curve's part: one more
    of it pushes the end towards the top. Of the negatives only a share of `max_fpr` tells.
    """
    ranking = Ranking(preferences, items.scores, indexed=True)
    order = ranking.order
    assert order is not None
    weight = np.ones(order.size) if ranking.weight is None else ranking.weight
    repeats = np.ones(order.size) if items.count is None else np.maximum(items.count[order], 1.0)
    codes, tables = items.labels.codes[order], (items.labels.positive, items.labels.negative)
    columns = []
    psi = []
    for k in range(items.labels.n_labels):
        sides = [weight * table[codes, k] for table in tables]
        parts = _influences(ranking, sides, max_fpr)
        sizes = [_effective(side, repeats) for side in sides]
        told = (sizes[0], max_fpr * sizes[1])
        parts = [part * _unbiased(size) for part, size in zip(parts, sizes, strict=True)]
        if items.cluster is None:
            psi.append((parts[0] + parts[1]) / np.sqrt(repeats))
            variances = [float((part**2 / repeats).sum()) for part in parts]
            column = [*told, 0.0], [*variances, 0.0], [*(1 / max(size, 1.0) for size in told), 0.0]
        else:
            psi.append(_by_cluster(parts[0] + parts[1], items.cluster[order]))
            shares = [_by_cluster(side, items.cluster[order]) for side in sides]
            share = sum(each / max(float(each.sum()), 1e-300) for each in shares)
            size = _effective(np.asarray(share), np.ones(1))
            psi[-1] *= _unbiased(size)
            variance = float((psi[-1] ** 2).sum())
            column = [0.0, 0.0, size], [0.0, 0.0, variance], [0.0, 0.0, 1 / max(min(told), 1.0)]
        columns.append((*column, min(told)))
    role_size, role_variance, scale = (np.array([each[i] for each in columns]).T for i in range(3))
    table = np.stack(psi, axis=1)
    smallest = np.array([each[3] for each in columns])
    return Spread(role_size, role_variance, scale, smallest, gram(table))


def _effective(weight: FloatArray, repeats: FloatArray) -> float:
    """As many equal items as would weigh as evenly."""
    total, squares = np.asarray(weight.sum()), np.asarray((weight**2 / repeats).sum())
    return float(effective_size(total, squares))


def _unbiased(size: float) -> float:
    return float(np.sqrt(size / (size - 1))) if size > 1 else 1.0


def _by_cluster(values: FloatArray, cluster: NDArray[np.int64]) -> FloatArray:
    return sum_codes(cluster, values, int(cluster.max()) + 1)


def _influences(ranking: Ranking, sides: list[FloatArray], max_fpr: float) -> list[FloatArray]:
    """Of each item, in order, on the mean rate: as a positive, and as a negative."""
    ends = np.flatnonzero(ranking.runs[1]) + 1
    starts = np.concatenate([[0], ends[:-1]])
    a, b = (np.add.reduceat(side, starts) for side in sides)
    positives, negatives = a.sum(), b.sum()
    if positives == 0 or negatives == 0:
        return [np.zeros_like(side) for side in sides]
    above, before = positives - np.cumsum(a), negatives - np.cumsum(b)
    limit = max_fpr * negatives
    room = np.clip(limit - before, 0.0, None)
    part = np.minimum(np.divide(room, b, out=np.ones_like(b), where=b > 0), 1.0)
    part[room == 0] = 0.0
    placed = np.where(part < 1, room * part / 2, room - b / 2) / limit
    rate = (sides[0] @ np.repeat(placed, ends - starts)) / positives
    # The run that holds the end of the curve's part; the lowest that is wholly in, where none is.
    cut = int(np.flatnonzero(part > 0)[0])
    end_rate = (above[cut] + a[cut] * part[cut]) / positives
    allowed = part * ((above + part * a / 2) / positives - end_rate)
    up = sides[0] / positives * (np.repeat(placed, ends - starts) - rate)
    pull = allowed / max_fpr + end_rate - rate
    return [up, sides[1] / negatives * np.repeat(pull, ends - starts)]
