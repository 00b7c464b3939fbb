"""What label aggregation of two labels ranks by: both positive against both negative."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import FloatArray
from isonomy.theory._space import Space


def delta(patterns: ArrayLike) -> FloatArray:
    """P(both labels are 1 | x) - P(both are 0 | x), for two labels.

    delta(x) = eta_1(x) + eta_2(x) - 1

    so that linear-cost label aggregation, which ranks by eta_1 + eta_2, ranks by delta.
    It follows from the marginals alone: how the labels depend on each other given x
    changes both probabilities by the same amount. Labels of which exactly one is positive
    have delta = 0.

    Parameters
    ----------
    patterns : array-like of shape (m, 4)
        P(label pattern | x), columns 00, 10, 01, 11.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> from isonomy.theory import delta
    >>> delta([[0.25, 0.25, 0.25, 0.25], [0.0, 0.5, 0.5, 0.0], [0.2, 0.2, 0.1, 0.5]])
    array([0. , 0. , 0.3])
    """
    space = Space.from_input(None, patterns=patterns)
    if space.n_labels != 2:
        raise ValueError(
            "Parameter `patterns` should have 4 columns, for two labels. "
            f"Found {2**space.n_labels}."
        )
    joint = space.pattern_probabilities()
    return np.asarray(joint[:, 3] - joint[:, 0])
