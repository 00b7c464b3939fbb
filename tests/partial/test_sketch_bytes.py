"""Bytes of sketches: the same everywhere, and refused where they are not a sketch's."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isonomy as iso
from isonomy._partial.sketch_bytes import _DIGEST, _START, _digest, pack_numbers, unpack_numbers


def sketch_bytes(max_bytes: int = 2_000) -> bytes:
    rng = np.random.default_rng(0)
    Y = rng.choice([0.0, 1.0, np.nan], (500, 2))
    return iso.AUCSketch(["a", "β"], max_bytes=max_bytes).add(Y, rng.normal(size=500)).to_bytes()


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_numbers_come_back(numbers: list[int]) -> None:
    data = pack_numbers(np.array(numbers, np.uint64)) + b"rest"
    found, rest = unpack_numbers(memoryview(data), len(numbers))
    assert found.tolist() == numbers
    assert bytes(rest) == b"rest"


def test_the_format_does_not_change_unnoticed() -> None:
    """These bytes were written by version 1 of the format, and are to be read for ever."""
    data = iso.AUCSketch(["a"], max_bytes=300).add([1, 0, 1], [0.5, -1.0, 0.5]).to_bytes()
    assert data.hex() == WRITTEN
    assert iso.AUCSketch.from_bytes(bytes.fromhex(WRITTEN)).label_aucs().value[0] == 1.0


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_changed_byte_is_noticed(place: int, value: int) -> None:
    data = bytearray(sketch_bytes())
    place %= len(data)
    if data[place] != value:
        data[place] = value
        with pytest.raises(ValueError, match=r"bytes (should|of a sketch)"):
            iso.AUCSketch.from_bytes(bytes(data))


@given(st.integers(0, 10_000))
def test_a_cut_is_noticed(length: int) -> None:
    data = sketch_bytes()
    if length < len(data):
        with pytest.raises(ValueError, match="bytes should"):
            iso.AUCSketch.from_bytes(data[:length])


@given(st.data())
def test_hostile_bytes_with_a_right_checksum_are_refused_or_a_sketch(data: st.DataObject) -> None:
    """Whoever knows the format can write a checksum: nothing may crash or hang."""
    body = bytearray(sketch_bytes()[:-_DIGEST])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(len(b"ISOSKTCH") + 2, len(body) - 1))
        body[place] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        body = body[: data.draw(st.integers(0, len(body)))]
    read_or_refuse(bytes(body) + _digest(bytes(body)))


@given(st.binary(max_size=300))
def test_any_bytes_at_all(data: bytes) -> None:
    with pytest.raises(ValueError, match="bytes should"):
        iso.AUCSketch.from_bytes(data)


def read_or_refuse(data: bytes) -> None:
    try:
        found = iso.AUCSketch.from_bytes(data)
    except ValueError:
        return
    assert len(found.to_bytes()) <= max(found.max_bytes, len(data))
    bounds = found.label_aucs(warn=False)
    known = ~np.isnan(bounds.value)
    assert ((bounds.low >= 0) & (bounds.high <= 1))[known].all()


HEADER = {"names": ["a"], "max_bytes": 300, "patterns": 2, "ranges": 2, "cells": 2}


def with_header(**changes: object) -> bytes:
    text = json.dumps(HEADER | changes).encode()
    head = _START.pack(b"ISOSKTCH", 1, len(text)) + text
    body = head + bytes([0, 1]) + bytes([0, 0]) + pack_numbers(np.array([5, 1, 1, 1, 0, 1, 1, 1]))
    return body + _digest(body)


def test_headers_that_lie() -> None:
    assert iso.AUCSketch.from_bytes(with_header()).n_items == 2
    for changes in (
        {"cells": 2**39},
        {"ranges": 2**39},
        {"patterns": 2**39},
        {"patterns": -1},
        {"ranges": True},
        {"names": []},
        {"names": [1]},
        {"names": ["a"] * 4},
        {"names": ["\udcff"]},
        {"max_bytes": 1},
        {"max_bytes": 2**50},
        {"more": 1},
        {"names": {"a": 1}},
    ):
        with pytest.raises(ValueError, match=r"bytes|max_bytes"):
            iso.AUCSketch.from_bytes(with_header(**changes))


def test_another_version_is_named() -> None:
    data = bytearray(sketch_bytes())
    data[8] = 9
    with pytest.raises(ValueError, match=r"version 1\. Found 9"):
        iso.AUCSketch.from_bytes(bytes(data))


WRITTEN = (
    "49534f534b5443480100410000007b226e616d6573223a5b2261225d2c226d61785f627974657322"
    "3a3330302c227061747465726e73223a322c2272616e676573223a322c2263656c6c73223a327d00"
    "010000ffffffffffffff874081808080808080e87f0101000101023013278b1dabda8724e8c03cd7"
    "ddddef"
)
