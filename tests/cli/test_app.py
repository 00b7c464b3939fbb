"""The command line, run as a user would."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from inspect import signature
from pathlib import Path

import pytest
from typer.testing import CliRunner

import isonomy
from isonomy._compare import FAMILIES, METHODS
from isonomy.cli import NEEDS, _app, main
from isonomy.cli._app import app
from isonomy.cli._fetch import LOADERS

runner = CliRunner()


def test_version() -> None:
    result = runner.invoke(app, ["version"])
    assert result.exit_code == 0
    assert result.stdout.strip() == isonomy.__version__


def test_without_arguments_it_helps() -> None:
    result = runner.invoke(app, [])
    assert "demo" in result.output
    assert "version" in result.output


def test_an_unknown_command_is_no_traceback() -> None:
    result = runner.invoke(app, ["rnak"])
    assert result.exit_code == 2
    assert "No such command 'rnak'" in result.output


def test_help_loads_neither_numpy_nor_numba() -> None:
    code = (
        "import sys\n"
        "from isonomy.cli._app import app\n"
        "try:\n"
        "    app(['--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "print(sorted({'numpy', 'numba', 'scipy', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip().endswith("[]")


def test_the_entry_point_runs_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["isonomy", "version"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code


@pytest.mark.parametrize("words", [["--version"], ["version"]])
def test_the_version_two_ways(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["isonomy", *words])
        with pytest.raises(SystemExit) as stop:
            main()
    assert not stop.value.code
    assert capsys.readouterr().out == f"{isonomy.__version__}\n"


def test_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "isonomy", "audit"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "isonomy audit --help" in done.stderr


@pytest.mark.parametrize(
    ("option", "parameter"),
    [
        *((name, name) for name in ("goal", "at_least", "family", "methods", "tune")),
        *((name, name) for name in ("folds", "repeats")),
        ("seed", "random_state"),
        ("jobs", "n_jobs"),
    ],
)
def test_defaults_are_those_of_python(option: str, parameter: str) -> None:
    ours = signature(_app.compare).parameters[option].default
    assert ours == signature(isonomy.compare).parameters[parameter].default


@pytest.mark.parametrize("command", ["compare", "fit", "blend", "fetch"])
def test_help_names_every_choice(command: str) -> None:
    choices = {
        "compare": [*FAMILIES],
        "fit": [*FAMILIES, *METHODS],
        "blend": [key for key, entry in METHODS.items() if entry.blends],
        "fetch": [*LOADERS],
    }
    wide = {"COLUMNS": "500", "TERMINAL_WIDTH": "500"}
    words = set(re.findall(r"[\w-]+", runner.invoke(app, [command, "--help"], env=wide).output))
    assert set(choices[command]) <= words, set(choices[command]) - words


def test_compares_docstring_names_every_choice() -> None:
    named = set(re.findall(r'"([\w-]+)"', isonomy.compare.__doc__))
    assert {*METHODS, *FAMILIES} <= named, {*METHODS, *FAMILIES} - named


def test_what_is_needed_is_what_the_extra_brings() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    brought = {each.partition(">=")[0] for each in project["optional-dependencies"]["cli"]}
    modules = {"vl-convert-python": "vl_convert"}
    assert {modules.get(name, name) for name in brought} == set(NEEDS)
