"""What the pages of a Parquet file claim to hold, and whether that can be.

polars makes room for as many values as a page's header names, and where there is no such room the
whole process ends; so it does where values are nested so deep that the stack does not suffice.
Headers are in Thrift's compact protocol; of them, and of the footer, only the numbers that have to
fit each other are looked at.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

_MAGIC, _END = b"PAR1", 8
# Longer footers take long to follow, and are of many columns or parts: they are left to polars.
_LONGEST_FOOTER = 1 << 22
_DEEPEST = 16
# Headers that are looked at: chunks of a hostile file may all lie in the same place.
_MOST_PAGES = 1_000_000
_LONGEST_NUMBER = 63
# Kinds of Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _I64, _DOUBLE, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 6, 7, 9, 10, 11, 12
# Numbers of fields in Parquet's own definition (parquet.thrift).
_SCHEMA, _N_INSIDE, _ROW_GROUPS, _COLUMNS, _CHUNK = 2, 5, 4, 1, 3
_N_VALUES, _CHUNK_SIZE, _DATA_AT, _DICTIONARY_AT = 5, 7, 9, 11
_UNPACKED_SIZE, _PAGE_SIZE, _DATA_PAGES, _DICTIONARY, _PAGE_VALUES = 2, 3, (5, 8), 7, 1

Bytes: TypeAlias = bytes | mmap.mmap
# The fields of a struct that are kept, each with those of the structs in it.
_Wanted: TypeAlias = "dict[int, _Wanted]"
_IN_CHUNK: _Wanted = {each: {} for each in (_N_VALUES, _CHUNK_SIZE, _DATA_AT, _DICTIONARY_AT)}
_IN_FOOTER: _Wanted = {
    _SCHEMA: {_N_INSIDE: {}},
    _ROW_GROUPS: {_COLUMNS: {_CHUNK: _IN_CHUNK}},
}
_IN_PAGE: _Wanted = {
    **{each: {} for each in (_UNPACKED_SIZE, _PAGE_SIZE)},
    **{each: {_PAGE_VALUES: {}} for each in (*_DATA_PAGES, _DICTIONARY)},
}


@dataclass(frozen=True)
class Claims:
    """What a file claims to hold: values and bytes of all its pages, unpacked; levels of nesting.

    Of a file that only polars can judge: nothing.
    """

    n_values: int = 0
    n_bytes: int = 0
    levels: int = 0


def claims_of(data: Path | bytes) -> Claims | None:
    """What a file claims to hold; None where that cannot be."""
    if isinstance(data, bytes):
        return _claims_of(data)
    with data.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return _claims_of(mapped)


def _claims_of(data: Bytes) -> Claims | None:
    n_values = n_bytes = 0
    try:
        footer = _footer(data)
        if footer is None:
            return Claims()
        pages = (page for chunk in _chunks(footer) for page in _pages(data, chunk))
        for claimed, most, size in islice(pages, _MOST_PAGES):
            if not 0 <= claimed <= most or size < 0:
                return None
            n_values, n_bytes = n_values + claimed, n_bytes + size
        return Claims(n_values, n_bytes, _levels(footer[_SCHEMA]))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # It ends too early, lacks a field, or has one of another kind.
        return None


def _footer(data: Bytes) -> dict[int, Any] | None:
    """What is wanted of the footer; None where there is none, or none to be followed."""
    length = int.from_bytes(data[-_END:-4], "little")
    if data[-4:] != _MAGIC or length > min(_LONGEST_FOOTER, len(data) - _END):
        return None
    return _Thrift(data, len(data) - _END - length).struct(_IN_FOOTER)


def _levels(schema: list[dict[int, Any]]) -> int:
    """How deep columns are nested: each entry says how many of those after it stand inside."""
    deepest = 0
    left: list[int] = []
    for entry in schema:
        while left and not left[-1]:
            left.pop()
        if left:
            left[-1] -= 1
        left.append(max(entry.get(_N_INSIDE, 0), 0))
        deepest = max(deepest, len(left))
    return deepest


def _chunks(footer: dict[int, Any]) -> Iterator[dict[int, Any]]:
    """What the footer says of each column of each part."""
    for group in footer[_ROW_GROUPS]:
        for column in group[_COLUMNS]:
            yield column[_CHUNK]


def _pages(data: Bytes, chunk: dict[int, Any]) -> Iterator[tuple[int, int, int]]:
    """How many values the header of each page claims, how many it can have, and bytes."""
    at = min(chunk[_DATA_AT], chunk.get(_DICTIONARY_AT) or chunk[_DATA_AT])
    end = min(at + chunk[_CHUNK_SIZE], len(data))
    while 0 < at < end:
        reader = _Thrift(data, at)
        header = reader.struct(_IN_PAGE)
        size = header[_UNPACKED_SIZE]
        for kind in _DATA_PAGES:
            if kind in header:
                yield header[kind][_PAGE_VALUES], chunk[_N_VALUES], size
        if _DICTIONARY in header:
            # It may have more than are used, but each takes a byte or more.
            yield header[_DICTIONARY][_PAGE_VALUES], size, size
        elif not any(kind in header for kind in _DATA_PAGES):
            raise ValueError("no page that anybody reads")
        at = reader.at + max(header[_PAGE_SIZE], 0)


class _Thrift:
    """Reads structs as dictionaries, by the numbers of those fields that are wanted."""

    def __init__(self, data: Bytes, at: int) -> None:
        self.data, self.at = data, at

    def struct(self, wanted: _Wanted, depth: int = 0) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            value = self._value(head & 15, wanted.get(number, {}), depth)
            if number in wanted:
                found[number] = value
        return found

    def _value(self, kind: int, wanted: _Wanted, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if _BYTE < kind <= _I64:
            return self._whole()
        if kind == _STRUCT:
            return self.struct(wanted, depth + 1)
        if kind in (_LIST, _SET):
            return self._elements(wanted, depth + 1)
        if kind == _MAP:
            raise ValueError("Parquet has no maps")
        skipped = {_BYTE: 1, _DOUBLE: 8}.get(kind) or self._length()
        self.at += skipped
        return None

    def _elements(self, wanted: _Wanted, depth: int) -> list[Any]:
        """Of a list; those of which nothing is wanted are passed over."""
        head = self._byte()
        size, kind = self._length() if head >> 4 == 15 else head >> 4, head & 15
        # Truth values have a byte of their own in lists.
        kind = _BYTE if kind in (_TRUE, _FALSE) else kind
        found = []
        for _ in range(size):
            value = self._value(kind, wanted, depth)
            if wanted:
                found.append(value)
        return found

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
