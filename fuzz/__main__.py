"""`python -m fuzz [target ...]`: hostile inputs for some minutes, and what came of them."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

# Before anything that starts threads: each worker is one of many.
for _name in ("OMP", "OPENBLAS", "MKL", "POLARS_MAX"):
    os.environ[f"{_name}_THREADS" if _name == "POLARS_MAX" else f"{_name}_NUM_THREADS"] = "1"

from fuzz.finds import Finds, replayed  # noqa: E402
from fuzz.pool import Worker  # noqa: E402
from fuzz.targets import TARGETS  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 1 where something was violated."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="target", help=", ".join(TARGETS))
    parser.add_argument("--minutes", type=float, default=5.0, help="in all (%(default)s)")
    parser.add_argument("--cases", type=int, help="at most so many of each target")
    parser.add_argument("--seed", type=int, help="of the cases; by the clock without it")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes (%(default)s)")
    parser.add_argument("--replay", nargs="+", type=Path, metavar="FILE", help="only saved cases")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the counts to this file")
    chosen = parser.parse_args(arguments)
    for option in ("cases", "jobs", "minutes"):
        value = getattr(chosen, option)
        if value is not None and value <= 0:
            parser.error(f"--{option} should be more than 0")
    for path in chosen.replay or []:
        if not path.is_file():
            parser.error(f"--replay: there is no file {path}; fuzz/found has those that were found")
    if chosen.replay:
        return _replay(chosen.replay)
    unknown = set(chosen.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no target {sorted(unknown)[0]!r}; there are {', '.join(TARGETS)}")
    names = chosen.targets or list(TARGETS)
    seed = int(time.time()) if chosen.seed is None else chosen.seed
    violated = 0
    for name in names:
        seconds = 60 * chosen.minutes / len(names)
        counts = _run(name, seed, chosen.jobs, seconds, chosen.cases)
        violated += sum(counts["violations"].values())
        if chosen.json:
            earlier = json.loads(chosen.json.read_text()) if chosen.json.exists() else []
            chosen.json.write_text(json.dumps([*earlier, counts], indent=1) + "\n")
    return 1 if violated else 0


def _run(name: str, seed: int, jobs: int, seconds: float, cases: int | None) -> dict:
    target = TARGETS[name]
    target.prepare()
    finds, n_cases = Finds(target, seed), 0
    workers = [Worker(target, seed, k, jobs) for k in range(jobs)]
    began = time.monotonic()
    while time.monotonic() < began + seconds and (cases is None or n_cases < cases):
        for worker in workers:
            for outcome in worker.outcomes():
                n_cases += 1
                finds.add(outcome.number, outcome.violations)
        time.sleep(0.02)
    took = time.monotonic() - began
    for worker in workers:
        worker.stop()
    kinds = dict(finds.kinds.most_common())
    print(f"{name}: {n_cases:,} cases in {took:.0f} s, seed {seed}: {kinds or 'nothing found'}")
    for path in finds.save():
        detail = path.with_suffix(".txt").read_text().strip()
        print(f"  {path.name}: {detail[-200:]!r}\n    python -m fuzz --replay {path}")
    return {
        "target": name,
        "seed": seed,
        "cases": n_cases,
        "seconds": round(took),
        "violations": kinds,
    }


def _replay(paths: list[Path]) -> int:
    violated = 0
    for path in paths:
        found = replayed(TARGETS, path)
        violated += len(found)
        print(f"{path}: {'nothing' if not found else ''}")
        for violation in found:
            print(f"  {violation.kind}: {violation.detail}")
    return 1 if violated else 0


if __name__ == "__main__":
    sys.exit(main())
