"""The recipe for a command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import isonomy.cli
from isonomy.cli._app import app
from tests.cli.command import Shell
from tests.cli.conftest import make_table
from tests.recipes.recipe import follow, write

TITLE = "A command"


@pytest.fixture(autouse=True)
def _count(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    commands = list(app.registered_commands)
    with pytest.MonkeyPatch.context() as patch:
        write(TITLE, "src/isonomy/cli/_count.py", tmp_path_factory.mktemp("cli"), patch)
        follow(TITLE, "src/isonomy/cli/_app.py", patch)
        yield
    app.registered_commands[:] = commands
    sys.modules.pop("isonomy.cli._count", None)
    vars(isonomy.cli).pop("_count", None)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def test_it_answers_on_standard_output(shell: Shell, tmp_path: Path) -> None:
    table = make_table()
    table.write_csv(tmp_path / "t.csv")
    done = shell("count", tmp_path / "t.csv", "--labels", "click,buy")
    counts = {"click": table["click"].sum(), "buy": (table["buy"] == "yes").sum()}
    assert done.code == 0, done.err
    assert done.out == "".join(f"{name}\t{count}\n" for name, count in counts.items())
    assert done.err == "300 rows.\n"
    assert shell("count", tmp_path / "t.csv", "--labels", "click", "--quiet").err == ""


def test_mistakes_are_told_with_the_cure(shell: Shell, tmp_path: Path) -> None:
    make_table().write_csv(tmp_path / "t.csv")
    done = shell("count", tmp_path / "t.csv", "--labels", "clik")
    assert done.code == 2
    assert "Did you mean 'click'?" in done.err


def test_the_help_lists_it(shell: Shell) -> None:
    assert "How common is each label?" in shell("--help").out
    assert "--labels" in shell("count", "--help").out
