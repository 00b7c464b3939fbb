"""Worker processes that run cases, and a watch over them."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzz.case import Case, Target, Violation

# Beyond these a case takes too much memory, whatever its size: most take a few MB.
MOST_MEMORY = 500 * 2**20
# So that a case which takes all memory ends itself, not the machine.
_ADDRESSES = 8 * 2**30
# So many times slower may a machine be while others use it.
_BUSY = 10


@dataclass
class Outcome:
    """What came of one case."""

    number: int
    violations: list[Violation] = field(default_factory=list)


def case_of(target: Target, seed: int, number: int) -> Case:
    """The case of this number: the same in every process."""
    return target.make(Random(f"{target.name} {seed} {number}"))


class Worker:
    """A child that runs every `step`-th case from `first` on, and is replaced when it ends."""

    def __init__(self, target: Target, seed: int, first: int, step: int) -> None:
        self.target, self.seed, self.step = target, seed, step
        self.next = first
        self._start()

    def _start(self) -> None:
        read, write = os.pipe()
        sys.stdout.flush()
        self._child = os.fork()
        if self._child == 0:
            os.close(read)
            _serve(self.target, self.seed, self.next, self.step, write)
        os.close(write)
        self.pipe, self._text, self._first = read, b"", True
        self._begin()

    def _begin(self) -> None:
        self._begun, self._spent = time.monotonic(), _processor_time(self._child)

    def outcomes(self) -> Iterator[Outcome]:
        """What has come of cases since the last call; the worker may have been replaced."""
        ready, _, _ = select.select([self.pipe], [], [], 0)
        data = os.read(self.pipe, 1 << 16) if ready else None
        if data == b"":
            yield self._ended("crash")
            return
        *lines, self._text = (self._text + (data or b"")).split(b"\n")
        for line in lines:
            yield self._outcome(line.decode())
        if not lines and self._hangs():
            os.kill(self._child, signal.SIGABRT)
            time.sleep(0.2)
            os.kill(self._child, signal.SIGKILL)
            yield self._ended("hang")

    def stop(self) -> None:
        """End the child."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self.pipe)

    def _hangs(self) -> bool:
        """Whether a case takes too long: of the processor, which others may use, or by far."""
        # The first case waits for compiled kernels to be read.
        patience = self.target.seconds + (120 if self._first else 0)
        waited = time.monotonic() - self._begun
        if waited <= patience:
            return False
        spent = _processor_time(self._child) - self._spent
        return spent > patience or waited > _BUSY * patience

    def _outcome(self, line: str) -> Outcome:
        number, *rest = line.split("\t")
        self._first = False
        self._begin()
        self.next = int(number) + self.step
        return Outcome(int(number), _told(rest))

    def _ended(self, kind: str) -> Outcome:
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        os.close(self.pipe)
        number = self.next
        self.next += self.step
        self._start()
        return Outcome(number, [Violation(kind, f"the process ended with {status}")])


def _processor_time(child: int) -> float:
    """Seconds that a process has used so far."""
    numbers = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    # utime and stime of proc(5), after the name, which may hold blanks.
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def run_in_child(target: Target, case: Case) -> list[Violation]:
    """What comes of one case, with a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        limit_memory()
        found = looked_at(target, case)
        with os.fdopen(write, "w") as file:
            file.write(_line(0, found))
        os._exit(0)
    os.close(write)
    ready, _, _ = select.select([read], [], [], _BUSY * target.seconds)
    if not ready:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(read) as file:
        line = file.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not ready or status != 0:
        return [Violation("crash" if ready else "hang", f"the process ended with {status}")]
    return _told(line.rstrip("\n").split("\t")[1:])


def looked_at(target: Target, case: Case) -> list[Violation]:
    """Run a case in this process, in a folder of its own, and look at what it took."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_quick_folder()))
    inside = folder / "here"
    inside.mkdir()
    before, here = _peak(), Path.cwd()
    os.chdir(inside)
    try:
        found = target.violations(case, inside)
    except MemoryError:
        found = [Violation("memory", "MemoryError")]
    except Exception:
        found = [Violation("fuzzer", traceback.format_exc()[-1500:])]
    finally:
        os.chdir(here)
        shutil.rmtree(folder, ignore_errors=True)
    if _peak() - before > MOST_MEMORY:
        found.append(Violation("memory", f"{(_peak() - before) >> 20} MB"))
    return found


def _made_and_looked_at(target: Target, seed: int, number: int) -> list[Violation]:
    try:
        case = case_of(target, seed, number)
    except Exception:
        # The fuzzer's own mistake is not one of what it looks at.
        return [Violation("fuzzer", traceback.format_exc()[-1500:])]
    return looked_at(target, case)


def limit_memory() -> None:
    """For this process, beyond what it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * os.sysconf("SC_PAGE_SIZE") + _ADDRESSES
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _serve(target: Target, seed: int, first: int, step: int, pipe: int) -> None:
    """Run cases until killed; never returns."""
    faulthandler.disable()
    limit_memory()
    number = first
    try:
        # What the first use takes belongs to no case.
        looked_at(target, case_of(target, -1, 0))
        # What is there now stays: collecting it again and again takes a tenth of the time.
        gc.freeze()
        while True:
            found = _made_and_looked_at(target, seed, number)
            os.write(pipe, _line(number, found).encode())
            number += step
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(3)


def _line(number: int, found: list[Violation]) -> str:
    pairs = [
        "\x1f".join(each.encode("unicode_escape").decode() for each in (one.kind, one.detail))
        for one in found
    ]
    return "\t".join([str(number), *pairs]) + "\n"


def _told(pairs: list[str]) -> list[Violation]:
    return [
        Violation(*(each.encode().decode("unicode_escape") for each in pair.split("\x1f")))
        for pair in pairs
    ]


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _quick_folder() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
