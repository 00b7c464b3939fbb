"""The one way a kernel is compiled."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from isonomy._core.kernel_cache import KernelCache

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile a function of plain arrays to serial machine code that releases the GIL.

    Kernels never use numba's own threads: those die in forked children and abort
    under concurrent callers. Callers that want threads run kernels over fixed chunks
    in a thread pool, which also makes results independent of the number of threads.
    """
    return _compiled(function)


def fused_kernel(function: F) -> F:
    """Compile as `kernel` does, with a product and the sum after it rounded once, not twice.

    For floating point sums without an order of their own, never for counts that are exact.
    """
    return _compiled(function, fastmath={"contract"})


def summing_kernel(function: F) -> F:
    """Compile as `fused_kernel` does, with sums in the order that suits the processor."""
    return _compiled(function, fastmath={"contract", "reassoc"})


def _compiled(function: F, **options: Any) -> F:
    compiled: Any = numba.njit(function, nogil=True, **options)
    if compiled is not function:  # It is under NUMBA_DISABLE_JIT.
        compiled._cache = KernelCache(function)
    return cast(F, compiled)
