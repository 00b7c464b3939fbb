"""The command in this process, and what it may not do."""

from __future__ import annotations

import functools
import io
import itertools
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.case import Case, Violation

# 0 and what cli/_exit_codes.py lists, without that of a bug.
_EXITS = {0, 1, 2, 130, 141}
# A message of more letters is no line or two.
_LONGEST = 1500
_OLD = b"precious"
OUTPUTS = ("--out", "--json", "--report")
# An imperative, an option or an example: something that the reader can do.
_CURE = re.compile(
    r"--\w|should|`|See:|\b(?:add|ask|bring|check|choose|convert|correct|delete|give|install|leave|"
    r"make|name|pass|put|quote|read|remove|rename|repair|replace|run|save|scale|subtract|take|"
    r"train|try|unpack|upgrade|use|wait|write|set|fit|divide|did you mean|such as|there is no file|"
    r"there are|needs?|no space|file too large|is a folder|only|"
    # The system's own words, which name the file and leave no doubt.
    r"no such file|permission denied|is a directory|not a directory|file name too long)\b",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it said; `raised`: what came out of it.

    `native`: what compiled code printed on its own.
    """

    code: int | None
    out: str
    err: str
    raised: str = ""
    native: str = ""


def prepare_command_line() -> None:
    """Import what commands need, and have their parser built once."""
    import typer.main

    if not hasattr(typer.main.get_command, "cache_info"):
        typer.main.get_command = functools.cache(typer.main.get_command)
    from isonomy.cli import (  # noqa: F401
        _app,
        _audit,
        _blend,
        _compare,
        _export,
        _fit,
        _judge,
        _rank,
        _show,
        _sketch,
    )


def run_command(arguments: tuple[str, ...], stdin: bytes = b"") -> Ended:
    """`isonomy` with these arguments, its streams caught."""
    from isonomy.cli import main

    kept = sys.argv, sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.argv = ["isonomy", *arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    # Each closes what it writes to when nobody holds it any more.
    streams = sys.stdout, sys.stderr = (
        io.TextIOWrapper(out, encoding="utf-8", write_through=True),
        io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", write_through=True),
    )
    code, raised = None, ""
    with native_words() as native:
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0
        except BaseException as error:
            raised = f"{type(error).__name__}: {error}"
        finally:
            sys.argv, sys.stdin, sys.stdout, sys.stderr = kept
    said = [each.getvalue().decode(errors="replace") for each in (out, err)]
    del streams
    return Ended(code, said[0], said[1], raised, native.getvalue().decode(errors="replace"))


@contextmanager
def native_words() -> Iterator[io.BytesIO]:
    """What compiled code prints to the descriptor of standard error; there after the block."""
    said = io.BytesIO()
    with tempfile.TemporaryFile() as file:
        real = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(real, 2)
            os.close(real)
            file.seek(0)
            said.write(file.read())


def command_violations(case: Case, folder: Path) -> list[Violation]:
    """Run a case's command among its files, and look at all that it said and wrote."""
    case.write(folder)
    stdin = next(iter(case.files.values()), b"")
    outputs = [name for name in _outputs(case.arguments) if name not in case.files]
    # Every other time there is something to lose.
    filled = [name for k, name in enumerate(outputs) if (len(case.arguments) + k) % 2]
    for name in filled:
        (folder / name).write_bytes(_OLD)
    ended = run_command(case.arguments, stdin)
    ending = _ending(ended)
    return [
        *ending,
        # A traceback has no cure; that is one violation, not two.
        *([] if ending else _message(ended, case)),
        *_files(ended, case, folder, outputs, filled),
    ]


def _outputs(arguments: tuple[str, ...]) -> list[str]:
    """Plain names that the arguments say should be written."""
    named = itertools.pairwise(arguments)
    return [
        name for option, name in named if option in OUTPUTS and re.fullmatch(r"\w[\w.]{,99}", name)
    ]


def _ending(ended: Ended) -> list[Violation]:
    if ended.raised:
        return [Violation("traceback", ended.raised)]
    if ended.code == 70 or "Traceback (most recent call last)" in ended.err:
        return [Violation("traceback", ended.err[-1500:])]
    if "panicked at" in ended.native:
        return [Violation("traceback", ended.native[:1500])]
    if ended.code not in _EXITS:
        return [Violation("exit code", f"{ended.code}: {ended.err[-300:]}")]
    if "not enough memory" in ended.err:
        return [Violation("memory", ended.err[-300:])]
    return []


def _message(ended: Ended, case: Case) -> list[Violation]:
    found = []
    told = ended.err.split("Error: ")[-1] if "Error: " in ended.err else ""
    if ended.code == 2 and not told:
        found.append(Violation("no message", ended.err[-300:]))
    if told and not _CURE.search(told):
        found.append(Violation("no cure", told[:600]))
    if len(told) > _LONGEST:
        found.append(Violation("long message", told[:600]))
    controls = _CONTROL.search(ended.err + ("" if _data_printed(case) else ended.out))
    if controls:
        found.append(Violation("control character", repr(ended.err[-600:])))
    if ended.code == 2 and _echoed(told, case):
        found.append(Violation("echo", told[:600]))
    return found


def _data_printed(case: Case) -> bool:
    """Whether standard output is data for a program, which keeps what it was given."""
    named = itertools.pairwise(case.arguments)
    return "--sql" in case.arguments or any(
        option in OUTPUTS and name == "-" for option, name in named
    )


def _echoed(told: str, case: Case) -> bool:
    """Whether two lines of a file, one after the other, are in what was told."""
    for content in case.files.values():
        lines = content.decode(errors="replace").splitlines()
        for one, two in itertools.pairwise(lines):
            if len(one) > 8 and len(two) > 8 and one in told and two in told:
                return True
    return False


def _files(
    ended: Ended, case: Case, folder: Path, outputs: list[str], filled: list[str]
) -> list[Violation]:
    found = []
    for name, content in case.files.items():
        # Whoever names a file for a result means it, where it is none of what is read.
        if ended.code in (0, 1) and name in _outputs(case.arguments):
            continue
        if not (folder / name).is_file() or (folder / name).read_bytes() != content:
            found.append(Violation("input destroyed", name))
    left = [name for name in os.listdir(folder) if name.endswith(".tmp")]  # noqa: PTH208
    if left:
        found.append(Violation("left over", str(left)))
    for name in outputs:
        path = folder / name
        content = path.read_bytes() if path.is_file() else None
        if content is None and name in filled:
            found.append(Violation("output destroyed", name))
        if content not in (None, _OLD) and (wrong := _not_whole(name, content or b"", case)):
            found.append(Violation("half-written", f"{name}: {wrong}"))
    json_option = dict(itertools.pairwise(case.arguments)).get("--json")
    if json_option == "-" and ended.code in (0, 1) and "--help" not in case.arguments:
        wrong = _not_json(ended.out)
        if wrong:
            found.append(Violation("JSON", wrong))
    return found


def _not_whole(name: str, content: bytes, case: Case) -> str:
    """Why a new file is not what its option promises; empty where it is."""
    option = next(o for o, n in itertools.pairwise(case.arguments) if n == name)
    if option == "--json":
        return _not_json(content.decode(errors="replace"))
    if option == "--report":
        return "" if content.rstrip().endswith(b"</html>") else "the page has no end"
    command = case.arguments[0]
    try:
        if command == "sketch":
            from isonomy import AUCSketch

            AUCSketch.from_bytes(content)
        elif command in ("fit", "blend", "compare"):
            import isonomy as iso

            iso.load(name)
        elif not content and not name.endswith(".jsonl"):
            # JSON lines of a table without rows have nothing to say.
            return "empty"
    except ValueError as error:
        return str(error)[:300]
    return ""


def _not_json(text: str) -> str:
    try:
        json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        return f"{error}: {text[:200]}"
    return ""


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)
