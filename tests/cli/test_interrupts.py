"""What an interrupt leaves behind: nothing that is taken apart in the midst of being made."""

from __future__ import annotations

import gc
import signal
import threading
import weakref

import pytest

from isonomy.cli._interrupts import interruptible


class Half:
    """What was being made when the interrupt came."""


def interrupted() -> weakref.ref[Half]:
    """Interrupt a function that holds something; what it held."""
    held: list[weakref.ref[Half]] = []

    def work() -> None:
        half = Half()
        held.append(weakref.ref(half))
        signal.raise_signal(signal.SIGINT)

    try:
        with interruptible():
            work()
    except KeyboardInterrupt:
        pass
    else:
        pytest.fail("no interrupt came")
    gc.collect()
    return held[0]


def test_what_was_being_made_is_kept_until_the_process_ends() -> None:
    """LLVM crashes where a module that is half made is freed."""
    assert interrupted()() is not None


def test_handlers_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    interrupted()
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.set_wakeup_fd(-1) == -1


def test_another_thread_may_run_a_command() -> None:
    """Only the main one hears of signals."""
    done: list[bool] = []

    def work() -> None:
        with interruptible():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
