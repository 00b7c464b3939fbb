"""One thread of BLAS for those inside, and afterwards as many as before."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from isonomy._infra import blas, one_blas_thread


def threads_of_blas() -> list[int]:
    """Of each library."""
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def test_one_inside_and_as_before_outside() -> None:
    with threadpool_limits(3, user_api="blas"):
        with one_blas_thread():
            assert set(threads_of_blas()) == {1}
            with one_blas_thread():
                assert set(threads_of_blas()) == {1}
            assert set(threads_of_blas()) == {1}
        assert set(threads_of_blas()) == {3}
        with pytest.raises(ValueError, match="inside"), one_blas_thread():
            raise ValueError("inside")
        assert set(threads_of_blas()) == {3}


def test_the_last_to_leave_puts_the_number_back() -> None:
    """Whoever came first may leave first."""
    entered, left = threading.Event(), threading.Event()

    def first() -> None:
        with one_blas_thread():
            entered.set()
            assert left.wait(10)

    def second() -> list[int]:
        assert entered.wait(10)
        with one_blas_thread():
            left.set()
            one.result()
            return threads_of_blas()

    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        assert set(pool.submit(second).result()) == {1}
        assert set(threads_of_blas()) == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_child_of_one_inside_is_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_lock", blas._lock)
    monkeypatch.setattr(blas, "_inside", blas._inside)
    with threadpool_limits(2, user_api="blas"), one_blas_thread(), blas._lock:
        # As the child would find it: held by a thread that is not there.
        blas._after_fork()
        with one_blas_thread():
            assert set(threads_of_blas()) == {1}
        assert set(threads_of_blas()) == {2}
