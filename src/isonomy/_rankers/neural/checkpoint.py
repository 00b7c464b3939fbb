"""Checkpoints of a fit: one file, replaced whole, that says what it belongs to."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from isonomy._infra import write_whole

# Changes when older files can no longer be read.
_FORMAT = 3
_MAGIC, _DIGEST = b"isonomy-checkpoint:", 16


class Checkpoint:
    """The file in a folder that holds the state after the last finished epoch.

    Parameters
    ----------
    folder : path
        Made if it does not exist.
    identity : dict of str
        Digests, by name, of what the fit depends on.
    """

    def __init__(self, folder: str | os.PathLike[str], identity: dict[str, str]) -> None:
        self.path = Path(folder) / "neural_ranker.pt"
        self.identity = identity

    def write(self, state: dict[str, Any]) -> None:
        """Replace the file: a reader, or a crash, meets the old one or the new one."""
        import torch

        self.path.parent.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        torch.save({"format": _FORMAT, "identity": self.identity, "state": state}, buffer)
        data = buffer.getvalue()
        write_whole(self.path, _MAGIC + _checksum(data) + data)

    def read(self) -> dict[str, Any] | None:
        """The state of an interrupted fit; None where there is none; an error for another fit."""
        import torch

        if not self.path.exists():
            return None
        try:
            found = torch.load(
                io.BytesIO(_content(self.path.read_bytes())), map_location="cpu", weights_only=True
            )
            known = found["format"] == _FORMAT
        except Exception as error:  # Whatever torch makes of a file that is none of ours.
            raise self.unreadable() from error
        different = [
            name for name, digest in self.identity.items() if found["identity"].get(name) != digest
        ]
        if different or not known:
            what = ", ".join(different) or "the version of Isonomy"
            raise ValueError(
                f"Parameter `checkpoints` should name a folder of the same fit. {self.path} was "
                f"written by one that differs in: {what}. Name another folder, delete this one, "
                "or fit with the same parameters and data."
            )
        state: dict[str, Any] = found["state"]
        return state

    def unreadable(self) -> ValueError:
        """The error of a file that is no checkpoint, or none that a fit can go on from."""
        return ValueError(
            f"Parameter `checkpoints` should name a folder of this ranker's own. {self.path} "
            "cannot be read as a checkpoint. Delete it, or name another folder."
        )


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def _content(data: bytes) -> bytes:
    """What follows a checksum that is right: torch would take damaged numbers for others."""
    start = len(_MAGIC) + _DIGEST
    content = data[start:]
    if data[:start] != _MAGIC + _checksum(content):
        raise ValueError("its checksum does not match its content")
    return content


def check_folder(folder: Any) -> None:
    """Refuse, before any work, what cannot be a folder."""
    if not isinstance(folder, str | os.PathLike) or not isinstance(os.fspath(folder), str):
        raise TypeError(
            f"Parameter `checkpoints` should be the path of a folder. Found {folder!r}."
        )
    taken = next((path for path in (Path(folder), *Path(folder).parents) if path.exists()), None)
    if taken is not None and not taken.is_dir():
        raise NotADirectoryError(
            f"Parameter `checkpoints` should be the path of a folder. Found a file: {taken}. Name "
            "another folder; it is made if it does not exist."
        )


def digest(value: object) -> str:
    """A short digest of parameters or data, the same in every process."""
    found = hashlib.blake2b(digest_size=16)
    _feed(found, value)
    return found.hexdigest()


def _feed(found: Any, value: Any) -> None:
    """Types and contents, never addresses."""
    found.update(f"{type(value).__module__}.{type(value).__qualname__}:".encode())
    if isinstance(value, np.ndarray):
        found.update(f"{value.dtype}{value.shape}".encode())
        if value.dtype.hasobject:
            found.update(repr(value.tolist()).encode())
        else:
            # In parts: a whole table that is not contiguous would be copied.
            for part in np.array_split(value, max(1, value.nbytes >> 24)):
                found.update(np.ascontiguousarray(part).data)
    elif isinstance(value, dict):
        for key, each in value.items():
            _feed(found, key)
            _feed(found, each)
    elif isinstance(value, list | tuple):
        found.update(str(len(value)).encode())
        for each in value:
            _feed(found, each)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            _feed(found, getattr(value, field.name))
    elif isinstance(value, str | bytes | bool | int | float | None | np.generic):
        found.update(repr(value).encode())
    elif hasattr(value, "__qualname__"):
        found.update(f"{value.__module__}.{value.__qualname__}".encode())
    elif hasattr(value, "indptr"):
        _feed(found, [value.data, value.indices, value.indptr, value.shape])
    elif hasattr(value, "state_dict"):
        _feed(found, {"text": str(value)})
        _feed(found, {key: each.cpu().numpy() for key, each in value.state_dict().items()})
    elif isinstance(value, set | frozenset):
        _feed(found, sorted(map(digest, value)))
    elif hasattr(value, "__dict__"):
        _feed(found, vars(value))
    elif "__repr__" in vars(type(value)):
        found.update(repr(value).encode())
