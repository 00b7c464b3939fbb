"""How the terms of an objective become one number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from isonomy._core.validation import FloatArray


class Mix(Protocol):
    """How the terms of an objective become one number.

    With `pooled` true the pairs of all terms go into one ratio, sum N_r / sum D_r;
    otherwise each term has its own ratio N_r / D_r. `value` makes one number of the
    ratios and `slope` is its derivative with respect to each of them.
    """

    @property
    def pooled(self) -> bool: ...

    def value(self, ratios: FloatArray) -> float: ...

    def slope(self, ratios: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class Pooled:
    """All terms' pairs in one ratio: sum N_r / sum D_r.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import Pooled
    >>> Pooled().value(np.array([0.7]))
    0.7
    """

    pooled: bool = True

    def value(self, ratios: FloatArray) -> float:
        return float(ratios[0])

    def slope(self, ratios: FloatArray) -> FloatArray:
        return np.ones_like(ratios)


@dataclass(frozen=True)
class Mean:
    """Weighted mean of the terms' ratios; terms of weight 0 may be undefined.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import Mean
    >>> Mean((1.0, 3.0)).value(np.array([0.5, 0.9]))
    0.8
    """

    weights: tuple[float, ...]
    pooled: bool = False

    def value(self, ratios: FloatArray) -> float:
        # Summed exactly, so that the mean of equal ratios is that ratio.
        used = [(a, x) for a, x in zip(self._scaled(ratios), ratios, strict=True) if a > 0]
        return float(math.fsum(a * x for a, x in used) / math.fsum(a for a, _ in used))

    def slope(self, ratios: FloatArray) -> FloatArray:
        weights = self._scaled(ratios)
        return np.asarray(weights / weights.sum())

    def _scaled(self, ratios: FloatArray) -> FloatArray:
        """The weights times a power of two, so that no sum of them overflows."""
        if len(self.weights) != ratios.size:
            raise ValueError(
                f"Parameter `weights` of `Mean` should hold one number for each of the "
                f"{ratios.size} terms. Found {len(self.weights)}."
            )
        scale = -int(np.frexp(max(self.weights))[1])
        return np.asarray(np.ldexp(np.asarray(self.weights), scale))


@dataclass(frozen=True)
class Worst:
    """The smallest of the terms' ratios.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import Worst
    >>> Worst().value(np.array([0.5, 0.9]))
    0.5
    """

    pooled: bool = False

    def value(self, ratios: FloatArray) -> float:
        return float(ratios.min())

    def slope(self, ratios: FloatArray) -> FloatArray:
        return np.asarray(np.arange(ratios.size) == np.argmin(ratios), dtype=np.float64)
