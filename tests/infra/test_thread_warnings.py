"""Each thread has its own warnings."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from isonomy._infra import collected_warnings, warnings_by_thread


def test_threads_do_not_mix() -> None:
    together = Barrier(4)

    def work(number: int) -> list[str]:
        with collected_warnings() as found:
            for _ in range(5):
                together.wait()
                warnings.warn(f"of {number}", stacklevel=1)
        return list(found)

    with warnings_by_thread(), ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(4)))
    assert found == [[f"of {number}"] * 5 for number in range(4)]


def test_an_inner_block_keeps_its_own() -> None:
    with warnings_by_thread(), collected_warnings() as outer:
        warnings.warn("before", stacklevel=1)
        with collected_warnings() as inner:
            warnings.warn("inside", stacklevel=1)
        warnings.warn("after", stacklevel=1)
    assert (list(outer), list(inner)) == (["before", "after"], ["inside"])


def test_without_threads() -> None:
    with collected_warnings() as found:
        warnings.warn("alone", stacklevel=1)
    assert found == ["alone"]
    with pytest.warns(UserWarning, match="shown"):
        warnings.warn("shown", stacklevel=1)


def test_all_is_as_before_afterwards() -> None:
    shown = warnings.showwarning
    with warnings_by_thread(), warnings_by_thread():
        pass
    assert warnings.showwarning is shown
