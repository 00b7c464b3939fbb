"""A slice of the mutated files: what loads predicts. The long run is a command of its own."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from isonomy._models.files import from_bytes
from isonomy._models.model_file_error import ModelFileError
from tests.models.mutated_files import KINDS, check_files, good_file, mutated, outcome, rows_for

# Kinds that take long to fit, or whose parts other kinds have.
LONG = {"fit plug-in", "fit blend", "fit funnel", "fit boosted blend", "fit worst", "fit neural"}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in LONG])
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


def test_a_file_that_ends_its_process_is_told() -> None:
    """The long run notices what it is there for."""
    found = list(check_files(["linear"], range(3)))
    assert [one.seed for one in found] == [0, 1, 2]
    assert not any(one.is_violation for one in found)


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
