"""`python -m benchmarks.page`: docs/speed.md, drawn from the runs in docs/speed/*.json."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.run_file import Run
from benchmarks.targets import Target

DOCS = Path(__file__).parents[1] / "docs"
RUNS, PAGE = DOCS / "speed", DOCS / "speed.md"
# What stands in the way of targets that are missed: written by hand, after a profile.
LIMITS = Path(__file__).parent / "limits.md"

HEAD = """\
# Speed

What the project promises, and what came out. `python -m benchmarks` (or `make bench`) measures \
every row against its peer in one run, checks the targets, ends with exit status 1 where one is \
missed, and writes the run as JSON (`--json FILE`). `python -m benchmarks.page` draws this page \
from the runs in `docs/speed/`: no figure in its tables is typed.

A measurement is the fastest of several interleaved rounds; ratios hold on other machines, \
nanoseconds do not. A ratio with a limit `<=` is our time over the peer's, one with `>=` the \
peer's time over ours. All times are wall-clock time: where the load is beyond the number of \
cores, other work had most of the machine, and what uses all cores is shown slower than it is.
"""


def draw(runs: Sequence[Run], limits: str = "") -> str:
    """The page of some runs, side by side."""
    return "\n".join([HEAD, *_machines(runs), *_tables(runs)]) + "\n" + limits


def _machines(runs: Sequence[Run]) -> Iterator[str]:
    yield "## The machines"
    for number, run in enumerate(runs, 1):
        yield f"{number}. {run.begun} UTC: {run.machine}"
    yield ""


def _tables(runs: Sequence[Run]) -> Iterator[str]:
    suites = dict.fromkeys(name for run in runs for name in run.suites)
    for suite in suites:
        found = [{target.what: target for target in run.suites.get(suite, [])} for run in runs]
        if not any(found):
            continue
        yield f"## {suite}"
        numbers = " | ".join(f"run {number}" for number in range(1, len(runs) + 1))
        yield f"| | target | {numbers} | ns an item | the others, times our time |"
        yield "|---|--:|" + "--:|" * (len(runs) + 1) + "---|"
        for what in dict.fromkeys(name for each in found for name in each):
            yield _row(what, [each.get(what) for each in found])
        yield ""


def _row(what: str, found: Sequence[Target | None]) -> str:
    known = [target for target in found if target is not None]
    measured = " | ".join("" if target is None else _measured(target) for target in found)
    last = known[0]
    each = ["" if t.nanoseconds is None else f"{t.nanoseconds:,.3g}" for t in known]
    peers = ", ".join(f"{name} {ratio:,.3g}" for name, ratio in last.peers.items())
    spent = " / ".join(each) if any(each) else ""
    return f"| {what} | {last.promise} | {measured} | {spent} | {peers} |"


def _measured(target: Target) -> str:
    number = f"{target.measured:,.3g}{target.unit}"
    return number if target.kept else f"**{number} (missed)**"


def committed() -> list[Run]:
    """The runs that the page shows, by their files' names."""
    return [Run.read(path) for path in sorted(RUNS.glob("*.json"))]


if __name__ == "__main__":
    PAGE.write_text(draw(committed(), LIMITS.read_text()))
