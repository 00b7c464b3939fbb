"""Signs of two correlated numbers: the paper's data for trying all rankings."""

from __future__ import annotations

import numpy as np

from isonomy._core import as_generator, check_count
from isonomy.datasets._tables import Generated


def make_threshold_gaussians(
    n_samples: int = 10, *, random_state: int | np.random.Generator | None = 0
) -> Generated:
    """Two labels that are certain given x: which of two Gaussian numbers are positive.

    The numbers have mean 0 and a correlation that is uniform on [-1, 1]. Their variances
    are 1: they would not change the labels.

    Parameters
    ----------
    n_samples : int
        Number of items.
    random_state : int, numpy Generator or None
        Seed, of the correlation too.

    Returns
    -------
    Generated

    Examples
    --------
    >>> from isonomy import datasets
    >>> made = datasets.make_threshold_gaussians(6, random_state=3)
    >>> made.Y.T
    array([[0, 1, 0, 0, 0, 0],
           [1, 0, 1, 1, 0, 1]], dtype=uint8)
    >>> bool((made.eta == made.Y).all())
    True
    """
    check_count("n_samples", n_samples)
    rng = as_generator(random_state)
    correlation = rng.uniform(-1.0, 1.0)
    first, other = rng.normal(size=(2, n_samples))
    X = np.column_stack([first, correlation * first + np.sqrt(1.0 - correlation**2) * other])
    Y = (X > 0).astype(np.uint8)
    return Generated(
        X=X,
        Y=Y,
        eta=Y.astype(np.float64),
        feature_names=("x_1", "x_2"),
        label_names=("y_1", "y_2"),
    )
