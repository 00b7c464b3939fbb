"""A sketch as bytes: the same on every machine, checked when they are read.

    magic, version, length of the header           8 + 2 + 4 bytes, little-endian
    header                                         JSON: names, max_bytes, how many of each below
    patterns                                       2 bits a label: 0, 1, 2 for 'not observed'
    level of each range                            1 byte each
    steps between ranges, cells of each range, pattern and count of each cell
                                                   whole numbers, 7 bits a byte, the lowest first
    BLAKE2b of all that                            16 bytes

A range's step is counted from where the one before it starts, in units of its own length.
"""

from __future__ import annotations

import json
import struct
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isonomy._core import AnyArray
from isonomy._counting import IntervalTable, packed_size, restore_starts
from isonomy._infra import is_text

MAGIC, VERSION = b"ISOSKTCH", 1
_START = struct.Struct("<8sHI")
_DIGEST = 16
# What a sketch may be allowed to take, a terabyte: no number of its header is larger.
MOST_BYTES = 2**40 - 1
_HEADER_KEYS = {"names", "max_bytes", "patterns", "ranges", "cells"}
# Seven bits of a number in each byte; the others say that more follow.
_MORE = 0x80
_LONGEST = 10


class SketchContent(NamedTuple):
    """What the bytes of a sketch say.

    Attributes
    ----------
    names : tuple of str
    max_bytes : int
    patterns : ndarray of uint8, shape (P, K)
        0, 1, or 2 for 'not observed'.
    table : IntervalTable
    """

    names: tuple[str, ...]
    max_bytes: int
    patterns: NDArray[np.uint8]
    table: IntervalTable


def is_sketch(head: bytes) -> bool:
    """Whether bytes begin as those of a sketch do."""
    return head[: len(MAGIC)] == MAGIC


def encode(content: SketchContent) -> bytes:
    """The bytes of a sketch."""
    table = content.table
    level, step, cells = _range_columns(table)
    body = b"".join(
        [
            _start(content),
            _pack_patterns(content.patterns),
            level.astype(np.uint8).tobytes(),
            *(pack_numbers(each) for each in (step, cells, table.pattern, table.count)),
        ]
    )
    return body + _digest(body)


def encoded_size(content: SketchContent) -> int:
    """How many bytes `encode` gives."""
    table = content.table
    level, step, cells = _range_columns(table)
    numbers = sum(packed_size(each) for each in (step, cells, table.pattern, table.count))
    patterns = len(content.patterns) * _pattern_bytes(len(content.names))
    return len(_start(content)) + patterns + level.size + numbers + _DIGEST


def largest_single_range(names: tuple[str, ...], max_bytes: int, n_patterns: int) -> int:
    """No fewer bytes than a sketch with so many patterns takes when all items are in one range."""
    none = SketchContent(names, max_bytes, np.empty((0, len(names)), np.uint8), EMPTY)
    # Three more digits than those of an empty one's header; a pattern's own number and its count.
    room = len(_start(none)) + 3 * 20 + 1 + 2 * _LONGEST + _DIGEST
    return room + n_patterns * (_pattern_bytes(len(names)) + 3 + 9)


def decode(data: bytes) -> SketchContent:
    """Read what `encode` gave; ValueError for anything else."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"Parameter `data` should be bytes. Found {type(data).__name__}.")
    data = bytes(data)
    if not is_sketch(data) or len(data) < _START.size + _DIGEST:
        raise _broken("they do not begin as those of a sketch do")
    _, version, length = _START.unpack_from(data)
    if version != VERSION:
        raise ValueError(
            f"The bytes of a sketch should have version {VERSION}. Found {version}; read them with "
            "the Isonomy that wrote them, or make the sketch again."
        )
    body = data[:-_DIGEST]
    if _digest(body) != data[-_DIGEST:]:
        raise _broken("their checksum is another: they were changed or cut off")
    header = _read_header(body[_START.size : _START.size + length])
    rest = memoryview(body)[_START.size + length :]
    names, n_ranges, n_cells = tuple(header["names"]), header["ranges"], header["cells"]
    patterns, rest = _unpack_patterns(rest, header["patterns"], len(names))
    if len(rest) < n_ranges:
        raise _broken("they are too short")
    level, rest = np.frombuffer(rest[:n_ranges], np.uint8).astype(np.uint64), rest[n_ranges:]
    step, rest = unpack_numbers(rest, n_ranges)
    cells, rest = unpack_numbers(rest, n_ranges)
    pattern, rest = unpack_numbers(rest, n_cells)
    count, rest = unpack_numbers(rest, n_cells)
    if len(rest):
        raise _broken("they go on after their end")
    table = _checked_table(level, step, cells, pattern, count, len(patterns))
    return SketchContent(names, header["max_bytes"], patterns, table)


def pack_numbers(values: NDArray[Any]) -> bytes:
    """Whole numbers >= 0, seven bits a byte.

    >>> list(pack_numbers(np.array([5, 300])))
    [5, 172, 2]
    """
    numbers = values.astype(np.uint64)
    sizes = _number_sizes(numbers)
    place = np.cumsum(sizes) - sizes
    out = np.empty(int(sizes.sum()), np.uint8)
    for k in range(int(sizes.max(initial=0))):
        has = sizes > k
        seven = (numbers[has] >> np.uint64(7 * k)) & np.uint64(_MORE - 1)
        out[place[has] + k] = seven.astype(np.uint8) | np.where(sizes[has] > k + 1, _MORE, 0)
    return out.tobytes()


def unpack_numbers(data: memoryview, n: int) -> tuple[NDArray[np.uint64], memoryview]:
    """The first n numbers, and what follows them."""
    # No number is longer than ten bytes, so that a claim of many costs nothing.
    bytes_ = np.frombuffer(data[: _LONGEST * n], np.uint8)
    ends = np.flatnonzero(bytes_ < _MORE)[:n]
    if ends.size < n:
        raise _broken("they are too short")
    begin = np.concatenate([[0], ends[:-1] + 1])[: ends.size]
    sizes = ends - begin + 1
    if (sizes > _LONGEST).any():
        raise _broken("a number is too long")
    numbers = np.zeros(n, np.uint64)
    for k in range(int(sizes.max(initial=0))):
        has = sizes > k
        seven = (bytes_[begin[has] + k] & np.uint8(_MORE - 1)).astype(np.uint64)
        if k == _LONGEST - 1 and (seven > 1).any():
            raise _broken("a number is too large")
        numbers[has] |= seven << np.uint64(7 * k)
    return numbers, data[int(ends[-1]) + 1 if n else 0 :]


def _number_sizes(numbers: AnyArray) -> NDArray[np.int64]:
    """How many bytes each number takes."""
    numbers = numbers.astype(np.uint64)
    sizes = np.ones(numbers.size, np.int64)
    for k in range(1, _LONGEST):
        longer = numbers >= np.uint64(1 << (7 * k))
        if not longer.any():
            break
        sizes += longer
    return sizes


def _range_columns(
    table: IntervalTable,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
    """Level, step and number of cells of each range."""
    first = table.first_cell
    start, level = table.start[first], table.level[first]
    before = np.concatenate([np.zeros(1, np.uint64), start[:-1]])[: start.size]
    shift = np.minimum(level, np.uint64(63))
    step = np.where(level > 63, np.uint64(0), (start >> shift) - (before >> shift))
    return level, step, table.cells_of_range


def _checked_table(
    level: NDArray[np.uint64],
    step: NDArray[np.uint64],
    cells: NDArray[np.uint64],
    pattern: NDArray[np.uint64],
    count: NDArray[np.uint64],
    n_patterns: int,
) -> IntervalTable:
    """The table, if it is one that a sketch could have."""
    start = np.empty_like(level)
    if (level > 64).any() or not restore_starts(level, step, start):
        raise _broken("a range lies beyond all scores")
    later = (start[1:] > start[:-1]) | ((start[1:] == start[:-1]) & (level[1:] < level[:-1]))
    if not later.all():
        raise _broken("its ranges are not in order")
    if (cells == 0).any() or (cells > pattern.size).any() or int(cells.sum()) != pattern.size:
        raise _broken("the cells of its ranges are not those that there are")
    if (pattern >= n_patterns).any():
        raise _broken("a label pattern is missing")
    of_range = np.repeat(np.arange(level.size), cells.astype(np.int64))
    rising = (pattern[1:] > pattern[:-1]) | (of_range[1:] != of_range[:-1])
    if not rising.all():
        raise _broken("the cells of a range are not in order")
    if (count == 0).any() or float(count.astype(np.float64).sum()) >= 2.0**62:
        raise _broken("a count is 0, or they are too large")
    table = IntervalTable(
        start[of_range], level[of_range], pattern.astype(np.int64), count.astype(np.int64)
    )
    if np.unique(pattern).size != n_patterns:
        raise _broken("a label pattern belongs to no item")
    return table


def _start(content: SketchContent) -> bytes:
    header = {
        "names": list(content.names),
        "max_bytes": content.max_bytes,
        "patterns": len(content.patterns),
        "ranges": int(content.table.first_cell.size),
        "cells": len(content.table),
    }
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    return _START.pack(MAGIC, VERSION, len(text)) + text


def _read_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise _broken("their header cannot be read") from None
    if not isinstance(header, dict) or set(header) != _HEADER_KEYS:
        raise _broken("their header is another")
    names = header["names"]
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise _broken("they name no labels")
    if not all(is_text(name) for name in names):
        raise _broken("a label's name is no text in UTF-8")
    if len(set(names)) < len(names):
        raise _broken("two labels have one name")
    for key in _HEADER_KEYS - {"names"}:
        number = header[key]
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MOST_BYTES:
            raise _broken(f"their header has {key} that cannot be")
    return header


def _pattern_bytes(n_labels: int) -> int:
    return -(-n_labels // 4)


def _pack_patterns(patterns: NDArray[np.uint8]) -> bytes:
    n, n_labels = patterns.shape
    padded = np.zeros((n, 4 * _pattern_bytes(n_labels)), np.uint8)
    padded[:, :n_labels] = patterns
    four = padded.reshape(n, _pattern_bytes(n_labels), 4)
    packed = np.bitwise_or.reduce(four << np.array([0, 2, 4, 6], np.uint8), axis=2)
    return bytes(packed.tobytes())


def _unpack_patterns(
    data: memoryview, n: int, n_labels: int
) -> tuple[NDArray[np.uint8], memoryview]:
    size = n * _pattern_bytes(n_labels)
    if len(data) < size:
        raise _broken("they are too short")
    packed = np.frombuffer(data[:size], np.uint8).reshape(n, _pattern_bytes(n_labels))
    wide = (packed[:, :, None] >> np.array([0, 2, 4, 6], np.uint8)) & np.uint8(3)
    wide = wide.reshape(n, 4 * _pattern_bytes(n_labels))
    patterns = np.ascontiguousarray(wide[:, :n_labels])
    if (patterns > 2).any() or wide[:, n_labels:].any():
        raise _broken("a label is none of 0, 1 and 'not observed'")
    if len(np.unique(patterns, axis=0)) < n:
        raise _broken("a label pattern stands there twice")
    return patterns, data[size:]


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=_DIGEST).digest()


def _broken(why: str) -> ValueError:
    return ValueError(
        f"The bytes should be those that `AUCSketch.to_bytes` gave. Found others: {why}. "
        "Make the sketch again."
    )


EMPTY = IntervalTable.empty()
