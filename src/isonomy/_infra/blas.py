"""One thread of BLAS: its sums have another order, and other last bits, for any other number."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_lock = threading.Lock()
# How many are inside, and how many threads each library had before the first of them.
_inside = 0
_before: list[int] = []


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS of numpy and scipy use one thread; several callers at a time will do.

    Whoever is last to leave puts the number back: with one memory each, as threadpoolctl has,
    two callers that overlap could leave the process with one thread for good.

    >>> @one_blas_thread()
    ... def fit():
    ...     return [library.num_threads for library in _libraries()]
    >>> set(fit()) <= {1}
    True
    """
    of_thread = _of_each_thread()
    own = [library.num_threads for library in of_thread]
    _set(of_thread, [1] * len(own))
    _enter()
    try:
        yield
    finally:
        _leave()
        _set(of_thread, own)


def _enter() -> None:
    global _inside
    with _lock:
        if _inside == 0:
            _before[:] = [library.num_threads for library in _of_all()]
            _set(_of_all(), [1] * len(_before))
        _inside += 1


def _leave() -> None:
    global _inside
    with _lock:
        _inside -= 1
        if _inside == 0:
            _set(_of_all(), _before)


@cache
def _libraries() -> list[Any]:
    # scipy brings numpy's with it, and may have one of its own. Others', such as torch's, stay.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


@cache
def _of_each_thread() -> list[Any]:
    """Those built on OpenMP: each thread of this process has a number of its own."""
    return [each for each in _libraries() if getattr(each, "threading_layer", "") == "openmp"]


@cache
def _of_all() -> list[Any]:
    """Those with one number for all threads."""
    return [each for each in _libraries() if each not in _of_each_thread()]


def _set(libraries: list[Any], numbers: list[int]) -> None:
    for library, number in zip(libraries, numbers, strict=True):
        _allow_any_thread(library)
        library.set_num_threads(number)
        _allow_any_thread(library)


def _allow_any_thread(library: Any) -> None:
    """Newer versions of threadpoolctl heed only the first thread that has set a number."""
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread(force=True)


def _after_fork() -> None:
    """A child has none of the callers, and no thread that would let go of the lock."""
    global _lock, _inside
    _lock = threading.Lock()
    if _inside:
        _inside = 0
        _set(_of_all(), _before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
