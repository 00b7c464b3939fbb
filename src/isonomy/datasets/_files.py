"""Files of others: found where the user has them, else in the cache, else downloaded."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from isonomy._infra import first_missing, require

if TYPE_CHECKING:
    from rich.progress import Progress

# The folder that has data already, unless the caller names one.
VARIABLE = "ISONOMY_DATA"
# What needs pooch.
NEEDER = "A data set that is not in `data_dir`"


@dataclass(frozen=True)
class File:
    """A file that its owner offers.

    Attributes
    ----------
    path : str
        Where it lies below the data folder, and in the cache.
    owner : str
        The page on which its owner offers it.
    sha256 : str, optional
        Its checksum. None: not known, so the loader checks what it reads.
    address : str, optional
        What to download: the file, or an archive. None: it cannot be downloaded.
    address_sha256 : str, optional
        The checksum of that, where it is always the same.
    inside : tuple of str
        The way through archives to the file: the end of a member's name at each step.
    also : tuple of str
        Other places below the data folder.
    """

    path: str
    owner: str
    sha256: str | None = None
    address: str | None = None
    address_sha256: str | None = None
    inside: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def find(file: File, data_dir: str | os.PathLike[str] | None, *, download: bool) -> Path:
    """The path of a file whose checksum is right."""
    folder = _data_folder(data_dir)
    places = [folder / place for place in (file.path, *file.also)] if folder is not None else []
    for place in places:
        if place.is_file():
            return _checked(place, file)
    cached = _cache() / file.path
    if cached.is_file():
        return _checked(cached, file)
    if not download or file.address is None:
        raise FileNotFoundError(_missing(file, folder, "it was not to be downloaded"))
    try:
        archive = _downloaded(file.address, file)
    except OSError as error:
        refused = getattr(error, "response", None)
        if refused is not None:
            refused.close()
        reason = f"its download failed ({type(error).__name__}: {error})"
        raise FileNotFoundError(_missing(file, folder, reason)) from error
    _unpack(archive, cached, file)
    return _checked(cached, file)


def _data_folder(data_dir: str | os.PathLike[str] | None) -> Path | None:
    named = data_dir if data_dir is not None else os.environ.get(VARIABLE) or None
    if named is None:
        return None
    folder = Path(named)
    if not folder.is_dir():
        source = "Parameter `data_dir`" if data_dir is not None else f"Variable `{VARIABLE}`"
        raise FileNotFoundError(f"{source} should be a folder that exists. Found {str(named)!r}.")
    return folder


def _cache() -> Path:
    pooch = require("pooch", "cli", NEEDER)
    return Path(pooch.os_cache("isonomy"))


def _missing(file: File, folder: Path | None, reason: str) -> str:
    looked = "" if folder is None else f"{str(folder)!r} and "
    unset = f" Set `data_dir` or {VARIABLE} to a folder of yours." if folder is None else ""
    return (
        f"File {file.path!r} is not here: looked in {looked}the cache {str(_cache())!r}; {reason}. "
        f"Get it from {file.owner} and put it at {file.path!r} in the data folder.{unset}"
    )


def _checked(path: Path, file: File) -> Path:
    if file.sha256 is not None:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != file.sha256:
            raise ValueError(
                f"File {str(path)!r} should have the SHA-256 {file.sha256}. Found {found}: it is "
                f"another version, or damaged. Remove it and get it again from {file.owner}."
            )
    return path


def _downloaded(address: str, file: File) -> Path:
    pooch = require("pooch", "cli", NEEDER)
    pooch.get_logger().setLevel("WARNING")
    name = hashlib.sha256(address.encode()).hexdigest()[:16]
    with _Bar(file.path) as bar:
        found = pooch.retrieve(
            address,
            known_hash=file.address_sha256,
            fname=name,
            path=_cache() / "downloads",
            downloader=pooch.HTTPDownloader(progressbar=bar),
        )
    return Path(found)


def _unpack(archive: Path, target: Path, file: File) -> None:
    """Put the file in its place in one step, so that no half of it is ever found there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with ExitStack() as stack:
            source: IO[bytes] = stack.enter_context(archive.open("rb"))
            for ending in file.inside:
                source = stack.enter_context(_member(source, ending, file))
            shutil.copyfileobj(source, stack.enter_context(part.open("wb")))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _member(source: IO[bytes], ending: str, file: File) -> IO[bytes]:
    try:
        # A member of an archive cannot be searched backwards, as zip needs, unless it is whole.
        whole = source if isinstance(source, io.BufferedReader) else io.BytesIO(source.read())
        archive = zipfile.ZipFile(whole)
        (name,) = (name for name in archive.namelist() if f"/{name}".endswith(f"/{ending}"))
    except (zipfile.BadZipFile, ValueError) as error:
        raise ValueError(
            f"The archive at {file.address} should hold one {ending!r}. Found none: its owner has "
            f"changed it. Get {file.path!r} from {file.owner} by hand."
        ) from error
    return archive.open(name)


class _Bar:
    """A progress bar as pooch wants it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.total = 0
        self._bar: Progress | None = None

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, size: int) -> None:
        """Show so many more bytes."""
        if first_missing(["rich"]):
            return
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task(f"Downloading {self.name}", total=self.total or None)
            self._bar.start()
        self._bar.advance(self._bar.task_ids[0], size)

    def reset(self) -> None:
        """Start again from nothing."""
        if self._bar is not None:
            self._bar.reset(self._bar.task_ids[0])

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
