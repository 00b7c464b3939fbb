"""Warnings of several threads at once, each collected by the thread that caused them."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_of_thread = threading.local()
_state = {"installed": 0}


@contextmanager
def warnings_by_thread() -> Iterator[None]:
    """Inside the block, `collected_warnings` works in any number of threads at once.

    Python's own `catch_warnings` changes what all threads do with their warnings.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _collect
        _state["installed"] += 1
        try:
            yield
        finally:
            _state["installed"] -= 1


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect what this thread warns of, in place of showing it."""
    if not _state["installed"]:
        found: list[str] = []
        with warnings.catch_warnings(record=True) as recorded:
            warnings.simplefilter("always")
            yield found
            found += [str(each.message) for each in recorded]
        return
    outer = getattr(_of_thread, "warned", None)
    _of_thread.warned = []
    try:
        yield _of_thread.warned
    finally:
        _of_thread.warned = outer


def _collect(message: Warning | str, *_: Any, **__: Any) -> None:
    warned = getattr(_of_thread, "warned", None)
    if warned is not None:
        warned.append(str(message))
