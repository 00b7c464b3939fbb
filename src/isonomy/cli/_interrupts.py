"""Ctrl-C ends a command within a second, whatever it is doing."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from isonomy._infra import remove_unfinished
from isonomy.cli._exit_codes import EXIT_INTERRUPTED
from isonomy.cli._panics import standard_error

# Python tells of a signal between two of its own steps, and one step may be a long computation
# in compiled code. Whoever has not stopped after so many seconds is stopped.
PATIENCE = 0.7
SAID = "Interrupted. No file was left half written."
# Set once an interrupt has come.
_heard = threading.Event()
# Errors that hold what compiled code was in the midst of: LLVM may crash where a module that is
# half made is taken apart before the process ends.
_kept: list[KeyboardInterrupt] = []


@contextmanager
def interruptible() -> Iterator[None]:
    """While the block lasts, an interrupt that goes unheard ends the process.

    The system's own handler writes a byte to a socket at once; a thread waits for it there.
    """
    _heard.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        signal.signal(signal.SIGINT, _interrupt)
    heard, told = socket.socketpair()
    told.setblocking(False)
    before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    done = threading.Event()
    threading.Thread(target=_watch, args=(heard, done), daemon=True).start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        if usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        told.close()


def _interrupt(*_: object) -> None:
    """What Python does, too."""
    error = KeyboardInterrupt()
    _kept.append(error)
    raise error


def _watch(heard: socket.socket, done: threading.Event) -> None:
    """Wait for an interrupt, and then for the end of the command."""
    with heard:
        while data := heard.recv(64):
            if signal.SIGINT in data:
                _heard.set()
                if not done.wait(PATIENCE):
                    end_now()


def was_interrupted(seconds: float) -> bool:
    """Whether an interrupt has come, or comes to be known within so many seconds.

    Libraries in other languages make errors of their own of it, such as polars' panics.
    """
    return _heard.wait(seconds)


def end_now() -> None:
    """End in the midst of it: what is half written goes, what was there stays."""
    remove_unfinished()
    with contextlib.suppress(OSError):
        os.write(standard_error(), f"{SAID}\n".encode())
    os._exit(EXIT_INTERRUPTED)
