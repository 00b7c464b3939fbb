"""UBJSON, the binary JSON in which XGBoost writes models: numbers come out as they went in."""

from __future__ import annotations

from typing import Any

import numpy as np

# Marker: numpy's type for an array of such values.
_NUMBERS = {
    "i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8",
}  # fmt: skip
_CONSTANTS = {"T": True, "F": False, "Z": None}


def read_ubjson(data: bytes) -> Any:
    """The value; arrays of one type are numpy arrays.

    >>> read_ubjson(b"{U\\x01a[$I#U\\x02\\x00\\x07\\x01\\x00U\\x01bT}")
    {'a': array([  7, 256], dtype=int16), 'b': True}
    """
    return _Reader(data).value()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def value(self) -> Any:
        marker = self._marker()
        if marker in _NUMBERS:
            return self._numbers(marker, 1)[0].item()
        if marker in _CONSTANTS:
            return _CONSTANTS[marker]
        if marker == "S":
            return self._text()
        if marker == "[":
            return self._array()
        if marker == "{":
            return self._object()
        raise ValueError(f"UBJSON has no marker {marker!r} (byte {self._at - 1}).")

    def _array(self) -> Any:
        kind = None
        if self._next_is("$"):
            kind = self._marker()
        if not self._next_is("#"):
            found = []
            while not self._next_is("]"):
                found.append(self.value())
            return found
        count = self.value()
        if kind is None:
            return [self.value() for _ in range(count)]
        return self._numbers(kind, count)

    def _object(self) -> dict[str, Any]:
        found = {}
        while not self._next_is("}"):
            name = self._text()
            found[name] = self.value()
        return found

    def _numbers(self, marker: str, count: int) -> Any:
        dtype = np.dtype(_NUMBERS[marker])
        found = np.frombuffer(self._data, dtype, count, self._at)
        self._at += found.nbytes
        return found.astype(dtype.newbyteorder("="))

    def _text(self) -> str:
        length = self.value()
        self._at += length
        return self._data[self._at - length : self._at].decode()

    def _marker(self) -> str:
        self._at += 1
        return chr(self._data[self._at - 1])

    def _next_is(self, marker: str) -> bool:
        found = self._data[self._at] == ord(marker)
        self._at += found
        return found
