"""The answers that were paid for, kept as they come."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from isonomy._judge.endpoint import Reply

SCHEMA = {"schema": "isonomy.judge.answers", "schema_version": 1}
# Seconds that answers may stay with the system before the disk has them: a killed program loses
# none of them, a machine without power at most these.
SYNC_SECONDS = 1.0
# Of an answer; a label needs a few characters, and what does not fit is none.
MOST_CHARACTERS = 10_000


class AnswerFileError(ValueError):
    """The file is no file of answers, or another run writes to it."""


@dataclass(frozen=True)
class Answer:
    """A line of the file.

    Attributes
    ----------
    key : str
        Of the request that it answers.
    endpoint, model, question : str
        Who was asked, and for which column.
    text, finish, tokens_in, tokens_out
        As the server told them.
    """

    key: str
    endpoint: str
    model: str
    question: str
    text: str
    finish: str
    tokens_in: int
    tokens_out: int

    @property
    def reply(self) -> Reply:
        """What the server told."""
        return Reply(self.text, self.finish, self.tokens_in, self.tokens_out)


class AnswerFile:
    """Answers, one a line; each is one write at the end of the file, or not there.

    Opening it reads what earlier runs have kept, and cuts off a last line that was cut short. No
    other run can open it meanwhile.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answers.jsonl"
    >>> with AnswerFile(path) as kept:
    ...     kept.add(Answer("k", "http://host", "m", "relevance", "1", "stop", 10, 1))
    >>> with AnswerFile(path) as kept:
    ...     kept.find("k", "http://host").text
    '1'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._answers: dict[tuple[str, str], Answer] = {}
        self._times: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._synced = time.monotonic()
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(self.path, flags, 0o600)
        try:
            _lock_alone(self._file, self.path)
            self._load()
        except BaseException:
            os.close(self._file)
            raise

    def __len__(self) -> int:
        return len(self._answers)

    def __enter__(self) -> AnswerFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1

    @property
    def tokens(self) -> tuple[int, int]:
        """In and out, of all answers."""
        answers = self._answers.values()
        return sum(each.tokens_in for each in answers), sum(each.tokens_out for each in answers)

    def find(self, key: str, endpoint: str) -> Answer | None:
        """The answer to this request, if it is there."""
        return self._answers.get((endpoint, key))

    def n_answers(self, key: str, endpoint: str) -> int:
        """How often this request was answered."""
        return self._times[endpoint, key]

    def add(self, answer: Answer) -> None:
        """Keep an answer: when this returns, whatever kills the program cannot take it."""
        line = json.dumps(asdict(answer), ensure_ascii=False) + "\n"
        with self._lock:
            if self._file == -1:
                return
            self._write(line.encode("utf-8", errors="backslashreplace"))
            self._remember(answer)
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()

    def _write(self, line: bytes) -> None:
        while line:
            line = line[os.write(self._file, line) :]

    def _load(self) -> None:
        with open(self.path, "rb") as file:  # noqa: PTH123
            lines = file.read().split(b"\n")
        if lines[-1]:
            # Cut short while it was written; whether it was the header or an answer.
            os.ftruncate(self._file, sum(len(line) + 1 for line in lines[:-1]))
        if len(lines) == 1:
            self._write(json.dumps(SCHEMA).encode() + b"\n")
            return
        if _parsed(lines[0]) != SCHEMA:
            raise AnswerFileError(
                f"{self.path} is no file of answers of this version of Isonomy. Name another file "
                "with --answers."
            )
        for number, line in enumerate(lines[1:-1], start=2):
            try:
                answer = Answer(**_parsed(line))
                _check_types(answer)
            except TypeError:
                raise AnswerFileError(
                    f"{self.path}: line {number} is no answer. Remove that line, or name another "
                    "file with --answers."
                ) from None
            self._remember(answer)

    def _remember(self, answer: Answer) -> None:
        self._answers[answer.endpoint, answer.key] = answer
        self._times[answer.endpoint, answer.key] += 1


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _check_types(answer: Answer) -> None:
    """TypeError where a field is not what it should be: a file may come from anywhere."""
    for field in fields(answer):
        value = getattr(answer, field.name)
        if type(value) is not (int if field.type == "int" else str):
            raise TypeError(field.name)


def _lock_alone(file: int, path: Path) -> None:
    """As long as the file is open; the system lets go of it when the program ends, however."""
    try:
        try:
            import fcntl
        except ModuleNotFoundError:  # pragma: no cover (Windows)
            import msvcrt

            # A byte that the file will never have, because locked ones cannot be read there.
            os.lseek(file, 2**62, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise AnswerFileError(
            f"Another run is writing to {path}. Wait for it, or name another file with --answers."
        ) from None
