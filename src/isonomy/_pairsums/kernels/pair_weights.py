r"""The weight of the pairs of different members, where members stand on both sides of a term."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = ["pair_weights"]

Array = NDArray[np.float64]


@kernel
def pair_weights(
    starts: NDArray[np.int64],
    code: NDArray[np.int32],
    weight: Array,
    sides: tuple[Array, ...],
    twins: Array,
    out: Array,
) -> None:
    r"""Set ``out[s, r]`` to :math:`\sum_{i \ne j} w_i w_j A_{ir} B_{jr}` over segment s.

    Each member meets those before it, so that nothing is taken away again: one member alone has
    exactly no pairs. Of its pairs with itself the share `twins` counts.
    """
    upper, lower = sides[0], sides[-1]
    n_terms = upper.shape[1]
    for s in range(starts.size - 1):
        for r in range(n_terms):
            above, below, total = 0.0, 0.0, 0.0
            for i in range(starts[s], starts[s + 1]):
                up = weight[i] * max(upper[code[i], r], 0.0)
                low = weight[i] * max(-lower[code[i], r], 0.0)
                total += up * (below + twins[i] * low) + low * above
                above += up
                below += low
            out[s, r] = total
