"""A progress bar for people who wait: on a terminal, and only when it takes long."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
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


def progress(steps: Iterable[T], total: int | None, description: str) -> Iterator[T]:
    """Yield the steps, with a bar on standard error once they have taken a while.

    `total` is how many there are; None where nobody knows.
    """
    begun = time.monotonic()
    bar: Progress | None = None
    try:
        for done, step in enumerate(steps):
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done)
            elif time.monotonic() - begun > PATIENCE and _wanted():
                from rich.console import Console
                from rich.progress import Progress

                bar = Progress(console=Console(stderr=True), transient=True)
                bar.add_task(description, total=total, completed=done)
                bar.start()
            yield step
    finally:
        if bar is not None:
            bar.stop()


def _wanted() -> bool:
    """Whether somebody looks, and rich, which draws the bar, is installed."""
    return _bars_shown.get() and sys.stderr.isatty() and first_missing(["rich"]) is None
