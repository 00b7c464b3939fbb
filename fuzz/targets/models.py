"""Model files with right checksums and wrong content: load, then predict."""

from __future__ import annotations

import hashlib
import json
import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz.case import Case, Violation
from fuzz.in_child import in_child
from fuzz.mutate import mutated_array, mutated_bytes, mutated_tree

_FILE = "m.isonomy"
_DIGITS = 64
# What they hold is not checked whole, so they need `trusted`; or their module is slow to import.
_LEFT_OUT = {"neural"}


class Models:
    """Files of every kind of model that loads without being trusted."""

    name = "models"
    seconds = 20.0

    def prepare(self) -> None:
        import isonomy._models.files
        import tests.models.models  # noqa: F401

        _good_files()

    def make(self, random: Random) -> Case:
        name = random.choice(sorted(_good_files()))
        return Case(self.name, (name,), {_FILE: _spoiled(random, _good_files()[name])})

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        import isonomy as iso
        from tests.models.models import MODELS

        case.write(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ranker = iso.load(folder / _FILE)
            except ValueError as error:
                return _message(str(error))
            except Exception as error:  # noqa: BLE001 (whatever comes out is looked at)
                return [Violation("load raises", f"{type(error).__name__}: {error}")]
            rows = MODELS[case.arguments[0]].rows[:20]
            try:
                scores = ranker.predict(rows)
            except Exception as error:  # noqa: BLE001
                return _no_prediction(error)
        if getattr(scores, "shape", None) != (20,):
            return [Violation("no scores", repr(scores)[:300])]
        return []


def _message(text: str) -> list[Violation]:
    return [Violation("long message", text[:600])] if len(text) > 1500 else []


def _no_prediction(error: Exception) -> list[Violation]:
    """A model of other columns may refuse these rows; it should say so."""
    text = f"{type(error).__name__}: {error}"
    told = isinstance(error, ValueError) and any(
        word in text for word in ("feature", "column", "Parameter `X`", "dimension", "categories")
    )
    return [] if told else [Violation("no prediction", text[:600])]


@cache
def _good_files() -> dict[str, bytes]:
    return in_child(_make_files)


def _make_files() -> dict[str, bytes]:
    from isonomy._models.files import from_bytes, to_bytes
    from tests.models.models import MODELS, fitted

    found = {}
    for name in MODELS:
        if name in _LEFT_OUT:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                data = to_bytes(fitted(name))
                from_bytes(data, set())
            except ValueError:
                # Only with `trusted`.
                continue
        found[name] = data
    return found


@cache
def _members(data: bytes) -> dict[str, bytes]:
    from isonomy._models.archive import unpack

    return {name: bytes(member) for name, member in unpack(data).items()}


def _spoiled(random: Random, data: bytes) -> bytes:
    from isonomy._models.archive import pack

    kind = random.random()
    if kind < 0.04:
        return mutated_bytes(random, data)
    if kind < 0.14:
        changed = mutated_bytes(random, data[:-_DIGITS])
        return changed + hashlib.sha256(changed).hexdigest().encode()
    members = dict(_members(data))
    arrays = [name for name in members if name.endswith((".npy", ".npz", ".bin"))]
    if kind < 0.45 and arrays:
        for name in random.sample(arrays, min(len(arrays), random.choice((1, 1, 2)))):
            members[name] = mutated_array(random, members[name])
    elif kind < 0.5 and len(arrays) > 1:
        one, two = random.sample(arrays, 2)
        members[one], members[two] = members[two], members[one]
    elif kind < 0.54:
        members["isonomy.json"] = _json(mutated_tree(random, json.loads(members["isonomy.json"])))
    else:
        members["schema.json"] = _json(mutated_tree(random, json.loads(members["schema.json"])))
        if random.random() < 0.1:
            members["schema.json"] = mutated_bytes(random, members["schema.json"])
    if random.random() < 0.03:
        members[random.choice(("9.npy", "x", "schema.json"))] = members[random.choice(list(members))]
    return pack(members)


def _json(tree: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=True).encode()
