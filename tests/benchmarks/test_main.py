"""What `python -m benchmarks` says and returns; nothing here is timed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from benchmarks.__main__ import main
from benchmarks.run_file import Run
from benchmarks.targets import Target

KEPT = Target("as fast as a snail", 1.0, 2.0)
SLOW = Target("as fast as light", 3.0, 2.0)
SMALL = Target("as large as a house", 1.0, 2.0, at_least=True, unit=" m")


@pytest.mark.parametrize(
    ("targets", "status", "last"),
    [
        ([KEPT], 0, "All 1 targets are kept."),
        ([KEPT, SLOW], 1, "Missed 1 of 2 targets: as fast as light."),
        ([SMALL, KEPT, SLOW], 1, "Missed 2 of 3 targets: as large as a house; as fast as light."),
    ],
)
def test_a_missed_target_is_an_exit_status_of_1(
    targets: list[Target],
    status: int,
    last: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    suite = SimpleNamespace(run=lambda *_, **__: targets)
    monkeypatch.setitem(sys.modules, "benchmarks.audit", suite)
    file = tmp_path / "run.json"
    assert main(["audit", "--json", str(file)]) == status
    assert Run.read(file).suites == {"audit": targets}
    out = capsys.readouterr().out
    assert "numpy" in out.splitlines()[0]
    assert out.splitlines()[-1] == last
    assert out.count("FAIL") == len([target for target in targets if not target.kept])


def test_a_suite_without_targets_misses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "benchmarks.audit", SimpleNamespace(run=lambda *_, **__: []))
    assert main(["audit", "--json", str(tmp_path / "run.json")]) == 0


def test_unknown_suites_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["nothing"])
    assert "no suite 'nothing'; there are startup" in capsys.readouterr().err


def test_data_that_are_not_here_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("ISONOMY_DATA", str(tmp_path))
    assert main(["top", "--json", str(tmp_path / "run.json")]) == 0
    assert "set ISONOMY_DATA to the folder" in " ".join(capsys.readouterr().out.split())
