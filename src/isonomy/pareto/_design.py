"""Where on the simplex of weights to look: coordinates, lattices and splits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from isonomy._core import FloatArray

# A stretch of the front that is no longer than this, over the whole range of weights, is
# split by its range of weights rather than by its length.
SHORT = 1e-3
# No gap between neighbours becomes narrower than this part of an even gap.
NARROWEST = 1 / 8


def effective_weights_at(position: FloatArray) -> FloatArray:
    """Effective weights at a position u on the simplex: proportional to u_k^2.

    Squares make the log-odds of two labels twice those of their positions, so that the
    far ends of the front, where one label has nearly all the weight, are reached as well.
    """
    square = np.square(position / position.max(axis=-1, keepdims=True))
    return np.asarray(square / square.sum(axis=-1, keepdims=True))


def line_position(labels: tuple[int, int], n_labels: int, at: float) -> FloatArray:
    """A place between two labels, from 0 to 1; each other label's effective weight is 1 / K."""
    k, j = labels
    position = np.ones(n_labels)
    position[k], position[j] = np.sqrt(2 / (at**2 + (1 - at) ** 2)) * np.array([1 - at, at])
    return np.asarray(position / position.sum())


def widest_gap(line: FloatArray, aucs: FloatArray, n_points: int) -> int:
    """The gap between neighbours, by its first point, that most needs a point inside.

    `line` holds ascending positions from 0 to 1 and `aucs` the AUCs there. The gap is the
    longest in AUC units; where AUCs jump, splitting stops before positions coincide.
    """
    widths = np.diff(line)
    lengths = np.linalg.norm(np.diff(aucs, axis=0), axis=1)
    need = np.where(widths > NARROWEST / (n_points - 1), lengths + SHORT * widths, -1.0)
    return int(np.argmax(need))


def simplex_design(n_labels: int, n_points: int) -> FloatArray:
    """At most `n_points` positions on the simplex, the corners among them, near ones in sequence.

    A simplex lattice with as many steps as fit; what is left goes to lattices shrunk
    towards the centre, so that many labels do not leave the inside empty.
    """
    # A lattice of fewer steps than labels has no point inside: the centre is set aside.
    inside = n_points == n_labels or _most_steps(n_labels, n_points) >= n_labels
    found = np.empty((0, n_labels)) if inside else lattice(n_labels, 0)
    shrink = 1.0
    while len(found) < n_points:
        steps = _most_steps(n_labels, n_points - len(found))
        layer = shrink * lattice(n_labels, steps) + (1 - shrink) / n_labels
        fresh = [p for p in layer if not np.isclose(p, found).all(axis=1).any()]
        found = np.vstack([found, *fresh])
        if steps == 0:
            break
        shrink /= 2
    return found[_path(found)]


def lattice(n_labels: int, steps: int) -> FloatArray:
    """All points of the simplex whose coordinates are multiples of 1 / steps.

    Examples
    --------
    >>> from isonomy.pareto._design import lattice
    >>> lattice(2, 2)
    array([[0. , 1. ],
           [0.5, 0.5],
           [1. , 0. ]])
    """
    if steps == 0:
        return np.full((1, n_labels), 1 / n_labels)
    bars = np.array(list(combinations(range(steps + n_labels - 1), n_labels - 1)))
    edges = np.column_stack([np.full(len(bars), -1), bars])
    counts = np.diff(edges, axis=1, append=steps + n_labels - 1) - 1
    return np.asarray(counts / steps)


def _most_steps(n_labels: int, n_points: int) -> int:
    steps = 0
    while comb(steps + n_labels, n_labels - 1) <= n_points:
        steps += 1
    return steps


def _path(positions: FloatArray) -> list[int]:
    """An order in which each point is the nearest to the one before it that is left."""
    left = list(range(len(positions)))
    path = [left.pop()]
    while left:
        distance = np.linalg.norm(positions[left] - positions[path[-1]], axis=1)
        path.append(left.pop(int(np.argmin(distance))))
    return path


def nudges(position: FloatArray, step: float) -> Iterator[FloatArray]:
    """Positions nearby: towards each corner, and away from it."""
    for corner in np.eye(position.size):
        for sign in (1.0, -1.0):
            moved = np.maximum(position + sign * step * (corner - position), 0.0)
            if (moved != position).any() and moved.any():
                yield moved / moved.sum()


def lagrange_weights(nodes: FloatArray, at: float) -> FloatArray:
    """How much of each node's value the polynomial through all of them takes (Lagrange).

    Examples
    --------
    >>> from isonomy.pareto._design import lagrange_weights
    >>> lagrange_weights(np.array([0.0, 1.0]), 0.25)
    array([0.75, 0.25])
    """
    off = ~np.eye(nodes.size, dtype=np.bool_)
    apart = np.where(off, nodes[:, None] - nodes, 1.0)
    return np.asarray(np.where(off, at - nodes, 1.0).prod(axis=1) / apart.prod(axis=1))
