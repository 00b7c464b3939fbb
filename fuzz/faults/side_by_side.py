"""Many at a time: two writers of one file, threads, forked processes and loky's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

from fuzz.faults.calls import public_calls, result, slow_calls
from fuzz.in_child import in_child

N_THREADS = 16

# In a fresh interpreter, where all threads make their first call at the same moment.
COLD = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
sys.setswitchinterval(1e-5)
from fuzz.faults.calls import public_calls, result
call = public_calls()[sys.argv[1]]
start = Barrier(16)
def first(_):
    start.wait()
    return result(call)
with ThreadPoolExecutor(16) as pool:
    assert len(set(pool.map(first, range(16)))) == 1, "threads differ"
"""


def cold_threads(names: list[str]) -> list[str]:
    """What goes wrong when 16 threads make the first call of a process."""
    wrong = []
    for name in names:
        done = subprocess.run(
            [sys.executable, "-c", COLD, name], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            wrong.append(f"{name}, first call by {N_THREADS} threads: {done.stderr[-300:]}")
    return wrong


def warm_threads() -> list[str]:
    """What differs when 16 threads call what one has called."""
    wrong = []
    for name, call in {**public_calls(), **slow_calls()}.items():
        alone, start = result(call), Barrier(N_THREADS)

        def again(_: int, call: Any = call, start: Barrier = start) -> str:
            start.wait()
            return result(call)

        with ThreadPoolExecutor(N_THREADS) as pool:
            if set(pool.map(again, range(N_THREADS))) != {alone}:
                wrong.append(f"{name} differs by {N_THREADS} threads")
    return wrong


def forked(names: list[str], seconds: float = 120.0) -> list[str]:
    """What fails in a forked child after its parent has called it."""
    wrong = []
    for name in names:
        call = public_calls()[name]
        alone = result(call)
        child = os.fork()
        if child == 0:
            os._exit(0 if result(call) == alone else 1)
        end = time.monotonic() + seconds
        status = None
        while status is None and time.monotonic() < end:
            done, code = os.waitpid(child, os.WNOHANG)
            status = os.waitstatus_to_exitcode(code) if done else time.sleep(0.02)
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        if status != 0:
            wrong.append(f"{name} in a forked child: {'hangs' if status is None else status}")
    return wrong


def _by_name(name: str) -> str:
    return result(public_calls()[name])


def by_loky(names: list[str]) -> list[str]:
    """What differs in loky's workers."""
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    found = Parallel(n_jobs=2)(delayed(_by_name)(name) for name in names)
    # This process ends without the usual farewell.
    get_reusable_executor().shutdown(wait=True)
    return [
        f"{name} differs in loky's workers"
        for name, there in zip(names, found, strict=True)
        if there != _by_name(name)
    ]


def two_writers(times: int) -> list[str]:
    """Whether a file that two processes save, over and over, is ever a mixture."""
    import isonomy as iso
    from fuzz.faults.calls import data

    X, Y, _, _ = data()
    rankers = [iso.LinearRanker(l2=l2).fit(X, Y) for l2 in (0.1, 10.0)]
    known = {ranker.coef_.tobytes() for ranker in rankers}
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m")
        iso.save(rankers[0], path)
        children = [_started(lambda r=ranker: _save_often(r, path, times)) for ranker in rankers]
        waiting = set(children)
        while waiting:
            if iso.load(path).coef_.tobytes() not in known:
                wrong.append("a file that two write is a mixture")
            for child in list(waiting):
                if os.waitpid(child, os.WNOHANG)[0]:
                    waiting.discard(child)
        left = [each.name for each in Path(folder).iterdir() if each.name != "m"]
        wrong += [f"{each} is left over" for each in left]
    return wrong


def _save_often(ranker: Any, path: Path, times: int) -> None:
    import isonomy as iso

    for _ in range(times):
        iso.save(ranker, path)


def _started(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return child


def repeated(times: int) -> tuple[int, list[str]]:
    """How much memory grows by in so many calls of the functions that serve."""
    return in_child(lambda: _growth(times))


def _growth(times: int) -> tuple[int, list[str]]:
    names = ("auc", "label_aucs", "pair_loss", "objective_auc", "conflict_aucs")
    calls = [public_calls()[name] for name in names]
    for _ in range(300):
        for call in calls:
            call()
    before = _resident()
    for _ in range(times // len(calls)):
        for call in calls:
            call()
    grown = _resident() - before
    return grown, [f"{times} calls grow by {grown >> 20} MB"] if grown > 10 * 2**20 else []


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
