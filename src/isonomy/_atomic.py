"""Files that are either the old one or the whole new one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file to write to, which takes the place of `path` when the block ends well.

    The temporary file lies in the same folder, so that the replacement is one step. Where the
    block raises, it is removed and `path` stays as it was.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacing(path) as new:
    ...     _ = new.write_text("whole")
    >>> path.read_text()
    'whole'
    """
    target = Path(path).resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    os.close(handle)
    new = Path(name)
    try:
        yield new
        new.chmod(_mode(target))
        _sync(new)
        new.replace(target)
        _sync(target.parent)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def check_writable(path: str | os.PathLike[str], name: str) -> None:
    """Raise OSError, before any work, where `replacing(path)` could not succeed."""
    target = Path(path).resolve()
    if target.is_dir():
        raise IsADirectoryError(f"{name} should be a file to write. Found a folder: {path}.")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{name} should lie in a folder that exists. Found {path}; make the folder first."
        )
    if not os.access(target.parent, os.W_OK) or (
        target.exists() and not os.access(target, os.W_OK)
    ):
        raise PermissionError(f"{name} cannot be written: no permission for {path}.")


def _mode(target: Path) -> int:
    """Permissions of the old file, or those of any new one."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync(path: Path) -> None:
    """Have the disk hold what was written."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
