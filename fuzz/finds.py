"""What was found: an example of each violation, as small as it gets."""

from __future__ import annotations

import contextlib
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.case import Case, Target, Violation
from fuzz.in_child import in_child
from fuzz.pool import case_of, looked_at, run_in_child

FOUND = Path(__file__).parent / "found"
# For making an example smaller.
_SECONDS = 6.0
_ENDED = ("crash", "hang", "memory")


@dataclass
class Finds:
    """Violations of one target, with the number of the first case of each."""

    target: Target
    seed: int
    first: dict[tuple[str, str], tuple[int, Violation]] = field(default_factory=dict)
    times: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, number: int, violations: list[Violation]) -> None:
        for violation in violations:
            key = (violation.kind, gist(violation.detail))
            self.first.setdefault(key, (number, violation))
            self.times[key] += 1

    @property
    def kinds(self) -> Counter[str]:
        """How many cases violate in each way."""
        found: Counter[str] = Counter()
        for (kind, _), times in self.times.items():
            found[kind] += times
        return found

    def save(self, smallest: bool = True) -> list[Path]:
        """Write the first example of each, made smaller, and what is to be seen of it."""
        FOUND.mkdir(exist_ok=True)
        paths = []
        # What ended a process is told first, and nobody makes it smaller.
        finds = sorted(self.first.items(), key=lambda find: find[0][0] not in _ENDED)
        for (kind, _), (number, violation) in finds:
            stem = f"{self.target.name}-{kind.replace(' ', '-')}-{self.seed}-{number}"
            path = FOUND / f"{stem}.json"
            path.with_suffix(".txt").write_text(f"{kind}\n{violation.detail}\n")
            paths.append(path)
            with contextlib.suppress(RuntimeError):  # The fuzzer itself may fail to make it.
                case = in_child(lambda number=number: case_of(self.target, self.seed, number))  # type: ignore[misc]
                path.write_text(case.to_text())
                if smallest and kind not in _ENDED:
                    case = in_child(
                        lambda case=case, kind=kind: made_smaller(self.target, case, kind)  # type: ignore[misc]
                    )
                    path.write_text(case.to_text())
        return paths


def gist(detail: str) -> str:
    """What a violation's words have in common with those of its kind: no numbers, no names."""
    last = detail.strip().split("This is a bug in Isonomy")[0].strip().splitlines()[-1:] or [""]
    words = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|byte 0x\w+.*", "'", last[0])
    return re.sub(r"[\d.e+-]+|\\\S+", "0", words)[:80]


def made_smaller(target: Target, case: Case, kind: str) -> Case:
    """The case without parts that the violation needs not."""
    end = time.monotonic() + _SECONDS
    better: Case | None = case
    while better is not None and time.monotonic() < end:
        case, better = better, None
        for smaller in case.smaller():
            if time.monotonic() > end:
                break
            if any(each.kind == kind for each in looked_at(target, smaller)):
                better = smaller
                break
    return case


def replayed(targets: dict[str, Target], path: Path) -> list[Violation]:
    """What comes of a saved case."""
    case = Case.from_text(path.read_text())
    target = targets[case.target]
    target.prepare()
    return run_in_child(target, case)
