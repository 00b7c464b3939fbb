"""Commands that are killed, interrupted or run out of disk: the old file, or the whole new one."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

from fuzz.command_line import prepare_command_line, run_command
from fuzz.in_child import in_child
from fuzz.targets.good_inputs import LABELS, made_files, table, written

OLD = b"precious"
_SCORE = ("--score", "score")
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "fit": (("fit", "t.csv", *LABELS, "--method", "mean", "--no-tune", "--out", "m"), ("m",)),
    "sketch": (("sketch", "t.csv", *LABELS, *_SCORE, "--out", "s"), ("s",)),
    "rank": (
        ("rank", "t.csv", "--model", "model.isonomy", "--out", "o.csv", "--score-name", "s"),
        ("o.csv",),
    ),
    "audit": (("audit", "t.csv", *LABELS, *_SCORE, "--json", "r"), ("r",)),
    "compare": (
        (
            *("compare", "t.csv", *LABELS, "--no-tune", "--family", "linear", "--folds", "2"),
            *("--repeats", "1", "--methods", "mean", "--out", "m", "--quiet"),
        ),
        ("m",),
    ),
}


def prepare() -> None:
    """Import and make what commands need; this process starts no threads."""
    prepare_command_line()
    made_files()


def stopped(signals: tuple[int, ...], times: int, random: Random) -> tuple[Counter[str], list[str]]:
    """End each command at random moments of its run; counts, and what went wrong."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for name, (words, outputs) in COMMANDS.items():
        took, whole = _undisturbed(words, outputs)
        for _ in range(times):
            for number in signals:
                moment = random.uniform(0.0, took * 1.02)
                with _folder(outputs) as folder:
                    code = _in_child(
                        words, folder, lambda child, m=moment, n=number: _send(child, m, n)
                    )
                    counts["ended" if code != 0 else "done before"] += 1
                    said = f"{name}, signal {number} after {moment:.3f} s, exit {code}"
                    for output in outputs:
                        content = (folder / output).read_bytes()
                        if content not in (OLD, whole[output]):
                            wrong.append(f"{said}: {output} is neither the old nor the new one")
                    if number == signal.SIGINT:
                        if code not in (0, 130):
                            wrong.append(said)
                        wrong += [f"{said}: {each} is left over" for each in _left_over(folder)]
    return counts, wrong


def full_disk(times: int, random: Random) -> tuple[Counter[str], list[str]]:
    """Let each command write only some of its bytes."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for name, (words, outputs) in COMMANDS.items():
        _, whole = _undisturbed(words, outputs)
        for _ in range(times):
            limit = random.randrange(max(len(content) for content in whole.values()))
            with _folder(outputs) as folder:
                code = _in_child(words, folder, None, lambda limit=limit: _small_disk(limit))
                counts[f"exit {code}"] += 1
                said = f"{name} with room for {limit} bytes, exit {code}"
                if code not in (0, 2):
                    wrong.append(said)
                if any((folder / output).read_bytes() != OLD for output in outputs):
                    wrong.append(f"{said}: the old file is gone")
                wrong += [f"{said}: {each} is left over" for each in _left_over(folder)]
    return counts, wrong


def read_only() -> tuple[Counter[str], list[str]]:
    """Run each command in a folder that it may not write to."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for name, (words, outputs) in COMMANDS.items():
        with _folder(outputs) as folder:
            folder.chmod(0o555)
            code = _in_child(words, folder, None, _heed_permissions)
            counts[f"exit {code}"] += 1
            if code != 2 or any((folder / output).read_bytes() != OLD for output in outputs):
                wrong.append(f"{name} in a folder for reading, exit {code}")
            folder.chmod(0o755)
    return counts, wrong


def _undisturbed(
    words: tuple[str, ...], outputs: tuple[str, ...]
) -> tuple[float, dict[str, bytes]]:
    took = []
    for _ in range(3):
        with _folder(outputs) as folder:
            began = time.monotonic()
            code = _in_child(words, folder)
            took.append(time.monotonic() - began)
            if code != 0:
                raise SystemExit(f"`isonomy {' '.join(words)}` ends with {code} without any fault.")
            whole = {output: (folder / output).read_bytes() for output in outputs}
    # The shortest: a moment after the end would be no fault.
    return min(took), whole


@contextmanager
def _folder(outputs: tuple[str, ...]) -> Iterator[Path]:
    # Of one name: it stands in what commands write.
    folder = Path(tempfile.gettempdir(), f"isonomy-faults-{os.getpid()}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "t.csv").write_bytes(_table())
    for name, content in made_files().items():
        (folder / name).write_bytes(content)
    for output in outputs:
        (folder / output).write_bytes(OLD)
    yield folder
    shutil.rmtree(folder)


@cache
def _table() -> bytes:
    # In a child: polars would start threads here.
    return in_child(lambda: written(table(400), "csv"))


def _in_child(
    words: tuple[str, ...],
    folder: Path,
    disturb: Callable[[int], None] | None = None,
    before: Callable[[], None] | None = None,
) -> int:
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if before is not None:
            before()
        try:
            ended = run_command(words)
        except KeyboardInterrupt:
            # Before the command has begun, or after its end.
            os._exit(130)
        if str(ended.raised).startswith("KeyboardInterrupt"):
            # The same: of a command of its own, the interpreter tells it.
            os._exit(130)
        os._exit(99 if ended.raised or ended.code is None else ended.code)
    if disturb is not None:
        disturb(child)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _send(child: int, moment: float, number: int) -> None:
    end = time.monotonic() + moment
    while time.monotonic() < end:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.002)
    os.kill(child, number)


def _small_disk(limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def _heed_permissions() -> None:
    """Write only where permissions allow it, root too, who may go on reading its Python."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    # The header of capset(2), version 3; then effective, permitted, inheritable, twice.
    head, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    override = 1 << 1
    if libc.capget(head, sets) == 0:
        sets[0] &= ~override
        if libc.capset(head, sets) == 0:
            return
    raise OSError(ctypes.get_errno(), "root cannot be made to heed permissions here")


def _left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]
