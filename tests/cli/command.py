"""Runs the command as a user would, in this process."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass

import pytest

from isonomy.cli import main


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


class Shell:
    """The `isonomy` command, with captured output."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: object, stdin: bytes | None = None) -> Done:
        self._monkeypatch.setattr(sys, "argv", ["isonomy", *map(str, arguments)])
        if stdin is not None:
            self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        captured = self._capsys.readouterr()
        code = stop.value.code
        return Done(code if isinstance(code, int) else 0, captured.out, captured.err)
