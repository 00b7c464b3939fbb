"""`python -m fuzz.faults`: kills, interrupts, full disks, two writers, threads; and counts."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from fuzz.faults import endings, side_by_side
from fuzz.faults.calls import public_calls, slow_calls
from fuzz.in_child import in_child

PARTS = ("kills", "interrupts", "disks", "threads")
# What was done, how often, and what harm it did.
Tell = Callable[[str, object, list[str]], None]


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 1 where a fault did harm."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.faults", description=__doc__)
    parser.add_argument(
        "--times", type=int, default=20, help="each fault, each command (%(default)s)"
    )
    parser.add_argument("--only", choices=PARTS, help="one kind of fault")
    parser.add_argument("--seed", type=int, default=0, help="of the moments (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="put the counts into this file")
    chosen = parser.parse_args(arguments)
    endings.prepare()
    counts: dict[str, object] = {}
    harm: list[str] = []

    def tell(what: str, count: object, wrong: list[str]) -> None:
        counts[what] = count
        harm.extend(wrong)
        print(f"{what}: {count}; {len(wrong) or 'none'} did harm", flush=True)
        for each in wrong:
            print(f"  {each}")

    began = time.monotonic()
    for part in PARTS if chosen.only is None else (chosen.only,):
        _one(part, tell, chosen.times, Random(chosen.seed))
    counts["seconds"] = round(time.monotonic() - began)
    if chosen.json:
        chosen.json.write_text(json.dumps({**counts, "harm": harm}, indent=1) + "\n")
    return 1 if harm else 0


def _one(part: str, tell: Tell, times: int, random: Random) -> None:
    """One kind of fault."""
    if part == "threads":
        _side_by_side(tell, times)
    elif part == "disks":
        found, wrong = endings.full_disk(times, random)
        tell("full disks", dict(found), wrong)
        found, wrong = endings.read_only()
        tell("folders for reading", dict(found), wrong)
    else:
        number = {"kills": signal.SIGKILL, "interrupts": signal.SIGINT}[part]
        found, wrong = endings.stopped((number,), times, random)
        tell(part, dict(found), wrong)


def _side_by_side(tell: Tell, times: int) -> None:
    names = list(public_calls())
    tell("saves by two writers", 30 * times, in_child(lambda: side_by_side.two_writers(15 * times)))
    tell("first calls by 16 threads", len(names), side_by_side.cold_threads(names))
    n_calls = len(names) + len(slow_calls())
    tell("calls by 16 threads", n_calls, in_child(side_by_side.warm_threads))
    tell("calls in forked children", len(names), in_child(lambda: side_by_side.forked(names)))
    tell("calls by loky", len(names), in_child(lambda: side_by_side.by_loky(names)))
    grown, wrong = side_by_side.repeated(10_000)
    tell("10,000 calls grow by, bytes", grown, wrong)


if __name__ == "__main__":
    sys.exit(main())
