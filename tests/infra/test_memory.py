"""The memory that a process may have."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from isonomy._infra import memory, memory_limit


def test_this_machine_has_some() -> None:
    found = memory_limit()
    assert found is None or 10**8 < found < 10**15


def test_a_container_may_have_less(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_LIMITS", (str(limit), str(tmp_path / "none")))
    limit.write_text("123456789\n")
    assert memory_limit() == 123456789
    limit.write_text("max\n")
    whole = memory_limit()
    monkeypatch.delattr(os, "sysconf", raising=False)
    assert memory_limit() is None
    assert whole is None or whole > 123456789
