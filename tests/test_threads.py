"""Work over chunks in threads."""

from __future__ import annotations

import threading

import pytest

from isonomy import _threads
from isonomy._threads import chunks, default_threads, run


@pytest.mark.parametrize(("length", "size"), [(0, 3), (1, 3), (3, 3), (7, 3), (9, 3)])
def test_chunks_cover_everything_once(length: int, size: int) -> None:
    parts = chunks(length, size)
    assert [i for start, stop in parts for i in range(start, stop)] == list(range(length))
    assert all(0 < stop - start <= size for start, stop in parts)


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_results_come_in_order(threads: int) -> None:
    assert list(run(lambda x: x * x, range(20), threads)) == [x * x for x in range(20)]


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_reach_the_caller(threads: int) -> None:
    def work(x: int) -> float:
        return 1 / x

    with pytest.raises(ZeroDivisionError):
        list(run(work, [1, 0], threads))


def test_no_thread_outlives_the_call() -> None:
    before = threading.active_count()
    assert sum(run(int, range(10), 4)) == 45
    assert threading.active_count() == before


def test_little_work_has_one_thread() -> None:
    assert default_threads(_threads.WORTH_THREADS - 1) == 1
    assert default_threads(_threads.WORTH_THREADS) >= 1
