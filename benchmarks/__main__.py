"""`python -m benchmarks [suite ...] [--quick]`: speed, or the suites named."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from rich.console import Console

from benchmarks.run_file import Run
from benchmarks.targets import report

SPEED = (
    *("startup", "metrics", "ndcg", "inputs", "memory", "coverage", "training", "audit"),
    *("boosting", "predicting", "torch_loss", "commands", "comparing", "scale"),
)
# Take long, or are about AUCs and nDCGs: only when named.
SUITES = (*SPEED, "files", "quality", "regret", "promises", "top")


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 1 where a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="suite", help=", ".join(SUITES))
    parser.add_argument("--quick", action="store_true", help="smaller; targets are for full size")
    parser.add_argument(
        "--json",
        type=Path,
        default=Path("benchmarks-run.json"),
        metavar="FILE",
        help="where the run is kept (%(default)s)",
    )
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.suites) - set(SUITES)
    if unknown:
        parser.error(f"no suite {sorted(unknown)[0]!r}; there are {', '.join(SUITES)}")
    console = Console(width=None if Console().is_terminal else 140)
    run = Run.begin(quick=chosen.quick)
    console.print(str(run.machine), highlight=False, soft_wrap=True)
    for name in chosen.suites or SPEED:
        suite = import_module(f"benchmarks.{name}")
        run = replace(run, suites={**run.suites, name: suite.run(console, quick=chosen.quick)})
        # After each: a suite that fails, or is interrupted, does not lose those before it.
        run.write(chosen.json)
    return report(run.targets, console)


if __name__ == "__main__":
    sys.exit(main())
