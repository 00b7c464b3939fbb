"""Work in a child process, so that this one stays without threads and can be forked again."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def in_child(work: Callable[[], Found]) -> Found:
    """What a function gives in a child; RuntimeError where the child fails."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            data = pickle.dumps(work())
            with os.fdopen(write, "wb") as file:
                file.write(data)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        data = file.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 0:
        raise RuntimeError(f"A child that should have made {work.__name__} ended with {status}.")
    # Written by the child, a copy of this process.
    found: Found = pickle.loads(data)
    return found
