"""The lowest and the highest of some floats, in one pass over memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core.jit import kernel

MAGNITUDE = np.int64((1 << 63) - 1)
SIGN = np.int64(63)


@kernel
def extreme_bits(bits: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Set `out` to the bits of the lowest and the highest float; NaN lies beyond infinity.

    As integers whose order is that of the floats, because minima of those vectorise.
    """
    low, high = MAGNITUDE, ~MAGNITUDE
    for i in range(bits.size):
        key = bits[i] ^ ((bits[i] >> SIGN) & MAGNITUDE)
        low = min(low, key)
        high = max(high, key)
    out[0] = low ^ ((low >> SIGN) & MAGNITUDE)
    out[1] = high ^ ((high >> SIGN) & MAGNITUDE)
