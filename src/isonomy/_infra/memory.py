"""How much memory this process may have."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

# Where Linux says what a container may have, by the newer and the older way.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_limit() -> int | None:
    """Bytes of the machine's memory, or of the container's where that is less; None: not known."""
    known = []
    with contextlib.suppress(AttributeError, OSError, ValueError):
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for name in _LIMITS:
        with contextlib.suppress(OSError, ValueError):
            known.append(int(Path(name).read_text()))
    return min(known, default=None)
