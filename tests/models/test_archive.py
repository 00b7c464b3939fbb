"""The archive: what was packed comes back, and nothing else is taken for it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy._models.archive import pack, unpack
from isonomy._models.model_file_error import ModelFileError

TEXTS = {"isonomy.json": b"{}", "schema.json": b"[]"}
SMALL = pack({**TEXTS, "0.npy": b"abc", "1.bin": b""})


def sealed(build: Callable[[zipfile.ZipFile], object]) -> bytes:
    """A hostile archive: its checksum is right, its layout need not be."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        build(archive)
        archive.comment = b"isonomy-model sha256:" + b"0" * 64
    return resealed(buffer.getvalue())


def resealed(data: bytes) -> bytes:
    return data[:-64] + hashlib.sha256(data[:-64]).hexdigest().encode()


def texts(archive: zipfile.ZipFile) -> None:
    for name, content in TEXTS.items():
        archive.writestr(zipfile.ZipInfo(name), content)


@given(st.lists(st.binary(max_size=50), max_size=5), st.sampled_from([".npy", ".npz", ".bin"]))
def test_what_is_packed_comes_back(contents: list[bytes], ending: str) -> None:
    members = {**TEXTS, **{f"{i}{ending}": content for i, content in enumerate(contents)}}
    assert unpack(pack(members)) == members
    assert pack(members) == pack(members)


def test_it_is_a_zip_that_any_tool_reads() -> None:
    with zipfile.ZipFile(io.BytesIO(SMALL)) as archive:
        assert archive.testzip() is None
        assert archive.read("0.npy") == b"abc"


def test_every_prefix_is_refused() -> None:
    for length in range(len(SMALL)):
        with pytest.raises(ModelFileError, match=r"no model file|truncated"):
            unpack(SMALL[:length])


def test_every_altered_byte_is_found() -> None:
    for place in range(len(SMALL)):
        data = bytearray(SMALL)
        data[place] ^= 1
        with pytest.raises(ModelFileError):
            unpack(bytes(data))
    for tail in (b"x", b"\0", SMALL):
        with pytest.raises(ModelFileError):
            unpack(SMALL + tail)
        with pytest.raises(ModelFileError):
            unpack(tail + SMALL)


def member(name: str, content: bytes = b"abc") -> Callable[[zipfile.ZipFile], None]:
    def build(archive: zipfile.ZipFile) -> None:
        texts(archive)
        archive.writestr(zipfile.ZipInfo(name), content)

    return build


def deflated(archive: zipfile.ZipFile) -> None:
    texts(archive)
    archive.writestr("0.npy", bytes(10**6), zipfile.ZIP_DEFLATED)


def twice(archive: zipfile.ZipFile) -> None:
    texts(archive)
    archive.writestr(zipfile.ZipInfo("0.npy"), b"a")
    archive.filelist[-1].filename = "1.npy"
    archive.writestr(zipfile.ZipInfo("0.npy"), b"b")


def missing(archive: zipfile.ZipFile) -> None:
    archive.writestr(zipfile.ZipInfo("isonomy.json"), b"{}")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (member("../0.npy"), "is named"),
        (member("/0.npy"), "is named"),
        (member("folder/"), "is named"),
        (member("1.npy"), "is named"),
        (member("0.pkl"), "is named"),
        (member("schema.json"), "is named"),
        (deflated, "compressed"),
        (twice, "is named|stand|archive"),
        (missing, "lacks members"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_hostile_members_are_refused(
    build: Callable[[zipfile.ZipFile], None], message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        unpack(sealed(build))


def test_lies_in_the_directory_are_refused() -> None:
    """Every field of the last member's directory entry, with a right checksum."""
    data = sealed(member("0.npy"))
    entry = data.rindex(b"PK\x01\x02")
    honest = unpack(data)
    for place in range(entry, len(data) - 64 - len(b"isonomy-model sha256:")):
        for value in (0, 1, 0x7F, 0xFF):
            lie = bytearray(data)
            lie[place] = value
            try:
                found = unpack(resealed(bytes(lie)))
            except ModelFileError:
                continue
            # What does not matter (dates, permissions) may differ; the members may not.
            assert found == honest


def test_overlapping_members_are_refused() -> None:
    """Two entries of the directory that point at the same bytes."""
    data = sealed(member("0.npy", b"x" * 1000))
    start, end = data.rindex(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    again = data[start:end].replace(b"0.npy", b"1.npy")
    tail = bytearray(data[end:])
    count, size = struct.unpack_from("<H", tail, 8)[0], struct.unpack_from("<I", tail, 12)[0]
    struct.pack_into("<HHI", tail, 8, count + 1, count + 1, size + len(again))
    with pytest.raises(ModelFileError):
        unpack(resealed(data[:end] + again + bytes(tail)))


def test_garbage_between_directory_and_members_is_refused() -> None:
    data = sealed(member("0.npy"))
    start, end = data.index(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    tail = bytearray(data[end:])
    struct.pack_into("<I", tail, 16, start + 100)
    with pytest.raises(ModelFileError):
        unpack(resealed(data[:start] + bytes(100) + data[start:end] + bytes(tail)))


def peak_of_unpacking(data: bytes) -> int:
    """The most memory, in bytes, that was taken beside the archive itself."""
    tracemalloc.start()
    try:
        unpack(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_many_members_take_memory_in_proportion() -> None:
    archives = [pack({**TEXTS, **{f"{i}.bin": b"" for i in range(n)}}) for n in (1000, 4000)]
    assert len(unpack(archives[1])) == 4002
    few, many = (peak_of_unpacking(data) / len(data) for data in archives)
    assert many < 1.3 * few
    assert many < 20


def test_large_members_are_not_copied() -> None:
    data = pack({**TEXTS, "0.bin": bytes(5_000_000)})
    assert peak_of_unpacking(data) < len(data) / 10


def test_random_bytes_behind_the_right_start() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        data = bytearray(SMALL)
        for place in rng.integers(len(MANIFEST_START), len(data) - 64, 3):
            data[place] = rng.integers(256)
        with contextlib.suppress(ModelFileError):
            unpack(resealed(bytes(data)))


MANIFEST_START = b"PK\x03\x04" + bytes(26) + b"isonomy.json"
