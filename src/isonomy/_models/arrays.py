"""Arrays in a model file: headers against byte lengths, before anything is allocated."""

from __future__ import annotations

import io
import math
import zipfile

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._models.model_file_error import ModelFileError

# Booleans, numbers, times, texts of fixed width, and records of these. No objects.
_DTYPES = "biufcmMSUV"
_ITEM, _AXIS = 2**20, 2**31
_HEADER = 10_000
# What scipy writes of a matrix in compressed sparse row or column format.
_PARTS = ("indices.npy", "indptr.npy", "format.npy", "shape.npy", "data.npy", "_is_array.npy")


def array_of(member: memoryview) -> NDArray[np.generic]:
    """The array in a .npy member, on the member's own memory."""
    shape, fortran, dtype, start = _header(member)
    count = math.prod(shape)
    if dtype.hasobject or dtype.kind not in _DTYPES or not 0 < dtype.itemsize <= _ITEM:
        raise ModelFileError(f"An array has the dtype {str(dtype)[:80]}, which is not allowed.")
    if len(shape) > 32 or not all(0 <= length < _AXIS for length in shape):
        raise ModelFileError(f"An array has the shape {str(shape)[:80]}, which is not possible.")
    if count * dtype.itemsize != len(member) - start:
        raise ModelFileError(
            f"An array's header says {count} entries of {dtype.itemsize} bytes, but "
            f"{len(member) - start} bytes follow."
        )
    flat = np.frombuffer(member, dtype, count, start)
    return flat.reshape(shape, order="F" if fortran else "C")


def check_sparse(member: memoryview) -> None:
    """Refuse an .npz member that is no sound sparse matrix, or that unpacks to more than itself."""
    if bytes(member[:4]) != b"PK\x03\x04":
        raise ModelFileError("A sparse matrix is no archive of arrays.")
    arrays: dict[str, NDArray[np.generic]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(member)) as archive:
            infos = archive.infolist()
            if len({info.filename for info in infos}) != len(infos) or len(infos) > len(_PARTS):
                raise ModelFileError("A sparse matrix has more parts than it should.")
            for info in infos:
                if info.filename not in _PARTS or info.compress_type != zipfile.ZIP_STORED:
                    raise ModelFileError(
                        "A sparse matrix has a part that is compressed or unknown."
                    )
                if info.file_size > len(member):
                    raise ModelFileError(
                        "A sparse matrix has a part that is longer than its member."
                    )
                arrays[info.filename] = array_of(memoryview(archive.read(info)))
        shape = tuple(int(length) for length in arrays["shape.npy"])
        parts = tuple(arrays[name] for name in ("data.npy", "indices.npy", "indptr.npy"))
        formats = {b"csr": sparse.csr_matrix, b"csc": sparse.csc_matrix}
        matrix = formats[arrays["format.npy"].item()](parts, shape=shape)
        matrix.check_format(full_check=True)
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(f"A sparse matrix is not sound: {str(error)[:200]}.") from error


def without_padding(content: bytes) -> bytes:
    """An array as numpy saves it, with zeros between the fields of its records, if it has any."""
    array = array_of(memoryview(content))
    fields = array.dtype.fields
    if not fields:
        return content
    gaps = np.ones(array.dtype.itemsize, dtype=bool)
    for dtype, start, *_ in fields.values():
        gaps[start : start + dtype.itemsize] = False
    body = np.frombuffer(content, np.uint8)[-array.nbytes :].reshape(-1, gaps.size).copy()
    body[:, gaps] = 0
    return content[: -array.nbytes] + body.tobytes() if array.nbytes else content


def without_compression(content: bytes) -> bytes:
    """A sparse matrix as scipy saves it, uncompressed."""
    buffer = io.BytesIO()
    sparse.save_npz(buffer, sparse.load_npz(io.BytesIO(content)), compressed=False)
    return buffer.getvalue()


def _header(member: memoryview) -> tuple[tuple[int, ...], bool, np.dtype[np.generic], int]:
    """Shape, order, dtype, and where the entries begin."""
    start = io.BytesIO(member[: _HEADER + 10])
    try:
        if np.lib.format.read_magic(start) != (1, 0):
            raise ModelFileError("An array is in a version of numpy's format that is not allowed.")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(start, _HEADER)
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(f"An array's header is broken: {str(error)[:200]}.") from error
    return shape, fortran, dtype, start.tell()
