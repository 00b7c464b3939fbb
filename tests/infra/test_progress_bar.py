"""The progress bar."""

from __future__ import annotations

import io

import pytest

from isonomy._infra import progress, progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_steps_pass_through(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress(iter("abc"), 3, "Work")) == ["a", "b", "c"]
    assert list(progress([], 0, "Work")) == []
    assert capsys.readouterr() == ("", "")


def test_no_bar_for_what_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert list(progress(range(5), 5, "Work")) == [0, 1, 2, 3, 4]
    assert terminal.getvalue() == ""


def test_no_bar_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress_bar, "PATIENCE", -1.0)
    assert list(progress(range(5), 5, "Work")) == [0, 1, 2, 3, 4]
    assert stream.getvalue() == ""


def test_a_bar_for_those_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress_bar, "PATIENCE", -1.0)
    assert list(progress(range(5), 5, "Bootstrap")) == [0, 1, 2, 3, 4]
    assert "Bootstrap" in terminal.getvalue()


def test_an_error_stops_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(progress_bar, "PATIENCE", -1.0)

    def steps():
        yield 1
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        list(progress(steps(), 2, "Work"))
    # A bar that still runs would refuse a second one.
    assert list(progress(range(3), 3, "Work")) == [0, 1, 2]


def test_long_work_has_its_bar_before_the_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    steps = progress(iter([terminal.getvalue]), 1, "22 methods x 10 splits", at_once=True)
    seen = next(steps)()
    assert "22 methods x 10 splits" in seen
    steps.close()
