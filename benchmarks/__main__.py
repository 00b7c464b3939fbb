"""`python -m benchmarks [suite ...] [--quick]`: speed, or the suites named."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from rich.console import Console

from benchmarks.targets import Target, report

SPEED = (
    *("startup", "metrics", "ndcg", "inputs", "memory", "coverage", "training", "audit"),
    *("boosting", "predicting", "torch_loss", "scale"),
)
# Take long, or are about AUCs and nDCGs: only when named.
SUITES = (*SPEED, "files", "quality", "regret", "promises", "top")


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 1 where a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="suite", help=", ".join(SUITES))
    parser.add_argument("--quick", action="store_true", help="smaller; targets are for full size")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.suites) - set(SUITES)
    if unknown:
        parser.error(f"no suite {sorted(unknown)[0]!r}; there are {', '.join(SUITES)}")
    console = Console(width=None if Console().is_terminal else 140)
    targets: list[Target] = []
    for name in chosen.suites or SPEED:
        suite = import_module(f"benchmarks.{name}")
        targets += suite.run(console, quick=chosen.quick)
    return report(targets, console)


if __name__ == "__main__":
    sys.exit(main())
