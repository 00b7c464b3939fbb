"""Which weights of the labels to fit a ranker for: along a line, or all over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from isonomy._core import FloatArray
from isonomy._infra import progress
from isonomy.pareto._design import line_position, simplex_design, widest_gap
from isonomy.pareto._weighted_fits import WeightedFit, WeightedFitter


def sweep_weights(
    fitter: WeightedFitter, n_points: int, *, between: tuple[int, int] | None = None
) -> list[WeightedFit]:
    """Fits for about `n_points` weights: each label alone, and what lies between.

    With `between`, from the first of two labels to the second, while each of the others
    keeps an effective weight of 1 / K.
    """
    n_labels = len(fitter.names)
    if between is not None:
        return _sweep_line(fitter, n_points, partial(line_position, between, n_labels))
    if n_labels == 2:
        return _sweep_line(fitter, n_points, lambda at: np.array([1 - at, at]))
    design = simplex_design(n_labels, n_points)
    fits: list[WeightedFit] = []
    for position in progress(design, len(design), "Tracing the front"):
        fits.append(fitter.fit_at(position, fits))
    return fits


def _sweep_line(
    fitter: WeightedFitter, n_points: int, position_at: Callable[[float], FloatArray]
) -> list[WeightedFit]:
    """Both ends, then always a point in the middle of the widest gap."""
    places = [0.0, 1.0]
    line = [fitter.fit_at(position_at(0.0), [])]
    line.append(fitter.fit_at(position_at(1.0), line))
    for _ in progress(range(n_points - 2), n_points - 2, "Tracing the front"):
        gap = widest_gap(np.array(places), np.array([fit.aucs for fit in line]), n_points)
        middle = (places[gap] + places[gap + 1]) / 2
        line.insert(gap + 1, fitter.fit_at(position_at(middle), line))
        places.insert(gap + 1, middle)
    return line
