"""Checkpoints of a neural fit, spoiled: refused with a cure, or gone on with."""

from __future__ import annotations

import io
import warnings
import zipfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz.case import Case, Violation
from fuzz.in_child import in_child
from fuzz.mutate import mutated_bytes

_FILE = "neural_ranker.pt"


class Checkpoints:
    """What `NeuralRanker(checkpoints=...)` finds in its folder."""

    name = "checkpoints"
    seconds = 30.0

    def prepare(self) -> None:
        import torch

        import isonomy._rankers.neural  # noqa: F401

        torch.set_num_threads(1)
        _good_checkpoint()

    def make(self, random: Random) -> Case:
        return Case(self.name, (), {_FILE: _spoiled(random, _good_checkpoint())})

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        case.write(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                _fit(folder, 3)
            except ValueError as error:
                text = str(error)
                cured = "Delete it" in text or "Name another folder" in text
                return [] if cured else [Violation("no cure", text[:600])]
            except Exception as error:  # noqa: BLE001 (whatever comes out is looked at)
                return [Violation("fit raises", f"{type(error).__name__}: {error}"[:600])]
        return []


def _fit(folder: Path, epochs: int) -> Any:
    import numpy as np

    import isonomy as iso

    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    Y = (X + rng.normal(size=(30, 2)) > 0).astype(int)
    ranker = iso.NeuralRanker(
        hidden=(3,), max_epochs=epochs, patience=None, checkpoints=folder, random_state=0
    )
    return ranker.fit(X, Y)


@cache
def _good_checkpoint() -> bytes:
    return in_child(_make_checkpoint)


def _make_checkpoint() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        _fit(Path(name), 2)
        return Path(name, _FILE).read_bytes()


def _spoiled(random: Random, data: bytes) -> bytes:
    if random.random() < 0.3:
        return mutated_bytes(random, data)
    # The members, in an archive whose sums are right.
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        chosen = random.choice(old.namelist())
        chosen = next(n for n in old.namelist() if n.endswith("data.pkl")) if random.random() < 0.6 else chosen
        for name in old.namelist():
            content = old.read(name)
            if name == chosen:
                content = mutated_bytes(random, content)
                if random.random() < 0.05:
                    continue
            new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return out.getvalue()
