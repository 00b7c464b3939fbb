"""Which rankings no other ranking beats for every label."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isonomy._core import FloatArray
from isonomy.pareto._auc_points import as_point, as_points
from isonomy.pareto._nondominated import descending, nondominated


def dominates(aucs_f: ArrayLike, aucs_g: ArrayLike) -> bool:
    """Whether ranking f is better than g for some label and worse for none.

    AUC_k(f) >= AUC_k(g) for every k, and AUC_k(f) > AUC_k(g) for some k

    Parameters
    ----------
    aucs_f, aucs_g : array-like of shape (K,)
        One AUC per label; NaN is refused.

    Returns
    -------
    bool

    Examples
    --------
    >>> from isonomy import pareto
    >>> pareto.dominates([0.9, 0.7], [0.8, 0.7])
    True
    >>> pareto.dominates([0.9, 0.7], [0.8, 0.75])
    False
    >>> pareto.dominates([0.9, 0.7], [0.9, 0.7])
    False
    """
    f, g = as_point(aucs_f, name="aucs_f"), as_point(aucs_g, name="aucs_g")
    if f.shape != g.shape:
        raise ValueError(
            "Parameters `aucs_f` and `aucs_g` should have the same number of labels. "
            f"Found {f.size} and {g.size}."
        )
    return bool((f >= g).all() and (f > g).any())


def front(points: ArrayLike) -> NDArray[np.bool_]:
    """Which points no other point dominates.

    Parameters
    ----------
    points : array-like of shape (n, K)
        One point per row, higher is better in every column; NaN is refused.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the front. Equal points do not dominate each other: all copies of a
        front point are on the front.

    Notes
    -----
    One sort for K = 2. For more labels each point, in sorted order, is compared with the
    front found so far: at most n m K comparisons for a front of m points.

    Examples
    --------
    >>> from isonomy import pareto
    >>> pareto.front([[0.9, 0.5], [0.8, 0.5], [0.6, 0.7], [0.9, 0.5]])
    array([ True, False,  True,  True])
    """
    checked = as_points(points)
    if len(checked) == 0:
        return np.zeros(0, np.bool_)
    order = descending(checked)
    points = checked[order]
    kept = _sorted_front(points) if points.shape[1] <= 2 else nondominated(points)
    copies = np.append(False, (points[1:] == points[:-1]).all(axis=1))
    on_front = np.empty(len(points), np.bool_)
    # Copies stand behind the one that was kept.
    on_front[order] = kept[np.maximum.accumulate(np.where(copies, 0, np.arange(len(points))))]
    return on_front


def _sorted_front(points: FloatArray) -> NDArray[np.bool_]:
    """Of points in descending order, K <= 2: those above all that stand before them."""
    last = points[:, -1]
    return np.append(True, last[1:] > np.maximum.accumulate(last)[:-1])
