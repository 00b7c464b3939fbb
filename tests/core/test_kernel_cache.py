"""Compiled kernels are found again, whatever happened to their files, and no file is an error."""

from __future__ import annotations

import errno
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from isonomy._core import kernel_cache

INNER = """
from isonomy._core import kernel

@kernel
def shift(x):
    return x + {shift}
"""
OUTER = """
from isonomy._core import kernel
from isonomy.made_up.kernels.inner import shift

@kernel
def twice(x):
    return 2 * shift(x)
"""
INNER_NAME, OUTER_NAME = "isonomy.made_up.kernels.inner", "isonomy.made_up.kernels.outer"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A cache that nobody has used: its folders, and what was told."""
    monkeypatch.setattr(kernel_cache, "_told", set())
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    for place in ("_in_package", "_personal", "_temporary"):
        folder = tmp_path / place
        monkeypatch.setattr(kernel_cache, place, lambda folder=folder: folder)
    yield
    for name in (INNER_NAME, OUTER_NAME):
        sys.modules.pop(name, None)


def module(name: str, source: str, folder: Path) -> ModuleType:
    """A module of kernels, imported as a new process would."""
    path = folder / f"{name.rpartition('.')[2]}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


def twice(folder: Path, shift: int = 1) -> Any:
    """The kernel 2 (x + shift), as a new process would have it."""
    kernel_cache._source_digest.cache_clear()
    module(INNER_NAME, INNER.format(shift=shift), folder)
    return module(OUTER_NAME, OUTER, folder).twice


def compiled(kernel: Any) -> bool:
    """Whether the kernel had to be compiled to be called."""
    assert kernel(3.0) == 8.0
    return bool(kernel.stats.cache_misses)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.nbc"))


def test_a_kernel_is_compiled_once(tmp_path: Path) -> None:
    assert compiled(twice(tmp_path))
    assert files(tmp_path / "_in_package")
    assert not compiled(twice(tmp_path))


def test_a_change_in_a_kernel_that_it_calls_is_noticed(tmp_path: Path) -> None:
    assert twice(tmp_path)(3.0) == 8.0
    assert twice(tmp_path, shift=2)(3.0) == 10.0


def test_a_change_of_how_kernels_are_compiled_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decorators = tmp_path / "jit.py"
    monkeypatch.setattr(kernel_cache, "_DECORATORS", decorators)
    decorators.write_text("fastmath = set()")
    assert compiled(twice(tmp_path))
    assert not compiled(twice(tmp_path))
    decorators.write_text("fastmath = {'contract'}")
    assert compiled(twice(tmp_path))


@pytest.mark.parametrize(
    "damaged",
    [
        lambda whole: whole[:0],
        lambda whole: whole[:31],
        lambda whole: whole[:-1],
        lambda whole: whole[:500] + bytes([whole[500] ^ 1]) + whole[501:],
        lambda whole: bytes(len(whole)),
    ],
    ids=["empty", "no digest", "cut short", "a bit flipped", "zeros"],
)
def test_damaged_files_are_compiled_again(
    tmp_path: Path, damaged: Callable[[bytes], bytes]
) -> None:
    compiled(twice(tmp_path))
    kept = next(path for path in files(tmp_path / "_in_package") if "outer" in path.name)
    kept.write_bytes(damaged(kept.read_bytes()))
    assert compiled(twice(tmp_path))
    assert not compiled(twice(tmp_path))


def test_a_folder_that_cannot_be_written_gives_way_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "_in_package").write_text("a file in the way")
    assert compiled(twice(tmp_path))
    assert files(tmp_path / "_personal")
    assert not compiled(twice(tmp_path))


def test_a_full_disk_gives_way_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        if path.parent.name != "_temporary":
            raise OSError(errno.ENOSPC, "No space left on device")
        path.write_bytes(content)

    monkeypatch.setattr(kernel_cache, "write_whole", full)
    assert compiled(twice(tmp_path))
    assert files(tmp_path / "_temporary")
    assert not compiled(twice(tmp_path))


def test_no_folder_at_all_is_one_warning(tmp_path: Path) -> None:
    for name in ("_in_package", "_personal", "_temporary"):
        (tmp_path / name).write_text("a file in the way")
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR") as caught:
        assert compiled(twice(tmp_path))
    assert [each.filename for each in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled(twice(tmp_path))


def test_a_metric_needs_no_folder(tmp_path: Path) -> None:
    """As for a service: the package can only be read, and there is no home."""
    package = tmp_path / "lib" / "isonomy"
    shutil.copytree(
        Path(kernel_cache.__file__).parents[1],
        package,
        ignore=shutil.ignore_patterns("__pycache__", "cli", "_render"),
    )
    user = os.geteuid() if hasattr(os, "geteuid") else "user"
    for path in (package / "__pycache__", tmp_path / f"isonomy-kernels-{user}"):
        path.write_text("a file in the way")
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), os.devnull)
    done = subprocess.run(
        [sys.executable, "-c", "import isonomy as i; print(i.auc([0, 1], [1, 2]), i.__file__)"],
        env={**os.environ, **places, "TMPDIR": str(tmp_path), "PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["1.0", str(package / "__init__.py")], done.stderr
    assert done.stderr.count("UserWarning") == done.stderr.count("NUMBA_CACHE_DIR") == 1


def test_no_temporary_folder_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(kernel_cache, "_temporary", nowhere)
    assert compiled(twice(tmp_path))


def test_nothing_is_put_beside_the_users_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert kernel_cache._temporary() is None
    tmp_path.chmod(0o1777)
    assert str(kernel_cache._temporary()).startswith(f"{tmp_path}{os.sep}isonomy-kernels-")


def test_a_folder_that_can_only_be_read_is_read(tmp_path: Path) -> None:
    compiled(twice(tmp_path))
    (tmp_path / "_in_package").chmod(0o500)
    for path in files(tmp_path / "_in_package"):
        path.chmod(0o400)
    assert not compiled(twice(tmp_path))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners of files")
@pytest.mark.parametrize("trust", ["mode", "owner"])
def test_what_others_can_write_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trust: str
) -> None:
    (tmp_path / "_in_package").write_text("a file in the way")
    compiled(twice(tmp_path))
    if trust == "mode":
        (tmp_path / "_personal").chmod(0o777)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        os.chown(tmp_path / "_personal", 54321, -1) if os.getuid() == 0 else pytest.skip("root")
    assert compiled(twice(tmp_path))


def test_the_named_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    assert compiled(twice(tmp_path))
    assert files(tmp_path / "named" / "isonomy")
    assert not (tmp_path / "_in_package").exists()


def test_without_a_home_there_is_no_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_cache, "_personal", lambda: Path("~/.cache/isonomy"))
    monkeypatch.chdir(tmp_path)
    list(kernel_cache._folders(make=True))
    assert not (tmp_path / "~").exists()


def test_what_takes_long_is_said_once_and_only_where_somebody_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    twice(tmp_path)(3.0)
    assert screen.getvalue() == ""
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    twice(tmp_path)(3)
    assert screen.getvalue().count("compiling") == 1
    twice(tmp_path)(3.0)
    assert screen.getvalue().count("\n") == 1


def test_symbols_that_are_missing_load_all_of_the_compiler() -> None:
    class Context:
        refreshed = False

        def refresh(self) -> None:
            self.refreshed = True

    context = Context()
    kernel_cache._make_ready(["NRT_Free", "PyErr_Clear"], context)
    assert not context.refreshed
    kernel_cache._make_ready(["NRT_Free", "no_such_symbol"], context)
    assert context.refreshed


def test_warnings_as_errors_do_not_touch_a_folder_that_works(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled(twice(tmp_path))


def test_other_content_is_kept_beside_the_kernels(tmp_path: Path) -> None:
    made: list[bytes] = []

    def make() -> bytes:
        made.append(b"long to make")
        return made[-1]

    for _ in range(2):
        assert kernel_cache.kept("page.js", make) == b"long to make"
    assert len(made) == 1
    (file,) = tmp_path.rglob("page.js")
    file.write_bytes(file.read_bytes()[:-1])
    assert kernel_cache.kept("page.js", make) == b"long to make"
    assert len(made) == 2


def test_nothing_is_kept_where_no_folder_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "_folders", lambda **_: iter(()))
    assert kernel_cache.kept("page.js", lambda: b"made") == b"made"
