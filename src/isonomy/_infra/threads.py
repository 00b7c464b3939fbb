"""Serial kernels over fixed chunks in a pool of threads.

Chunks depend on the data alone and results are taken in the order of the chunks, so that
the answer has the same bits for any number of threads. A pool lives for one call: nothing
survives into a forked child, and concurrent callers share nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


def segment_chunks(starts: NDArray[np.int64], size: int) -> list[tuple[int, int]]:
    """Cut segments into runs of whole segments with about `size` members each."""
    if starts[-1] <= size:
        return [(0, starts.size - 1)] if starts.size > 1 else []
    # Not above: `isonomy --help` passes here, and should not wait for numpy.
    import numpy as np

    cuts = np.searchsorted(starts, np.arange(0, starts[-1], size), side="right") - 1
    edges = np.unique(np.append(cuts, starts.size - 1)).tolist()
    return list(pairwise(edges))


def run(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], threads: int
) -> Iterator[Result]:
    """Yield work(*task) for all tasks, in their order, computed by up to `threads` threads."""
    threads = min(threads, len(tasks))
    if threads <= 1:
        for task in tasks:
            yield work(*task)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(lambda task: work(*task), tasks)


def run_all(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], threads: int
) -> list[Result]:
    """All of work(*task), in the order of the tasks.

    For short work: the caller's own thread takes part, and there is no pool to set up.
    """
    threads = min(threads, len(tasks))
    if threads <= 1:
        return [work(*task) for task in tasks]
    found: dict[int, Result] = {}
    errors: list[BaseException] = []
    numbers = iter(range(len(tasks)))

    def take_turns() -> None:
        try:
            for number in numbers:
                if errors:
                    return
                found[number] = work(*tasks[number])
        except BaseException as error:  # noqa: BLE001 (raised by the caller's thread)
            errors.append(error)

    helpers = [Thread(target=take_turns) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    take_turns()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
    return [found[number] for number in range(len(tasks))]
