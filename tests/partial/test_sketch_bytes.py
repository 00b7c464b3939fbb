"""Bytes of sketches: the same everywhere, and refused where they are not a sketch's."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isonomy as iso
from isonomy._counting import IntervalTable
from isonomy._partial.sketch_bytes import (
    _DIGEST,
    _START,
    SketchContent,
    _digest,
    decode,
    encode,
    encoded_size,
    largest_single_range,
    pack_numbers,
    unpack_numbers,
)


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


def forged(
    level: list[int],
    step: list[int],
    cells: list[int],
    pattern: list[int],
    count: list[int],
    *,
    patterns: bytes = bytes([0, 1]),
    after: bytes = b"",
    header: dict[str, object] | None = None,
) -> bytes:
    """Bytes with a right checksum of any table, sensible or not."""
    sizes = {"patterns": len(patterns), "ranges": len(level), "cells": len(pattern)}
    text = json.dumps(HEADER | sizes | (header or {})).encode()
    body = _START.pack(b"ISOSKTCH", 1, len(text)) + text + patterns + bytes(level)
    for each in (step, cells, pattern, count):
        body += pack_numbers(np.array(each, np.uint64))
    return body + after + _digest(body + after)


SENSIBLE = {
    "two scores": ([0, 0], [5, 1], [1, 1], [0, 1], [1, 1]),
    "patterns fall from one range to the next": ([0, 0], [5, 1], [1, 1], [1, 0], [1, 1]),
    "one inside another": ([1, 0], [0, 1], [1, 1], [0, 1], [1, 1]),
    "one at another's start": ([1, 0], [0, 0], [1, 1], [0, 1], [1, 1]),
    "three": ([0, 1, 0], [3, 1, 0], [1, 1, 1], [0, 1, 0], [1, 1, 1]),
    "all keys": ([64, 0], [0, 7], [1, 1], [0, 1], [1, 1]),
    "two cells of a range": ([0], [5], [2], [0, 1], [1, 1]),
    "many items": ([0, 0], [5, 1], [1, 1], [0, 1], [2**61, 2**60]),
}
BROKEN = {
    "beyond all scores": [
        ([65, 0], [0, 1], [1, 1], [0, 1], [1, 1]),
        ([0, 0], [2**64 - 1, 1], [1, 1], [0, 1], [1, 1]),
    ],
    "not in order": [
        ([0, 0], [5, 0], [1, 1], [0, 1], [1, 1]),
        ([0, 1], [0, 0], [1, 1], [0, 1], [1, 1]),
        ([0, 3], [5, 0], [1, 1], [0, 1], [1, 1]),
        ([0, 64], [0, 0], [1, 1], [0, 1], [1, 1]),
    ],
    "cells of its ranges are not": [
        ([0, 0], [5, 1], [2, 0], [0, 1], [1, 1]),
        ([0, 0], [5, 1], [1, 2], [0, 1], [1, 1]),
        ([0, 0], [5, 1], [3, 1], [0, 1], [1, 1]),
        ([0], [5], [1], [0, 1], [1, 1]),
        ([0, 0], [5, 1], [2**63, 2**63 + 2], [0, 1], [1, 1]),
    ],
    "label pattern is missing": [([0, 0], [5, 1], [1, 1], [0, 2], [1, 1])],
    "cells of a range are not in order": [
        ([0], [5], [2], [1, 0], [1, 1]),
        ([0], [5], [3], [0, 1, 1], [1, 1, 1]),
    ],
    "count is 0, or": [
        ([0, 0], [5, 1], [1, 1], [0, 1], [1, 0]),
        ([0, 0], [5, 1], [1, 1], [0, 1], [2**61, 2**61]),
        ([0, 0], [5, 1], [1, 1], [0, 1], [2**63, 2**63]),
    ],
    "belongs to no item": [([0, 0], [5, 1], [1, 1], [0, 0], [1, 1])],
}


@pytest.mark.parametrize("name", SENSIBLE)
def test_tables_that_a_sketch_could_have(name: str) -> None:
    level, step, cells, pattern, count = SENSIBLE[name]
    found = iso.AUCSketch.from_bytes(forged(level, step, cells, pattern, count))
    assert found.n_items == sum(count)
    assert found.exact == (max(level) == 0)
    assert found.table().level[found.table().first_cell].tolist() == level


@pytest.mark.parametrize("why", BROKEN)
def test_tables_that_no_sketch_has(why: str) -> None:
    for table in BROKEN[why]:
        with pytest.raises(ValueError, match=why):
            iso.AUCSketch.from_bytes(forged(*table))


def test_the_shortest_bytes_that_could_be_a_sketch_have_no_header() -> None:
    body = _START.pack(b"ISOSKTCH", 1, 0)
    with pytest.raises(ValueError, match="header cannot be read"):
        decode(body + _digest(body))
    with pytest.raises(ValueError, match="do not begin"):
        decode((body + _digest(body))[:-1])


def test_labels_that_no_sketch_has() -> None:
    table = SENSIBLE["two scores"]
    assert iso.AUCSketch.from_bytes(forged(*table, patterns=bytes([1, 2]))).n_items == 2
    for patterns, why in (
        ([0, 3], "none of 0, 1 and"),
        ([0, 4], "none of 0, 1 and"),
        ([0, 64], "none of 0, 1 and"),
        ([1, 1], "stands there twice"),
    ):
        with pytest.raises(ValueError, match=why):
            iso.AUCSketch.from_bytes(forged(*table, patterns=bytes(patterns)))


def test_names_and_patterns_are_written_as_they_are() -> None:
    """In letters of any alphabet; patterns in the order of the labels."""
    data = sketch_bytes()
    assert "β".encode() in data
    patterns = decode(data).patterns.tolist()
    assert patterns == sorted(patterns)
    assert len(patterns) == 9


def test_five_labels_take_two_bytes() -> None:
    rng = np.random.default_rng(0)
    Y, score = rng.choice([0.0, 1.0, np.nan], (90, 5)), rng.normal(size=90)
    sketch = iso.AUCSketch(list("abcde")).add(Y, score)
    again = iso.AUCSketch.from_bytes(sketch.to_bytes())
    assert again.label_aucs().value.tolist() == iso.label_aucs(Y, score).tolist()
    assert again.to_bytes() == sketch.to_bytes()


def test_numbers_that_are_too_long_or_too_large() -> None:
    largest = [0xFF] * 9 + [1]
    found, rest = unpack_numbers(memoryview(bytes([*largest, 7])), 1)
    assert (found.tolist(), bytes(rest)) == ([2**64 - 1], b"\x07")
    with pytest.raises(ValueError, match="number is too large"):
        unpack_numbers(memoryview(bytes([0xFF] * 9 + [2])), 1)
    with pytest.raises(ValueError, match="number is too long"):
        unpack_numbers(memoryview(bytes([*largest[:9], 0x81, 0, 5])), 2)
    with pytest.raises(ValueError, match="too short"):
        unpack_numbers(memoryview(bytes([1, 2, 0x83])), 3)
    found, rest = unpack_numbers(memoryview(b"\x05"), 0)
    assert (found.size, bytes(rest)) == (0, b"\x05")


def test_nothing_may_follow_or_lack() -> None:
    table = SENSIBLE["two scores"]
    with pytest.raises(ValueError, match="go on after their end"):
        iso.AUCSketch.from_bytes(forged(*table, after=b"\x00"))
    for lacking in ({"ranges": 30}, {"ranges": 3}, {"patterns": 40}, {"cells": 3}):
        with pytest.raises(ValueError, match="too short"):
            iso.AUCSketch.from_bytes(forged(*table, header=lacking))


def test_the_largest_sizes_that_a_header_may_claim() -> None:
    table = SENSIBLE["two scores"]
    assert (
        iso.AUCSketch.from_bytes(forged(*table, header={"max_bytes": 2**40 - 1})).max_bytes
        == 2**40 - 1
    )
    for lie in ({"max_bytes": 2**40}, {"cells": -1}, {"patterns": 2.0}, {"max_bytes": True}):
        with pytest.raises(ValueError, match=f"header has {next(iter(lie))} that cannot be"):
            iso.AUCSketch.from_bytes(forged(*table, header=lie))
    with pytest.raises(ValueError, match="two labels have one name"):
        iso.AUCSketch.from_bytes(forged(*table, header={"names": ["a", "a"]}))


@pytest.mark.parametrize("n_labels", [1, 4, 5, 9])
def test_one_range_of_everything_fits_into_the_least_room(n_labels: int) -> None:
    """With as many items as there may be; and the room is not much too large."""
    n = min(2**n_labels, 40)
    patterns = (np.arange(n)[:, None] >> np.arange(n_labels) & 1).astype(np.uint8)
    table = IntervalTable(
        np.zeros(n, np.uint64),
        np.full(n, 64, np.uint64),
        np.arange(n),
        np.full(n, 2**62 // n - 1),
    )
    names = tuple(f"label {k}" for k in range(n_labels))
    least = largest_single_range(names, 2**40 - 1, n)
    content = SketchContent(names, 2**40 - 1, patterns, table)
    assert encoded_size(content) == len(encode(content))
    assert encoded_size(content) <= least <= encoded_size(content) + 90 + 3 * n


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
