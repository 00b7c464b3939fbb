"""A few faults and wrong lines; `make faults` and `make mutation` make many."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Each in a process of its own, without threads, so that it can fork.
ENDINGS = """
import signal
from random import Random
from fuzz.faults import endings

endings.prepare()
endings.COMMANDS = {"sketch": endings.COMMANDS["sketch"]}
for found, wrong in (
    endings.stopped((signal.SIGKILL, signal.SIGINT), 2, Random(0)),
    endings.full_disk(1, Random(0)),
    endings.read_only(),
):
    assert found.total() and not wrong, wrong
"""
SIDE_BY_SIDE = """
from fuzz.faults import side_by_side
from fuzz.in_child import in_child

names = ["label_aucs", "LinearRanker"]
for wrong in (
    in_child(lambda: side_by_side.two_writers(5)),
    side_by_side.cold_threads(names[:1]),
    in_child(lambda: side_by_side.forked(names)),
):
    assert not wrong, wrong
"""
WRONG_LINES = """
import os
os.environ.update(NUMBA_DISABLE_JIT="1", HYPOTHESIS_PROFILE="mutation")
from fuzz.mutation.mutants import mutants
from fuzz.mutation.swapped import ROOT
from fuzz.mutation.trials import endings
import sklearn.base, sklearn.metrics

path = "_core/powers.py"
there = mutants((ROOT / "src/isonomy" / path).read_text())
changes = [(path, each) for each in there if each.key.endswith(("# never", "# returns None"))]
found = endings(changes, [path], ["tests/core/test_powers.py"], lambda *_: None)
# Without its shorter way the function is only slower.
expected = ["unnoticed" if each.key.endswith("# never") else "failed" for _, each in changes]
assert set(expected) == {"unnoticed", "failed"}
assert [found[path, each.key] for _, each in changes] == expected, found
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize(
    "code", [ENDINGS, SIDE_BY_SIDE, WRONG_LINES], ids=["ends", "sides", "lines"]
)
def test_none_does_harm(code: str) -> None:
    env = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**env, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
