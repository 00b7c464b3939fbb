"""Sketches of strangers: refused, or what they say holds together."""

from __future__ import annotations

import json
import struct
import warnings
from functools import cache
from hashlib import blake2b
from pathlib import Path
from random import Random

import numpy as np

from fuzz.case import Case, Violation
from fuzz.command_line import command_violations, prepare_command_line
from fuzz.in_child import in_child
from fuzz.mutate import mutated_bytes, mutated_tree

_START = struct.Struct("<8sHI")
_DIGEST = 16


class Sketches:
    """Bytes of `AUCSketch`, with right checksums and wrong content."""

    name = "sketches"
    seconds = 20.0

    def prepare(self) -> None:
        prepare_command_line()
        _good_sketches()

    def make(self, random: Random) -> Case:
        data = _spoiled(random, random.choice(_good_sketches()))
        command = ("audit", "a.sketch", "--json", "-") if random.random() < 0.05 else ()
        return Case(self.name, command, {"a.sketch": data})

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        if case.arguments:
            return command_violations(case, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _sketch_violations(case.files["a.sketch"])


def _sketch_violations(data: bytes) -> list[Violation]:
    import isonomy as iso

    try:
        sketch = iso.AUCSketch.from_bytes(data)
    except ValueError as error:
        text = str(error)
        return [] if len(text) < 1500 else [Violation("long message", text[:600])]
    except Exception as error:
        return [Violation("load raises", f"{type(error).__name__}: {error}")]
    try:
        again = iso.AUCSketch.from_bytes(sketch.to_bytes())
        if again.to_bytes() != sketch.to_bytes() or again.n_items != sketch.n_items:
            return [Violation("other bytes", repr(sketch))]
        conflicts = [sketch.conflict_aucs()] if len(sketch.names) > 1 else []
        for found in (sketch.label_aucs(), *conflicts):
            low, value, high = (np.asarray(x) for x in (found.low, found.value, found.high))
            known = ~np.isnan(value)
            rising = (low >= 0) & (low <= value) & (value <= high) & (high <= 1)
            if not rising[known].all():
                return [Violation("bounds", repr(found)[:300])]
        sketch.objective_auc(iso.LabelAggregation())
        if 2 * sketch.n_items < 2**62:
            doubled = iso.AUCSketch.from_bytes(data).merge(sketch)
            if doubled.n_items != 2 * sketch.n_items:
                return [Violation("items", repr(doubled)[:300])]
    except Exception as error:
        return [Violation("no answer", f"{type(error).__name__}: {error}"[:600])]
    return []


@cache
def _good_sketches() -> list[bytes]:
    return in_child(_make_sketches)


def _make_sketches() -> list[bytes]:
    import isonomy as iso

    rng = np.random.default_rng(0)
    found = []
    for n, n_labels, max_bytes in (
        (6, 1, 10_000),
        (200, 2, 10_000),
        (3000, 3, 2_000),
        (50, 5, 900),
    ):
        Y = rng.integers(0, 2, (n, n_labels)).astype(float)
        Y[rng.random(Y.shape) < 0.1] = np.nan
        names = [f"label {k}" for k in range(n_labels)]
        scores = rng.normal(size=n).round(2)
        scores[:2] = np.inf, -0.0
        counts = rng.integers(1, 1000, n) if n_labels == 2 else None
        sketch = iso.AUCSketch(names, max_bytes=max_bytes).add(Y, scores, counts=counts)
        found.append(sketch.to_bytes())
    return found


def _spoiled(random: Random, data: bytes) -> bytes:
    if random.random() < 0.05:
        return mutated_bytes(random, data)
    body = data[:-_DIGEST]
    magic, version, length = _START.unpack_from(body)
    head, rest = body[_START.size : _START.size + length], body[_START.size + length :]
    kind = random.random()
    if kind < 0.3:
        head = json.dumps(mutated_tree(random, json.loads(head))).encode()
    elif kind < 0.85:
        rest = mutated_bytes(random, rest)
    elif kind < 0.9:
        head, rest = mutated_bytes(random, head), mutated_bytes(random, rest)
    else:
        spoiled = mutated_bytes(random, body)
        return spoiled + blake2b(spoiled, digest_size=_DIGEST).digest()
    body = _START.pack(magic, version, len(head)) + head + rest
    return body + blake2b(body, digest_size=_DIGEST).digest()
