"""Checkpoints of a neural fit, spoiled: refused with a cure, or gone on with."""

from __future__ import annotations

import io
import warnings
import zipfile
from functools import cache
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

from fuzz.case import Case, Violation
from fuzz.in_child import in_child
from fuzz.mutate import mutated_bytes

_FILE = "neural_ranker.pt"
# What stands before torch's own bytes: words, and the checksum.
_START, _DIGEST = 35, 16


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
        data = _good_checkpoint()
        if random.random() < 0.5:
            return Case(self.name, ("damaged",), {_FILE: mutated_bytes(random, data)})
        content = _spoiled(random, data[_START:])
        head = data[: _START - _DIGEST] + blake2b(content, digest_size=_DIGEST).digest()
        return Case(self.name, ("forged",), {_FILE: head + content})

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        case.write(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                _fit(folder, 3)
            except ValueError as error:
                text = str(error)
                cures = ("Delete it", "ame another folder", "Lower the learning rate")
                cured = any(cure in text for cure in cures)
                return [] if cured else [Violation("no cure", text[:600])]
            except Exception as error:
                # Of a file with a right checksum it is promised that it runs no code.
                if case.arguments[0] == "damaged":
                    return [Violation("fit raises", f"{type(error).__name__}: {error}"[:600])]
                return []
        changed = case.arguments[0] == "damaged" and case.files[_FILE] != _good_checkpoint()
        return (
            [Violation("not noticed", "a damaged checkpoint was gone on with")] if changed else []
        )


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
    # The members, in an archive whose sums are right.
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        pickled = [name for name in names if name.endswith("data.pkl")]
        chosen = random.choice(pickled if random.random() < 0.6 else names)
        for name in old.namelist():
            content = old.read(name)
            if name == chosen:
                content = mutated_bytes(random, content)
                if random.random() < 0.05:
                    continue
            new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return out.getvalue()
