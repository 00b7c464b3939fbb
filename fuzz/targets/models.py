"""Model files with right checksums and wrong content: load, then predict."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from fuzz.case import Case, Violation
from fuzz.in_child import in_child
from fuzz.mutate import mutated_bytes

_FILE = "m.isonomy"
_DIGITS = 64
# Their fits take seconds, or a module that does; other kinds have their parts.
_LEFT_OUT = {"neural", "fit neural"}


class Models:
    """Files of every kind of model, spoiled by the mutator of tests/models, and as archives."""

    name = "models"
    seconds = 20.0

    def prepare(self) -> None:
        import tests.models.mutated_files  # noqa: F401

        _good_files()

    def make(self, random: Random) -> Case:
        from tests.models.mutated_files import mutated

        files = _good_files()
        # Time goes with size: the small ones are taken more often, so that more of all are tried.
        kinds = sorted(files)
        kind = random.choices(kinds, [1 / len(files[each]) for each in kinds])[0]
        good, way = files[kind], random.random()
        if way < 0.8:
            data = mutated(good, np.random.default_rng(random.getrandbits(64)))
        elif way < 0.95:
            spoiled = mutated_bytes(random, good[:-_DIGITS])
            data = spoiled + hashlib.sha256(spoiled).hexdigest().encode()
        else:
            data = mutated_bytes(random, good)
        return Case(self.name, (kind,), {_FILE: data})

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        from tests.models.mutated_files import Verdict, outcome, rows_for

        found = Verdict(case.arguments[0], 0, outcome(case.files[_FILE], rows_for(*case.arguments)))
        return [Violation("no prediction", found.what)] if found.is_violation else []


@cache
def _good_files() -> dict[str, bytes]:
    return in_child(_make_files)


def _make_files() -> dict[str, bytes]:
    from tests.models.mutated_files import KINDS, good_file, outcome, rows_for

    files = {kind: good_file(kind) for kind in KINDS if kind not in _LEFT_OUT}
    # Others load only with `trusted`.
    return {
        kind: data for kind, data in files.items() if outcome(data, rows_for(kind)) == "predicts"
    }
