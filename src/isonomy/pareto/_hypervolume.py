"""How much of the AUC space a set of rankings covers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import FloatArray
from isonomy.pareto._auc_points import as_point, as_points
from isonomy.pareto._nondominated import descending, nondominated


def hypervolume(points: ArrayLike, *, reference: float | ArrayLike = 0.5) -> float:
    """Volume between a reference point and the front: larger is a better front.

    volume of the union over points p of the boxes [reference, p]

    Parameters
    ----------
    points : array-like of shape (n, K)
        One point per row, higher is better in every column; NaN is refused.
    reference : float or array-like of shape (K,)
        The corner of all boxes; 0.5 is a random ranking. A point that does not exceed it
        for every label covers nothing.

    Returns
    -------
    float
        Exact up to rounding; 0 where no point exceeds the reference.

    Notes
    -----
    Points are added in the order of their first column, so that what a point adds is a
    slab whose base has one dimension less (the WFG algorithm); two dimensions are a sum
    over a sorted staircase. A hundred points of six labels take about a second.

    Examples
    --------
    >>> from isonomy import pareto
    >>> round(pareto.hypervolume([[0.9, 0.6], [0.7, 0.8]]), 10)
    0.08
    >>> pareto.hypervolume([[1.0, 1.0, 1.0]], reference=0)
    1.0
    """
    checked = as_points(points)
    corner = as_point(
        np.atleast_1d(reference),
        name="reference",
        cure="give the AUC from which on a ranking counts, such as 0.5",
    )
    if corner.size not in (1, checked.shape[1]):
        raise ValueError(
            "Parameter `reference` should be one number, or one for each of the "
            f"{checked.shape[1]} labels. Found {corner.size}."
        )
    sides = checked - corner
    sides = sides[(sides > 0).all(axis=1)]
    return _volume(sides) if len(sides) else 0.0


def _volume(sides: FloatArray) -> float:
    """Volume of the union of boxes from the origin."""
    if len(sides) == 1:
        return float(sides.prod())
    if sides.shape[1] == 1:
        return float(sides.max())
    falling = sides[descending(sides)]
    if sides.shape[1] == 2:
        # The heights of a staircase, and the width by which each step is alone.
        width, height = falling[:, 0], np.maximum.accumulate(falling[:, 1])
        return float((width - np.append(width[1:], 0.0)) @ height)
    falling = falling[nondominated(falling)]
    height, bases = falling[:, 0], falling[:, 1:]
    # The points before stand at least as high, so that a point adds a slab over the part
    # of its base that they leave free.
    added = [
        height[i] * (base.prod() - (_volume(np.minimum(base, bases[:i])) if i else 0.0))
        for i, base in enumerate(bases)
    ]
    return float(np.sum(added))
