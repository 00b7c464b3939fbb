"""What made a result: the version of Isonomy, the commit, and the time it took."""

from __future__ import annotations

import subprocess
from pathlib import Path

import isonomy
from paper._results import RESULTS, Row

PROJECT = Path(__file__).parents[1]


def provenance(seconds: float, project: Path = PROJECT) -> Row:
    """Of a result that is computed now; without git, or outside a checkout, no commit is known."""
    return {
        "isonomy": isonomy.__version__,
        "commit": commit(project),
        "seconds": round(seconds, 1),
    }


def commit(project: Path = PROJECT) -> str | None:
    """The commit that is checked out, and '+' where files differ from it (results apart)."""
    head = _git(project, "rev-parse", "--short=12", "HEAD")
    # A folder may lie in somebody else's repository: an unpacked release in a home under git.
    top = _git(project, "rev-parse", "--show-toplevel")
    if not head or not top or Path(top).resolve() != project.resolve():
        return None
    results = RESULTS.relative_to(PROJECT).as_posix()
    changed = _git(project, "status", "--porcelain", "--", ".", f":!{results}")
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
