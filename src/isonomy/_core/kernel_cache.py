"""Where compiled kernels are kept between processes: in a folder that works, or nowhere.

numba's own cache wants to write beside the source or in the home folder and raises where it cannot,
trusts files that a full disk cut short, does not notice that a kernel which another one calls has
changed, and loads all of numba's typing rules before it looks. Here a file is one compiled kernel,
found by a digest of all that it was compiled from. Whatever is wrong with a file or a folder, the
kernel is compiled.
"""

from __future__ import annotations

import os
import pickle
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from isonomy._infra import warn_user, write_whole

_DIGEST = sha256().digest_size
# What decorators have the compiler do.
_DECORATORS = Path(__file__).with_name("jit.py")

_told: set[str] = set()

# numba's CompileResult, whose inner parts have no types.
Compiled: TypeAlias = Any


class KernelCache(NullCache):
    """The compiled forms of one kernel, as numba's dispatcher asks for them."""

    def __init__(self, function: Any) -> None:
        self._module = function.__module__
        self._name = f"{function.__module__.removeprefix('isonomy.')}.{function.__qualname__}"

    def load_overload(self, sig: Any, target_context: Any) -> Compiled | None:
        """The kernel compiled for these types, if some folder has it."""
        for folder in _folders():
            with suppress(Exception):  # Damaged, or not ours to read: as if it were not there.
                name = self._file_name(sig, target_context.codegen())
                symbols, reduced = pickle.loads(_checked(folder.joinpath(name).read_bytes()))
                _make_ready(symbols, target_context)
                return CompileResult._rebuild(target_context, *reduced)
        _say_once()
        return None

    def save_overload(self, sig: Any, data: Compiled) -> None:
        """Keep a compiled kernel in the first folder that takes it."""
        if data.library.has_dynamic_globals:  # It points at the memory of this process.
            return
        for folder in _folders(make=True):
            with suppress(OSError):
                content = dumps((_external_symbols(data), data._reduce()))
                write_whole(
                    folder / self._file_name(sig, data.codegen), sha256(content).digest() + content
                )
                return
        if "warned" not in _told:
            _told.add("warned")
            warn_user(
                "Compiled functions could not be kept in any folder, so that every new process "
                "compiles them again, which takes some seconds. Set the environment variable "
                "NUMBA_CACHE_DIR to a folder that can be written to."
            )

    def _file_name(self, sig: Any, codegen: Any) -> str:
        made_of = (
            *(str(sig), codegen.magic_tuple(), _source_digest(self._module)),
            *(numba.__version__, llvmlite.__version__, np.__version__),
            sys.implementation.cache_tag,
        )
        return f"{self._name}-{sha256(repr(made_of).encode()).hexdigest()[:32]}.nbc"


def kept(name: str, make: Callable[[], bytes]) -> bytes:
    """What takes long to make, from a file of that name beside the compiled kernels.

    The name should tell all that the content depends on.
    """
    for folder in _folders():
        with suppress(Exception):  # As if it were not there.
            return _checked(folder.joinpath(name).read_bytes())
    content = make()
    for folder in _folders(make=True):
        with suppress(OSError):
            write_whole(folder / name, sha256(content).digest() + content)
            break
    return content


def _external_symbols(compiled: Compiled) -> list[str]:
    """What the machine code calls and does not hold."""
    module = compiled.library._final_module
    declared = [*module.functions, *module.global_variables]
    names = [each.name for each in declared if each.is_declaration]
    return [name for name in names if not name.startswith("llvm.")]


def _make_ready(symbols: list[str], target_context: Any) -> None:
    """Have all these symbols at hand, or the machine code would call nothing at all.

    Most kernels need only numba's runtime: to load all that is needed for compiling takes longer
    than the first metric.
    """
    rtsys.initialize(target_context)
    if any(llvm.address_of_symbol(name) is None for name in symbols):
        target_context.refresh()


def _folders(*, make: bool = False) -> Iterator[Path]:
    """Where compiled kernels may lie, the best place first; made where they are missing.

    What lies there is run. So a folder that others could write to is passed over, but for one that
    the user named, and the package's own, which is trusted as its source is.
    """
    for place in (_named, _in_package, _personal, _temporary):
        with suppress(OSError):
            folder = place()
            if folder is None or not folder.is_absolute():
                continue
            trusted = place in (_named, _in_package)
            if make:
                folder.mkdir(mode=0o777 if trusted else 0o700, parents=True, exist_ok=True)
            if trusted or _only_mine(folder):
                yield folder


def _named() -> Path | None:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen).absolute() / "isonomy" if chosen else None


def _in_package() -> Path:
    return Path(__file__).parents[1] / "__pycache__" / "kernels"


def _personal() -> Path:
    """Not an absolute path where there is no home."""
    return Path(AppDirs(appname="isonomy", appauthor=False).user_cache_dir) / "kernels"


def _temporary() -> Path | None:
    user = os.geteuid() if hasattr(os, "geteuid") else "user"
    folder = Path(tempfile.gettempdir())
    # Where no temporary folder works, Python offers the one that the user's files are in. The
    # sticky bit tells them apart.
    if folder == Path.cwd() and not folder.stat().st_mode & stat.S_ISVTX:
        return None
    return folder / f"isonomy-kernels-{user}"


def _only_mine(folder: Path) -> bool:
    """Whether nobody but this user, or root, can have put a file there."""
    if not hasattr(os, "geteuid"):
        return True
    found = folder.lstat()
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & 0o022


def _checked(content: bytes) -> bytes:
    """What was kept, if it is the whole of it."""
    digest, data = content[:_DIGEST], content[_DIGEST:]
    if sha256(data).digest() != digest:
        raise OSError("cut short or damaged")
    return data


@cache
def _source_digest(module: str) -> str:
    """Of the source of a module of kernels, of its decorators, and of kernels that it imports."""
    source = Path(sys.modules[module].__file__ or "").read_bytes()
    found = sha256(source + _DECORATORS.read_bytes())
    for other in re.findall(rb"^from (isonomy\.\S+\.kernels\.\S+) import", source, re.MULTILINE):
        found.update(_source_digest(other.decode()).encode())
    return found.hexdigest()


def _say_once() -> None:
    """Say to whoever sits in front of it what takes so long."""
    watched = getattr(sys.stderr, "isatty", bool)() or "ipykernel" in sys.modules
    if watched and "said" not in _told:
        _told.add("said")
        sys.stderr.write(
            "isonomy: compiling for this machine, which takes some seconds the first time.\n"
        )
        sys.stderr.flush()
