"""Serial kernels over fixed chunks in a pool of threads.

Chunks depend on the data alone and results are taken in the order of the chunks, so that
the answer has the same bits for any number of threads. A pool lives for one call: nothing
survives into a forked child, and concurrent callers share nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
Result = TypeVar("Result")

# Below this many items, starting threads costs more than they bring.
WORTH_THREADS = 100_000


def default_threads(n_items: int) -> int:
    """One thread for little work, else one per core that this process may use."""
    if n_items < WORTH_THREADS:
        return 1
    allowed = getattr(os, "sched_getaffinity", None)  # Not on every system.
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def chunks(length: int, size: int) -> list[tuple[int, int]]:
    """Cut range(length) into runs of `size`.

    Examples
    --------
    >>> chunks(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, length)) for start in range(0, length, size)]


def run(work: Callable[[T], Result], tasks: Iterable[T], threads: int) -> Iterator[Result]:
    """Yield work(task) for all tasks, in their order, computed by up to `threads` threads."""
    if threads <= 1:
        yield from map(work, tasks)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, tasks)
