"""What is on the disk only while the work goes on, so that it can go whatever ends the work."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_unfinished: set[Path] = set()


@contextmanager
def unfinished(path: Path) -> Iterator[None]:
    """While the block lasts, `remove_unfinished` removes this file or folder."""
    _unfinished.add(path)
    try:
        yield
    finally:
        _unfinished.discard(path)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder in the system's folder for such (TMPDIR), gone when the block ends."""
    path = Path(tempfile.mkdtemp(prefix="isonomy-"))
    with unfinished(path):
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


def remove_unfinished() -> None:
    """For a program that ends at once, in the midst of whatever it does.

    >>> with scratch_folder() as folder:
    ...     remove_unfinished()
    ...     folder.exists()
    False
    """
    for path in list(_unfinished):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
