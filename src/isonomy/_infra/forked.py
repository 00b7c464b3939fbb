"""Threads of others that a fork leaves behind.

LightGBM's and XGBoost's threads (OpenMP's) do not survive into a forked child, where the first
parallel loop would wait for them for ever. One thread needs no others, and grows the same trees.
"""

from __future__ import annotations

import os

_started = False
_left_behind = False


def safe_threads(n_jobs: int | None) -> int | None:
    """How many threads an engine may use here, None for all: one where a fork has lost them.

    >>> safe_threads(2)
    2
    """
    global _started
    if _left_behind:
        return 1
    _started = True
    return n_jobs


def _after_fork() -> None:
    global _left_behind
    _left_behind = _started


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
