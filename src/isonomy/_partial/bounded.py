"""A number that is not known exactly, between two that are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isonomy._core import FloatArray


@dataclass(frozen=True, eq=False)
class Bounded:
    """Bounds between which the exact answer lies: certainly, not with some probability.

    Attributes
    ----------
    low, high : float or ndarray
        The bounds; equal where the answer is exact.
    value : float or ndarray
        The middle, by which pairs in doubt count 1/2. NaN where there are no pairs.

    Examples
    --------
    >>> import isonomy as iso
    >>> found = iso.AUCSketch(["click"]).add([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).label_aucs()
    >>> found.value, found.exact
    (array([0.75]), True)
    """

    low: FloatArray | float
    high: FloatArray | float
    value: FloatArray | float

    @property
    def width(self) -> FloatArray | float:
        """How far apart the bounds are."""
        return self.high - self.low

    @property
    def exact(self) -> bool:
        """Whether the bounds leave no doubt."""
        return bool(np.all(np.isnan(self.value) | (np.asarray(self.low) == self.high)))

    def __str__(self) -> str:
        if np.ndim(self.value):
            return repr(self)
        if self.exact:
            return f"{self.value:.6g}"
        return f"{self.value:.6g} (certainly {self.low:.6g} to {self.high:.6g})"
