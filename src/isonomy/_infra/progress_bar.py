"""A progress bar for people who wait: on a terminal, and only when it takes long."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from isonomy._infra.extras import first_missing

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

# Seconds of work before a bar is worth looking at.
PATIENCE = 2.0

_bars_shown: ContextVar[bool] = ContextVar("bars_shown", default=True)


@contextmanager
def bars_shown(shown: bool) -> Iterator[None]:
    """Whether bars may show inside the block."""
    token = _bars_shown.set(shown)
    try:
        yield
    finally:
        _bars_shown.reset(token)


def progress(
    steps: Iterable[T],
    total: int | None,
    description: str | Callable[[], str],
    *,
    at_once: bool = False,
) -> Iterator[T]:
    """Yield the steps, with a bar on standard error once they have taken a while.

    `total` is how many there are; None where nobody knows. `at_once`: the bar is there before the
    first step, for work that is known to be long. A description that is a function is asked anew
    at every step.
    """
    told = description if callable(description) else lambda: description
    begun = time.monotonic()
    bar = _started(told(), total, 0) if at_once else None
    try:
        for done, step in enumerate(steps):
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done, description=told())
            elif time.monotonic() - begun > PATIENCE:
                bar = _started(told(), total, done)
            yield step
    finally:
        if bar is not None:
            bar.stop()


def _started(description: str, total: int | None, done: int) -> Progress | None:
    """A bar that shows; None where nobody looks, or rich, which draws it, is not installed."""
    if not (_bars_shown.get() and sys.stderr.isatty()) or first_missing(["rich"]) is not None:
        return None
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(description, total=total, completed=done)
    bar.start()
    return bar
