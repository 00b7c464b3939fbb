"""What ends a command, and how that is told."""

from __future__ import annotations

import linecache
import os
import sys
import traceback
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import Any

from isonomy.cli._exit_codes import EXIT_BROKEN_PIPE, EXIT_BUG, EXIT_INTERRUPTED, EXIT_MISTAKE
from isonomy.cli._interrupts import SAID, was_interrupted

_PACKAGE = str(Path(__file__).parents[1])
# Seconds in which an interrupt that has come is known to have come.
_MOMENT = 0.1


class UserError(Exception):
    """A mistake of the user's, told in a line or two, with the cure."""


class BrokenOutputPipeError(Exception):
    """Whoever read standard output has closed it, such as `head`.

    No `BrokenPipeError`, because typer would catch that and exit with 1.
    """


def check_option(option: str, value: str, choices: Collection[str]) -> None:
    """What an option names should be one of the choices."""
    if value not in choices:
        # Not above: `isonomy --help` passes here, and should not wait for numpy.
        from isonomy._core import suggestion

        raise UserError(
            f"{option} should be one of {', '.join(choices)}. Found {value!r}."
            f"{suggestion(value, list(choices))}"
        )


def report_error(error: BaseException) -> int:
    """Tell on standard error what went wrong; the exit code."""
    if isinstance(error, BrokenOutputPipeError):
        # So that Python's own flush at the end has somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    if hasattr(error, "format_message"):
        tell(_parser_message(error))
        return EXIT_MISTAKE
    ours = isinstance(error, UserError) or raised_by_isonomy(error)
    # Of another's error the thread that listens may be a moment behind.
    moment = 0.0 if ours and error.__cause__ is None else _MOMENT
    if isinstance(error, KeyboardInterrupt) or was_interrupted(moment):
        tell(SAID)
        return EXIT_INTERRUPTED
    if isinstance(error, MemoryError):
        tell("Error: not enough memory for this table. Take fewer rows or columns.")
        return EXIT_MISTAKE
    if isinstance(error, OSError):
        tell(f"Error: {_system_message(error)}")
        return EXIT_MISTAKE
    if ours:
        tell(f"Error: {error}")
        return EXIT_MISTAKE
    tell("".join(traceback.format_exception(error)))
    from isonomy import __version__

    tell(
        f"This is a bug in Isonomy {__version__}, not a mistake of yours. Please report the lines "
        "above, with the command and a few rows of the table if you may share them."
    )
    return EXIT_BUG


def raised_by_isonomy(error: BaseException) -> bool:
    """Whether a `raise` of Isonomy's own code made this error, so that its text has the cure."""
    if not isinstance(error, ValueError | TypeError | ImportError):
        return False
    last: TracebackType | None = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    filename = last.tb_frame.f_code.co_filename
    line = linecache.getline(filename, last.tb_lineno)
    return filename.startswith(_PACKAGE) and line.strip().startswith("raise ")


def _parser_message(error: Any) -> str:
    """What the parser of the command line says, in two lines."""
    path = getattr(getattr(error, "ctx", None), "command_path", "")
    command = " ".join(["isonomy", *path.split()[1:]])
    text, possible = error.format_message(), getattr(error, "possibilities", None)
    if possible and hasattr(error, "option_name"):
        # Not all that the parser finds possible is near.
        from isonomy._core import suggestion

        text = f"No such option: {error.option_name}.{suggestion(error.option_name, possible)}"
    return f"Error: {text}\nSee: {command} --help"


def _system_message(error: OSError) -> str:
    if error.errno is None:
        return str(error)
    where = f": {error.filename}" if error.filename is not None else ""
    return f"{error.strerror or error}{where}."


def tell(text: str) -> None:
    """A line on standard error, also when quiet."""
    # Not above: `isonomy --help` passes here, and should not wait for numpy.
    from isonomy._infra import printable_lines

    print(printable_lines(text), file=sys.stderr)  # noqa: T201
