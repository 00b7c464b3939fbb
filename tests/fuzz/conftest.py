"""The fuzzer's parts in this process: it has threads, so that none of them may fork it."""

from __future__ import annotations

import pytest
import typer.main
from fuzz.targets import good_inputs, sketches


@pytest.fixture(autouse=True, scope="session")
def without_forks() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(good_inputs, "in_child", lambda work: work())
        patch.setattr(sketches, "in_child", lambda work: work())
        good_inputs.made_files()
        sketches._good_sketches()


@pytest.fixture(autouse=True)
def _own_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fuzzer keeps the commands that it has built; other tests add some."""
    monkeypatch.setattr(typer.main, "get_command", typer.main.get_command)
