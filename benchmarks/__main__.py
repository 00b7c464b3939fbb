"""`python -m benchmarks [suite ...] [--quick]`: all suites, or those named."""

from __future__ import annotations

import argparse

from rich.console import Console

from benchmarks import coverage, inputs, memory, metrics, torch_loss, training
from benchmarks.targets import print_targets

SUITES = {
    "metrics": metrics.run,
    "inputs": inputs.run,
    "memory": memory.run,
    "coverage": coverage.run,
    "training": training.run,
    "torch": torch_loss.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="suite", help=", ".join(SUITES))
    parser.add_argument("--quick", action="store_true", help="smaller; targets are for full size")
    chosen = parser.parse_args()
    unknown = set(chosen.suites) - set(SUITES)
    if unknown:
        parser.error(f"no suite {sorted(unknown)[0]!r}; there are {', '.join(SUITES)}")
    console = Console(width=None if Console().is_terminal else 140)
    targets = []
    for name in chosen.suites or SUITES:
        targets += SUITES[name](console, quick=chosen.quick)
    if targets:
        print_targets(targets, console)


if __name__ == "__main__":
    main()
