"""Race contestants against each other in one run, so that only ratios matter."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

# Contestants slower than this (seconds, in all) drop out of later rounds.
PATIENCE = 10.0


@dataclass(frozen=True)
class Contestant:
    """Something to time.

    Attributes
    ----------
    name : str
        As it stands in the table.
    run : callable
        Takes nothing; returns its answer.
    tolerance : float or None
        How far the answer may be from that of the contest's first contestant that has
        one; None where the answer is another one (such as sorted scores).
    """

    name: str
    run: Callable[[], ArrayLike]
    tolerance: float | None = 1e-12


@dataclass(frozen=True)
class Result:
    """Seconds of the fastest run, how many runs, and how far the answer is from ours."""

    name: str
    seconds: float
    runs: int
    difference: float | None


def race(
    contestants: list[Contestant],
    *,
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Result]:
    """Check that all give the same answer, then time them in interleaved rounds.

    A round runs each contestant once, so that noise from other processes hits all of
    them alike; the minimum over rounds is what the machine can do. For contestants on one
    thread `time.process_time` as the clock leaves out the waiting for a busy core.
    """
    differences, first = _check(contestants, clock)
    # One run says enough of those that take very long.
    runs = [int(seconds > PATIENCE) for seconds in first]
    best = [seconds if seconds > PATIENCE else np.inf for seconds in first]
    spent = list(first)
    gc.disable()
    try:
        for _ in range(rounds):
            for i, contestant in enumerate(contestants):
                if runs[i] and spent[i] > PATIENCE:
                    continue
                begun = clock()
                contestant.run()
                elapsed = clock() - begun
                best[i] = min(best[i], elapsed)
                spent[i] += elapsed
                runs[i] += 1
    finally:
        gc.enable()
    return [
        Result(contestant.name, *measured)
        for contestant, *measured in zip(contestants, best, runs, differences, strict=True)
    ]


def _check(
    contestants: list[Contestant], clock: Callable[[], float]
) -> tuple[list[float | None], list[float]]:
    """How far each answer is from the first one, and the seconds that it took.

    Raises where an answer is too far. This first run also warms caches.
    """
    expected = None
    differences: list[float | None] = []
    seconds = []
    for contestant in contestants:
        if contestant.name.startswith("isonomy"):
            # Kernels that are compiled for the first time are not part of any race.
            contestant.run()
        begun = clock()
        answer = np.asarray(contestant.run(), dtype=np.float64).ravel()
        seconds.append(clock() - begun)
        if contestant.tolerance is None:
            differences.append(None)
            continue
        if expected is None:
            expected = answer
        difference = float(np.abs(answer - expected).max())
        if not difference <= contestant.tolerance:
            raise AssertionError(
                f"{contestant.name} answers {answer}, {contestants[0].name} and others {expected}."
            )
        differences.append(difference)
    return differences, seconds


def fresh_process(code: str, path: str | None = None) -> str:
    """What a new interpreter prints that runs the code, with the modules in `path` first."""
    environment = {**os.environ, **({} if path is None else {"PYTHONPATH": path})}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout
