"""The fuzzer sees what it is there for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from fuzz.case import Case, Violation
from fuzz.command_line import command_violations
from fuzz.finds import gist
from fuzz.pool import looked_at

ROWS = {"t.csv": b"score,click\n0.25,1\n0.50,0\n"}


def kinds(monkeypatch: pytest.MonkeyPatch, folder: Path, act: object, *words: str) -> set[str]:
    """Of what a command that acts like this violates."""
    monkeypatch.setattr("isonomy.cli.main", act)
    monkeypatch.chdir(folder)
    return {each.kind for each in command_violations(Case("tables", words, ROWS), folder)}


def says(text: str, code: int = 2) -> object:
    def act() -> None:
        sys.stderr.write(text)
        sys.exit(code)

    return act


@pytest.mark.parametrize(
    ("text", "code", "kind"),
    [
        ("Traceback (most recent call last)", 2, "traceback"),
        ("Error: hm.", 70, "traceback"),
        ("Error: hm.", 9, "exit code"),
        ("", 2, "no message"),
        ("Error: hm.", 2, "no cure"),
        ("Error: use --x " + "x" * 2000, 2, "long message"),
        ("Error: use \x1b[31m--x", 2, "control character"),
        ("Error: use --x, not 0.25,1 and 0.50,0", 2, "no echo"),
        ("Error: use --x: score,click 0.25,1 0.50,0", 2, "no echo"),
    ],
)
def test_messages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, code: int, kind: str
) -> None:
    found = kinds(monkeypatch, tmp_path, says(text, code), "audit", "t.csv")
    assert found == (set() if kind == "no echo" else {kind})


def test_two_lines_of_the_file_are_an_echo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(ROWS, "t.csv", b"a long line of it\nand another of it\n")
    act = says("Error: use --x: a long line of it\nand another of it")
    assert kinds(monkeypatch, tmp_path, act, "audit", "t.csv") == {"echo"}


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("t.csv", b"", "input destroyed"),
        (".o.csv.1.tmp", b"", "left over"),
        ("r.json", b'{"a": NaN}', "half-written"),
        ("r.json", b'{"a": 1, "a": 2}', "half-written"),
        ("r.json", b'{"a": 1', "half-written"),
    ],
)
def test_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    def act() -> None:
        (tmp_path / name).write_bytes(content)
        sys.exit(0)

    assert kinds(monkeypatch, tmp_path, act, "audit", "t.csv", "--json", "r.json") == {kind}


def test_an_old_result_that_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def act() -> None:
        (tmp_path / "r.json").unlink(missing_ok=True)
        sys.exit(0)

    words = ("audit", "t.csv", "--quiet", "--json", "r.json")
    assert kinds(monkeypatch, tmp_path, act, *words) == {"output destroyed"}


def test_json_on_standard_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def act() -> None:
        sys.stdout.write("[Infinity]")
        sys.exit(0)

    assert kinds(monkeypatch, tmp_path, act, "audit", "t.csv", "--json", "-") == {"JSON"}


class Fails:
    """A target whose case does what it says."""

    name, seconds = "fails", 1.0

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        assert Path.cwd() == folder
        raise MemoryError if case.arguments else ValueError("the fuzzer's own mistake")


def test_memory_and_own_mistakes_are_told() -> None:
    here, kept = Path.cwd(), sys.stdout
    assert [each.kind for each in looked_at(Fails(), Case("fails", ("x",)))] == ["memory"]  # type: ignore[arg-type]
    assert [each.kind for each in looked_at(Fails(), Case("fails"))] == ["fuzzer"]  # type: ignore[arg-type]
    assert (Path.cwd(), sys.stdout) == (here, kept)


def test_gists_leave_out_what_differs() -> None:
    assert gist("ValueError: 'a' at 12") == gist("ValueError: 'b' at 7")
    assert gist("ValueError: 'a' at 12") != gist("TypeError: 'a' at 12")
