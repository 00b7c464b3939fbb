"""Pages of a Parquet file that claim more values than their column has.

polars makes room for as many values as a page's header names, and where there is no such room the
whole process ends. Headers are in Thrift's compact protocol; of them, and of the footer, only the
numbers that have to fit each other are looked at. What cannot be followed is left to polars.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

_MAGIC, _END = b"PAR1", 8
# Longer footers take long to follow, and are of many columns or parts.
_LONGEST_FOOTER = 1 << 22
_DEEPEST = 16
# Headers that are looked at: chunks of a hostile file may all lie in the same place.
_MOST_PAGES = 1_000_000
_LONGEST_NUMBER = 63
# Kinds of Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _I64, _DOUBLE, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 6, 7, 9, 10, 11, 12
# Numbers of fields in Parquet's own definition (parquet.thrift).
_ROW_GROUPS, _COLUMNS, _CHUNK = 4, 1, 3
_N_VALUES, _CHUNK_SIZE, _DATA_AT, _DICTIONARY_AT = 5, 7, 9, 11
_UNPACKED_SIZE, _PAGE_SIZE, _DATA_PAGES, _DICTIONARY, _PAGE_VALUES = 2, 3, (5, 8), 7, 1

Bytes: TypeAlias = bytes | mmap.mmap


def pages_fit(data: Path | bytes) -> bool:
    """Whether no page claims more values than the column chunk that it is part of."""
    if isinstance(data, bytes):
        return _pages_fit(data)
    with data.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return _pages_fit(mapped)


def _pages_fit(data: Bytes) -> bool:
    try:
        claims = (claim for chunk in _chunks(data) for claim in _claims(data, chunk))
        return all(0 <= claimed <= most for claimed, most in islice(claims, _MOST_PAGES))
    except (IndexError, KeyError, TypeError, ValueError):
        return True  # Of another make, or so damaged that polars says so itself.


def _chunks(data: Bytes) -> Iterator[dict[int, Any]]:
    """What the footer says of each column of each part."""
    length = int.from_bytes(data[-_END:-4], "little")
    if data[-4:] != _MAGIC or length > min(_LONGEST_FOOTER, len(data) - _END):
        return
    footer = _Thrift(data, len(data) - _END - length).struct()
    for group in footer[_ROW_GROUPS]:
        for column in group[_COLUMNS]:
            yield column[_CHUNK]


def _claims(data: Bytes, chunk: dict[int, Any]) -> Iterator[tuple[int, int]]:
    """How many values the header of each page claims, and how many it can have."""
    at = min(chunk[_DATA_AT], chunk.get(_DICTIONARY_AT) or chunk[_DATA_AT])
    end = min(at + chunk[_CHUNK_SIZE], len(data))
    while 0 < at < end:
        reader = _Thrift(data, at)
        header = reader.struct()
        for kind in _DATA_PAGES:
            if kind in header:
                yield header[kind][_PAGE_VALUES], chunk[_N_VALUES]
        if _DICTIONARY in header:
            # It may have more than are used, but each takes a byte or more.
            yield header[_DICTIONARY][_PAGE_VALUES], header[_UNPACKED_SIZE]
        elif not any(kind in header for kind in _DATA_PAGES):
            raise ValueError("no page that anybody reads")
        at = reader.at + max(header[_PAGE_SIZE], 0)


class _Thrift:
    """Reads structs as dictionaries, by the numbers of their fields."""

    def __init__(self, data: Bytes, at: int) -> None:
        self.data, self.at = data, at

    def struct(self, depth: int = 0) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            found[number] = self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if _BYTE < kind <= _I64:
            return self._whole()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            head = self._byte()
            size = self._length() if head >> 4 == 15 else head >> 4
            return [self._element(head & 15, depth + 1) for _ in range(size)]
        if kind == _MAP:
            raise ValueError("Parquet has no maps")
        skipped = {_BYTE: 1, _DOUBLE: 8}.get(kind) or self._length()
        self.at += skipped
        return None

    def _element(self, kind: int, depth: int) -> Any:
        # Truth values have a byte of their own in lists.
        return self._byte() == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)

    def _byte(self) -> int:
        self.at += 1
        return int(self.data[self.at - 1])

    def _length(self) -> int:
        """Of a list or a text, whose bytes are all there."""
        found = self._digits()
        if found > len(self.data) - self.at:
            raise ValueError("longer than the file")
        return found

    def _whole(self) -> int:
        found = self._digits()
        return (found >> 1) ^ -(found & 1)

    def _digits(self) -> int:
        """Seven bits a byte, the lowest first."""
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
            if shift > _LONGEST_NUMBER:
                raise ValueError("longer than a number")
