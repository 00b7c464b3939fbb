"""D_k: the pairs that each label has, whatever the scores."""

from __future__ import annotations

import numpy as np

from isonomy._core import FloatArray, Items, count_codes, sum_codes


def label_pairs(items: Items) -> FloatArray:
    """The weight of the pairs of a positive and a negative of each label, (groups, K).

    One row where there are no groups. With equal loss weights, 1 / D_k over all groups is
    how hard label k pulls on the ranking.

    Examples
    --------
    >>> from isonomy._core import Items
    >>> label_pairs(Items.checked([[1, 0], [1, 1], [0, 0], [0, 0]]))
    array([[4., 3.]])
    """
    labels = items.labels
    labels.require_binary()
    if items.group is None:
        mass = pattern_weights(items)
        return np.asarray((mass @ labels.positive) * (mass @ labels.negative))[None, :]
    pairs = np.empty((items.n_groups, labels.n_labels))
    for k in range(labels.n_labels):
        positives, negatives = (
            sum_codes(items.group, _weighted(side[labels.codes, k], items.weight), len(pairs))
            for side in (labels.positive, labels.negative)
        )
        pairs[:, k] = positives * negatives
    return pairs


def pattern_weights(items: Items) -> FloatArray:
    """The weight of all rows of each label pattern, (L,)."""
    codes, n_patterns = items.labels.codes, len(items.labels.patterns)
    if items.weight is None:
        return count_codes(codes, n_patterns).astype(np.float64)
    return sum_codes(codes, items.weight, n_patterns)


def _weighted(has: FloatArray, weight: FloatArray | None) -> FloatArray:
    return has if weight is None else has * weight
