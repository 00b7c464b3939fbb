"""The one way a kernel is compiled."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile a function of plain arrays to serial machine code that releases the GIL.

    Kernels never use numba's own threads: those die in forked children and abort
    under concurrent callers. Callers that want threads run kernels over fixed chunks
    in a thread pool, which also makes results independent of the number of threads.
    """
    return cast(F, numba.njit(function, cache=True, nogil=True))


def fused_kernel(function: F) -> F:
    """Compile as `kernel` does, with a product and the sum after it rounded once, not twice.

    For floating point sums without an order of their own, never for counts that are exact.
    """
    return cast(F, numba.njit(function, cache=True, nogil=True, fastmath={"contract"}))
