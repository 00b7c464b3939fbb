"""Members in one archive: a zip without compression that ends in a checksum of itself.

Nothing is compressed, so an archive unpacks to its own size. The last bytes, the zip's comment,
are the SHA-256 of all bytes before them, so that a truncated or altered file is found at once.
A checksum does not make a file trustworthy: whoever makes a file can make its checksum. So the
layout is checked as well: members follow each other without gap or overlap.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from collections.abc import Mapping

from isonomy._models.model_file_error import ModelFileError

MANIFEST, SCHEMA = "isonomy.json", "schema.json"
HEAD = 30 + len(MANIFEST)
# Arrays, sparse matrices and bytes; numbered in the order of their use.
KINDS = (".npy", ".npz", ".bin")

_MAGIC = b"isonomy-model sha256:"
_DIGITS = 64
_TRAILER = len(_MAGIC) + _DIGITS
_HEADER = struct.Struct("<4sHHHHHIIIHH")
_START = b"PK\x03\x04"
# The same bytes for the same model, whenever and wherever it is saved.
_DATE, _UNIX = (1980, 1, 1, 0, 0, 0), 3


def pack(members: Mapping[str, bytes]) -> bytes:
    """The archive of these members, in this order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = _UNIX
            archive.writestr(info, content)
        archive.comment = _MAGIC + b"0" * _DIGITS
    data = buffer.getbuffer()
    data[-_DIGITS:] = _digest(data)
    return bytes(data)


def check_start(data: bytes) -> None:
    """Refuse what does not begin as an archive that `pack` made: the first `HEAD` bytes tell."""
    if not data.startswith(_START) or data[30:HEAD] != MANIFEST.encode():
        raise ModelFileError(
            f"It is no model file of Isonomy{_looks_like(data)}. "
            "Pass a file that `isonomy.save` wrote."
        )


def unpack(data: bytes) -> dict[str, memoryview]:
    """The members of an archive that `pack` made, or could have made."""
    view = memoryview(data)
    check_start(data)
    if data[-_TRAILER:-_DIGITS] != _MAGIC or data[-_DIGITS:] != _digest(view):
        raise ModelFileError(
            "It is truncated or was altered: its checksum does not match its content."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos, end = archive.infolist(), archive.start_dir
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, OSError) as error:
        raise ModelFileError(f"Its archive is broken: {error}.") from error
    members: dict[str, memoryview] = {}
    place = 0
    for number, info in enumerate(infos):
        _check_member(info, number, place)
        header = _HEADER.unpack_from(data, place) if place + _HEADER.size <= end else None
        if header is None or header[0] != _START:
            raise ModelFileError(f"Member {number} of its archive does not stand where it should.")
        start = place + _HEADER.size + header[-2] + header[-1]
        place = start + info.file_size
        if place > end:
            raise ModelFileError(
                f"Member {info.filename} of its archive is longer than the archive."
            )
        members[info.filename] = view[start:place]
    if place != end or set(members) < {MANIFEST, SCHEMA}:
        raise ModelFileError("Its archive has gaps, or lacks members.")
    return members


def _check_member(info: zipfile.ZipInfo, number: int, place: int) -> None:
    fixed = (MANIFEST, SCHEMA)
    expected = (
        {fixed[number]} if number < len(fixed) else {f"{number - len(fixed)}{k}" for k in KINDS}
    )
    if info.orig_filename not in expected:
        raise ModelFileError(
            f"Member {number} of its archive is named {info.orig_filename[:80]!r}."
        )
    if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
        raise ModelFileError(f"Member {info.filename} of its archive is compressed.")
    if info.header_offset != place or info.flag_bits:
        raise ModelFileError(
            f"Member {info.filename} of its archive does not stand where it should."
        )


def _digest(view: memoryview) -> bytes:
    return hashlib.sha256(view[:-_DIGITS]).hexdigest().encode()


def _looks_like(data: bytes) -> str:
    if not data:
        return ": it is empty"
    if data.startswith(_START):
        return ", but a zip archive of something else"
    if data.startswith((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")):
        return ", but a pickle (which would run code to load)"
    return ""
