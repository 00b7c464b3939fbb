"""Gates of `isonomy audit`: exit code 1, the reason in a line, and all output is there."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.cli.command import Shell
from tests.cli.conftest import make_table

AUDIT = ("--score", "score", "--labels", "click,buy")


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """The same labels, ranked by what says nothing of them."""
    path = tmp_path / "noise.csv"
    make_table(3000).with_columns(score=pl.col("score").shuffle(1)).write_csv(path)
    return path


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.csv"
    make_table(3000).write_csv(path)
    return path


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        (("--fail-under", "buy=0.99"), "the AUC of buy is 0."),
        (("--fail-under", "buy=0.1,click=0.99"), "the AUC of click is 0."),
        (("--fail-under", "buy=0.1", "--fail-under", "click=.99"), "(0."),
        (("--max-gap", "0"), "the gap between the largest and the smallest AUC is 0.0"),
    ],
)
def test_a_gate_that_fails(
    shell: Shell, good: Path, tmp_path: Path, gate: tuple[str, ...], reason: str
) -> None:
    page, numbers = tmp_path / "page.html", tmp_path / "a.json"
    done = shell("audit", good, *AUDIT, *gate, "--report", page, "--json", numbers, "--quiet")
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert line.startswith("Failed: ")
    assert reason in line
    assert json.loads(numbers.read_text())["failures"] == [line.removeprefix("Failed: ")]
    assert "Does not pass" in page.read_text()
    assert "How each label is served" in done.out


def test_gates_that_pass(shell: Shell, good: Path) -> None:
    gates = ("--fail-under", "buy=0.6,click=0.6", "--max-gap", ".5", "--fail-on-dictator")
    done = shell("audit", good, *AUDIT, *gates)
    assert (done.code, done.err) == (0, "")


def test_drift(shell: Shell, good: Path, noise: Path, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    assert shell("audit", good, *AUDIT, "--json", before).code == 0
    gate = ("--baseline", before, "--fail-on-drift")
    assert shell("audit", good, *AUDIT, *gate).code == 0
    done = shell("audit", noise, *AUDIT, *gate)
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    assert "Failed: since the earlier audit: the AUC of" in done.err
    assert "Nothing needs doing" not in done.out
    assert "Next: Find out what has changed since the earlier audit" in done.out
    assert shell("audit", noise, *AUDIT, "--baseline", before).code == 0


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        (("--fail-on-drift",), "--baseline"),
        (("--fail-under", "clik=0.5"), "Did you mean 'click'"),
        (("--fail-under", "buy"), "should read label=0.7"),
        (("--fail-under", "buy=much"), "should be a number"),
        (("--fail-under", "buy=70"), "from 0 to 1"),
        (("--fail-under", "buy=.5,buy=.6"), "twice"),
        (("--max-gap", "2"), "from 0 to 1"),
    ],
)
def test_mistakes_are_no_failures(
    shell: Shell, good: Path, gate: tuple[str, ...], message: str
) -> None:
    done = shell("audit", good, *AUDIT, *gate)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_gap_needs_two_labels(shell: Shell, good: Path) -> None:
    for gate in (("--max-gap", "0.1"), ("--fail-on-dictator",)):
        assert shell("audit", good, "--score", "score", "--labels", "buy", *gate).code == 2


def test_whole_segments_stay_whole(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    table = make_table(600).with_columns(
        query=pl.when(pl.col("query") < 3).then(None).otherwise(pl.col("query") % 3 + 21)
    )
    table.write_csv(path)
    done = shell("audit", path, *AUDIT, "--by", "query", "--json", "-")
    names = {each["name"] for each in json.loads(done.out)["segments"]}
    assert names == {"21", "22", "23", "(missing)"}
    assert "22.0" not in shell("audit", path, *AUDIT, "--by", "query").out
