"""Inputs that once did harm, and a few new ones; `make fuzz` makes many."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.case import Case
from fuzz.pool import case_of, looked_at
from fuzz.targets import TARGETS

CORPUS = sorted(Path("fuzz/corpus").glob("*.json"))
QUICK = {"tables": 25, "arguments": 40, "sketches": 60, "answers": 60}


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_did_harm_does_none(path: Path) -> None:
    case = Case.from_text(path.read_text())
    assert Case.from_text(case.to_text()) == case
    target = TARGETS[case.target]
    target.prepare()
    assert looked_at(target, case) == []


@pytest.mark.parametrize("name", QUICK)
def test_a_few_of_each(name: str) -> None:
    target = TARGETS[name]
    target.prepare()
    for number in range(QUICK[name]):
        case = case_of(target, 0, number)
        assert looked_at(target, case) == [], case.to_text()


def test_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "answers", "--cases", "100", "--seed", "5"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "nothing found" in done.stdout
