"""Writes of which a reader sees all or nothing."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

_CHUNK = 2**20


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file, or make it, in one step.

    The bytes go to a new file beside it, which takes its name when they have reached the disk.
    Whatever interrupts this, the old file or the whole new one is there. A symbolic link stays
    and its target is replaced; permissions of an existing file are kept.
    """
    target = Path(os.path.realpath(path))
    old = target.stat() if target.exists() else None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise OSError(f"Parameter `path` should name a file. Found {path}, which is none.")
    # Only names that no other writer has, so that two at a time cannot mix.
    fresh = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        try:
            _write(fresh, data, old.st_mode if old is not None else None)
            fresh.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        _sync_folder(target.parent)
    except OSError as error:
        raise OSError(
            error.errno,
            f"{error.strerror}. The model was not saved"
            + (", and the file is as it was" if old is not None else ""),
            str(path),
        ) from error


def _write(fresh: Path, data: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(fresh, flags, 0o666)
    try:
        if mode is not None:
            fresh.chmod(stat.S_IMODE(mode))
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view[:_CHUNK]) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Have the new name reach the disk, where folders can be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
