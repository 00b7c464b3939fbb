"""`make coverage`, its last step: the branches alone.

`fail_under` is of lines and branches together, and there are four lines for each branch: it can be
met while one branch in ten is never taken.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LEAST = 0.95
N_WORST = 10


def branches(report: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """How many branches of each file were taken, and how many there are."""
    if not report["meta"]["branch_coverage"]:
        raise SystemExit("The report has no branches: run coverage with `branch = true`.")
    found = {
        file: (one["summary"]["covered_branches"], one["summary"]["num_branches"])
        for file, one in report["files"].items()
    }
    return {file: (taken, there) for file, (taken, there) in found.items() if there}


def told(found: dict[str, tuple[int, int]]) -> tuple[str, bool]:
    """The total, then the files that miss most; and whether it is enough."""
    taken = sum(one for one, _ in found.values())
    there = sum(one for _, one in found.values())
    if not there:
        raise SystemExit("The report has no branch at all: which tests were measured?")
    missed = {file: (n - covered, n) for file, (covered, n) in found.items() if covered < n}
    worst = sorted(missed.items(), key=lambda one: (-one[1][0], one[0]))[:N_WORST]
    lines = [f"branches: {taken / there:.1%} ({taken:,} of {there:,}; asked: {LEAST:.0%})"]
    lines += [f"  {lost:3} of {n:3} never taken: {file}" for file, (lost, n) in worst]
    return "\n".join(lines), taken >= LEAST * there


def main(path: str) -> int:
    """The exit status: 1 where too few branches are taken."""
    text, enough = told(branches(json.loads(Path(path).read_text())))
    print(text)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
