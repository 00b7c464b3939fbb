"""What made a result: the version of Isonomy, the commit, and the time it took."""

from __future__ import annotations

import subprocess
from pathlib import Path

import isonomy
from paper._results import Row

PROJECT = Path(__file__).parents[1]


def provenance(project: Path = PROJECT) -> Row:
    """Of a result that is to be computed; without git, or outside a checkout, it has no commit."""
    return {"isonomy": isonomy.__version__, "commit": commit(project)}


def commit(project: Path = PROJECT) -> str | None:
    """The commit that is checked out, and '+' where the code that computes differs from it."""
    head = _git(project, "rev-parse", "--short=12", "HEAD")
    # A folder may lie in somebody else's repository: an unpacked release in a home under git.
    top = _git(project, "rev-parse", "--show-toplevel")
    if not head or not top or Path(top).resolve() != project.resolve():
        return None
    changed = _git(project, "status", "--porcelain", "--", "src", "paper", ":!paper/results")
    return f"{head}+" if changed else head


def sentence(made: Row) -> str:
    """For the foot of a page."""
    if not made:
        return ""
    which = f"commit {made['commit']}" if made.get("commit") else "no commit known"
    return f"Computed by Isonomy {made['isonomy']} ({which}) in {duration(made['seconds'])}."


def duration(seconds: float) -> str:
    """In words, as short as it may be."""
    if seconds < 100:
        return f"{seconds:.0f} s" if seconds >= 1 else "less than a second"
    return f"{seconds / 60:.0f} minutes"


def _git(folder: Path, *arguments: str) -> str | None:
    """What git says; None where there is no git or no repository."""
    try:
        found = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
