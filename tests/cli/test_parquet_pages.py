"""Pages of Parquet files: good ones pass, and one that claims too many values is noticed."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from isonomy.cli import _parquet_pages
from isonomy.cli._parquet_pages import Claims, claims_of
from tests.cli.command import Shell
from tests.cli.conftest import make_table

ROWS = 3000


def table() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "number": rng.normal(size=ROWS),
            "few": rng.integers(0, 3, ROWS).astype(np.int8),
            "gaps": [None if i % 3 else i for i in range(ROWS)],
            "word": [f"word {i % 7}" for i in range(ROWS)],
            "flag": rng.random(ROWS) < 0.5,
            "lists": [[i, i + 1][: i % 3] for i in range(ROWS)],
        }
    )


def parquet(**options: object) -> bytes:
    file = io.BytesIO()
    table().write_parquet(file, **options)  # type: ignore[arg-type]
    return file.getvalue()


def chunks_of(data: bytes) -> list[dict[int, Any]]:
    footer = _parquet_pages._footer(data)
    assert footer is not None
    return list(_parquet_pages._chunks(footer))


def data_values(data: bytes, chunk: dict[int, Any]) -> int:
    """Values that the data pages of a chunk claim in all."""
    n_values = chunk[_parquet_pages._N_VALUES]
    found = list(_parquet_pages._pages(data, chunk))
    assert all(0 <= claimed <= most for claimed, most, _ in found)
    return sum(claimed for claimed, most, _ in found if most == n_values)


@pytest.mark.parametrize("compression", ["zstd", "snappy", "uncompressed"])
@pytest.mark.parametrize("size", [{}, {"row_group_size": 500}, {"data_page_size": 1000}])
def test_good_files_are_followed_to_their_end(compression: str, size: dict[str, int]) -> None:
    data = parquet(compression=compression, **size)
    claims, chunks = claims_of(data), chunks_of(data)
    assert claims is not None
    # The lists stand two levels below their column, which stands below the root.
    assert (claims.n_values >= ROWS * table().width, claims.levels) == (True, 4)
    groups = -(-ROWS // size.get("row_group_size", ROWS))
    assert len(chunks) == groups * table().width
    assert all(data_values(data, each) == each[_parquet_pages._N_VALUES] for each in chunks)


def test_by_name_as_by_content(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet())
    assert claims_of(path) == claims_of(parquet()) != Claims()


def spoiled(claim: int) -> bytes:
    """A table whose first page claims so many values, in as many bytes as before."""
    file = io.BytesIO()
    make_table().write_parquet(file, compression="uncompressed", statistics=False)
    data = bytearray(file.getvalue())
    start = chunks_of(bytes(data))[0][_parquet_pages._DATA_AT]
    header = _parquet_pages._Thrift(bytes(data), start).struct(_parquet_pages._IN_PAGE)
    n_values = next(header[kind][1] for kind in (5, 8) if kind in header)
    at = data.index(varint(2 * n_values), start)
    length = len(varint(2 * n_values))
    zigzag = varint(2 * claim if claim >= 0 else -2 * claim - 1)
    assert len(zigzag) <= length
    # Leading zeros are no other number.
    padded = [*(byte | 128 for byte in zigzag), *(128,) * length][: length - 1]
    data[at : at + length] = bytes([*padded, zigzag[-1] if len(zigzag) == length else 0])
    return bytes(data)


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


@pytest.mark.parametrize("claim", [8191, -1])
def test_a_page_that_claims_what_cannot_be(claim: int, tmp_path: Path, shell: Shell) -> None:
    data = spoiled(claim)
    assert claims_of(data) is None
    (tmp_path / "t.parquet").write_bytes(data)
    done = shell("audit", str(tmp_path / "t.parquet"), "--labels", "click", "--score", "score")
    assert done.code == 2
    assert "it is damaged. Make it again" in done.err


def test_what_is_no_parquet_is_left_to_polars() -> None:
    good = parquet()
    for data in (b"PAR1", b"PAR1" * 3, good[:100], b"PAR1" + bytes(20)):
        assert claims_of(data) == Claims()
    rng = np.random.default_rng(1)
    for _ in range(200):
        data = bytearray(good)
        for at in rng.integers(4, len(good), 3):
            data[at] = rng.integers(256)
        claims_of(bytes(data))


def with_footer(footer: bytes) -> bytes:
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def in_front(data: bytes, start: bytes) -> bytes:
    """A file whose footer begins with another field."""
    length = int.from_bytes(data[-8:-4], "little")
    body, footer = data[4 : -8 - length], data[-8 - length : -8]
    return b"PAR1" + body + with_footer(start + footer)[4:]


UNREADABLE = {
    "an endless number": with_footer(b"\x15" + b"\xff" * (1 << 20)),
    "no parts": with_footer(b"\x15\x02\x00"),
    # Fields that no version of Parquet has: a map, and a struct in a struct in a struct ...
    "a map": in_front(spoiled(-1), b"\x0b\xc8\x01\x00"),
    "structs in structs": in_front(spoiled(-1), b"\x0c\xc8\x01" + b"\x1c" * 30 + b"\x00" * 31),
    "a list for a chunk": with_footer(b"\x29\x0c\x29\x1c\x19\x1c\x39\x0c\x00\x00\x00"),
    "a page cut short": parquet()[:4] + bytes([255]) * 40 + parquet()[44:],
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=list(UNREADABLE))
def test_what_cannot_be_followed_is_refused(data: bytes) -> None:
    """Or a file could hide its pages from this, and not from polars."""
    assert claims_of(data) is None


def test_what_is_passed_over_takes_no_memory() -> None:
    """A byte of the file for each struct that nobody wants."""
    n = 1 << 20
    size = bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14])
    data = with_footer(b"\xb9\xfc" + size + bytes(n) + b"\x00")
    tracemalloc.start()
    assert claims_of(data) is None  # It has no schema either.
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * len(data)
