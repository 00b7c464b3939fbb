"""A slice of the mutated files: what loads predicts. The long run is a command of its own."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from typing import Any

import numpy as np
import pytest

from isonomy._models.files import from_bytes
from isonomy._models.model_file_error import ModelFileError
from tests.models import mutated_files
from tests.models.mutated_files import KINDS, check_files, good_file, mutated, outcome, rows_for


@pytest.mark.parametrize("kind", KINDS)
def test_what_loads_predicts(kind: str) -> None:
    rows, good = rows_for(kind), good_file(kind)
    assert outcome(good, rows) == "predicts"
    found = [outcome(mutated(good, np.random.default_rng(seed)), rows) for seed in range(6)]
    assert set(found) <= {"refused", "predicts", "rows"}, found


# Seeds whose files were loaded and then failed.
KNOWN = {
    "isotonic": [11, 12, 30],
    "table forest": [21],
    "text": [59, 1160],
    "rare words": [44, 132792249102551269, 1344844143725602688],
    "search": [947340741232717302],
    "chain": [8694087414370892170],
    "sparse": [12, 41],
    "hashed texts": [1033],
}


@pytest.mark.parametrize(("kind", "seed"), [(kind, one) for kind in KNOWN for one in KNOWN[kind]])
def test_files_that_were_loaded_and_failed(kind: str, seed: int) -> None:
    data = mutated(good_file(kind), np.random.default_rng(seed))
    assert outcome(data, rows_for(kind)) in {"refused", "predicts", "rows"}


def test_each_kind_has_a_process() -> None:
    found = list(check_files(["linear"], range(3)))
    assert [one.seed for one in found] == [0, 1, 2]
    assert not any(one.is_violation for one in found)


def crash(_: bytes, __: Any) -> str:
    os.kill(os.getpid(), signal.SIGSEGV)
    return "predicts"


def compute(_: bytes, __: Any) -> str:
    try:
        while True:
            pass
    except SystemExit as stop:
        return f"load: {stop}"


def wait(_: bytes, __: Any) -> str:
    threading.Event().wait()
    return "predicts"


@pytest.mark.parametrize(
    ("use", "told", "patience"),
    [
        (crash, "ended its process: -11", 100),
        (compute, "load: took too long", 100),
        (wait, "ended its process: -9", 5),
    ],
)
def test_files_that_crash_or_hang_are_told(
    use: Any, told: str, patience: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The long run notices what it is there for, and goes on."""
    monkeypatch.setattr(mutated_files, "PATIENCE", patience)
    found = list(check_files(["linear"], range(1), use=use, seconds=1))
    assert [(one.what, one.is_violation) for one in found] == [(told, True)]


def test_most_mutations_are_neither_harmless_nor_nonsense() -> None:
    good, found = good_file("linear"), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(40):
            try:
                from_bytes(mutated(good, np.random.default_rng(seed)), set())
                found.append("loaded")
            except ModelFileError as error:
                found.append(str(error).split()[0])
    assert 4 <= found.count("loaded") <= 36
