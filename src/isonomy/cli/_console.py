"""Results go to standard output; what is said on the way, to standard error."""

from __future__ import annotations

import json
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from isonomy._infra import bars_shown, jsonable, printable, printable_lines, replacing
from isonomy.cli._errors import BrokenOutputPipeError, UserError

# Half a letter, which a file's names may hold, has no bytes of its own; JSON knows it as \\ud800.
_NO_TEXT = "backslashreplace"


class Messages:
    """What a command says on the way; nothing when quiet.

    Warnings of the library become lines without file names. Bars show on a terminal only.
    """

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self._console = Console(stderr=True, quiet=quiet, highlight=False)

    def say(self, text: str) -> None:
        """One line on standard error."""
        self._console.print(Text(printable_lines(text)), soft_wrap=True)

    @contextmanager
    def while_working(self) -> Iterator[None]:
        """While the work goes on: bars, and warnings in plain words."""
        with warnings.catch_warnings(), bars_shown(not self.quiet):
            warnings.simplefilter("always")
            seen: set[str] = set()

            def show(message: Warning | str, *_: Any, **__: Any) -> None:
                if str(message) not in seen:
                    seen.add(str(message))
                    self.say(f"Warning: {message}")

            warnings.showwarning = show
            yield


class _Printer(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenOutputPipeError


def result_width() -> int:
    """How wide results may be."""
    width = Console().width
    # As wide as the text, so that no line is broken or cut for whoever reads the pipe.
    return width if sys.stdout.isatty() else max(width, 100)


def print_result(*parts: Any) -> None:
    """Text, tables and the like on standard output."""
    console = _Printer(highlight=False)
    console.width = result_width()
    try:
        for part in parts:
            # Names in a text may look like markup.
            console.print(Text(part) if isinstance(part, str) else part)
    except BrokenPipeError:
        # Where rich is too old to call `on_broken_pipe`.
        raise BrokenOutputPipeError from None


def command_line() -> str:
    """The command that is running, to be pasted into a shell."""
    return printable(shlex.join(["isonomy", *sys.argv[1:]]))


def print_as_it_is(text: str) -> None:
    """Text on standard output, its lines as long as they are; UTF-8, as in a file."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode(errors=_NO_TEXT))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise BrokenOutputPipeError from None


def write_json(document: dict[str, Any], path: str) -> None:
    """One strict JSON document, to a file or ('-') to standard output; null for what is NaN."""
    text = json.dumps(jsonable(document), indent=2, allow_nan=False, ensure_ascii=False)
    write_text(f"{text}\n", path)


def write_text(text: str, path: str) -> None:
    """A text as it is, to a file or ('-') to standard output."""
    if path == "-":
        print_as_it_is(text)
        return
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8", errors=_NO_TEXT)


def read_json(path: str, option: str) -> dict[str, Any]:
    """A JSON document that this command wrote earlier."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            document = json.load(file)
    except FileNotFoundError:
        raise UserError(f"{option}: there is no file {path}.") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise UserError(f"{option}: {path} is not JSON ({error}).") from None
    if not isinstance(document, dict):
        raise UserError(f"{option}: {path} is JSON, but not what this command writes.")
    return document
