"""A result says what made it, in a checkout and outside of one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from paper._provenance import PROJECT, commit, duration, provenance, sentence

import isonomy


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("src/code.py", "paper/page.py", "paper/results/page.json", "docs/page.md"):
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one")
    project = tmp_path / "project"
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    return project


def test_the_commit_and_whether_the_code_is_that_of_it(checkout: Path) -> None:
    clean = commit(checkout)
    assert clean is not None
    assert len(clean) == 12
    for apart in ("paper/results/page.json", "docs/page.md"):
        (checkout / apart).write_text("two")
        assert commit(checkout) == clean
    (checkout / "src/code.py").write_text("two")
    assert commit(checkout) == f"{clean}+"


def test_outside_a_checkout_there_is_none(tmp_path: Path, checkout: Path) -> None:
    assert commit(tmp_path) is None
    # A folder inside somebody else's repository is not a checkout of this project.
    assert commit(checkout / "src") is None


def test_without_git_there_is_none(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert commit(checkout) is None
    assert provenance(checkout) == {"isonomy": isonomy.__version__, "commit": None}


def test_in_words() -> None:
    made = {"isonomy": "1.0", "commit": "abc", "seconds": 240.0}
    assert sentence(made) == "Computed by Isonomy 1.0 (commit abc) in 4 minutes."
    assert "no commit known" in sentence({**made, "commit": None})
    assert sentence({}) == ""
    assert [duration(s) for s in (0.2, 42.4, 600)] == ["less than a second", "42 s", "10 minutes"]


def test_this_project_is_known_by_its_version() -> None:
    assert provenance(PROJECT)["isonomy"] == isonomy.__version__
