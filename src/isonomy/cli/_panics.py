"""What compiled code prints of its own faults is not for users, who get a sentence instead."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2
# Where standard error goes while it waits.
_aside: list[int] = []


@contextmanager
def panics_unheard() -> Iterator[None]:
    """While the block lasts, what comes to standard error waits.

    It follows afterwards, unless the block ends in a panic of polars: then it is polars' traceback.
    Python's own errors do not come that way.
    """
    with contextlib.ExitStack() as stack:
        try:
            held = stack.enter_context(tempfile.TemporaryFile())
            _flush()
            real = os.dup(_STDERR)
        except OSError:
            # It is closed, or there is no room for what waits.
            yield
            return
        stack.callback(os.close, real)
        _aside.append(real)
        os.dup2(held.fileno(), _STDERR)
        panicked = False
        try:
            yield
        except BaseException as error:
            # By its name: commands that read no table do not wait for polars.
            panicked = type(error).__name__ == "PanicException"
            raise
        finally:
            _flush()
            os.dup2(real, _STDERR)
            _aside.pop()
            if not panicked:
                held.seek(0)
                with contextlib.suppress(OSError), open(real, "wb", closefd=False) as shown:
                    shutil.copyfileobj(held, shown)


def standard_error() -> int:
    """The descriptor that reaches the user now, whatever waits."""
    return _aside[0] if _aside else sys.__stderr__.fileno() if sys.__stderr__ else _STDERR


def _flush() -> None:
    if sys.__stderr__ is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.__stderr__.flush()
