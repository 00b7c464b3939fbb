"""What a hang is: work without an end, not a machine that others use."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from fuzz.case import Case, Violation
from fuzz.pool import Outcome, Worker


class Slow:
    """After one case to warm up: the second one sleeps, the third one works for ever."""

    name = "slow"
    seconds = 0.3

    def prepare(self) -> None: ...

    def make(self, random: Random) -> Case:
        return Case(self.name)

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        self.number = getattr(self, "number", 0) + 1
        if self.number == 3:
            time.sleep(1.0)
        while self.number == 4:
            pass
        return []


def test_hangs_are_told_by_the_time_of_the_processor() -> None:
    worker, found = Worker(Slow(), 0, 0, 1), list[Outcome]()
    end = time.monotonic() + 60
    while len(found) < 3 and time.monotonic() < end:
        found += worker.outcomes()
        time.sleep(0.01)
    worker.stop()
    kinds = [[each.kind for each in outcome.violations] for outcome in found]
    assert kinds == [[], [], ["hang"]]
