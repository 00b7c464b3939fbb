"""Many trials, one after the other, that survive an interruption."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from isonomy._infra.progress_bar import progress
from paper._results import RESULTS, Row, rounded

Step = tuple[str | float | int, ...]


def tried(
    name: str, steps: Sequence[Step], trial: Callable[..., list[Row]], folder: Path = RESULTS
) -> list[Row]:
    """The rows of every step. Those of finished steps wait in a file for the next run."""
    path = unfinished(name, folder)
    done = {tuple(step): rows for step, rows, _ in _finished(path)}
    for step in progress(steps, len(steps), name):
        if step not in done:
            begun = time.monotonic()
            done[step] = rounded(trial(*step))
            seconds = round(time.monotonic() - begun, 3)
            with path.open("a") as file:
                file.write(json.dumps([step, done[step], seconds]) + "\n")
    return [row for step in steps for row in done[step]]


def spent(name: str, folder: Path = RESULTS) -> float:
    """Seconds that the finished steps of an interrupted run took."""
    return sum(seconds for *_, seconds in _finished(unfinished(name, folder)))


def unfinished(name: str, folder: Path = RESULTS) -> Path:
    """Where the trials of an interrupted run wait."""
    return folder / f".{name}.trials.jsonl"


def _finished(path: Path) -> list[tuple[list[str | float | int], list[Row], float]]:
    if not path.is_file():
        return []
    return [tuple(json.loads(line)) for line in path.read_text().splitlines()]
