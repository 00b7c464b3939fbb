"""Labels that imply others, such as a purchase that no item has without a click."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import Items

# As in `LabelModels`: this label waits for no other.
NO_PARENT = -1


def implied_labels(items: Items) -> NDArray[np.bool_]:
    """Entry [k, j]: every item that has label k and is known for j has label j too.

    Labels that are the same on all items imply each other, which makes no funnel: neither is
    marked.

    Examples
    --------
    >>> from isonomy._core import Items
    >>> implied_labels(Items.checked([[1, 1], [1, 0], [0, 0]]))
    array([[False, False],
           [ True, False]])
    """
    labels = items.labels
    seen = labels.occurs
    yes, no = labels.positive[seen], labels.negative[seen]
    both = (yes[:, :, None] & yes[:, None, :]).any(axis=0)
    apart = (yes[:, :, None] & no[:, None, :]).any(axis=0)
    found = both & ~apart
    return np.asarray(found & ~found.T)


def funnel_parents(items: Items) -> NDArray[np.int64]:
    """The label that each label waits for: the rarest of those that it implies, or none."""
    implied = implied_labels(items)
    table = items.labels.table
    share = np.nansum(table, axis=0) / (~np.isnan(table)).sum(axis=0)
    parents = np.full(len(share), NO_PARENT, np.int64)
    for k, row in enumerate(implied):
        if row.any():
            parents[k] = min(np.flatnonzero(row).tolist(), key=lambda j: (share[j], j))
    return parents
