"""One input: arguments and files, which a text file can hold."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Protocol


@dataclass(frozen=True)
class Case:
    """What is given to a target.

    Attributes
    ----------
    target : str
        Who takes it.
    arguments : tuple of str
        Of the command line; for other targets, what they should do with the files.
    files : mapping
        Name and content of each.
    """

    target: str
    arguments: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

    def to_text(self) -> str:
        """As JSON; contents that are no text in base64."""
        document = {
            "target": self.target,
            # Half of a surrogate pair stands for a byte that is no UTF-8: JSON keeps it as it is.
            "arguments": list(self.arguments),
            "files": {name: _said(content) for name, content in self.files.items()},
        }
        return json.dumps(document, indent=1, ensure_ascii=True) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Case:
        """What `to_text` gave."""
        document = json.loads(text)
        files = {name: _unsaid(content) for name, content in document["files"].items()}
        return cls(document["target"], tuple(document["arguments"]), files)

    def write(self, folder: Path) -> None:
        """Put the files into a folder."""
        for name, content in self.files.items():
            (folder / name).write_bytes(content)

    def smaller(self) -> Iterator[Case]:
        """Cases with a part left out, the largest parts first."""
        for k in range(len(self.arguments) - 1, 0, -1):
            yield replace(self, arguments=self.arguments[:k] + self.arguments[k + 1 :])
        for name in self.files:
            yield replace(self, files={k: v for k, v in self.files.items() if k != name})
        for name, content in self.files.items():
            for part in _without_parts(content):
                yield replace(self, files={**self.files, name: part})


@dataclass(frozen=True)
class Violation:
    """What should not have happened: its kind, and what is to be seen of it."""

    kind: str
    detail: str


class Target(Protocol):
    """What is fuzzed. Its methods run in a worker, `make` also outside."""

    name: str
    # Beyond these a case hangs.
    seconds: float

    def prepare(self) -> None:
        """Import, once, what cases need; start no threads."""

    def make(self, random: Random) -> Case:
        """A case; the same for the same random numbers."""

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        """Run a case in an empty folder, which is the working folder too."""


def _without_parts(content: bytes) -> Iterator[bytes]:
    lines = content.splitlines(keepends=True)
    if 1 < len(lines) <= 2000:
        size = len(lines) // 2
        while size:
            for start in range(0, len(lines), size):
                yield b"".join(lines[:start] + lines[start + size :])
            size //= 2
    size = len(content) // 2
    while size >= max(1, len(content) // 64):
        for start in range(0, len(content), size):
            yield content[:start] + content[start + size :]
        size //= 2


def _said(content: bytes) -> str | dict[str, str]:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _unsaid(value: str | dict[str, str]) -> bytes:
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])
