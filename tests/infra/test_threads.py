"""Work over chunks in threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from isonomy._infra import threads
from isonomy._infra.threads import chunks, default_threads, run, run_all, segment_chunks


@pytest.mark.parametrize(("length", "size"), [(0, 3), (1, 3), (3, 3), (7, 3), (9, 3)])
def test_chunks_cover_everything_once(length: int, size: int) -> None:
    parts = chunks(length, size)
    assert [i for start, stop in parts for i in range(start, stop)] == list(range(length))
    assert all(0 < stop - start <= size for start, stop in parts)


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_results_come_in_order(threads: int) -> None:
    tasks = [(x, x + 1) for x in range(20)]
    for found in (run(lambda x, y: x * y, tasks, threads), run_all(int.__mul__, tasks, threads)):
        assert list(found) == [x * (x + 1) for x in range(20)]


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_reach_the_caller(threads: int) -> None:
    def work(x: int) -> float:
        return 1 / x

    with pytest.raises(ZeroDivisionError):
        list(run(work, [(1,), (0,)], threads))
    with pytest.raises(ZeroDivisionError):
        run_all(work, [(1,), (0,), (1,), (1,)], threads)


def test_no_thread_outlives_the_call() -> None:
    before = threading.active_count()
    for either in (run, run_all):
        assert sum(either(int, [(x,) for x in range(10)], 4)) == 45
    assert threading.active_count() == before


def test_little_work_has_one_thread() -> None:
    assert default_threads(threads.WORTH_THREADS - 1) == 1
    assert default_threads(threads.WORTH_THREADS) >= 1


def test_segments_stay_whole() -> None:
    starts = np.array([0, 5, 6, 7, 20, 21])
    parts = segment_chunks(starts, 8)
    assert [s for a, b in parts for s in range(a, b)] == list(range(5))
    assert len(parts) > 1


def test_without_affinity_all_cores_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(threads.os, "sched_getaffinity", raising=False)
    assert default_threads(threads.WORTH_THREADS) == (threads.os.cpu_count() or 1)
