"""What compiled code prints of its own faults is not for users, who get a sentence instead."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

_STDERR = 2
# Where standard error goes while it waits, the first of them to the user.
_aside: dict[int, None] = {}


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
        # Whatever comes, an interrupt too, all of these are done, the last first.
        stack.callback(os.close, real)
        stack.callback(_tell, held, real)
        stack.callback(_aside.pop, real, None)
        stack.callback(os.dup2, real, _STDERR)
        stack.callback(_flush)
        _aside[real] = None
        os.dup2(held.fileno(), _STDERR)
        try:
            yield
        except BaseException as error:
            # By its name: commands that read no table do not wait for polars.
            if type(error).__name__ == "PanicException":
                _flush()
                held.truncate(0)
            raise


def _tell(held: IO[bytes], real: int) -> None:
    held.seek(0)
    with contextlib.suppress(OSError), open(real, "wb", closefd=False) as shown:
        shutil.copyfileobj(held, shown)


def standard_error() -> int:
    """The descriptor that reaches the user now, whatever waits."""
    usual = sys.__stderr__.fileno() if sys.__stderr__ else _STDERR
    return next(iter(_aside), usual)


def _flush() -> None:
    if sys.__stderr__ is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.__stderr__.flush()
