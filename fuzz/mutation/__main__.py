"""`python -m fuzz.mutation [subject ...]`: how many wrong lines do the tests notice?"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

# Before numba is imported: compiled kernels would be those of the disk.
os.environ.update(NUMBA_DISABLE_JIT="1", HYPOTHESIS_PROFILE="mutation")
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

from fuzz.mutation.modules import SUBJECTS, Subject
from fuzz.mutation.mutants import mutants
from fuzz.mutation.swapped import ROOT
from fuzz.mutation.trials import CRASHED, FAILED, HUNG, UNNOTICED, Change, endings

_EQUIVALENT = Path(__file__).parent / "equivalent.json"


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 1 where fewer than 90% are noticed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.mutation", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="subject", help=", ".join(SUBJECTS))
    parser.add_argument("--sample", type=int, help="only so many mutants of each, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (%(default)s)")
    parser.add_argument("--module", help="only those whose path has this in it")
    parser.add_argument("--line", type=int, help="only those of this line")
    parser.add_argument("--json", type=Path, metavar="FILE", help="put the scores into this file")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no subject {sorted(unknown)[0]!r}; there are {', '.join(SUBJECTS)}")
    _import_what_tests_need()
    good = True
    for name in chosen.subjects or SUBJECTS:
        changes = _changes(SUBJECTS[name], chosen.module or "", chosen.line)
        score = _score(SUBJECTS[name], changes, chosen.sample, chosen.seed)
        print(f"{name}: {score}", flush=True)
        good &= score.share >= 0.9
        if chosen.json:
            earlier = json.loads(chosen.json.read_text()) if chosen.json.exists() else {}
            chosen.json.write_text(json.dumps({**earlier, name: vars(score)}, indent=1) + "\n")
    return 0 if good else 1


@dataclass
class Score:
    """How many mutants there are, were tried, cannot be noticed, and how the others ended."""

    there: int
    tried: int
    equivalent: int
    ended: Counter[str] = field(default_factory=Counter)

    @property
    def noticed(self) -> int:
        return self.ended[FAILED] + self.ended[HUNG] + self.ended[CRASHED]

    @property
    def share(self) -> float:
        return self.noticed / max(1, self.tried - self.equivalent)

    def __str__(self) -> str:
        return (
            f"{self.share:.1%} ({self.noticed} of {self.tried - self.equivalent} noticed, "
            f"{self.ended[HUNG]} of them by a test that hangs and {self.ended[CRASHED]} by one "
            f"that crashes; {self.equivalent} equivalent; {self.tried} tried of {self.there})"
        )


def _changes(subject: Subject, module: str, line: int | None) -> list[Change]:
    return [
        (path, mutant)
        for path in subject.modules
        if module in path
        for mutant in mutants((ROOT / "src/isonomy" / path).read_text())
        if line is None or mutant.line == line
    ]


def _score(subject: Subject, changes: list[Change], sample: int | None, seed: int) -> Score:
    there = len(changes)
    if sample is not None and sample < there:
        changes = Random(seed).sample(changes, sample)
    known = json.loads(_EQUIVALENT.read_text())
    tried = [change for change in changes if change[1].key not in known.get(change[0], {})]
    score = Score(there, len(changes), len(changes) - len(tried))
    tests = [f"tests/{test}" for test in subject.tests]
    score.ended.update(endings(tried, list(subject.modules), tests, _tell).values())
    return score


def _tell(change: Change, ending: str) -> None:
    path, mutant = change
    if ending == UNNOTICED:
        print(f"  unnoticed: {path}:{mutant.line}: {mutant.key}", flush=True)


def _import_what_tests_need() -> None:
    """Once, so that each child begins with them; nothing of Isonomy."""
    import sklearn.base
    import sklearn.metrics  # noqa: F401


if __name__ == "__main__":
    sys.exit(main())
