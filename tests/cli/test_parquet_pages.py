"""Pages of Parquet files: good ones pass, and one that claims too many values is noticed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from isonomy.cli import _parquet_pages
from isonomy.cli._parquet_pages import pages_fit
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


def data_values(data: bytes, chunk: dict[int, Any]) -> int:
    """Values that the data pages of a chunk claim in all."""
    n_values = chunk[_parquet_pages._N_VALUES]
    found = list(_parquet_pages._claims(data, chunk))
    assert all(0 <= claimed <= most for claimed, most in found)
    return sum(claimed for claimed, most in found if most == n_values)


@pytest.mark.parametrize("compression", ["zstd", "snappy", "uncompressed"])
@pytest.mark.parametrize("size", [{}, {"row_group_size": 500}, {"data_page_size": 1000}])
def test_good_files_are_followed_to_their_end(compression: str, size: dict[str, int]) -> None:
    data = parquet(compression=compression, **size)
    assert pages_fit(data)
    chunks = list(_parquet_pages._chunks(data))
    groups = -(-ROWS // size.get("row_group_size", ROWS))
    assert len(chunks) == groups * table().width
    assert all(data_values(data, each) == each[_parquet_pages._N_VALUES] for each in chunks)


def test_by_name_as_by_content(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet())
    assert pages_fit(path)


def spoiled(claim: int) -> bytes:
    """A table whose first page claims so many values, in as many bytes as before."""
    file = io.BytesIO()
    make_table().write_parquet(file, compression="uncompressed", statistics=False)
    data = bytearray(file.getvalue())
    chunk = next(_parquet_pages._chunks(bytes(data)))
    start = chunk[_parquet_pages._DATA_AT]
    reader = _parquet_pages._Thrift(bytes(data), start)
    header = reader.struct()
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
    assert not pages_fit(data)
    (tmp_path / "t.parquet").write_bytes(data)
    done = shell("audit", str(tmp_path / "t.parquet"), "--labels", "click", "--score", "score")
    assert done.code == 2
    assert "it is damaged. Make it again" in done.err


def test_what_is_no_parquet_is_left_to_polars() -> None:
    good = parquet()
    rng = np.random.default_rng(1)
    endless = b"PAR1" + b"\x15" + b"\xff" * (1 << 20)
    endless += (1 << 20).to_bytes(4, "little") + b"PAR1"
    short = (b"PAR1", b"PAR1" * 3, good[:-9] + good[-8:], good[:100], b"PAR1" + bytes(20))
    for data in (*short, endless):
        assert pages_fit(data)
    for _ in range(200):
        data = bytearray(good)
        for at in rng.integers(4, len(good), 3):
            data[at] = rng.integers(256)
        assert pages_fit(bytes(data)) in (True, False)
