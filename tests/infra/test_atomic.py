"""Writes: the old file or the whole new one, whatever interrupts them."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import isonomy as iso
from isonomy._infra.atomic import write_whole
from isonomy._models.files import to_bytes
from tests.models.folder import names
from tests.models.models import fitted

posix = pytest.mark.skipif(os.name != "posix", reason="signals, limits and modes of POSIX")

OLD, NEW = b"old", b"new" * 10**6


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "model"
    for data in (OLD, NEW, b"", OLD):
        write_whole(path, data)
        assert path.read_bytes() == data
        assert names(tmp_path) == ["model"]


@posix
def test_a_new_file_has_the_mode_of_new_files(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "model", NEW)
    usual = (tmp_path / "usual").stat().st_mode
    assert (tmp_path / "model").stat().st_mode == usual


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_an_old_files_mode_is_kept(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(OLD)
    path.chmod(mode)
    write_whole(path, NEW)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_bytes() == NEW


@posix
def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    target, link = tmp_path / "models" / "one", tmp_path / "current"
    target.write_bytes(OLD)
    link.symlink_to(Path("models") / "one")
    write_whole(link, NEW)
    assert link.is_symlink()
    assert target.read_bytes() == NEW
    assert names(tmp_path / "models") == ["one"]


@posix
def test_the_longest_name_that_a_folder_takes(tmp_path: Path) -> None:
    for name in ("x" * 255, "日" * 85):
        write_whole(tmp_path / name, NEW)
        assert (tmp_path / name).read_bytes() == NEW


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="which is no file"):
        write_whole(tmp_path, NEW)
    with pytest.raises(FileNotFoundError, match="It was not written"):
        write_whole(tmp_path / "no" / "folder", NEW)
    assert not names(tmp_path)


@posix
def test_an_interruption_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model"
    path.write_bytes(OLD)

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, NEW)
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["model"]


FULL = """
import resource, sys
from pathlib import Path
from isonomy._infra.atomic import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    write_whole(Path(sys.argv[1]), bytes(100_000))
except OSError as error:
    print(error.errno, error)
"""


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(OLD)
    command = [sys.executable, "-c", FULL, str(path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert out.startswith(str(errno.EFBIG)), out
    assert "was not written, and the file is as it was" in out
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["model"]


# Kills itself before the n-th call into the operating system, or anything else, while saving.
KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
import isonomy as iso
from isonomy._infra import atomic
from isonomy._models import files as model_files

path = Path(sys.argv[1])
def ranker(value):
    made = iso.LinearRanker()
    made.coef_, made.n_features_in_ = np.full(400_000, value), 400_000
    return made

old, new = (model_files.to_bytes(ranker(value)) for value in (1.0, 2.0))
files = (atomic.__file__, model_files.__file__)
model_files.to_bytes = lambda made, *_, **__: new
moment, finished, seen = 0, False, set()
while not finished:
    path.write_bytes(old)
    child = os.fork()
    if child == 0:
        left = moment
        def trace(frame, event, argument):
            global left
            if frame.f_code.co_filename in files and event in ("c_call", "c_return", "call"):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.setprofile(trace)
        iso.save(ranker(2.0), path)
        sys.setprofile(None)
        os._exit(0)
    finished = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    content = path.read_bytes()
    assert content in (old, new), moment
    assert finished <= (content == new)
    seen.add(content == new)
    moment += 1
for _ in range(10):
    child = os.fork()
    if child == 0:
        while True:
            write = new if path.read_bytes() == old else old
            atomic.write_whole(path, write)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, 0.005 + 0.003 * _)
    os.waitpid(child, 0)
    assert path.read_bytes() in (old, new)
assert (iso.load(path).coef_ == 2.0).all() or (iso.load(path).coef_ == 1.0).all()
assert seen == {True, False}
print(moment)
"""


@posix
def test_killed_at_every_moment(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", KILLED, str(tmp_path / "model")]
    out = subprocess.run(command, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert int(out.stdout) > 20, "moments of one write"


def test_save_writes_what_to_bytes_gives(tmp_path: Path) -> None:
    iso.save(fitted("linear"), tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == to_bytes(fitted("linear"))
