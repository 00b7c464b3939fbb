"""Runs as JSON files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.run_file import Run
from benchmarks.targets import Target

FAST = Target("as fast as light", 1.0, 2.0, nanoseconds=3.5, peers={"snail": 20.0})
SLOW = Target("as slow as a snail", 3.0, 2.0)


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = replace(Run.begin(quick=True), suites={"metrics": [FAST, SLOW]})
    run.write(tmp_path / "run.json")
    assert Run.read(tmp_path / "run.json") == run
    assert run.targets == [FAST, SLOW]


def test_suites_that_did_not_run_again_stay(tmp_path: Path) -> None:
    run, file = Run.begin(quick=False), tmp_path / "run.json"
    replace(run, suites={"metrics": [FAST], "audit": [FAST]}).write(file)
    replace(run, suites={"metrics": [SLOW]}).write(file)
    assert Run.read(file).suites == {"metrics": [SLOW], "audit": [FAST]}


def test_those_of_another_machine_do_not(tmp_path: Path) -> None:
    run, file = Run.begin(quick=False), tmp_path / "run.json"
    elsewhere = replace(run.machine, dispatch=())
    replace(run, machine=elsewhere, suites={"audit": [FAST]}).write(file)
    replace(run, suites={"metrics": [SLOW]}).write(file)
    assert Run.read(file).suites == {"metrics": [SLOW]}
