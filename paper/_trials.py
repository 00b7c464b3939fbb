"""Many trials, one after the other, that survive an interruption."""

from __future__ import annotations

import json
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
    done = {}
    if path.is_file():
        for line in path.read_text().splitlines():
            step, rows = json.loads(line)
            done[tuple(step)] = rows
    for step in progress(steps, len(steps), name):
        if step not in done:
            done[step] = rounded(trial(*step))
            with path.open("a") as file:
                file.write(json.dumps([step, done[step]]) + "\n")
    return [row for step in steps for row in done[step]]


def unfinished(name: str, folder: Path = RESULTS) -> Path:
    """Where the trials of an interrupted run wait."""
    return folder / f".{name}.trials.jsonl"
