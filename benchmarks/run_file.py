"""A run as a JSON file: the machine, and every target with what was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.machine import Machine
from benchmarks.targets import Target


@dataclass(frozen=True)
class Run:
    """What `python -m benchmarks` found.

    Attributes
    ----------
    machine : Machine
        What it ran on.
    begun : str
        Day and time, UTC.
    quick : bool
        Whether it was a smaller one, for which the targets are not meant.
    suites : dict
        The targets of each suite that ran.
    """

    machine: Machine
    begun: str
    quick: bool
    suites: Mapping[str, list[Target]]

    @classmethod
    def begin(cls, *, quick: bool) -> Run:
        """One that has nothing yet."""
        return cls(Machine.here(), f"{datetime.now(UTC):%Y-%m-%d %H:%M}", quick, {})

    @property
    def targets(self) -> list[Target]:
        """Those of all suites."""
        return [target for suite in self.suites.values() for target in suite]

    def write(self, path: Path) -> None:
        """Keep it; the suites of an earlier run on the same machine that did not run again stay."""
        kept: dict[str, list[Target]] = {}
        if path.exists():
            before = Run.read(path)
            same = (before.machine.processor, before.machine.dispatch, before.quick) == (
                self.machine.processor,
                self.machine.dispatch,
                self.quick,
            )
            kept = dict(before.suites) if same else {}
        kept.update(self.suites)
        content = asdict(Run(self.machine, self.begun, self.quick, kept))
        path.write_text(json.dumps(content, indent=1) + "\n")

    @classmethod
    def read(cls, path: Path) -> Run:
        """One that was kept."""
        content: dict[str, Any] = json.loads(path.read_text())
        machine = content["machine"]
        return cls(
            Machine(**{**machine, "dispatch": tuple(machine["dispatch"])}),
            content["begun"],
            content["quick"],
            {
                name: [Target(**target) for target in suite]
                for name, suite in content["suites"].items()
            },
        )
