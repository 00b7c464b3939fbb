"""Branches alone are held to their share: lines that are covered do not make up for them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ci.script import CI, script

branch_coverage = script("branch_coverage")


def report(**files: tuple[int, int]) -> dict[str, Any]:
    """As `coverage json` writes it; every line is covered."""
    summaries = {
        name: {"summary": {"covered_branches": taken, "num_branches": there, "percent_covered": 99}}
        for name, (taken, there) in files.items()
    }
    return {"meta": {"branch_coverage": True}, "files": summaries}


@pytest.mark.parametrize(("taken", "status"), [(95, 0), (94, 1)])
def test_95_of_100_are_asked_over_all_files(
    taken: int, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report(whole=(50, 50), part=(taken - 50, 50), none=(0, 0))))
    assert branch_coverage.main(str(path)) == status
    first, worst = capsys.readouterr().out.splitlines()
    assert first == f"branches: {taken}.0% ({taken} of 100; asked: 95%)"
    assert worst == f"  {100 - taken:3} of  50 never taken: part"


def test_the_worst_files_come_first_and_are_few() -> None:
    files = {f"file{k:02}": (0, k + 1) for k in range(20)}
    text, enough = branch_coverage.told(branch_coverage.branches(report(**files)))
    told = [line.split()[-1] for line in text.splitlines()[1:]]
    assert told == [f"file{k:02}" for k in range(19, 9, -1)]
    assert not enough


def test_a_report_without_branches_is_no_success() -> None:
    without = {"meta": {"branch_coverage": False}, "files": {}}
    with pytest.raises(SystemExit, match="has no branches"):
        branch_coverage.branches(without)
    with pytest.raises(SystemExit, match="no branch at all"):
        branch_coverage.told({})


def test_it_reads_what_coverage_writes(tmp_path: Path) -> None:
    """A module of two branches, of which one is taken."""
    (tmp_path / "half.py").write_text("x = 1\nif x:\n    x = 2\nx = 3\n")
    alone = ("--rcfile=", "--data-file=data")
    for command in (("run", *alone, "--branch", "half.py"), ("json", *alone, "-q")):
        python = [sys.executable, "-m", "coverage", *command]
        subprocess.run(python, cwd=tmp_path, check=True, capture_output=True)
    found = subprocess.run(
        [sys.executable, CI / "branch_coverage.py", "coverage.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 1
    assert found.stdout.startswith("branches: 50.0% (1 of 2; asked: 95%)\n")
    assert "half.py" in found.stdout
