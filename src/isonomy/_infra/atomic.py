"""Files of which a reader sees the old one or the whole new one, never a part."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from isonomy._infra.unfinished import unfinished

_CHUNK = 2**20


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file to write to, which takes the place of `path` when the block ends well.

    It lies beside the old file, so that the replacement is one step, taken when its bytes have
    reached the disk. Whatever interrupts this, `path` is what it was or the whole new file. A
    symbolic link stays and its target is replaced; permissions of an existing file are kept.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacing(path) as new:
    ...     _ = new.write_text("whole")
    >>> path.read_text()
    'whole'
    """
    target = real_path(path)
    old = target.stat() if target.exists() else None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise OSError(f"Found {path}, which is no file. Name a file to write.")
    # Only names that no other writer has, so that two at a time cannot mix.
    new = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}.tmp")
    try:
        try:
            with unfinished(new):
                new.touch(exist_ok=False)
                if old is not None:
                    new.chmod(stat.S_IMODE(old.st_mode) | stat.S_IWUSR)
                yield new
                if old is not None:
                    new.chmod(stat.S_IMODE(old.st_mode))
                _sync(new)
                new.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                new.unlink()
            raise
        # Folders cannot be opened everywhere.
        with contextlib.suppress(OSError):
            _sync(target.parent)
    except OSError as error:
        number = error.errno or _full_disk(error)
        if number is None:
            raise
        kept = ", and the file is as it was" if old is not None else ""
        reason = f"{os.strerror(number)}. It was not written{kept}"
        raise OSError(number, reason, str(path)) from error


def _full_disk(error: OSError) -> int | None:
    """The number of an error of writing that comes from polars, which has it in its text alone."""
    found = re.search(r"\(os error (\d+)\)", str(error))
    number = int(found[1]) if found else None
    return number if number in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT) else None


def real_path(path: str | os.PathLike[str]) -> Path:
    """Where a path leads; of links that lead to each other, the one that was named."""
    return Path(os.path.realpath(path))


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace a file, or make it, in one step."""
    with replacing(path) as new, new.open("wb") as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view[:_CHUNK]) :]


def check_writable(path: str | os.PathLike[str], name: str) -> None:
    """Raise OSError, before any work, where `replacing(path)` could not succeed."""
    target = real_path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{name} should be a file to write. Found a folder: {path}.")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{name} should lie in a folder that exists. Found {path}; make the folder first."
        )
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"{name} cannot be written: no permission for {target.parent}.")


def _sync(path: Path) -> None:
    """Have the disk hold what was written."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
