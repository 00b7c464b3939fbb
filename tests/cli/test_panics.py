"""A panic of polars over a damaged file is told in one sentence of ours."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from types import FrameType

import polars as pl
import pytest

from isonomy.cli import _panics
from isonomy.cli._errors import UserError
from isonomy.cli._panics import panics_unheard, standard_error
from isonomy.cli._table_files import open_table
from tests.cli.command import Shell


class PanicException(BaseException):
    """In place of polars'."""


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Parquet file with one wrong byte, at which polars panics."""
    file, path = io.BytesIO(), tmp_path_factory.mktemp("damaged") / "t.parquet"
    table = pl.DataFrame({"click": [0, 1, None, 1], "score": [0.1, 0.2, 0.3, None]})
    table.write_parquet(file, compression="uncompressed", statistics=False)
    for at in range(30, 100):
        data = bytearray(file.getvalue())
        data[at] = 1
        path.write_bytes(data)
        try:
            open_table(str(path))
            pl.read_parquet(path)
        except pl.exceptions.PanicException:
            return path
        except (UserError, pl.exceptions.PolarsError):
            continue
    pytest.skip("this polars panics over none of 70 wrong bytes")


@pytest.mark.parametrize("command", ["audit", "rank", "sketch"])
def test_no_traceback_of_polars(command: str, shell: Shell, damaged: Path, tmp_path: Path) -> None:
    good, model, out = tmp_path / "good.csv", tmp_path / "m", tmp_path / "o"
    good.write_text("click,score\n" + "0,1\n1,2\n" * 30)
    if command == "rank":
        learned = shell("fit", good, "--labels", "click", "--method", "mean", "--out", model)
        assert learned.code == 0, learned.err
        more = ["--model", model, "--score-name", "s", "--out", out.with_suffix(".csv")]
    else:
        more = ["--labels", "click", "--score", "score"]
        more += ["--out", out] if command == "sketch" else []
    done = subprocess.run(
        [sys.executable, "-m", "isonomy", command, str(damaged), *map(str, more)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: {damaged} cannot be read: it is damaged. Make it again, or convert it to CSV.\n"
    )
    assert not list(tmp_path.glob("o*"))


def said_before(error: BaseException, text: bytes) -> None:
    with panics_unheard():
        os.write(2, text)
        raise error


def test_what_else_is_said_follows_in_its_order(capfd: pytest.CaptureFixture[str]) -> None:
    os.write(2, b"before ")
    with panics_unheard():
        os.write(2, b"within ")
        with panics_unheard():
            os.write(2, b"deeper ")
        os.write(standard_error(), b"at once ")
    for text, error in ((b"of a panic ", PanicException()), (b"of an error ", ValueError())):
        with pytest.raises(type(error)):
            said_before(error, text)
    os.write(2, b"after")
    assert capfd.readouterr().err == "before at once within deeper of an error after"


def test_standard_error_may_be_closed() -> None:
    code = "from isonomy.cli._panics import *\nwith panics_unheard():\n    print('done')"
    done = subprocess.run(
        [sys.executable, "-c", f"import os; os.close(2)\n{code}"], capture_output=True, text=True
    )
    assert (done.stdout, done.returncode) == ("done\n", 0)


def interrupted_at(place: int) -> bool:
    """Enter and leave the block, with an interrupt after its so many-th call; False beyond."""
    n_calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal n_calls
        if frame.f_code.co_filename == _panics.__file__ and event == "c_return":
            n_calls += 1
            if n_calls == place:
                raise KeyboardInterrupt

    sys.setprofile(count)
    try:
        with panics_unheard():
            pass
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


def test_an_interrupt_after_any_call_gives_standard_error_back() -> None:
    """Python tells of a signal when a call has returned."""
    usual, place = os.fstat(2).st_ino, 1
    while interrupted_at(place):
        assert os.fstat(2).st_ino == usual, place
        assert not _panics._aside, place
        place += 1
    assert place > 8
